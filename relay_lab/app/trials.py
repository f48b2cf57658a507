"""Trials: the rows and the attacks again and again with one proposer, so that a pass is a habit and not a lucky transcript.

Results are kept under their binding: what ran (commit, prompt, contract, dataset), who proposed, in which workflow. Results of
different bindings lie beside each other in a file and are never added up.
"""

import sys
from collections.abc import Callable, Mapping
from concurrent.futures import BrokenExecutor, Executor
from contextlib import AbstractContextManager, nullcontext, redirect_stdout
from dataclasses import asdict, dataclass
from functools import cache
from importlib.metadata import version
from multiprocessing import parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relay_lab.app.naive_model import with_tutorial
from relay_lab.app.processes import spread
from relay_lab.app.proposers import binding_of, opened
from relay_lab.app.provenance import commit_of, dataset
from relay_lab.app.suites import Trial, model_suite
from relay_lab.app.trial_attempt import attempt_of
from relay_lab.app.trial_results import Results
from relay_lab.app.workflow import DESK, workflow_named
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.proposals import ProposalRequest, Propose
from relay_lab.evaluation.funnel import (
    Attempt,
    by_suite,
    consistency,
    funnel_by_attempt,
    funnel_by_scenario,
    pass_hat_k,
    routing_accuracy,
)
from relay_lab.evaluation.observed import Observed
from relay_lab.evaluation.unsafe import Heard
from relay_lab.proposers.prompts import prompt_version

if TYPE_CHECKING:
    import pandas

CONTRACT = "issues_v1"
"""The contract of a decomposition (docs/proposer.md)."""
REAL_MODELS = ("replay", "openai", "bundled")
"""Proposers whose answers are a model's: their suite is a denominator of its own."""

_STRIDE = 1009
"""A prime: the numbers of the attempts of two scenarios do not run in step."""


@dataclass(frozen=True)
class TrialReport:
    """What came of the trials of one binding, in the order of scenarios and trials."""

    binding: Mapping[str, Any]
    attempts: tuple[Attempt, ...]

    def to_dict(self) -> dict[str, Any]:
        """What `relay-lab trials --json` prints (docs/json.md)."""
        return {
            "binding": dict(self.binding),
            "pass_hat_k": {str(k): value for k, value in pass_hat_k(self.attempts).items()},
            "routing_accuracy": routing_accuracy(self.attempts),
            "consistency": consistency(self.attempts),
            "suites": by_suite(self.attempts),
            "funnel": {
                "attempts": asdict(funnel_by_attempt(self.attempts)),
                "scenarios": asdict(funnel_by_scenario(self.attempts)),
            },
        }

    def to_frame(self) -> "pandas.DataFrame":
        """A row for each attempt."""
        import pandas

        return pandas.DataFrame([asdict(attempt) for attempt in self.attempts])


@dataclass(frozen=True)
class _Task:
    """One attempt to make, as it travels to another process."""

    proposer: str
    workflow: str
    scenario: str
    trial: int
    seed: int


def run_trials(
    proposer: str = "rules",
    trials: int = 8,
    *,
    seed: int = 0,
    jobs: int | None = None,
    workflow: str = DESK,
    out: Path | str | None = None,
    only: Callable[[str], bool] = lambda _: True,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> TrialReport:
    """Run every scenario `trials` times and count (001, exit check; 003).

    `proposer` and `workflow` as their commands name them; the rules cannot act, so a workflow that asks for an act gets the
    scripted stand-in beside them. `seed` is the number of the first trial, from 0: it seeds a model,
    picks a recorded answer, and sets where the hostile proposer begins. `jobs` processes, one for each core by default, or an
    `executor` of yours. `out` keeps every attempt in an SQLite file; attempts of the same binding that it holds already are
    not made again. `only` keeps scenarios by their ids. Raises `BadInput` for what is not there or cannot be used.
    """
    if not 1 <= trials <= 1000:
        raise BadInput(f"{trials} trials cannot be run; give a number from 1 to 1000.")
    foreign = ":" in workflow  # somebody's code, which may end its process: never this one
    if not foreign:
        workflow_named(workflow)
    with opened(proposer) as propose:
        bound = _binding(proposer, propose, workflow, seed)
    scenarios = [scenario.id for scenario in model_suite(only)]
    tasks = [_Task(proposer, workflow, name, n, seed) for name in scenarios for n in range(1, trials + 1)]
    with Results(out, bound) as results:
        known = results.attempts()
        left = [task for task in tasks if (task.scenario, task.trial) not in known]
        progress(len(tasks) - len(left), len(tasks))
        try:
            with spread(jobs, len(left), executor, apart=foreign) as each:
                if foreign and left:
                    list(each(_found, [workflow]))
                for done, attempt in enumerate(each(_attempt, left), len(tasks) - len(left) + 1):
                    results.add(attempt)
                    known[attempt.scenario, attempt.trial] = attempt
                    progress(done, len(tasks))
        except BrokenExecutor as error:
            raise BadInput(
                f"a process ended in the middle of an attempt, {len(known)} of {len(tasks)} attempts were made: a workflow "
                f"that ends its process, or too little memory; mend that, and run the same command again to go on."
            ) from error
    wanted = [(task.scenario, task.trial) for task in tasks]
    return TrialReport(bound, tuple(known[name] for name in wanted))


def _found(workflow: str) -> None:
    """Whether there is such a workflow: `BadInput` where there is not."""
    with _aside():
        workflow_named(workflow)


def _attempt(task: _Task) -> Attempt:
    with _aside():
        return _made(task)


def _aside() -> AbstractContextManager[object]:
    """In a process of its own nobody else says where a bot's prints go: not into the document."""
    return redirect_stdout(sys.stderr) if parent_process() else nullcontext()


def _made(task: _Task) -> Attempt:
    heard: list[Heard] = []
    scenario = _scenarios()[task.scenario]
    number = task.seed + task.trial - 1
    if task.proposer == "hostile":  # made anew for each attempt: every scenario begins elsewhere in its kinds
        number += _STRIDE * list(_scenarios()).index(task.scenario)
    with opened(task.proposer, number) as propose:
        try:
            factory = workflow_named(task.workflow)
            speaks = with_tutorial(propose) if factory and task.proposer == "rules" else propose
            seen: Observed | str = scenario.run(listening(speaks, heard), factory)
        except Exception as error:  # noqa: BLE001 - whatever one attempt provokes is that attempt's failure
            seen = f"broke off: {type(error).__name__}: {error}"
    model = task.proposer.partition(":")[0] in REAL_MODELS
    return attempt_of(scenario, seen, heard, task.trial, "real_model" if model else None)


@cache
def _scenarios() -> dict[str, Trial]:
    return {scenario.id: scenario for scenario in model_suite()}


def listening(propose: Propose, heard: list[Heard]) -> Propose:
    """The same proposer, with what it was asked and what it said kept in `heard`."""

    def listen(request: ProposalRequest) -> str:
        states = next((block.text for block in request.blocks if block.name == "states"), "")
        answer: object = None
        try:
            answer = propose(request)
            return answer
        finally:
            said = answer if isinstance(answer, str) else None
            heard.append(Heard(request.task, request.message, said, states))

    return listen


def _binding(proposer: str, propose: Propose, workflow: str, seed: int) -> dict[str, Any]:
    return {
        "version": version("relay-lab"),
        "commit": commit_of(differing=True),
        "prompt": prompt_version(),
        "contract": CONTRACT,
        "dataset": dataset(),
        "workflow": workflow,
        "seed": seed,
        "proposer": binding_of(propose, proposer),
    }
