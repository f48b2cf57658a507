"""What the ledger explorer says of one claim: the records it rests on, why it has its status, and whether a reply says it."""

from relay_lab.contracts.enums import ClaimStatus
from relay_lab.contracts.evidence import VerifiedRecord
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import RunRecord
from relay_lab.notebook.html import Tone, words
from relay_lab.notebook.offer import instant

TONES: dict[ClaimStatus, Tone] = {
    ClaimStatus.SUPPORTED: "good",
    ClaimStatus.UNSUPPORTED: "bad",
    ClaimStatus.STALE: "wait",
    ClaimStatus.CONFLICTING: "bad",
    ClaimStatus.UNAUTHORIZED: "bad",
}


def claim_words(row: LedgerRow) -> str:
    """The claim as a person reads it."""
    claim, value = row.claim, row.claim.value
    if value is None:
        said = "not known"
    elif isinstance(value, bool):
        said = "yes" if value else "no"
    elif isinstance(value, int) and claim.predicate.endswith("_cents"):
        said = f"{value / 100:.2f}"
    else:
        said = str(value)
    return f"{claim.subject}: {words(claim.predicate.removesuffix('_cents'))} = {said}"


def why(row: LedgerRow, record: RunRecord) -> str:
    """Why the claim is supported, or what stands against it."""
    linked = ", ".join(row.evidence_ids)
    reason = words(row.qualifier or "no reason is noted")
    match row.status:
        case ClaimStatus.SUPPORTED:
            since = f", as the oldest of them knew it at {instant(row.source_at)}" if row.source_at else ""
            return f"It follows from {linked or 'no record'}{since}."
        case ClaimStatus.STALE:
            bounds = [
                f"{each.evidence_id} is good for {each.fresh_for_s} s"
                for each in record.evidence
                if each.evidence_id in row.evidence_ids
            ]
            # The record may have been read again since, for another issue: the row keeps the time that it was judged by.
            known = (
                f"what was read is of {instant(row.source_at)}" if row.source_at else "its time is not known"
            )
            return f"{reason}: {known}, and {'; '.join(bounds) or 'that is too long ago'}."
        case ClaimStatus.CONFLICTING:
            return f"{reason}: {linked} contradict each other, and nothing here decides between them."
        case ClaimStatus.UNAUTHORIZED:
            return f"{reason}: this session may not read what the claim would rest on."
        case ClaimStatus.UNSUPPORTED:
            return f"{reason}: {linked or 'no record that was read'} does not say it."


def said(row: LedgerRow, record: RunRecord) -> str:
    """What the replies made of the claim: the sentences that name it, or that no reply does."""
    found = [
        f"turn {reply.turn}: {sentence.text}"
        for reply in record.replies
        for sentence in reply.sentences
        if row.claim_id in sentence.claim_ids
    ]
    supported = row.status is ClaimStatus.SUPPORTED
    if not found:
        return "no reply says it" if supported else "blocked: no reply says it"
    return "\n".join(found if supported else ("qualified, in " + each for each in found))


def evidence_rows(row: LedgerRow, record: RunRecord) -> list[tuple[str, str, str, str]]:
    """The records a claim rests on: id, owner, when the owner knew it, what it says."""
    known = {each.evidence_id: each for each in record.evidence}
    return [_record(known[key]) if key in known else (key, *_own(key, record)) for key in row.evidence_ids]


def _record(record: VerifiedRecord) -> tuple[str, str, str, str]:
    plain = record.value.model_dump(mode="json", exclude={"kind"})
    lines = "\n".join(f"{words(name)}: {_plain(value)}" for name, value in plain.items())
    known = f"{instant(record.source_at)}\ngood for {record.fresh_for_s} s"
    return record.evidence_id, f"{words(record.source)}\n{words(record.value.kind)}", known, lines


def _own(key: str, record: RunRecord) -> tuple[str, str, str]:
    """What stands behind an id that is no record of the company's: a state, a quote, a receipt, a ticket."""
    for view in record.quotes:
        if view.quote.quote_id == key:
            terms = view.quote.terms.model_dump(mode="json")
            lines = "\n".join(f"{words(name)}: {_plain(value)}" for name, value in terms.items())
            return "runtime\nquote", f"until {instant(view.quote.expires_at)}", lines
    for operation in record.operations:
        receipt = operation.receipt
        if receipt is not None and receipt.receipt_id == key:
            lines = "\n".join(f"{words(name)}: {_plain(value)}" for name, value in receipt.echo.items())
            return "subscriptions\nreceipt", instant(receipt.recorded_at), lines
    for view_of_issue in record.issues:
        if key == f"STATE-{view_of_issue.issue.id}":
            return "runtime\nstate", instant(record.at), f"{words(view_of_issue.state)}"
    return "runtime", "", "an acknowledgement"


def _plain(value: object) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_plain(each)}" for name, each in value.items())
    if isinstance(value, list):
        return ", ".join(map(_plain, value)) or "none"
    return (
        "none"
        if value is None
        else {True: "yes", False: "no"}[value]
        if isinstance(value, bool)
        else str(value)
    )
