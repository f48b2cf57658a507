"""Mutants of the guards: the data is well formed, a few are run, and the canary escapes; the whole run is a slow test."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import cast
from xml.etree import ElementTree

import pytest

from relay_lab.app import mutants as app
from relay_lab.app.guard_checks.every import CHECKS, MODULES, run_check
from relay_lab.app.guard_lines import NONE, second_lines
from relay_lab.app.guard_mutants import GuardMutant, guard_mutants
from relay_lab.app.mutants import MutantResult, MutantsReport, judge_mutant, run_mutants
from relay_lab.app.mutants_report import _escape, junit, markdown
from relay_lab.app.named_checks import names
from relay_lab.app.patched import Patch, source_of
from relay_lab.app.patched_run import Line, Order, Ran, Worker
from relay_lab.app.step_mutants import StepMutantResult
from relay_lab.cli import status_of
from relay_lab.contracts.errors import BadInput
from relay_lab.core.guards import Guards
from relay_lab.world.data import fixtures_folder

EXPIRY = "relay_lab.core.confirmation"
NOTHING = GuardMutant(
    id="expiry.the-same-in-other-words",
    module=EXPIRY,
    before="    return now >= datetime",
    after="    return not now < datetime",
    wrong="Nothing: it says the same in other words.",
    expected_check="expiry.the_very_instant",
)


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """One process for the tests of this file that need one; each order runs in a fork of its own."""
    made = Worker()
    yield made
    made.close()


@pytest.mark.parametrize("mutant", guard_mutants(), ids=lambda mutant: mutant.id)
def test_a_mutant_is_one_small_diff_of_code_that_is_there(mutant: GuardMutant) -> None:
    """`before` stands exactly once in the module, and `after` is other code that compiles."""
    patched = mutant.applied(source_of(mutant.module))
    assert patched != source_of(mutant.module)
    compile(patched, mutant.module, "exec")
    assert max(len(mutant.before.splitlines()), len(mutant.after.splitlines())) <= 15
    assert mutant.wrong.endswith(".") and len(mutant.wrong) > 20


def test_every_guard_has_six_mutants_or_more_and_no_two_are_alike() -> None:
    """Each of the guards is broken in at least six ways, under ids of their own."""
    counted = Counter(mutant.guard for mutant in guard_mutants())
    assert set(counted) == {each.name for each in fields(Guards)}
    assert min(counted.values()) >= 6
    assert len({mutant.id for mutant in guard_mutants()}) == len(guard_mutants())
    assert len({(each.module, each.before, each.after) for each in guard_mutants()}) == len(guard_mutants())


def test_every_mutant_names_a_check_that_there_is_and_every_guard_check_but_a_few_has_a_mutant() -> None:
    """An expected check is a row or a guard check; a guard check that no mutant trips says what must stay possible."""
    expected = {mutant.expected_check for mutant in guard_mutants()}
    assert expected <= set(names())
    assert set(CHECKS) - expected <= {
        "desk.an_ordinary_change",
        "audit.every_stage_of_a_quote",
        "grounding.the_exact_words",
        "packet.what_may_leave",
        "reply.another_day",
        "reply.a_promise",
        "reply.thanks_with_a_fact_in_it",
        "reply.the_desks_own_words",
        "scope.each_tool_its_own",
    }


def test_a_guard_check_belongs_to_a_guard_and_says_what_holds() -> None:
    """The first part of a name is a guard (or the desk), and every check has its sentence."""
    guards = {each.name for each in fields(Guards)} | {"desk"}
    for name, check in CHECKS.items():
        assert name.partition(".")[0] in guards
        assert check.__doc__ and check.__doc__.endswith(".")
    assert {check.__module__ for check in CHECKS.values()} == {module.__name__ for module in MODULES}


@pytest.mark.parametrize("name", CHECKS)
def test_a_guard_check_holds_on_the_code_as_it_is(name: str) -> None:
    """Nothing that is right is failed."""
    assert run_check(name) == ()


def test_an_unknown_guard_check_is_refused_in_a_sentence() -> None:
    """The sentence names the checks that there are."""
    with pytest.raises(BadInput, match=r"no guard check 'expiry.never'; there is desk.an_ordinary_change"):
        run_check("expiry.never")


def test_a_mutant_that_changes_nothing_escapes(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The canary: code that says the same in other words is caught by no check."""
    monkeypatch.setattr(
        app, "names", lambda: ("F5d", *(name for name in CHECKS if name.startswith("expiry")))
    )
    came = judge_mutant(NOTHING, worker)
    assert (came.caught, came.caught_by) == (False, ())
    assert came.detail == "its own check holds, and no other check fails"


