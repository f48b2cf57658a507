"""Every wrong version of a step against the checks of that step, and every right one."""

from collections.abc import Mapping
from functools import cache

from relay_lab.app.check import SEEDS, check_step
from relay_lab.app.step_mutants import (
    authenticate,
    build_ledger,
    decompose,
    execute,
    hand_off,
    oracle,
    retrieve,
    route,
)
from relay_lab.app.step_mutants.kinds import StepFunction, StepMutant, Variant
from relay_lab.app.step_mutants.results import StepMutantResult, VariantResult
from relay_lab.app.step_mutants.variants import VARIANTS
from relay_lab.core.guards import STANDING
from relay_lab.desks.support.desk import reference_steps
from relay_lab.evaluation.checks.kinds import Step
from relay_lab.evaluation.oracle import judge_row

MUTANTS: tuple[StepMutant, ...] = (
    *authenticate.MUTANTS,
    *decompose.MUTANTS,
    *retrieve.MUTANTS,
    *build_ledger.MUTANTS,
    *route.MUTANTS,
    *execute.MUTANTS,
    *hand_off.MUTANTS,
    *oracle.MUTANTS,
)
"""Every wrong version, by step."""


@cache
def references() -> Mapping[Step, StepFunction]:
    """The reference of every step."""
    steps = reference_steps(STANDING)
    return {step: judge_row if step is Step.ORACLE else getattr(steps, step) for step in Step}


def run_step_mutants() -> tuple[tuple[StepMutantResult, ...], tuple[VariantResult, ...]]:
    """Run every wrong and every right version of a step against its checks: always the same, in the same order."""
    return tuple(run_mutant(each) for each in MUTANTS), tuple(run_variant(each) for each in VARIANTS)


def run_mutant(mutant: StepMutant) -> StepMutantResult:
    """Run one wrong version."""
    report = check_step(mutant.step, mutant.make(references()[mutant.step]), SEEDS)
    caught_by = tuple(check.name for check in report.checks if not check.passed)
    unrelated = set(caught_by) - {mutant.expected_check, *mutant.related}
    return StepMutantResult(
        id=mutant.id,
        step=mutant.step.value,
        expected_check=mutant.expected_check,
        caught_by=caught_by,
        caught=mutant.expected_check in caught_by and not unrelated,
    )


def run_variant(variant: Variant) -> VariantResult:
    """Run one right version."""
    passed = check_step(variant.step, variant.function, SEEDS).passed
    return VariantResult(id=variant.id, step=variant.step.value, passed=passed)
