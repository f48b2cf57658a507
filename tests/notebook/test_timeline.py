"""The timeline: where things stood after every turn, and what was stopped."""

from datetime import timedelta

import relay_lab
from relay_lab import Fault, Parts
from relay_lab.notebook import timeline
from relay_lab.notebook.turns import NOT_KEPT


def told(lab: relay_lab.Lab) -> None:
    lab.say(lab.scenario.message)
    lab.choose("individual")
    lab.confirm()


def states(line) -> list[dict[str, str]]:
    return [turn.states for turn in line.turns]


def test_every_turn_has_its_states_its_quote_and_its_operation():
    with relay_lab.open_lab() as lab:
        told(lab)
        line = timeline(lab.run())
    ready = {"I1": "evidence_ready", "I2": "evidence_ready"}
    assert states(line) == [
        {**ready, "I3": "needs_input"},
        {**ready, "I3": "awaiting_confirmation"},
        {**ready, "I3": "scheduled"},
    ]
    assert [turn.quote for turn in line.turns] == ["", "DG-1042-v1\npending", "DG-1042-v1\nexecuted"]
    assert [(turn.operation, turn.mutations) for turn in line.turns] == [("", 0), ("", 0), ("completed", 1)]


def test_the_desks_clock_stands_beside_each_turn():
    with relay_lab.open_lab() as lab:
        lab.say(lab.scenario.message)
        lab.advance(timedelta(hours=3))
        lab.choose("individual")
        plain = timeline(lab)._repr_mimebundle_()["text/plain"]
    assert "10 Sep 10:00:00" in plain and "10 Sep 13:00:00" in plain


def test_a_state_that_changed_is_underlined_and_one_that_stayed_is_not():
    with relay_lab.open_lab() as lab:
        told(lab)
        rows = timeline(lab)._repr_mimebundle_()["text/html"].partition("<tbody>")[2].split("<tr>")[1:4]
    assert [row.count("<ins>") for row in rows] == [3, 1, 1]
    assert "<ins>scheduled</ins>" in rows[2]


def test_what_was_stopped_names_the_guard_in_the_turn_it_belongs_to():
    with relay_lab.open_lab() as lab:
        lab.say(lab.scenario.message)
        lab.choose("individual")
        lab.advance(timedelta(hours=1))
        lab.confirm()
        line = timeline(lab)
    assert [[row.guard for row in turn.stopped] for turn in line.turns] == [[], [], ["expiry"]]
    assert "confirm: expired (expiry)" in line._repr_mimebundle_()["text/plain"]


def test_the_trace_of_a_turn_can_be_cut_down_to_what_was_stopped():
    with relay_lab.open_lab() as lab:
        lab.say(lab.scenario.message)
        lab.choose("individual")
        lab.advance(timedelta(hours=1))
        lab.confirm()
        line = timeline(lab)
    assert line.turn.value == 3
    assert "get plan and entitlements" in line.detail.value
    line.only_stopped.value = True
    assert "get plan and entitlements" not in line.detail.value and "expiry" in line.detail.value
    line.turn.value = 1
    assert "Trace of turn 1: nothing." in line.detail.value


def test_an_unknown_operation_is_on_the_line_until_it_is_settled():
    lost = Fault("schedule_downgrade", "after_commit", at=(1,))
    with relay_lab.open_lab(parts=Parts(faults=(lost,))) as lab:
        told(lab)
        lab.reconcile()
        line = timeline(lab)
    assert [turn.operation for turn in line.turns[2:]] == ["failed_unknown", "completed"]
    assert [turn.states["I3"] for turn in line.turns[2:]] == ["unknown", "scheduled"]


def test_a_timeline_of_a_lab_goes_on_with_it():
    with relay_lab.open_lab() as lab:
        line = timeline(lab)
        assert "Nothing has been said yet" in line._repr_mimebundle_()["text/plain"]
        lab.say(lab.scenario.message)
        line.read.click()
        assert len(line.turns) == 1 and line.turn.options == (1,)
        told(lab)
        line._repr_mimebundle_()
    assert len(line.turns) == 4


def test_a_timeline_of_a_run_stays_what_it_was():
    with relay_lab.open_lab() as lab:
        run = lab.say(lab.scenario.message)
        lab.choose("individual")
    assert len(timeline(run).turns) == 1


def test_of_an_earlier_process_the_replies_are_left_and_the_rest_is_not_made_up(tmp_path):
    with relay_lab.open_lab(db=tmp_path / "a.db") as lab:
        lab.say(lab.scenario.message)
        lab.choose("individual")
    with relay_lab.open_lab(db=tmp_path / "a.db") as lab:
        lab.confirm()
        line = timeline(lab)
        assert [turn.states == {} for turn in line.turns] == [True, True, False]
        assert line.turns[0].quote == NOT_KEPT
        line.turn.value = 1
        assert "The desk in turn 1: " in line.detail.value
        assert NOT_KEPT in line._repr_mimebundle_()["text/html"]


def test_once_its_lab_is_closed_a_timeline_shows_what_it_had():
    with relay_lab.open_lab() as lab:
        lab.say(lab.scenario.message)
        line = timeline(lab)
    assert "needs_input" in line._repr_mimebundle_()["text/plain"]


def test_what_a_customer_wrote_stays_text_in_the_line():
    with relay_lab.open_lab() as lab:
        line = timeline(lab.say("I was charged twice <script>alert(1)</script> for my plan"))
    made = line._repr_mimebundle_()
    assert "<script>" not in made["text/html"] + line.detail.value


def test_the_same_story_makes_the_same_table():
    def once():
        with relay_lab.open_lab() as lab:
            told(lab)
            made = timeline(lab)._repr_mimebundle_()
        return made["text/html"], made["text/plain"]

    assert once() == once()


def test_every_control_of_the_line_has_a_label():
    with relay_lab.open_lab() as lab:
        line = timeline(lab)
    assert all(each.description for each in (line.turn, line.only_stopped, line.read))
