"""The matrix explorer and its heat map: a row is run as it is picked, and the map says which row needs which guard."""

import pytest

from relay_lab.app.matrix_rows import expectations
from relay_lab.contracts.errors import BadInput
from relay_lab.notebook.broken import GUARDS
from relay_lab.notebook.heat import WHOLE, heat_map
from relay_lab.notebook.matrix import matrix_explorer
from relay_lab.notebook.matrix_row import headline


@pytest.fixture
def explorer():
    return matrix_explorer("F5b")


def test_a_row_that_holds_shows_the_guard_that_stopped_it(explorer):
    shown = explorer._repr_mimebundle_()["text/html"]
    assert headline(explorer.run) == ("F5b holds with every guard standing.", "good")
    assert "rechecks" in shown and "price" in shown


def test_picking_a_guard_to_leave_out_runs_the_row_again(explorer):
    explorer.without.value = "rechecks"
    assert not explorer.run.result.passed
    assert headline(explorer.run)[0].startswith("F5b is red without rechecks: at 'confirmed'")
    assert explorer.run.result.mutations == 1
    explorer.without.value = ""
    assert explorer.run.result.passed


def test_picking_a_row_runs_it_and_its_replies_are_the_last_thing_shown(explorer):
    explorer.row.value = "F14a"
    assert explorer.run.result.id == "F14a"
    assert explorer._repr_mimebundle_()["text/html"].endswith("</table></details></div>")


def test_a_world_that_there_is_not_is_said_and_the_row_stays(explorer):
    explorer.world.value = "nowhere"
    assert "there is no world" in explorer._repr_mimebundle_()["text/html"]
    assert explorer.run.world == "relay"
    explorer.world.value = "7"
    assert explorer.run.world == "7"
    assert "there is no world" not in explorer._repr_mimebundle_()["text/html"]


def test_the_plain_table_holds_no_markup(explorer):
    explorer.without.value = "rechecks"
    plain = explorer._repr_mimebundle_()["text/plain"]
    assert "<" not in plain
    assert "awaiting_confirmation" in plain and "scheduled" in plain


def test_the_same_row_shows_the_same_twice():
    first, second = (matrix_explorer("C2a", "binding")._repr_mimebundle_() for _ in range(2))
    assert [first[kind] for kind in ("text/html", "text/plain")] == [
        second[kind] for kind in ("text/html", "text/plain")
    ]


def test_every_control_has_a_label_or_says_what_it_does(explorer):
    controls = (explorer.row, explorer.without, explorer.world, explorer.draw)
    assert all(control.description for control in controls)


@pytest.mark.parametrize(
    ("row", "without", "world", "why"),
    [("F99", None, None, "no row"), ("F1", "luck", None, "no guard"), ("F1", None, "x", "no world")],
)
def test_what_there_is_not_is_refused_in_words(row, without, world, why):
    with pytest.raises(BadInput, match=why):
        matrix_explorer(row, without, world)


def test_the_map_shows_a_row_red_without_its_guard_and_holding_with_all():
    drawn = heat_map(["F5d", "C1a", "F2"])
    assert drawn.red[WHOLE] == ()
    assert drawn.red["expiry"] == ("F5d",)
    assert drawn.red["confirmation"] == ("C1a",)
    assert ("F2", "expiry") not in drawn.cells, "nothing is stopped in F2, so it is run whole only"
    markup = str(drawn.markup())
    assert 'aria-label="F5d without expiry: red"' in markup
    assert 'aria-label="C1a with every guard: holds"' in markup
    assert 'aria-label="F2 without expiry: not run"' in markup


def test_everything_runs_a_row_without_every_guard():
    drawn = heat_map(["F9"], ["grounding", "expiry"], everything=True)
    assert drawn.red == {WHOLE: (), "grounding": ("F9",), "expiry": ()}
    assert repr(drawn).splitlines()[1].split() == ["nothing", "none"]


def test_a_row_or_guard_of_the_map_that_there_is_not_is_refused():
    with pytest.raises(BadInput, match="no row 'F99'"):
        heat_map(["F99"])
    with pytest.raises(BadInput, match="no guard 'luck'"):
        heat_map(["F1"], ["luck"])


@pytest.mark.slow
def test_every_guard_turns_a_row_red_and_no_row_turns_red_without_another_guard_than_its_own():
    stops = {row_id: each.stopped_by for row_id, each in expectations().items()}
    drawn = heat_map(everything=True)
    assert drawn.red[WHOLE] == ()
    for guard in GUARDS:
        assert drawn.red[guard], f"no row needs {guard}"
        assert {stops[row] for row in drawn.red[guard]} == {guard}


def test_the_explorer_draws_the_map_below_the_row(explorer, monkeypatch):
    from relay_lab.notebook import matrix

    monkeypatch.setattr(matrix, "heat_map", lambda world: heat_map(["F9"], world=world))
    explorer.draw_map()
    bundle = explorer._repr_mimebundle_()
    assert "relay-heat" in bundle["text/html"]
    assert "grounding" in bundle["text/plain"].partition("rows that turn red")[2]
