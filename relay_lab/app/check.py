"""Checks, run: one step against its checks, and the reference workflow against the seven measures (001, its exit check)."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic_core import to_jsonable_python

from relay_lab.app.matrix import run_matrix
from relay_lab.app.matrix_rows import rows as matrix_rows
from relay_lab.app.measured import runs
from relay_lab.app.step_cases import cases
from relay_lab.app.step_cases.case import Case
from relay_lab.contracts.errors import BadInput
from relay_lab.evaluation.checks import CHECKS
from relay_lab.evaluation.checks.kinds import Check, Mishap, Performance, Step
from relay_lab.evaluation.checks.returned import returned
from relay_lab.evaluation.measure import Measure
from relay_lab.evaluation.measures import MeasureResult, RowVerdict, measure

SEEDS = (11, 12)
"""Worlds that a step is tried on besides the fixture, unless the caller names others."""

SHOWN = 2000
"""Characters shown of what was sent and of what came back."""

Progress = Callable[[int, int], None]
"""Told how much is done, of how much."""

WORLDS = 10
"""Generated worlds that the workflow is measured on besides the fixture, unless the caller says otherwise."""


def check(
    worlds: int = WORLDS, seed: int = 1, progress: Progress = lambda done, of: None
) -> tuple[MeasureResult, ...]:
    """The seven measures of the reference workflow (001, its exit check).

    Measured on the fixture, on the `worlds` generated ones from `seed` on, and on every row of the failure matrix. Raises
    `BadInput` for fewer worlds than none, and for a seed below zero.
    """
    if worlds < 0 or seed < 0:
        raise BadInput(f"worlds and seed are whole numbers from 0 up; {worlds} and {seed} were given.")
    rows, measured = [row.id for row in matrix_rows()], []
    verdicts: list[RowVerdict] = []
    of = len(rows) + 1 + worlds
    for row_id in rows:
        verdicts += [RowVerdict(row.id, row.passed, row.failures) for row in run_matrix([row_id])]
        progress(len(verdicts), of)
    for run in runs(range(seed, seed + worlds)):
        measured.append(run)
        progress(len(verdicts) + len(measured), of)
    return measure(tuple(measured), tuple(verdicts))


@dataclass(frozen=True)
class CheckResult:
    """How one check came out.

    `failures` are sentences, the first of each case that failed; `sent` and `came_back` are JSON of the first failing case
    that everybody has, empty when only hidden ones failed; `hint` is empty for a check that passed.
    """

    name: str
    measure: Measure
    points: int
    max: int
    passed: bool
    failures: tuple[str, ...]
    sent: str
    came_back: str
    hint: str


@dataclass(frozen=True)
class StepReport:
    """How one function came out as a step."""

    step: Step
    checks: tuple[CheckResult, ...]

    @property
    def points(self) -> int:
        """Points earned."""
        return sum(check.points for check in self.checks)

    @property
    def max(self) -> int:
        """Points that can be earned: ten."""
        return sum(check.max for check in self.checks)

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)


def check_step(
    step: str, function: Callable[..., object], seeds: tuple[int, ...] = SEEDS, attempt: int = 1
) -> StepReport:
    """Judge a function as one of the eight steps, on the fixture and on the world of each seed.

    `step` is a field of `Steps`, or `oracle`. The function may return contract values or their plain JSON. `attempt`,
    counted from 1, chooses the hint. Whatever the function does is a value of the report; raises `BadInput` for a step that
    there is not.
    """
    named = step_named(step)
    seen = performances(named, function, seeds)
    return StepReport(named, tuple(_result(check, seen, attempt) for check in CHECKS[named]))


def step_named(name: str) -> Step:
    """The step of that name. Raises `BadInput` naming the steps there are."""
    try:
        return Step(name)
    except ValueError:
        raise BadInput(f"there is no step {name!r}; the steps are {', '.join(Step)}.") from None


def performances(
    step: Step, function: Callable[..., object], seeds: tuple[int, ...]
) -> tuple[tuple[Case, Performance], ...]:
    """What the function did in each case, in order."""
    return tuple((case, perform(case, function)) for case in cases(step, seeds))


def perform(case: Case, function: Callable[..., object]) -> Performance:
    """Call the function once, with fresh tools and arguments of its own; what goes wrong in it is a mishap.

    Cases are kept from one call to the next, so what a function writes into its copies spoils none of them.
    """
    tools = case.tools() if case.tools else None
    arguments = case.fresh_arguments()
    value: object
    try:
        value = function(*arguments, *([tools.offered()] if tools else []))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a step that breaks off, even by SystemExit, is judged as one that did
        value = Mishap("raised", f"the step raised {type(error).__name__}: {_safe(error)}")
    return Performance(
        case=case.id,
        kind=case.kind,
        sent=case.arguments,
        returned=_returned(case.step, value),
        calls=tuple(tools.calls) if tools else (),
        expected=case.expected,
    )


def _returned(step: Step, value: object) -> Any:
    try:
        return returned(step, value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a value whose own methods raise when it is looked at
        return Mishap("wrong_type", f"what came back cannot be read: {type(error).__name__}")


def _safe(error: BaseException) -> str:
    try:
        return str(error)[:200]
    except Exception:  # noqa: BLE001 - an exception may raise when it is printed
        return "(no message)"


def _result(check: Check, seen: tuple[tuple[Case, Performance], ...], attempt: int) -> CheckResult:
    failed = [
        (case, performance, failures)
        for case, performance in seen
        if (failures := check.failures(performance))
    ]
    shown = next(((case, performance) for case, performance, _ in failed if case.visible), None)
    return CheckResult(
        name=check.name,
        measure=check.measure,
        points=0 if failed else check.points,
        max=check.points,
        passed=not failed,
        failures=tuple(
            dict.fromkeys(
                f"{case.id}: {words[0]}" if case.visible else _hidden(case) for case, _, words in failed
            )
        ),
        sent=_plain(shown[1].sent) if shown else "",
        came_back=_plain(shown[1].returned) if shown else "",
        hint=check.hints.at(attempt) if failed else "",
    )


def _hidden(case: Case) -> str:
    """A failure on a hidden world: its kind, and neither its input nor what was expected."""
    return f"another world: {case.kind}"


def _plain(value: object) -> str:
    if isinstance(value, Mishap):
        return value.words
    text = json.dumps(to_jsonable_python(value), ensure_ascii=False)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