@pytest.mark.slow
def test_an_escaped_mutant_makes_the_command_fail(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Exit status 1, and the report of the CI names the boundary that nothing watches."""
    monkeypatch.setattr(app, "guard_mutants", lambda: (NOTHING,))
    monkeypatch.setattr(app, "names", lambda: ("F8c", NOTHING.expected_check))
    file = tmp_path / "mutants.xml"
    assert status_of(["mutants", "--only", NOTHING.id, "--junit", str(file), "--jobs", "1"]) == 1
    [case] = ElementTree.parse(file).getroot().iter("testcase")
    failure = case.find("failure")
    assert failure is not None
    assert "expiry.the_very_instant does not hold its boundary" in failure.attrib["message"]


def test_a_mutant_that_breaks_the_ordinary_conversation_is_not_caught_but_wrong(worker: Worker) -> None:
    """A broken guard lets an ordinary conversation through; whatever ends that proves nothing about a check."""
    came = judge_mutant(NOTHING.model_copy(update={"after": "    return now is not datetime"}), worker)
    assert not came.caught
    assert "it breaks the ordinary conversation" in came.detail


def test_code_that_cannot_be_imported_is_not_caught(worker: Worker) -> None:
    """A mutant that does not even run is one that is badly written."""
    came = judge_mutant(NOTHING.model_copy(update={"after": "    return now >="}), worker)
    assert not came.caught
    assert "SyntaxError" in came.detail


def test_an_endless_loop_is_stopped_after_its_time(worker: Worker) -> None:
    """Whatever a mutant does, its process ends, and the next order is carried out."""
    check = "expiry.the_very_instant"
    loop = Patch(
        module=EXPIRY, before=NOTHING.before, after="    while True:\n        pass\n    return now > datetime"
    )
    ran = worker.run(Order(patches=(loop,), checks=(check,), timeout_s=2))
    assert ran.ended == "it ran for more than 2 s and was stopped"
    again = worker.run(Order(checks=(check,)))
    assert (again.ended, [line.name for line in again.lines], again.words(check)) == (None, [check], ())


class Stopped:
    """A worker whose order was stopped after the ordinary conversation."""

    def run(self, order: Order) -> Ran:
        return Ran(
            lines=(Line(name=order.checks[0], words=()),), ended="it ran for more than 1 s and was stopped"
        )


def test_a_mutant_whose_own_check_never_ends_is_caught_with_a_sentence() -> None:
    """An endless loop in the check that names the boundary is a failure of it."""
    came = judge_mutant(NOTHING, cast(Worker, Stopped()))
    assert (came.caught, came.caught_by) == (True, ("expiry.the_very_instant",))
    assert came.detail == "it ran for more than 1 s and was stopped"


FEW = ("expiry.one-instant-late", "strict_json.words-behind", "echo.without-the-quote")


def test_a_few_mutants_are_caught_by_the_check_that_names_their_boundary(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The document names each mutant with its target, its check and what caught it."""
    chosen = [argument for mutant in FEW for argument in ("--only", mutant)]
    assert status_of(["mutants", "--json", "--jobs", "1", *chosen]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["passed"] and document["variants"] == document["guards"] == []
    assert {each["id"] for each in document["mutants"]} == set(FEW)
    for each in document["mutants"]:
        assert each.keys() == {"id", "target", "expected_check", "caught_by", "caught", "detail"}
        assert each["caught_by"] == [each["expected_check"]]


def test_a_name_that_nothing_has_is_refused_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    """Status 2, and the sentence names what can be named."""
    assert status_of(["mutants", "--only", "expiry.never"]) == 2
    assert (
        "there is no mutant 'expiry.never'; name one by its id, or all of one of assurance,"
        in capsys.readouterr().err
    )
    assert status_of(["mutants", "--jobs", "0"]) == 2


def test_a_name_without_its_step_or_guard_is_answered_with_the_nearest(capsys) -> None:
    """The id of a step's mutant has a colon, that of a guard's a full stop."""
    assert status_of(["mutants", "--only", "anybody_may_read"]) == 2
    assert "Did you mean authenticate:anybody_may_read" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"module": "relay_lab.core.confirmations"}, "there is no source of a module"),
        ({"module": "relay_lab.cor.confirmation"}, "there is no module 'relay_lab.cor.confirmation'"),
        ({"before": "    return now => datetime"}, "0 times; a patch needs a place of its own"),
        ({"after": "    return now >="}, "patched, it is no Python (invalid syntax)"),
        ({"expected_check": "expiry.very_instant"}, "near: expiry.the_very_instant"),
    ],
)
def test_a_mutant_that_cannot_be_run_is_refused_before_any_is(wrong, sentence, monkeypatch) -> None:
    """It would count as one that no check catches, or as one that nothing notices."""
    mutant = NOTHING.model_copy(update=wrong)
    monkeypatch.setattr(app, "guard_mutants", lambda: (mutant,))
    with pytest.raises(BadInput) as refused:
        run_mutants([mutant.id])
    assert str(refused.value).startswith(f"fixtures/mutants/expiry.toml, {mutant.id}: ")
    assert sentence in str(refused.value)


