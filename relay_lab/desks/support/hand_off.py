"""Step 8: a specialist gets what is needed to go on, and nothing else (001 §8)."""

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.enums import ClaimStatus
from relay_lab.contracts.evidence import ReadError
from relay_lab.contracts.handoff import (
    HandoffPacket,
    PacketCall,
    PacketConflict,
    PacketEvidence,
    PacketIssue,
)
from relay_lab.contracts.issues import Issue
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.ports import HandoffTools
from relay_lab.contracts.steps import Failures, HandoffCase


def hand_off(case: HandoffCase, tools: HandoffTools) -> Operation | Failures:
    """Send the minimised packet of one issue. Only the queue's acknowledgement makes it handed off."""
    return tools.hand_off(packet_of(case))


def packet_of(case: HandoffCase) -> HandoffPacket:
    """The seven kinds of content of 001 §8: evidence by id, calls by outcome, issues by slots; no wording, no value twice."""
    authentication = case.authentication
    used = {eid for row in case.ledger.of(case.issue_id) for eid in row.evidence_ids}
    policies = {
        eid: row.policy_version
        for row in case.ledger.of(case.issue_id)
        for eid in row.evidence_ids
        if row.policy_version
    }
    return HandoffPacket(
        conversation_id=case.conversation_id,
        issue_id=case.issue_id,
        reason=case.reason,
        customer_id=authentication.customer_id,
        assurance=authentication.assurance,
        scopes=authentication.scopes,
        issues=tuple(PacketIssue(id=issue.id, type=issue.type, slots=_slots(issue)) for issue in case.issues),
        evidence=tuple(
            PacketEvidence(
                evidence_id=record.evidence_id,
                source_at=record.source_at,
                version=record.version,
                policy_version=policies.get(record.evidence_id),
            )
            for record in case.retrieval.records
            if record.evidence_id in used
        ),
        completed_calls=tuple(
            PacketCall(tool=read.tool, outcome=read.code if isinstance(read, ReadError) else "success")
            for read in case.retrieval.reads
        ),
        proposed_action=case.proposed_action,
        conflicts=_conflicts(case),
        commitments=case.commitments,
    )


def _slots(issue: Issue) -> dict[str, Scalar]:
    slots: dict[str, Scalar] = issue.model_dump(mode="json", exclude={"id", "type", "span"})
    return slots


def _conflicts(case: HandoffCase) -> tuple[PacketConflict, ...]:
    return tuple(
        PacketConflict(
            subject=row.claim.subject,
            about=row.claim.predicate,
            status=row.status if row.evidence_ids else "missing",
            code=row.qualifier or "unsupported",
            evidence_ids=row.evidence_ids,
        )
        for row in case.ledger.of(case.issue_id)
        if row.status is not ClaimStatus.SUPPORTED
    )
