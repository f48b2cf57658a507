"""What a confirmation card says: one quote and what became of it, worked out from the store and from nothing that was hoped."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from relay_lab.app.lab import Lab
from relay_lab.contracts.change import Quote
from relay_lab.contracts.enums import OperationState, ProposalState
from relay_lab.contracts.evidence import PlanPrice, Seat, Subscription
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.record import QuoteView, RunRecord

Stage = Literal["nothing", "waiting", "expired", "scheduled", "unknown", "refused", "declined", "void"]
"""Of a card: no quote ever; one that waits; one that waits and whose time is over; and the ends that a quote can have."""


@dataclass(frozen=True)
class Offer:
    """A quote as it stands at `now`, with the records that explain it.

    `operation` is the runtime's own row of the change, if the quote was used; `subscription` what the service says of itself,
    read again after the change was made, None when it was not read or gave no answer.
    """

    stage: Stage
    now: datetime
    quote: Quote | None = None
    reason: str | None = None
    operation: Operation | None = None
    subscription: Subscription | None = None
    seats: tuple[Seat, ...] = ()
    price_now_cents: int | None = None
    issue_state: str | None = None
    reply: str = ""

    @property
    def quote_id(self) -> str | None:
        """The id of the quote, if there is one."""
        return self.quote.quote_id if self.quote else None


def offer_of(lab: Lab) -> Offer:
    """Look into the store, and where a change was made ask the subscription service as well."""
    record = lab.look().record
    if record is None or not record.quotes:
        return Offer(stage="nothing", now=lab.clock.now(), reply=_reply(record))
    waiting = lab.waiting
    views = {view.quote.quote_id: view for view in record.quotes}
    view = views[waiting[-1]] if waiting else record.quotes[-1]
    operation = next((op for op in record.operations if op.proposal_id == view.quote.quote_id), None)
    stage = _stage(view, operation, bool(waiting), lab.clock.now())
    prices = [each.value for each in record.evidence if isinstance(each.value, PlanPrice)]
    current = [price for price in prices if price.plan is view.quote.terms.current_plan]
    states = {each.issue.id: each.state.value for each in record.issues}
    return Offer(
        stage=stage,
        # Reading takes its time on the desk's clock, so the instant is taken last.
        subscription=lab.read_subscription() if stage == "scheduled" else None,
        now=lab.clock.now(),
        quote=view.quote,
        reason=view.reason,
        operation=operation,
        seats=_seats(record, view.quote),
        price_now_cents=current[-1].price_cents if current else None,
        issue_state=states.get(view.quote.issue_id),
        reply=_reply(record),
    )


def _stage(view: QuoteView, operation: Operation | None, waits: bool, now: datetime) -> Stage:
    if waits:
        return "waiting" if now < view.quote.expires_at else "expired"
    if operation is not None:
        match operation.state:
            case OperationState.COMPLETED:
                return "scheduled"
            case OperationState.REJECTED:
                return "refused"
            case OperationState.PREPARED | OperationState.SUBMITTED | OperationState.FAILED_UNKNOWN:
                return "unknown"
    return "declined" if view.state is ProposalState.REJECTED else "void"


def _seats(record: RunRecord, quote: Quote) -> tuple[Seat, ...]:
    """The seats as the records had them when the quote was made."""
    found = [each.value for each in record.evidence if isinstance(each.value, Subscription)]
    of_this = [each for each in found if each.subscription_version == quote.terms.subscription_version]
    return next((each.seats for each in reversed(of_this) if each.seats), ())


def _reply(record: RunRecord | None) -> str:
    return record.replies[-1].text if record and record.replies else ""


def changes(old: Quote, new: Quote) -> list[tuple[str, str, str]]:
    """What a new quote says otherwise than the one before: name, before, after. Empty when only its time is another."""
    before, after = old.terms.model_dump(mode="json"), new.terms.model_dump(mode="json")
    named = [
        (name.removesuffix("_cents").replace("_", " "), _said(name, before[name]), _said(name, after[name]))
        for name in after
        if before[name] != after[name]
    ]
    times = ("valid until", instant(old.expires_at), instant(new.expires_at))
    return [*named, times] if times[1] != times[2] else named  # a part of a second is no news


def _said(name: str, value: object) -> str:
    if name.endswith("_cents") and isinstance(value, int):
        return f"{value / 100:.2f}"
    if isinstance(value, list):
        return ", ".join(str(each).replace("_", " ") for each in value) or "none"
    return str(value)


def instant(at: datetime) -> str:
    """An instant to the second, in UTC."""
    return f"{at:%Y-%m-%d %H:%M:%S} UTC"
