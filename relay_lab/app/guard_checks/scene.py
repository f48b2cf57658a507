"""The scene of a guard check: a conversation of the fixture's customer, and what a step or another session tries in it."""

from collections.abc import Mapping
from typing import Any

from relay_lab.app.lab import Lab, Parts, open_lab
from relay_lab.contracts.change import ChangeTerms
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.operations import (
    Answered,
    CallResult,
    Confirmed,
    Denied,
    Exchange,
    NeedsConfirmation,
    NotConfirmed,
    Operation,
    Performed,
    Proposal,
    Stopped,
)
from relay_lab.contracts.session import Context
from relay_lab.core.confirmation import Grant
from relay_lab.desks.support.terms import envelope_of, quote_of
from relay_lab.desks.support.tools import PrepareQuote

OWN, OTHER = "CUST-1042", "CUST-2077"
SCHEDULE = "schedule_downgrade"


def told(result: CallResult | Exchange | None) -> str:
    """What the runtime answered, in a few words that a check can compare."""
    match result:
        case Denied(code=code, guard=guard):
            return f"denied by {guard}: {code}"
        case Stopped(failures=failures, guard=guard):
            return f"stopped by {guard}: {', '.join(failures)}"
        case Performed(operation=operation):
            return " ".join(filter(None, (operation.state.value, operation.detail or operation.error)))
        case Answered(replayed=replayed):
            return "replayed" if replayed else "answered"
        case NeedsConfirmation():
            return "needs a confirmation"
        case Confirmed():
            return "confirmed"
        case NotConfirmed(code=code):
            return f"not confirmed: {code}"
        case None:
            return "nothing"


def quoted(parts: Parts | None = None, lab: Lab | None = None) -> Lab:
    """A lab whose customer has told of the three concerns and picked the smaller plan: a quote waits."""
    lab = lab or open_lab(parts=parts)
    lab.say(lab.scenario.message)
    lab.choose("individual")
    return lab


def another(lab: Lab, conversation: str | None = None, **session: Any) -> Context:
    """The context of the lab with something else about the session, or another conversation."""
    return lab.context.model_copy(
        update={
            "session": lab.session.model_copy(update=session),
            "conversation_id": conversation or lab.context.conversation_id,
        }
    )


def stranger(lab: Lab) -> Context:
    """Another customer of the same tenant with the same rights, who names this very conversation."""
    return another(lab, authenticated_customer_id=OTHER)


def proposals(lab: Lab) -> tuple[Proposal, ...]:
    """The proposals of the conversation, oldest first."""
    return lab.runtime.standing(lab.context)[0]


def operation(lab: Lab) -> Operation:
    """The last change of plan that was submitted in the conversation."""
    return [each for each in lab.runtime.standing(lab.context)[1] if each.tool == SCHEDULE][-1]


def terms(lab: Lab) -> ChangeTerms:
    """The terms of the last quote."""
    return quote_of(proposals(lab)[-1]).terms


def prepare(
    lab: Lab, issue_id: str, key: str, at: Context | None = None, **changed: Any
) -> tuple[str, Mapping[str, Any]]:
    """Prepare a quote of the same terms as the last one, as a step could; what came of it, and the answer."""
    asked = PrepareQuote(
        issue_id=issue_id,
        terms=terms(lab).model_copy(update=changed),
        expires_at=proposals(lab)[-1].expires_at,
    )
    result = lab.runtime.call(at or lab.context, "prepare_downgrade_quote", asked, key)
    return told(result), result.answer if isinstance(result, Answered) else {}


def clicked(lab: Lab, quote: int = -1, at: Context | None = None) -> str:
    """Trade the challenge of a quote as a click does; the token."""
    exchange = trade(lab, quote, at)
    return exchange.token if isinstance(exchange, Confirmed) else ""


def trade(lab: Lab, quote: int = -1, at: Context | None = None) -> Exchange:
    """The exchange of a click on a quote of the lab's own page, made in the context `at`."""
    quote_id = proposals(lab)[quote].proposal_id
    challenge = lab.runtime.show(lab.context, quote_id) or ""
    return lab.runtime.exchange(at or lab.context, quote_id, challenge)


def submit(
    lab: Lab, token: str, quote: int = -1, at: Context | None = None, key: str | None = None, **changed: Any
) -> str:
    """Submit the envelope of a quote, perhaps altered, as a step could; what came of it."""
    proposal = proposals(lab)[quote]
    envelope = envelope_of(proposal).model_copy(update=changed)
    grant = Grant(proposal.proposal_id, token)
    return told(
        lab.runtime.call(at or lab.context, SCHEDULE, envelope, key or envelope.idempotency_key, grant)
    )


def send(lab: Lab, customer: str | None, at: Context | None = None) -> str:
    """Send a packet of the first issue for a customer, as a step could; what came of it."""
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
    return told(lab.runtime.call(at or lab.context, "hand_off", packet, "attempt-1"))


def calls(lab: Lab, tool: str = SCHEDULE) -> list[str]:
    """How every call of a tool at its system of record came out."""
    return [row.outcome for row in lab.run().trace if row.kind == "call" and row.tool == tool]
