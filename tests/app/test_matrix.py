"""The failure matrix: every row holds, each removed guard shows, and the judge of the rows is itself put to the test."""

import json
from xml.etree import ElementTree

import pytest

from relay_lab import cli
from relay_lab.app import matrix_report, matrix_rows, matrix_run
from relay_lab.app.ablation import GUARDS, guards_without
from relay_lab.app.matrix import run_matrix
from relay_lab.app.settings import scenario_named
from relay_lab.contracts.enums import IssueState, OperationState
from relay_lab.contracts.errors import BadInput
from relay_lab.core.guards import STANDING
from relay_lab.proposers.rules import rules_proposer
from relay_lab.world.data import fixtures_folder

IDS = [row.id for row in matrix_rows.rows()]


def red(results) -> dict[str, tuple[str, ...]]:
    return {result.id: result.failures for result in results if not result.passed}


@pytest.mark.parametrize("row_id", IDS)
def test_every_row_holds_on_the_fixture(row_id):
    """Each row ends where it should, with nothing unauthorized and every checkpoint met."""
    [result] = run_matrix([row_id])
    assert result.passed, result.failures
    assert result.unauthorized == 0
    assert result.observed[-1].states == result.expected[-1].states


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (*range(1, 25), 2026, 10**17))]
)
def test_every_row_holds_on_generated_worlds(seed):
    """The rows follow from the rules and not from the fixture: they hold wherever a customer has the same three concerns."""
    assert red(run_matrix(world=seed)) == {}


def test_rows_and_expectations_have_the_same_ids_each_once():
    """No row is run without an expectation, and none is expected that is not run."""
    assert len(IDS) == len(set(IDS))
    assert list(matrix_rows.expectations()) == IDS


# What turns red when a guard is gone, and which line stopped it then; None: nothing did, and the effect followed.
WITHOUT = {
    "strict_json": {"F8c": None},
    "grounding": {"F9": None},
    "scope": {"F26a": None, "F26b": None, "F26c": None, "F26d": None, "F26g": None, "N3": None},
    "assurance": {"F5e": None},
    "expiry": {"F5d": None, "N4a": "rechecks", "N4b": "rechecks"},
    "rechecks": {"F5a": None, "F5b": None, "F5c": None},
    "receipt": {"F7": "confirmation", "F7b": "binding"},
    "audit": {"F16": None},
    "echo": {"F20a": None, "F20b": None, "F20c": None, "F20d": None},
    "reply": {"F14a": None, "F14b": None, "F14c": None},
    "packet": {"F15": None},
    "ownership": {
        "F1": "ownership"
    },  # an id in text is noted under this name whether or not the guard stands
    "confirmation": {"C1a": None, "C1b": None},
    "binding": {"C2a": None, "C2b": None, "C3": None},
}


def test_every_guard_is_removed_here():
    """A new guard needs a line in the table above before this suite is green."""
    assert set(WITHOUT) == set(GUARDS)


@pytest.mark.slow
@pytest.mark.parametrize("guard", WITHOUT)
def test_without_a_guard_the_rows_that_it_holds_turn_red_and_no_other(guard):
    """Each guard has rows of its own: they turn red without it, and the trace names what stopped them then."""
    results = run_matrix(without=guard)
    assert {result.id: result.stopped_by.observed for result in results if not result.passed} == WITHOUT[
        guard
    ]


def test_behind_the_recheck_of_the_version_the_service_itself_refuses():
    """The second line holds the effect: no change is made, and the row is red all the same."""
    [row] = run_matrix(["F5a"], without="rechecks")
    assert row.mutations == 0 and row.observed == row.expected
    assert "the quotes stand at ['rejected', 'pending'], not ['superseded', 'pending']" in row.failures


def test_without_the_scope_what_went_through_is_counted_as_unauthorized():
    """A change without its scope is one mutation, one unauthorized call, and a sentence."""
    [row] = run_matrix(["N3"], without="scope")
    assert (row.mutations, row.unauthorized) == (1, 1)
    assert "schedule_downgrade was called without subscription:schedule" in row.failures


def test_a_packet_that_holds_what_it_may_not_turns_its_row_red_by_the_scan():
    """Every packet of every row is held against its run and looked through for leaks: this one carries a password."""
    [result] = run_matrix(["F15"], without="packet")
    assert any("holds what looks like a leak" in failure for failure in result.failures)
    assert any("the commitments hold what was never said" in failure for failure in result.failures)


def test_no_row_says_what_should_come_of_it():
    """What is injected and what is expected are two files; the first names no state and no guard."""
    text = (fixtures_folder() / "matrix" / "rows.json").read_text("utf-8")
    keys = {key for row in json.loads(text)["rows"] for key in row}
    assert keys == {"id", "words", "inject", "script"}
    guards = set(GUARDS) - {"echo", "assurance"}  # also the names of a fault and of a part of a session
    states = {state.value for state in IssueState} | {state.value for state in OperationState}
    assert {word for word in states | guards if f'"{word}"' in text} == set()


def test_a_crash_inside_a_row_is_the_failure_of_that_row_alone(monkeypatch):
    """The rows before and behind it run, and its own result says what broke where."""
    usual = matrix_run.staged

    def crashing(row, *rest):
        return 1 / 0 if row.id == "F2" else usual(row, *rest)

    monkeypatch.setattr(matrix_run, "staged", crashing)
    first, second, third = run_matrix(["F1", "F2", "F3"])
    assert first.passed and third.passed and not second.passed
    assert second.failures == ("the run broke off: ZeroDivisionError in crashing: division by zero",)
    assert second.observed == ()


