"""Claims on the desk's own state: an issue, its quote, its operation, its ticket. Their evidence is a receipt or a row."""

from collections.abc import Iterator

from relay_lab.contracts.base import iso
from relay_lab.contracts.change import Quote
from relay_lab.contracts.enums import IssueState, OperationState
from relay_lab.contracts.operations import Operation
from relay_lab.desks.support.claims.rows import Finding


def findings(
    issue_id: str, state: IssueState, quote: Quote | None, operation: Operation | None, ticket: str | None
) -> Iterator[tuple[str, Finding]]:
    """(claim id, claim) pairs for one issue: its state, then quote, operation and ticket where there are any."""
    yield f"{issue_id}-S", Finding(issue_id, "issue_state", state.value, (f"STATE-{issue_id}",))
    if ticket is not None:
        yield f"{issue_id}-T", Finding(issue_id, "ticket", ticket, (ticket,))
    if quote is not None:
        for number, (predicate, value) in enumerate(_terms(quote), start=1):
            finding = Finding(
                quote.quote_id, predicate, value, (quote.quote_id,), policy_version=quote.terms.policy_version
            )
            yield f"{issue_id}-Q{number}", finding
    if operation is not None:
        yield from _operation(issue_id, operation)


def _terms(quote: Quote) -> Iterator[tuple[str, str | int | bool]]:
    terms = quote.terms
    yield "quote_plan", terms.target_plan.value
    yield "quote_price_cents", terms.price_cents
    yield "quote_currency", terms.currency
    yield "quote_tax_terms", terms.tax_terms
    yield "quote_seats_kept", len(terms.seats_kept)
    yield "quote_seats_ended", len(terms.seats_ended)
    yield "quote_designated_seat", terms.designated_seat_id
    yield "quote_features_lost", ",".join(feature.value for feature in terms.features_lost)
    yield "quote_data_retained", terms.data_retained
    yield "quote_immediate_refund", terms.immediate_refund
    yield "quote_effective_at", iso(terms.effective_at)
    yield "quote_expires_at", iso(quote.expires_at)


def _operation(issue_id: str, operation: Operation) -> Iterator[tuple[str, Finding]]:
    receipt = operation.receipt
    if operation.state is OperationState.COMPLETED and receipt is not None:
        schedule = receipt.receipt_id
        yield f"{issue_id}-X1", Finding(schedule, "scheduled_plan", receipt.echo["target_plan"], (schedule,))
        yield f"{issue_id}-X2", Finding(schedule, "effective_at", receipt.echo["effective_at"], (schedule,))
    else:
        about = operation.proposal_id or issue_id
        yield f"{issue_id}-X1", Finding(about, "operation_state", operation.state.value, (about,))
