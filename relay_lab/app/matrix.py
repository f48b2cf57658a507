"""The failure matrix: every row run on the fixture or on a generated world, and held against what is expected of it."""

import json
import traceback
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any

from relay_lab.app.ablation import guards_without
from relay_lab.app.injection import facts_of
from relay_lab.app.lab import Parts
from relay_lab.app.matrix_kinds import Row
from relay_lab.app.matrix_rows import chosen, expectations
from relay_lab.app.matrix_run import observe
from relay_lab.app.matrix_stage import BotStage
from relay_lab.app.naive_model import with_tutorial
from relay_lab.app.proposers import proposer_named
from relay_lab.app.settings import DEFAULT_WORLD, scenario_named
from relay_lab.app.workflow import DESK, workflow_named
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.proposals import ProposalRequest, Propose
from relay_lab.contracts.workflow import Factory
from relay_lab.core.guards import STANDING, Guards
from relay_lab.evaluation.expected import Checkpoint
from relay_lab.evaluation.observed import Observed
from relay_lab.evaluation.rows import judge
from relay_lab.proposers.rules import rules_proposer
from relay_lab.world.data import Scenario
from relay_lab.world.generator import GeneratedWorld, generate_answerable

_LONGEST = 400
"""Characters of an exception's text that a failure quotes."""

MakesPropose = Callable[[], Propose]
"""Makes the proposer of one row."""


@dataclass(frozen=True)
class Stop:
    """The guard that should stop a row's unsafe part and the one that did; null for none, several with commas."""

    expected: str | None
    observed: str | None


@dataclass(frozen=True)
class RowResult:
    """How one row came out.

    `expected` and `observed` are checkpoints, the last one terminal; `refused` counts attempts that were stopped,
    `unauthorized` what went through beyond the session or before a confirmation, `unconfirmed` the changes among it that
    nobody had confirmed, `called_done` sentences that call done what no receipt shows; `failures` say in words what is not as
    it should be. `tried` is False when what the row injects could not be put to this workflow, and `unseen` says that and
    what else of the row is not known of it.
    """

    id: str
    words: str
    expected: tuple[Checkpoint, ...]
    observed: tuple[Checkpoint, ...]
    passed: bool
    mutations: int
    refused: int
    unauthorized: int
    stopped_by: Stop
    failures: tuple[str, ...]
    tried: bool = True
    unseen: tuple[str, ...] = ()
    unconfirmed: int = 0
    called_done: int = 0
    tickets: int = 0

    def to_dict(self) -> dict[str, Any]:
        """The row as `relay-lab matrix --json` prints it."""
        points = {
            name: [{"at": point.at, "states": point.states} for point in getattr(self, name)]
            for name in ("expected", "observed")
        }
        counts = (
            "passed",
            "mutations",
            "refused",
            "unauthorized",
            "unconfirmed",
            "called_done",
            "tickets",
            "tried",
        )
        rest = {name: getattr(self, name) for name in counts}
        stop, failures = asdict(self.stopped_by), list(self.failures)
        return {
            "id": self.id,
            "injection": self.words,
            **points,
            **rest,
            "stopped_by": stop,
            "failures": failures,
            "unseen": list(self.unseen),
        }


def run_matrix(
    only: Iterable[str] | None = None,
    world: str | int | None = None,
    without: str | None = None,
    *,
    workflow: str | Factory = DESK,
    propose: str | MakesPropose | None = None,
) -> list[RowResult]:
    """Run every row of the failure matrix, or those of the ids `only`, in the matrix's order (001, its matrix).

    `world`: "relay" (the fixture, and the default) or the seed of a generated world whose customer has the same three
    concerns. `without`: the name of one guard of the desk to remove. `workflow`: "desk", "naive", "module:factory", or a
    factory (docs/workflow.md). `propose`: the name of a proposer, or a function without arguments that makes one; None is the
    usual one, the rules for the desk and a scripted stand-in beside them for whoever asks to act. Raises `BadInput` for an
    unknown row, world, guard, workflow or proposer. What goes wrong inside a row is that row's failure, and the others run
    all the same.
    """
    rows = chosen(tuple(only or ()))
    run = runs_rows(world, without, workflow=workflow, propose=propose)
    return [run(row) for row in rows]


def runs_rows(
    world: str | int | None = None,
    without: str | None = None,
    *,
    workflow: str | Factory = DESK,
    propose: str | MakesPropose | None = None,
) -> Callable[[Row], RowResult]:
    """What runs one row after the other, with everything found and made once; arguments and `BadInput` as in `run_matrix`."""
    guards = guards_without(without)
    factory = workflow_named(workflow) if isinstance(workflow, str) else workflow
    if factory is not None and without is not None:
        raise BadInput(f"the guard {without!r} is the desk's; leave --without out, or --workflow.")
    scenario, usual = _cast(world, factory, propose)
    if factory is not None:
        BotStage(
            scenario, scenario.session, Parts(propose=usual), factory
        ).close()  # one that cannot be made is said once
    return lambda row: _result(row, scenario, usual, guards, factory)[0]


