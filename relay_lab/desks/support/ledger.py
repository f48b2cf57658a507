"""Step 5: a row for every material claim, with the evidence it rests on, before a word of the reply is written (001 §5)."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.enums import ClaimStatus
from relay_lab.contracts.evidence import NoPolicy, Retrieval, VerifiedRecord
from relay_lab.contracts.issues import BillingDuplicate, FeatureAccess, Issue, SubscriptionChange
from relay_lab.contracts.ledger import Claim, Ledger, LedgerRow
from relay_lab.desks.support.claims import billing, feature, subscription
from relay_lab.desks.support.claims.rows import Finding
from relay_lab.desks.support.retrieve import REQUIRED


def build_ledger(issues: tuple[Issue, ...], retrieval: Retrieval, now: datetime) -> Ledger:
    """Decide, for each issue, what may be said and on what evidence.

    A row is supported when its linked records entail its value and all of them are fresh at `now`; stale when one is not;
    conflicting when records contradict each other; unauthorized when a scope is missing; unsupported when a record is not
    there or could not be read, which is never evidence of the opposite. Articles support nothing.
    """
    rows: list[LedgerRow] = []
    read: dict[str, list[VerifiedRecord]] = {}
    for record in retrieval.records:
        read.setdefault(record.evidence_id, []).append(record)
    for issue in issues:
        found = tuple(_findings(issue, retrieval, now))
        findings = (*found, *_missing(issue, retrieval), *_outdated(issue, found, retrieval, now))
        rows += [_row(issue, n, finding, read, now) for n, finding in enumerate(findings, start=1)]
    return Ledger(rows=tuple(rows))


def _findings(issue: Issue, retrieval: Retrieval, now: datetime) -> Iterable[Finding]:
    match issue:
        case BillingDuplicate():
            return billing.findings(retrieval.records)
        case FeatureAccess(feature=wanted) if wanted is not None:
            return feature.findings(wanted, retrieval.records, now)
        case SubscriptionChange():
            return subscription.findings(issue, retrieval.records)
        case _:
            return ()


def _missing(issue: Issue, retrieval: Retrieval) -> Iterable[Finding]:
    for absent in retrieval.missing:
        if absent.issue_id == issue.id:
            denied = absent.code in ("scope_missing", "assurance_too_low")
            yield Finding(
                subject=issue.id,
                predicate=f"{absent.record}_read",
                value=None,
                evidence=(),
                status=ClaimStatus.UNAUTHORIZED if denied else ClaimStatus.UNSUPPORTED,
                qualifier=absent.code,
            )


def _outdated(
    issue: Issue, found: tuple[Finding, ...], retrieval: Retrieval, now: datetime
) -> Iterable[Finding]:
    """Required records that no claim rests on yet: being out of date, they stand in the way all the same."""
    if isinstance(issue, SubscriptionChange) and issue.target_plan is None:
        return
    required = {kind for kinds in REQUIRED.get(issue.type, {}).values() for kind in kinds}
    linked = {evidence_id for finding in found for evidence_id in finding.evidence}
    for record in retrieval.records:
        value = record.value
        kind = f"{value.policy_id}_policy" if isinstance(value, NoPolicy) else value.kind
        if kind in required and record.evidence_id not in linked and is_stale(record, now):
            yield Finding(record.evidence_id, f"{kind}_read", None, (record.evidence_id,))


def _row(
    issue: Issue, number: int, finding: Finding, read: Mapping[str, list[VerifiedRecord]], now: datetime
) -> LedgerRow:
    linked = [record for evidence_id in finding.evidence for record in read.get(evidence_id, ())]
    status, qualifier = finding.status, finding.qualifier
    if status is ClaimStatus.SUPPORTED and any(is_stale(record, now) for record in linked):
        status, qualifier = ClaimStatus.STALE, "stale"
    return LedgerRow(
        claim_id=f"{issue.id}-C{number}",
        issue_id=issue.id,
        claim=Claim(subject=finding.subject, predicate=finding.predicate, value=_plain(finding.value)),
        evidence_ids=finding.evidence,
        source_at=min((record.source_at for record in linked), default=None),
        policy_version=finding.policy_version,
        status=status,
        qualifier=qualifier,
    )


def is_stale(record: VerifiedRecord, now: datetime) -> bool:
    """Whether a record is older than its source declares it good for."""
    return (now - record.source_at).total_seconds() > record.fresh_for_s


def _plain(value: Scalar) -> Scalar:
    return str(value) if isinstance(value, str) else value
