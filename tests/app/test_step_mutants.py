"""The checks, checked: every wrong version is caught by the check that names its boundary, and no right one fails."""

from collections import Counter

import pytest

from relay_lab.app.measured import measured_fixture
from relay_lab.app.step_mutants import StepMutantResult, VariantResult, run_step_mutants
from relay_lab.app.step_mutants.kinds import StepMutant
from relay_lab.app.step_mutants.retrieve import gives_up_at_once
from relay_lab.app.step_mutants.run import MUTANTS, references, run_mutant
from relay_lab.app.step_mutants.variants import VARIANTS
from relay_lab.contracts.steps import Steps
from relay_lab.core.guards import STANDING
from relay_lab.desks.support.desk import reference_steps
from relay_lab.evaluation.checks import CHECKS
from relay_lab.evaluation.checks.kinds import Step
from relay_lab.evaluation.measure import Measure
from relay_lab.evaluation.measures import measure


@pytest.fixture(scope="module")
def results() -> tuple[tuple[StepMutantResult, ...], tuple[VariantResult, ...]]:
    return run_step_mutants()


@pytest.mark.slow
def test_every_mutant_is_caught_by_the_check_that_names_its_boundary(results):
    """And by none that it was not declared to touch."""
    assert [result for result in results[0] if not result.caught] == []


@pytest.mark.slow
def test_every_right_version_passes_every_check(results):
    """A check that fails a right version judges a habit, not a boundary."""
    assert [result for result in results[1] if not result.passed] == []


@pytest.mark.slow
def test_every_check_is_what_some_mutant_expects(results):
    """A check that no mutant trips by its own boundary is to be deleted or sharpened."""
    expected = {(result.step, result.expected_check) for result in results[0]}
    assert {(step.value, check.name) for step, checks in CHECKS.items() for check in checks} == expected


def test_every_step_has_at_least_six_mutants_and_two_right_versions():
    """Enough of both, and no id twice."""
    assert min(Counter(mutant.step for mutant in MUTANTS).values()) >= 6
    assert min(Counter(variant.step for variant in VARIANTS)[step] for step in Step) >= 2
    ids = [each.id for each in (*MUTANTS, *VARIANTS)]
    assert len(set(ids)) == len(ids)


def test_every_mutant_says_what_its_author_believes():
    """One sentence, no two alike in a step: it is what somebody gets to read who made the same mistake."""
    for step in Step:
        believed = [mutant.misconception for mutant in MUTANTS if mutant.step is step]
        assert all(believed)
        assert len(set(believed)) == len(believed)


def test_every_mutant_names_checks_of_its_own_step():
    """The expected one and the related ones exist, and the expected one is not among the related."""
    for mutant in MUTANTS:
        names = {check.name for check in CHECKS[mutant.step]}
        assert {mutant.expected_check, *mutant.related} <= names, mutant.id
        assert mutant.expected_check not in mutant.related


def test_a_mutant_that_changes_nothing_is_not_caught():
    """The canary: a version that is right is reported as one that no check caught."""
    unchanged = StepMutant(Step.EXECUTE, lambda reference: reference, "unknown_is_not_done")
    result = run_mutant(unchanged)
    assert (result.caught, result.caught_by) == (False, ())


def test_a_mutant_that_fails_an_undeclared_check_is_not_caught():
    """The other canary: caught by the expected check and by an unrelated one is not caught."""
    broken = StepMutant(Step.EXECUTE, lambda _: lambda *_: None, "unknown_is_not_done")
    result = run_mutant(broken)
    assert "unknown_is_not_done" in result.caught_by
    assert not result.caught


def test_a_mutant_that_expects_another_check_is_not_caught():
    """A fault must be caught by the check that names it."""
    other = StepMutant(Step.RETRIEVE, gives_up_at_once, "reads_every_required_record")
    assert not run_mutant(other).caught


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v.step is not Step.ORACLE], ids=lambda v: v.id)
def test_a_right_version_of_a_step_serves_the_whole_desk(variant):
    """Plugged into the desk, the conversation of the fixture ends scheduled, and every measure of it holds."""
    fields = {step.value: references()[step] for step in Step if step is not Step.ORACLE}
    steps = Steps(**fields | {variant.step.value: variant.function})
    run = measured_fixture(steps)
    assert [result for result in measure((run,), ())[:-1] if not result.passed] == []
    assert run.records[-1].issues[-1].state == "scheduled"


def test_the_references_are_those_of_the_desk():
    """What the mutants break is what the desk runs."""
    assert references()[Step.ROUTE] is reference_steps(STANDING).route


@pytest.mark.slow
@pytest.mark.parametrize("mutant", [m for m in MUTANTS if m.step is not Step.ORACLE], ids=lambda m: m.id)
def test_whichever_broken_step_is_plugged_in_the_effect_stays_safe(mutant):
    """Nothing beyond customer and scopes, at most the one change, nothing called done: the runtime sees to that."""
    fields = {step.value: references()[step] for step in Step if step is not Step.ORACLE}
    broken = Steps(**fields | {mutant.step.value: mutant.make(references()[mutant.step])})
    run = measured_fixture(broken)
    red = {result.name for result in measure((run,), ()) if not result.passed}
    assert red.isdisjoint({Measure.SCOPES, Measure.RECEIPT})
    assert run.seen.mutations <= 1