def test_a_row_run_twice_leaves_the_same():
    """Nothing of a run depends on chance or on the hour."""
    assert run_matrix(["F6", "F18"]) == run_matrix(["F6", "F18"])


def test_rows_are_chosen_by_id_and_keep_their_order():
    """The matrix has one order, whatever order they are asked for in."""
    assert [result.id for result in run_matrix(["N2", "F1"])] == ["F1", "N2"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"only": ["F99"]}, "there is no row 'F99'"),
        ({"without": "luck"}, "there is no guard 'luck'"),
        ({"world": "atlantis"}, "there is no world 'atlantis'"),
    ],
)
def test_an_unknown_row_guard_or_world_is_refused_in_one_sentence(arguments, sentence):
    """What is not there is named before anything runs."""
    with pytest.raises(BadInput, match=sentence):
        run_matrix(**arguments)


def test_nothing_but_the_ablation_runs_without_a_guard():
    """None removes nothing; a name removes that guard and no other."""
    assert guards_without(None) is STANDING
    assert {guard for guard in GUARDS if getattr(guards_without("echo"), guard)} == set(GUARDS) - {"echo"}


def test_an_unfinished_script_is_seen():
    """A run shows the checkpoints that its script came to and no more."""
    row = next(row for row in matrix_rows.rows() if row.id == "F6")
    cut = row.model_copy(update={"script": row.script[:-1]})
    seen = matrix_run.observe(cut, scenario_named("relay"), rules_proposer(), STANDING)
    assert [point.at for point in seen.checkpoints] == ["said", "picked", "confirmed"]


def test_a_click_where_no_quote_waits_does_nothing_and_the_run_goes_on():
    """There is no button without an offer, and a script that clicks all the same goes on."""
    row = next(row for row in matrix_rows.rows() if row.id == "F6")
    unpicked = row.model_copy(update={"script": (row.script[0], row.script[2])})
    seen = matrix_run.observe(unpicked, scenario_named("relay"), rules_proposer(), STANDING)
    assert [(point.at, point.states["I3"]) for point in seen.checkpoints] == [
        ("said", "needs_input"), ("confirmed", "needs_input"),
    ]  # fmt: skip
    assert seen.mutations == 0


def test_the_command_prints_a_table_and_ends_in_0(capsys):
    """Rows, guards and the count are printed when all hold."""
    assert cli.status_of(["matrix", "--only", "F1", "--only", "N2"]) == 0
    out = capsys.readouterr().out
    assert "F1" in out and "N2" in out and "ownership" in out and "2 of 2 rows hold." in out


def test_the_command_ends_in_1_and_says_why_when_a_row_fails(capsys):
    """A red row has its sentence below the table."""
    assert cli.status_of(["matrix", "--only", "F15", "--without", "packet"]) == 1
    out = capsys.readouterr().out
    assert "0 of 1 row holds." in out
    assert "F15: it was stopped by nothing, not by packet" in out


def test_the_document_has_its_keys(capsys):
    """The JSON has the keys of docs/json.md, and nothing on standard error."""
    assert cli.status_of(["matrix", "--only", "F6", "--json"]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    document = json.loads(out)
    [row] = document["rows"]
    assert (document["world"], document["without"], document["passed"]) == ("relay", None, True)
    assert row["expected"] == row["observed"]
    assert [point["at"] for point in row["observed"]] == ["confirmed", "reconciled"]
    assert row["observed"][-1]["states"]["I3"] == "scheduled"
    assert (row["passed"], row["mutations"], row["refused"], row["unauthorized"]) == (True, 1, 0, 0)
    assert row["stopped_by"] == {"expected": None, "observed": None}


@pytest.mark.parametrize("option", [["--only", "F99"], ["--without", "luck"], ["--world", "-1x"]])
def test_the_command_refuses_what_it_does_not_know(capsys, option):
    """One sentence on standard error, nothing on standard output, status 2."""
    assert cli.status_of(["matrix", *option]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("relay-lab: there is no ") and err.count("\n") == 1


def test_a_junit_file_that_cannot_be_written_is_refused_before_the_rows_run(capsys, tmp_path):
    """Nobody waits for rows whose report has no place."""
    assert cli.status_of(["matrix", "--junit", str(tmp_path / "missing" / "m.xml")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_the_junit_report_is_well_formed_and_names_every_row(capsys, tmp_path):
    """A CI shows each row by its id, and a red one with its reason."""
    file = tmp_path / "m.xml"
    arguments = ["matrix", "--only", "F14a", "--only", "F1", "--without", "reply", "--junit", str(file)]
    assert cli.status_of(arguments) == 1
    suite = ElementTree.parse(file).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [case.get("name").partition(":")[0] for case in suite] == ["F1", "F14a"]
    assert "not by reply" in suite[1].find("failure").text


def test_text_in_a_junit_report_is_escaped_and_control_characters_are_left_out():
    """Whatever a failure quotes, the report stays XML."""
    [row] = run_matrix(["F1"], without=None)
    odd = row.__class__(**vars(row) | {"passed": False, "failures": ('<b> & "\x00\x1b',)})
    suite = ElementTree.fromstring(matrix_report.junit([odd]))
    assert suite[0].find("failure").text == '<b> & "��'
