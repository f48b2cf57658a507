"""What only the desk's own code does in a row: look an article up, deliver once more, forge, go round a confirmation."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from relay_lab.app import matrix_kinds as kinds
from relay_lab.app.lab import Lab
from relay_lab.contracts.change import Envelope
from relay_lab.contracts.enums import ActorType
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.operations import Confirmed, Performed
from relay_lab.contracts.session import Context
from relay_lab.core.confirmation import Grant
from relay_lab.desks.support.terms import envelope_of
from relay_lab.evaluation.rows import filled
from relay_lab.world.data import Scenario


def act_of_the_desk(lab: Lab, step: kinds.Step, facts: Mapping[str, str]) -> list[str]:
    """Do what the step says, through the runtime as a step of the desk would; what repeated deliveries were answered."""
    match step:
        case kinds.Exchange():
            for quote_id in lab.waiting[-1:]:
                challenge = lab.runtime.show(lab.context, quote_id) or ""
                lab.runtime.exchange(lab.context, quote_id, challenge)
        case kinds.Search(query=query):
            lab.runtime.read(lab.context, "search_articles", {"query": query}, 5.0)
        case kinds.DeliverAgain():
            return _delivered(lab, step)
        case kinds.HandOffFor(customer=customer):
            _hand_off_for(lab, filled(customer, facts))
        case kinds.Forge():
            _forge(lab, step)
        case kinds.ClickElsewhere():
            _click_elsewhere(lab, step)
        case _:
            raise ValueError(f"{step.do} is not an act of the desk's own code")
    return []


def renewal(scenario: Scenario) -> datetime:
    """When the customer's plan renews."""
    customer = scenario.session.authenticated_customer_id
    return next(row.renews_at for row in scenario.data.subscriptions if row.customer_id == customer)


def _delivered(lab: Lab, step: kinds.DeliverAgain) -> list[str]:
    """The envelope of the last change once more, through the runtime as a step would send it."""
    record = lab.run().record
    operation = record.operations[-1] if record and record.operations else None
    if operation is None or operation.proposal_id is None:
        raise ValueError("there is no change to deliver again")
    envelope = Envelope.model_validate_json(json.dumps(json.loads(operation.envelope) | step.change))
    grant, key = Grant(operation.proposal_id, "spent"), operation.idempotency_key

    def once(_: int) -> str:
        result = lab.runtime.call(lab.context, operation.tool, envelope, key, grant)
        return result.operation.model_dump_json() if isinstance(result, Performed) else result.kind

    answers = [once(number) for number in range(step.in_turn)]
    if step.at_once:
        with ThreadPoolExecutor(step.at_once) as pool:
            answers += pool.map(once, range(step.at_once))
    return answers


def _forge(lab: Lab, step: kinds.Forge) -> None:
    """The envelope of the quote that waits, sent past the customer."""
    for quote_id in lab.waiting[-1:]:
        token = "made-up"
        if step.token == "traded":
            challenge = lab.runtime.show(lab.context, quote_id) or ""
            exchange = lab.runtime.exchange(lab.context, quote_id, challenge)
            token = exchange.token if isinstance(exchange, Confirmed) else token
        _execute(lab, lab.context, quote_id, token, step.change)


def _click_elsewhere(lab: Lab, step: kinds.ClickElsewhere) -> None:
    """The click of somebody who has the challenge and is not the one, or not where, it was shown."""
    changes: dict[str, object] = {}
    if step.conversation:
        changes["conversation_id"] = step.conversation
    if step.actor:
        changes["session"] = lab.context.session.model_copy(
            update={"actor_id": step.actor, "actor_type": ActorType.OPERATOR}
        )
    elsewhere = lab.context.model_copy(update=changes)
    for quote_id in lab.waiting[-1:]:
        challenge = lab.runtime.show(lab.context, quote_id) or ""
        exchange = lab.runtime.exchange(elsewhere, quote_id, challenge)
        if isinstance(exchange, Confirmed):
            _execute(lab, elsewhere, quote_id, exchange.token, {})


def _execute(lab: Lab, context: Context, quote_id: str, token: str, change: Mapping[str, str]) -> None:
    proposals = lab.runtime.standing(lab.context)[0]
    exact = envelope_of(next(each for each in proposals if each.proposal_id == quote_id))
    envelope = Envelope.model_validate_json(json.dumps(exact.model_dump(mode="json") | dict(change)))
    lab.runtime.call(context, exact.tool, envelope, envelope.idempotency_key, Grant(quote_id, token))


def _hand_off_for(lab: Lab, customer: str) -> None:
    """A packet for this customer, sent through the runtime as a step would send it."""
    packet = HandoffPacket(
        conversation_id=lab.context.conversation_id,
        issue_id="I1",
        reason="customer_asked",
        customer_id=customer,
        assurance=lab.session.session_assurance,
        scopes=(),
        issues=(),
        evidence=(),
        completed_calls=(),
        proposed_action=None,
        conflicts=(),
        commitments=(),
    )
    lab.runtime.call(lab.context, "hand_off", packet, "attempt-1")
