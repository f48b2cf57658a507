"""Rows that are not supported: which there are, and whether each has grounds for its weakness."""

from collections.abc import Iterator

from relay_lab.contracts.enums import ClaimStatus
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.evaluation.checks.kinds import Performance

_DENIED = ("scope_missing", "assurance_too_low")
_NOT_READ = (*_DENIED, "timeout", "unavailable")


def weak_rows(seen: Performance) -> list[LedgerRow]:
    """The rows of a ledger that are not supported."""
    return [row for row in seen.returned.rows if row.status is not ClaimStatus.SUPPORTED]


def beyond_bound(seen: Performance) -> set[str]:
    """The ids of what was read and is too old to be stood by."""
    now = seen.expected.now
    return {
        record.evidence_id
        for record in seen.expected.records
        if (now - record.source_at).total_seconds() > record.fresh_for_s
    }


def overnamed(seen: Performance) -> Iterator[str]:
    """Who calls every claim everything has named the right thing too, and knows nothing: a weakness has grounds as well."""
    old, gaps = beyond_bound(seen), seen.expected.gaps
    denied = {issue_id for issue_id, code in gaps if code in _DENIED}
    for row in weak_rows(seen):
        if row.qualifier in _NOT_READ and (row.issue_id, row.qualifier) not in gaps:
            yield f"{row.claim_id} says {row.qualifier}, and nothing of {row.issue_id} came to that"
        if row.status is ClaimStatus.UNAUTHORIZED and (
            row.issue_id not in denied or row.qualifier not in (None, *_DENIED)
        ):
            yield f"{row.claim_id} is unauthorized, and nothing was denied"
        if row.status is ClaimStatus.STALE and not old & set(row.evidence_ids):
            yield f"{row.claim_id} is stale and links no record beyond its bound"
        if row.status is ClaimStatus.CONFLICTING and len(set(row.evidence_ids)) < 2:
            yield f"{row.claim_id} is conflicting and links no two records"
