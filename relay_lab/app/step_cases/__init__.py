"""The cases of each step, on the fixture and on worlds made from seeds, with the attacks of that step."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from relay_lab.app.step_cases import (
    authenticate,
    build_ledger,
    decompose,
    execute,
    hand_off,
    oracle,
    retrieve,
    route,
)
from relay_lab.app.step_cases.case import Case
from relay_lab.app.step_cases.scenes import Scene, scenes
from relay_lab.evaluation.checks.kinds import Step

_CASES: Mapping[Step, Callable[[Scene], Iterator[Case]]] = {
    Step.AUTHENTICATE: authenticate.cases,
    Step.DECOMPOSE: decompose.cases,
    Step.RETRIEVE: retrieve.cases,
    Step.BUILD_LEDGER: build_ledger.cases,
    Step.ROUTE: route.cases,
    Step.EXECUTE: execute.cases,
    Step.HAND_OFF: hand_off.cases,
    Step.ORACLE: oracle.cases,
}


@cache
def cases(step: Step, seeds: tuple[int, ...]) -> tuple[Case, ...]:
    """Every case of a step: those of the fixture, then those of the world of each seed. The same for the same seeds."""
    return tuple(case for scene in scenes(seeds) for case in _CASES[step](scene))