def run_row(
    row_id: str,
    world: str | int | None = None,
    workflow: str | Factory = DESK,
    propose: str | MakesPropose | None = None,
    guards: Guards = STANDING,
) -> tuple[RowResult, Observed | None]:
    """Run one row, and give with its result what was observed: checkpoints, replies, decision and call rows, record, counts.

    The arguments are those of `run_matrix`; all of them, and what comes back, can be pickled for a process pool when
    `workflow` is a name and `propose` a name or a `functools.partial` of a function of a module (a seed goes in there). The
    proposer is made anew for each row. `Observed` is None when the run broke off; the result then says why. Raises
    `BadInput` as `run_matrix` does.
    """
    [row] = chosen((row_id,))
    factory = workflow_named(workflow) if isinstance(workflow, str) else workflow
    scenario, usual = _cast(world, factory, propose)
    return _result(row, scenario, usual, guards, factory)


def _cast(
    world: str | int | None, factory: Factory | None, propose: str | MakesPropose | None
) -> tuple[Scenario, Propose]:
    """The scenario of a world, and who proposes in it."""
    scenario, usual = _world(world)
    if propose is None:
        return scenario, usual if factory is None else with_tutorial(usual)
    if isinstance(propose, str):
        return scenario, proposer_named(propose)
    return scenario, propose()


def _world(world: str | int | None) -> tuple[Scenario, Propose]:
    name = DEFAULT_WORLD if world is None else str(world)
    scenario = scenario_named(name)  # an unknown one is refused in the same words everywhere
    if name == DEFAULT_WORLD:
        return scenario, rules_proposer()
    made = generate_answerable(int(name))
    return made.scenario, _reader(made)


def _reader(made: GeneratedWorld) -> Propose:
    """A proposer that reads the message of a generated world as it was written to be read: what is tried is the desk."""
    rules = rules_proposer()
    written = [
        {"type": issue.type, "span": {"text": issue.span_text}, **issue.slots}
        for issue in made.expected.issues
    ]

    def propose(request: ProposalRequest) -> str:
        if request.task != "decompose" or not request.message.startswith(made.scenario.message):
            return rules(request)
        rest = request.message.removeprefix(made.scenario.message)
        read = json.loads(rules(request))["issues"]
        added = [
            {**issue, "span": {"text": text}} for issue in read if (text := issue["span"]["text"]) in rest
        ]
        return json.dumps({"issues": [*written, *added]})

    return propose


def _result(
    row: Row, scenario: Scenario, usual: Propose, guards: Guards, factory: Factory | None
) -> tuple[RowResult, Observed | None]:
    expected = expectations()[row.id]
    points = tuple(Checkpoint(at=point.at, states=point.states) for point in expected.checkpoints)
    try:
        seen = observe(row, scenario, usual, guards, factory)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a row provokes is that row's failure
        return broken_off(row, _words_of(error)), None
    failures = judge(expected, seen, facts_of(scenario))
    wanted = {point.at for point in points}
    last = seen.checkpoints[-1:]
    result = RowResult(
        id=row.id,
        words=row.words,
        expected=points,
        observed=tuple(point for point in seen.checkpoints if point.at in wanted or point in last),
        passed=not failures,
        mutations=seen.mutations,
        refused=seen.refused,
        unauthorized=len(seen.unauthorized),
        stopped_by=Stop(expected.stopped_by, seen.stopped_by),
        failures=failures,
        tried=not seen.untried,
        unseen=seen.unseen,
        unconfirmed=len(seen.unconfirmed),
        called_done=len(seen.called_done),
        tickets=seen.tickets,
    )
    return result, seen


def broken_off(row: Row, why: str) -> RowResult:
    """The result of a row whose run came to no end of its own."""
    expected = expectations()[row.id]
    points = tuple(Checkpoint(at=point.at, states=point.states) for point in expected.checkpoints)
    stop, failure = Stop(expected.stopped_by, None), f"the run broke off: {why}"
    return RowResult(row.id, row.words, points, (), False, 0, 0, 0, stop, (failure,))


def _words_of(error: BaseException) -> str:
    place = traceback.extract_tb(error.__traceback__)[-1]
    kind = "" if isinstance(error, BadInput) else f"{type(error).__name__} in {place.name}: "
    return f"{kind}{' '.join(str(error).split())[:_LONGEST]}"
