"""Every broken version against the check that names its boundary: of the guards and of the steps; and the table of lines."""

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from difflib import get_close_matches
from queue import SimpleQueue
from typing import Any, TypeVar

from relay_lab.app.guard_checks.ordinary import ORDINARY
from relay_lab.app.guard_lines import LineResult, SecondLine, run_line, second_lines
from relay_lab.app.guard_mutants import GuardMutant, guard_mutants, refuse_unfit
from relay_lab.app.named_checks import names
from relay_lab.app.patched_run import Order, Worker
from relay_lab.app.step_mutants import StepMutantResult, VariantResult
from relay_lab.app.step_mutants.run import MUTANTS, run_mutant, run_variant
from relay_lab.app.step_mutants.variants import VARIANTS
from relay_lab.contracts.errors import BadInput

TIMEOUT_S, SEARCH_S = 120, 600
"""How long a mutant may run against its own check, and against all the others where that one does not catch it."""

Progress = Callable[[int, int], None]
"""Told how much is done, of how much."""
_Made = TypeVar("_Made")


@dataclass(frozen=True)
class MutantResult:
    """How one broken version came out.

    `caught`: the expected check failed, and an ordinary conversation still went through. `caught_by` are the checks that
    failed; the others are only run when the expected one did not. `detail` says what was seen, in a sentence.
    """

    id: str
    target: str
    expected_check: str
    caught_by: tuple[str, ...]
    caught: bool
    detail: str

    def to_dict(self) -> dict[str, Any]:
        """The mutant as `relay-lab mutants --json` prints it."""
        return {**vars(self), "caught_by": list(self.caught_by)}


@dataclass(frozen=True)
class MutantsReport:
    """Everything that was run."""

    mutants: tuple[MutantResult, ...]
    variants: tuple[VariantResult, ...]
    guards: tuple[LineResult, ...]

    @property
    def passed(self) -> bool:
        """Whether every mutant was caught, every right version passed, and every attempt was stopped by its guard."""
        stopped = all(
            line.stopped_by and bool(line.then_stopped_by) == line.has_second_line for line in self.guards
        )
        return (
            all(each.caught for each in self.mutants)
            and all(each.passed for each in self.variants)
            and stopped
        )

    def to_dict(self) -> dict[str, Any]:
        """The document of `relay-lab mutants --json` (docs/json.md)."""
        return {
            "passed": self.passed,
            "mutants": [each.to_dict() for each in self.mutants],
            "variants": [dict(vars(each)) for each in self.variants],
            "guards": [each.to_dict() for each in self.guards],
        }


def run_mutants(
    only: Iterable[str] | None = None, jobs: int = 2, progress: Progress = lambda done, of: None
) -> MutantsReport:
    """Run every broken and every right version, and the table of lines (grading.md, "Every check has mutants").

    `only`: ids of mutants or variants, or names of guards or steps. `jobs`: how many processes run the guards' mutants, from
    1; those of the steps run in this one meanwhile. Raises `BadInput` for an id that there is not, and on a system where a
    process cannot be forked.
    """
    if jobs < 1:
        raise BadInput(f"--jobs {jobs} leaves nobody to run; give 1 or more.")
    wanted = _Wanted(frozenset(only or ()))
    guards, lines = wanted.of(guard_mutants(), "guard"), wanted.of(second_lines(), "guard")
    steps, variants = wanted.of(MUTANTS, "step"), wanted.of(VARIANTS, "step")
    wanted.refuse_unknown()
    for mutant in guards:
        refuse_unfit(mutant)
    total, done = len(guards) + len(lines) + len(steps) + len(variants), 0

    def counted(made: _Made) -> _Made:
        nonlocal done
        done += 1
        progress(done, total)
        return made

    with _Workers(min(jobs, len(guards) + len(lines))) as workers:
        judged = [workers.start(judge_mutant, mutant) for mutant in guards]
        drawn = [workers.start(run_line, line) for line in lines]
        of_steps = [counted(_of_step(run_mutant(mutant))) for mutant in steps]
        right = tuple(counted(run_variant(variant)) for variant in variants)
        of_guards = [counted(each.result()) for each in judged]
        table = tuple(counted(each.result()) for each in drawn)
    return MutantsReport((*of_guards, *of_steps), right, table)


