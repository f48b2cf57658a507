"""One row, run: the script step by step on a fresh company, and what it left behind."""

import json
from collections import Counter
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta
from typing import assert_never

from relay_lab.app import matrix_rows as kinds
from relay_lab.app.ablation import Bench
from relay_lab.app.injection import Scene, change_company, facts_of, session_under, staged
from relay_lab.app.lab import Lab
from relay_lab.app.run import Run
from relay_lab.contracts.change import Envelope
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.operations import Performed
from relay_lab.contracts.proposals import Propose
from relay_lab.contracts.session import Session
from relay_lab.core.confirmation import Grant
from relay_lab.core.guards import Guards
from relay_lab.evaluation.expected import Checkpoint
from relay_lab.evaluation.rows import Observed, Passage, filled
from relay_lab.world.data import Scenario

_NAMES = {
    "say": "said",
    "pick": "picked",
    "confirm": "confirmed",
    "confirm_again": "confirmed again",
    "reconcile": "reconciled",
    "restart": "restarted",
    "exchange": "exchanged",
    "transfer": "transferred",
    "advance": "advanced",
    "search": "searched",
    "deliver_again": "delivered again",
    "hand_off_for": "attempted",
    "meanwhile": "changed",
}
"""What a checkpoint is called after each step; the second of a kind is "said 2"."""


@dataclass
class _Show:
    """A run on its way."""

    scenario: Scenario
    bench: Bench
    scene: Scene
    facts: Mapping[str, str]
    lab: Lab
    session: Session
    passages: list[Passage] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)
    replies: list[tuple[str, str]] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    clicked: tuple[str, str] = ("", "")

    def start_anew(self, session: Session) -> None:
        """Another desk over the same tables, perhaps under another session."""
        self.passages.append(Passage(self.session, self.lab.run().trace))
        self.session = session
        self.lab = self.bench.lab(session, self.scene.parts)


def observe(row: kinds.Row, scenario: Scenario, usual: Propose, guards: Guards) -> Observed:
    """Run a row's script on a fresh company of this scenario, in memory. `usual` proposes where no row says otherwise."""
    scene = staged(row, scenario, usual, guards)
    bench = Bench(scene.scenario, guards)
    try:
        lab = bench.lab(scene.session, scene.parts)
        show = _Show(scenario, bench, scene, facts_of(scenario), lab, scene.session)
        began = lab.clock.now()
        counted: Counter[str] = Counter()
        for step in row.script:
            _take(show, step)
            counted[step.do] += 1
            name = _NAMES[step.do] + (f" {counted[step.do]}" if counted[step.do] > 1 else "")
            _note(show, name, show.lab.run())
        run = show.lab.run()
        return Observed(
            message=scenario.message,
            checkpoints=tuple(show.checkpoints),
            replies=tuple(show.replies),
            passages=(*show.passages, Passage(show.session, run.trace)),
            record=run.record,
            mutations=run.mutations,
            tickets=run.tickets,
            written_for=tuple(
                entry.customer_id for entry in show.lab.company.journal() if entry.cause == "request"
            ),
            answers=tuple(show.answers),
            took_s=(show.lab.clock.now() - began).total_seconds(),
        )
    finally:
        bench.close()


def _note(show: _Show, at: str, run: Run) -> None:
    show.checkpoints.append(Checkpoint(at=at, states=run.states))
    replies = run.record.replies if run.record else ()
    show.replies += [(at, reply.text) for reply in replies[len(show.replies) :]]


def _take(show: _Show, step: kinds.Step) -> None:
    lab = show.lab
    match step:
        case kinds.Say(text=text):
            lab.say(filled(text, show.facts))
        case kinds.Act(do="pick"):
            lab.choose(show.scenario.pick or "individual")
        case kinds.Act(do="confirm"):
            for quote_id in lab.waiting[-1:]:  # where no quote waits there is nothing to click on
                show.clicked = quote_id, lab.runtime.show(lab.context, quote_id) or ""
                lab.confirm_with(*show.clicked)
        case kinds.Act(do="confirm_again"):
            lab.confirm_with(*show.clicked)
        case kinds.Act(do="reconcile"):
            lab.reconcile()
        case kinds.Act():
            show.start_anew(show.session)
        case kinds.Exchange():
            for quote_id in lab.waiting[-1:]:
                challenge = lab.runtime.show(lab.context, quote_id) or ""
                lab.runtime.exchange(lab.context, quote_id, challenge)
        case kinds.Transfer(issue=issue):
            lab.transfer(issue)
        case kinds.Advance(after="renewal", seconds=seconds):
            record = lab.run().record
            if record is not None:
                lab.clock.set(record.quotes[-1].quote.terms.effective_at + timedelta(seconds=seconds))
        case kinds.Advance(seconds=seconds):
            lab.clock.advance(seconds)
        case kinds.Search(query=query):
            lab.runtime.read(lab.context, "search_articles", {"query": query}, 5.0)
        case kinds.DeliverAgain():
            _deliver(show, step)
        case kinds.HandOffFor(customer=customer):
            _hand_off_for(show, filled(customer, show.facts))
        case kinds.Meanwhile(inject=change):
            if isinstance(change, kinds.SessionIs):
                show.start_anew(session_under(show.session, change))
            else:
                change_company(lab, show.scenario, change)
        case _:
            assert_never(step)


def _deliver(show: _Show, step: kinds.DeliverAgain) -> None:
    """The envelope of the last change once more, through the runtime as a step would send it."""
    lab, record = show.lab, show.lab.run().record
    operation = record.operations[-1] if record else None
    if operation is None or operation.proposal_id is None:
        raise ValueError("there is no change to deliver again")
    envelope = Envelope.model_validate_json(json.dumps(json.loads(operation.envelope) | step.change))
    grant, key = Grant(operation.proposal_id, "spent"), operation.idempotency_key

    def once(_: int) -> str:
        result = lab.runtime.call(lab.context, operation.tool, envelope, key, grant)
        return result.operation.model_dump_json() if isinstance(result, Performed) else result.kind

    show.answers += [once(number) for number in range(step.in_turn)]
    if step.at_once:
        with ThreadPoolExecutor(step.at_once) as pool:
            show.answers += pool.map(once, range(step.at_once))


def _hand_off_for(show: _Show, customer: str) -> None:
    """A packet for this customer, sent through the runtime as a step would send it."""
    packet = HandoffPacket(
        conversation_id=show.lab.context.conversation_id,
        issue_id="I1",
        reason="customer_asked",
        customer_id=customer,
        assurance=show.session.session_assurance,
        scopes=(),
        issues=(),
        evidence=(),
        completed_calls=(),
        proposed_action=None,
        conflicts=(),
        commitments=(),
    )
    show.lab.runtime.call(show.lab.context, "hand_off", packet, "attempt-1")
