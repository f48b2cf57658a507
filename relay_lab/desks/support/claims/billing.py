"""Billing: two equal charges prove nothing; only billing's own reconciliation says that one was in excess (001 §4)."""

from collections.abc import Iterator

from relay_lab.contracts.enums import ClaimStatus
from relay_lab.contracts.evidence import (
    Invoice,
    Reconciliation,
    RefundPolicy,
    Statement,
    Transaction,
    VerifiedRecord,
)
from relay_lab.desks.support.claims.rows import Finding, first, no_policy, of_kind
from relay_lab.desks.support.retrieve import invoice_in_question

Records = tuple[VerifiedRecord, ...]
Charges = list[tuple[str, Transaction]]


def findings(records: Records) -> Iterator[Finding]:
    """The claims on a reported duplicate: charges, what was due, the reconciliation, the policy. Nothing read, no claim."""
    statement_id, _ = first(records, Statement)
    invoice_id = invoice_in_question(records)
    if invoice_id is None:
        if statement_id is not None:
            yield Finding(statement_id, "duplicate_found", False, (statement_id,))
        return
    invoice = dict(of_kind(records, Invoice))[invoice_id]
    charges = [(tx, value) for tx, value in of_kind(records, Transaction) if value.invoice_id == invoice_id]
    settled = [(tx, value) for tx, value in charges if value.settlement == "settled"]
    pending = [(tx, value) for tx, value in charges if value.settlement != "settled"]
    found = [
        (rid, value) for rid, value in of_kind(records, Reconciliation) if value.invoice_id == invoice_id
    ]
    yield from _charges(invoice_id, invoice, settled, pending)
    if found:
        yield from _reconciled(*found[0], invoice_id, settled)
        if found[0][1].excess_captures > 0 and not found[0][1].reversed and not found[0][1].refunded:
            yield from _policy(records, settled)
    elif len(settled) < 2 or not _looks_double(invoice, settled):
        evidence = (invoice_id, *(tx for tx, _ in charges))
        yield Finding(invoice_id, "duplicate_found", False, evidence)
    else:
        evidence = (invoice_id, *(tx for tx, _ in settled))
        yield Finding(
            invoice_id, "excess_captures", None, evidence, ClaimStatus.UNSUPPORTED, "no_reconciliation"
        )


def _charges(invoice_id: str, invoice: Invoice, settled: Charges, pending: Charges) -> Iterator[Finding]:
    ids = tuple(tx for tx, _ in settled)
    amounts = {(value.amount_cents, value.currency) for _, value in settled}
    yield Finding(invoice_id, "settled_charges", len(settled), (invoice_id, *ids))
    yield Finding(invoice_id, "invoice_due_cents", invoice.due_cents, (invoice_id,))
    yield Finding(invoice_id, "currency", invoice.currency, (invoice_id,))
    if any(currency != invoice.currency for _, currency in amounts):
        yield Finding(
            invoice_id, "charge_cents", None, (invoice_id, *ids), ClaimStatus.CONFLICTING, "conflict"
        )
    elif len(amounts) == 1:
        yield Finding(invoice_id, "charge_cents", next(iter(amounts))[0], ids)
    if pending:
        yield Finding(invoice_id, "unsettled_charges", len(pending), tuple(tx for tx, _ in pending))


def _reconciled(
    record_id: str, record: Reconciliation, invoice_id: str, settled: Charges
) -> Iterator[Finding]:
    evidence = (record_id, invoice_id, *(tx for tx, _ in settled))
    if record.excess_captures >= max(len(settled), 1):
        # More in excess than was ever captured: one of the two records is wrong.
        yield Finding(record_id, "excess_captures", None, evidence, ClaimStatus.CONFLICTING, "conflict")
        return
    if record.excess_captures == 0:
        yield Finding(invoice_id, "duplicate_found", False, evidence)
        return
    yield Finding(record_id, "excess_captures", record.excess_captures, (record_id,))
    yield Finding(record_id, "excess_reversed", record.reversed, (record_id,))
    yield Finding(record_id, "excess_refunded", record.refunded, (record_id,))


def _looks_double(invoice: Invoice, settled: Charges) -> bool:
    amounts = [value.amount_cents for _, value in settled]
    return len(set(amounts)) < len(amounts) or sum(amounts) > invoice.due_cents


def _policy(records: Records, settled: Charges) -> Iterator[Finding]:
    policy_id, policy = first(records, RefundPolicy)
    absent_id = no_policy(records, "refund")
    if policy is not None and policy_id is not None:
        in_force = all(policy.effective_at <= value.charged_at for _, value in settled)
        eligible = policy.duplicate_capture_eligible and in_force
        yield Finding(policy_id, "refund_eligible", eligible, (policy_id,), policy_version=policy_id)
    elif absent_id is not None:
        yield Finding(absent_id, "refund_eligible", None, (absent_id,), ClaimStatus.UNSUPPORTED, "no_policy")
