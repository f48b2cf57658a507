"""Conversations to be measured: message, pick, click, and the same change delivered again, with all that is left behind."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from relay_lab.app.knowing import knowing
from relay_lab.app.lab import Lab, Parts, open_lab
from relay_lab.app.matrix_run import refunded_before
from relay_lab.app.run import Run
from relay_lab.contracts.change import Envelope
from relay_lab.contracts.operations import Performed
from relay_lab.contracts.record import RunRecord
from relay_lab.contracts.steps import Steps
from relay_lab.core.confirmation import Grant
from relay_lab.evaluation.done import Standing, standing
from relay_lab.evaluation.expected import Checkpoint
from relay_lab.evaluation.measures import MeasuredRun, WantedIssue
from relay_lab.evaluation.observed import Observed, Passage
from relay_lab.world.data import Scenario, fixtures_folder, load_fixture
from relay_lab.world.expectations import Asked, expect
from relay_lab.world.generator import generate

AGAIN = 3
"""How often a change is delivered once more."""


@dataclass
class _Notes:
    """What each turn showed."""

    records: list[RunRecord] = field(default_factory=list)
    tickets: list[int] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)
    standings: list[Standing] = field(default_factory=list)
    replies: list[tuple[str, str]] = field(default_factory=list)

    def take(self, at: str, run: Run | None) -> None:
        if run is None or run.record is None:
            return
        self.records.append(run.record)
        self.tickets.append(run.tickets)
        self.checkpoints.append(Checkpoint(at=at, states=run.states))
        self.replies.append((at, run.reply))
        self.standings.append(standing(at, run.mutations, run.trace))


def measured_fixture(steps: Steps | None = None) -> MeasuredRun:
    """The conversation of the fixture, its message read by the default proposer."""
    path = fixtures_folder() / "checks" / "relay.json"
    issues = json.loads(path.read_text("utf-8"))["issues"]
    wanted = tuple(WantedIssue(**issue) for issue in issues)
    scenario = load_fixture()
    return _measured(scenario, wanted, Parts(steps=steps))


def measured_world(seed: int, steps: Steps | None = None) -> MeasuredRun:
    """The conversation of a generated world, its message read as it was written to be read: what is tried is the desk."""
    made = generate(seed)
    wanted = tuple(WantedIssue(each.type, each.slots, each.span_text) for each in made.expected.issues)
    return _measured(made.scenario, wanted, Parts(propose=knowing(wanted), steps=steps))


def _measured(scenario: Scenario, wanted: tuple[WantedIssue, ...], parts: Parts) -> MeasuredRun:
    notes = _Notes()
    with open_lab(scenario, parts=parts) as lab:
        began = lab.clock.now()
        notes.take("said", lab.say(scenario.message))
        notes.take("picked", lab.choose(scenario.pick) if scenario.pick else None)
        notes.take("confirmed", lab.confirm() if lab.waiting else None)
        answers = _again(lab)
        run = lab.run()
        seen = Observed(
            message=scenario.message,
            checkpoints=tuple(notes.checkpoints),
            replies=tuple(notes.replies),
            passages=(Passage(lab.session, run.trace),),
            record=run.record,
            mutations=run.mutations,
            tickets=run.tickets,
            written_for=tuple(
                entry.customer_id for entry in lab.company.journal() if entry.cause == "request"
            ),
            answers=answers,
            took_s=(lab.clock.now() - began).total_seconds(),
            standings=tuple(notes.standings),
            refunded_before=refunded_before(scenario),
        )
    asked = tuple(Asked(type=each.type, slots=each.slots, span_text=each.words) for each in wanted)
    changes = expect(scenario, asked).mutations
    return MeasuredRun(scenario.name, tuple(notes.records), tuple(notes.tickets), seen, wanted, changes)


def _again(lab: Lab) -> tuple[str, ...]:
    """The envelope of the change once more, and what each delivery was answered."""
    record = lab.run().record
    for operation in record.operations if record else ():
        if operation.proposal_id is None:
            continue
        envelope = Envelope.model_validate_json(operation.envelope)
        grant, key = Grant(operation.proposal_id, "spent"), operation.idempotency_key
        results = [lab.runtime.call(lab.context, operation.tool, envelope, key, grant) for _ in range(AGAIN)]
        return tuple(
            each.operation.model_dump_json() if isinstance(each, Performed) else each.kind for each in results
        )
    return ()


def runs(worlds: Iterable[int], steps: Steps | None = None) -> Iterator[MeasuredRun]:
    """The fixture, and the world of each seed, one after the other."""
    yield measured_fixture(steps)
    for seed in worlds:
        yield measured_world(seed, steps)
