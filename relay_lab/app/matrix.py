"""The failure matrix: every row run on the fixture or on a generated world, and held against what is expected of it."""

import json
import traceback
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from relay_lab.app.ablation import guards_without
from relay_lab.app.injection import facts_of
from relay_lab.app.matrix_rows import Row, chosen, expectations
from relay_lab.app.matrix_run import observe
from relay_lab.app.settings import DEFAULT_WORLD, scenario_named
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.proposals import ProposalRequest, Propose
from relay_lab.core.guards import Guards
from relay_lab.evaluation.expected import Checkpoint, RowExpectation
from relay_lab.evaluation.rows import judge
from relay_lab.proposers.rules import rules_proposer
from relay_lab.world.data import Scenario
from relay_lab.world.generator import GeneratedWorld, generate_answerable


@dataclass(frozen=True)
class Stop:
    """The guard that should stop a row's unsafe part and the one that did; null for none, several with commas."""

    expected: str | None
    observed: str | None


@dataclass(frozen=True)
class RowResult:
    """How one row came out.

    `expected` and `observed` are checkpoints, the last one terminal; `refused` counts attempts that were stopped,
    `unauthorized` what went through beyond the session; `failures` say in words what is not as it should be.
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

    def to_dict(self) -> dict[str, Any]:
        """The row as `relay-lab matrix --json` prints it."""
        points = {
            name: [{"at": point.at, "states": point.states} for point in getattr(self, name)]
            for name in ("expected", "observed")
        }
        rest = {name: getattr(self, name) for name in ("passed", "mutations", "refused", "unauthorized")}
        stop, failures = asdict(self.stopped_by), list(self.failures)
        return {
            "id": self.id,
            "injection": self.words,
            **points,
            **rest,
            "stopped_by": stop,
            "failures": failures,
        }


def run_matrix(
    only: Iterable[str] | None = None, world: str | int | None = None, without: str | None = None
) -> list[RowResult]:
    """Run every row of the failure matrix, or those of the ids `only`, in the matrix's order (001, its matrix).

    `world`: "relay" (the fixture, and the default) or the seed of a generated world whose customer has the same three
    concerns. `without`: the name of one guard to remove. Raises `BadInput` for an unknown row, world or guard. What goes
    wrong inside a row is that row's failure, and the others run all the same.
    """
    rows = chosen(tuple(only or ()))
    guards, (scenario, usual) = guards_without(without), _world(world)
    return [_result(row, expectations()[row.id], scenario, usual, guards) for row in rows]


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
    row: Row, expected: RowExpectation, scenario: Scenario, usual: Propose, guards: Guards
) -> RowResult:
    points = tuple(Checkpoint(at=point.at, states=point.states) for point in expected.checkpoints)
    try:
        seen = observe(row, scenario, usual, guards)
    except Exception as error:  # noqa: BLE001 - whatever a row provokes is that row's failure
        stop = Stop(expected.stopped_by, None)
        return RowResult(row.id, row.words, points, (), False, 0, 0, 0, stop, (_broke_off(error),))
    failures = judge(expected, seen, facts_of(scenario))
    wanted = {point.at for point in points}
    last = seen.checkpoints[-1:]
    return RowResult(
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
    )


def _broke_off(error: Exception) -> str:
    place = traceback.extract_tb(error.__traceback__)[-1]
    kind = "" if isinstance(error, BadInput) else f"{type(error).__name__} in {place.name}: "
    return f"the run broke off: {kind}{error}"
