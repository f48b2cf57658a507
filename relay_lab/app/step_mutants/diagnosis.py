"""What somebody may have believed who wrote a function: the wrong version of its step that fails in the same places."""

from functools import cache

from relay_lab.app.check import SEEDS, performances
from relay_lab.app.step_mutants.kinds import StepFunction
from relay_lab.app.step_mutants.run import MUTANTS, references
from relay_lab.evaluation.checks import CHECKS
from relay_lab.evaluation.checks.kinds import Step

Places = frozenset[tuple[str, str]]
"""(case, check) of every failure."""


def misconception(step: Step, function: StepFunction, seeds: tuple[int, ...] = SEEDS) -> str | None:
    """The misconception whose mutant fails exactly the same checks on the same cases; None for a right or another function.

    What is compared is what the checks see, so that another wording of a reason or another id of a row makes no difference.
    """
    failed = _places(step, function, seeds)
    return _known(step, seeds).get(failed) if failed else None


@cache
def _known(step: Step, seeds: tuple[int, ...]) -> dict[Places, str]:
    """The misconceptions of a step by where they fail. Where two fail alike, neither can be told and neither is named."""
    found: dict[Places, list[str]] = {}
    for mutant in MUTANTS:
        if mutant.step is step:
            places = _places(step, mutant.make(references()[step]), seeds)
            found.setdefault(places, []).append(mutant.misconception)
    return {places: believed[0] for places, believed in found.items() if len(believed) == 1}


def _places(step: Step, function: StepFunction, seeds: tuple[int, ...]) -> Places:
    return frozenset(
        (case.id, check.name)
        for case, seen in performances(step, function, seeds)
        for check in CHECKS[step]
        if check.failures(seen)
    )