def judge_mutant(mutant: GuardMutant, worker: Worker) -> MutantResult:
    """Run one broken guard: an ordinary conversation, then the check that names its boundary, then, if need be, all others."""

    def came(caught_by: Sequence[str], caught: bool, detail: str) -> MutantResult:
        return MutantResult(mutant.id, mutant.guard, mutant.expected_check, tuple(caught_by), caught, detail)

    order = Order(patches=(mutant.patch,), checks=(ORDINARY, mutant.expected_check), timeout_s=TIMEOUT_S)
    ran = worker.run(order)
    reached = {line.name for line in ran.lines}
    if ran.words(ORDINARY) or ORDINARY not in reached:
        why = "; ".join(ran.words(ORDINARY)) or ran.ended or ""
        return came((), False, f"it breaks the ordinary conversation, so it is no broken guard: {why}")
    failures = ran.words(mutant.expected_check)
    if failures:
        return came((mutant.expected_check,), True, failures[0])
    if ran.ended is not None:
        looped = "was stopped" in ran.ended
        return came((mutant.expected_check,) if looped else (), looped, ran.ended)
    others = tuple(name for name in names() if name != mutant.expected_check)
    rest = worker.run(Order(patches=(mutant.patch,), rest=others, timeout_s=SEARCH_S))
    found = [line.name for line in rest.lines if line.words]
    return came(found, False, f"its own check holds, and {_failing(found)}")


def _failing(checks: Sequence[str]) -> str:
    return f"{', '.join(checks) or 'no other check'} {'fail' if len(checks) > 1 else 'fails'}"


def _of_step(result: StepMutantResult) -> MutantResult:
    others = [name for name in result.caught_by if name != result.expected_check]
    if result.caught:
        detail = ""
    elif result.expected_check in result.caught_by:
        detail = f"{_failing(others)} as well; name under `related` what it may touch, or make it smaller"
    else:
        detail = f"its own check holds, and {_failing(others)}"
    return MutantResult(
        result.id, result.step, result.expected_check, result.caught_by, result.caught, detail
    )


class _Wanted:
    """Which of everything is to be run."""

    def __init__(self, only: frozenset[str]) -> None:
        self._only, self._known = only, set[str]()

    def of(self, every: Iterable[_Made], target: str) -> list[_Made]:
        """Those whose id or whose target was asked for; all when nothing was."""
        chosen = []
        for each in every:
            called = {str(getattr(each, "id", "")), str(getattr(each, target))}
            self._known |= called
            if not self._only or called & self._only:
                chosen.append(each)
        return chosen

    def refuse_unknown(self) -> None:
        """Raises `BadInput` for a name that nothing has."""
        for name in sorted(self._only - self._known):
            targets = ", ".join(sorted(each for each in self._known if each and each.isidentifier()))
            near = get_close_matches(name, sorted(self._known - {""}), 3)
            meant = f" Did you mean {' or '.join(near)}?" if near else ""
            raise BadInput(
                f"there is no mutant {name!r}; name one by its id, or all of one of {targets}.{meant}"
            )


class _Workers:
    """Processes that take turns."""

    def __init__(self, jobs: int) -> None:
        self._jobs, self._stack = jobs, ExitStack()
        self._free: SimpleQueue[Worker] = SimpleQueue()

    def __enter__(self) -> "_Workers":
        for _ in range(self._jobs):
            worker = Worker()
            self._stack.callback(worker.close)
            self._free.put(worker)
        self._pool = ThreadPoolExecutor(max(self._jobs, 1))
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)
        self._stack.close()

    def start(self, run: Callable[[Any, Worker], _Made], what: GuardMutant | SecondLine) -> Future[_Made]:
        """Run it as soon as a process is free."""

        def with_one() -> _Made:
            worker = self._free.get()
            try:
                return run(what, worker)
            finally:
                self._free.put(worker)

        return self._pool.submit(with_one)