def test_a_step_that_fails_more_than_it_names_is_told_what_to_do() -> None:
    """Caught by its own check and by another one is not "escaped"."""
    came = app._of_step(StepMutantResult("route:x", "route", "a", ("a", "b"), False))
    assert came.detail == "b fails as well; name under `related` what it may touch, or make it smaller"
    assert _escape(came).startswith("route:x is caught by more than a: b fails")
    assert _escape(app._of_step(StepMutantResult("route:x", "route", "a", ("b", "c"), False))) == (
        "route:x escaped a: its own check holds, and b, c fail"
    )


def test_the_report_of_a_ci_has_a_case_for_every_mutant() -> None:
    """A case is called after the boundary and the mutant."""
    result = MutantResult("expiry.x", "expiry", "F5d", ("F5d",), True, "")
    [case] = ElementTree.fromstring(junit(MutantsReport((result,), (), ()))).iter("testcase")
    assert case.attrib == {"classname": "relay_lab.mutants.expiry", "name": "F5d catches expiry.x"}


@pytest.mark.parametrize("line", second_lines(), ids=lambda line: line.scene)
def test_a_second_line_is_taken_away_by_small_diffs(line: object) -> None:
    """Each patch of a second line fits the code as it is, and every attempt belongs to a guard."""
    assert isinstance(line, type(second_lines()[0]))
    assert line.guard in {each.name for each in fields(Guards)}
    assert bool(line.patch) == (line.second_line is not None)
    sources: dict[str, str] = {}
    for patch in line.patch:
        sources[patch.module] = patch.applied(sources.get(patch.module) or source_of(patch.module))


def test_every_guard_stands_in_the_table_of_lines() -> None:
    """No guard is left out, and none claims a second line called none."""
    assert {line.guard for line in second_lines()} == {each.name for each in fields(Guards)}
    assert all(line.second_line != NONE for line in second_lines())


EXPECTED = fixtures_folder() / "mutants" / "lines" / "expected.json"


@pytest.mark.checkout
def test_the_document_shows_the_table_of_lines_as_it_is_expected() -> None:
    """docs/mutants.md holds the generated table, which the slow test below holds against what is seen."""
    document = (Path(__file__).parents[2] / "docs" / "mutants.md").read_text("utf-8")
    rows = json.loads(EXPECTED.read_text("utf-8"))
    assert markdown(rows) in document
    assert [row["scene"] for row in rows] == [line.scene for line in second_lines()]


@pytest.mark.slow
def test_every_mutant_is_caught_no_right_version_fails_and_every_line_is_as_expected() -> None:
    """The whole run; and each row of the table of lines shows what the file of expectations holds."""
    report = run_mutants()
    assert [each for each in report.mutants if not each.caught] == []
    assert [each for each in report.variants if not each.passed] == []
    assert {each.target for each in report.mutants} > {each.name for each in fields(Guards)}
    assert [line.to_dict() for line in report.guards] == json.loads(EXPECTED.read_text("utf-8"))
    assert report.passed
