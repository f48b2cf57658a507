"""Claims on where a conversation stands, held against the run record itself: issue, quote, operation, ticket (001 §5, §7)."""

from collections.abc import Iterator

from relay_lab.contracts.base import Scalar, iso
from relay_lab.contracts.change import Quote
from relay_lab.contracts.enums import OperationState
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import RunRecord

STANDING = ("issue_state", "ticket", "scheduled_plan", "effective_at", "operation_state")


def is_standing(row: LedgerRow) -> bool:
    """Whether a row speaks of the conversation and not of a record of the company."""
    return row.claim.predicate in STANDING or row.claim.predicate.startswith("quote_")


def unfounded(row: LedgerRow, record: RunRecord, tickets: int) -> Iterator[str]:
    """Why a claim on where things stand does not hold in this record; nothing when it does. `tickets` were really opened."""
    claim = row.claim
    for known in _known(row, record, tickets):
        if known == claim.value:
            return
    yield f"{row.claim_id} ({claim.subject} {claim.predicate} {claim.value}) is not what the record shows"


def _known(row: LedgerRow, record: RunRecord, tickets: int) -> Iterator[Scalar]:
    claim = row.claim
    if claim.predicate == "issue_state":
        yield from (view.state.value for view in record.issues if view.issue.id == claim.subject)
    elif claim.predicate == "ticket":
        sent = any(packet.issue_id == row.issue_id for packet in record.packets)
        if sent and tickets > 0:
            yield claim.value
    elif claim.predicate == "operation_state":
        for operation in record.operations:
            if claim.subject in (operation.proposal_id, operation.subject_id):
                yield operation.state.value
    elif claim.predicate in ("scheduled_plan", "effective_at"):
        field = "target_plan" if claim.predicate == "scheduled_plan" else "effective_at"
        for operation in record.operations:
            receipt = operation.receipt
            done = operation.state is OperationState.COMPLETED
            if done and receipt and receipt.receipt_id == claim.subject:
                yield receipt.echo.get(field)
    else:
        for view in record.quotes:
            if view.quote.quote_id == claim.subject:
                yield _term(view.quote, claim.predicate.removeprefix("quote_"))


def _term(quote: Quote, name: str) -> Scalar:
    terms = quote.terms
    special: dict[str, Scalar] = {
        "plan": terms.target_plan.value,
        "seats_kept": len(terms.seats_kept),
        "seats_ended": len(terms.seats_ended),
        "designated_seat": terms.designated_seat_id,
        "features_lost": ",".join(feature.value for feature in terms.features_lost),
        "effective_at": iso(terms.effective_at),
        "expires_at": iso(quote.expires_at),
    }
    if name in special:
        return special[name]
    value = getattr(terms, name, None)
    return value if isinstance(value, str | int | bool) else None
