"""Two right versions of step 8, written on their own."""

import json
from typing import Any

from relay_lab.contracts.handoff import (
    HandoffPacket,
    PacketCall,
    PacketConflict,
    PacketEvidence,
    PacketIssue,
)
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.ports import HandoffTools
from relay_lab.contracts.steps import Failures, HandoffCase


def part_by_part(case: HandoffCase, tools: HandoffTools) -> Operation | Failures:
    """Each of the seven parts in a loop of its own."""
    rows = [row for row in case.ledger.rows if row.issue_id == case.issue_id]
    conflicts, issues = [], []
    for row in rows:
        if row.status.value == "supported":
            continue
        conflicts.append(
            PacketConflict(
                subject=row.claim.subject,
                about=row.claim.predicate,
                status=row.status if len(row.evidence_ids) > 0 else "missing",
                code=row.qualifier if row.qualifier is not None else row.status.value,
                evidence_ids=row.evidence_ids,
            )
        )
    for issue in case.issues:
        slots = json.loads(issue.model_dump_json())
        for name in ("id", "type", "span"):
            del slots[name]
        issues.append(PacketIssue(id=issue.id, type=issue.type, slots=slots))
    calls = [
        PacketCall(tool=read.tool, outcome="success" if read.kind == "success" else read.code)
        for read in case.retrieval.reads
    ]
    return tools.hand_off(
        HandoffPacket(
            conversation_id=case.conversation_id,
            issue_id=case.issue_id,
            reason=case.reason,
            customer_id=case.authentication.customer_id,
            assurance=case.authentication.assurance,
            scopes=case.authentication.scopes,
            issues=tuple(issues),
            evidence=_evidence(case, rows),
            completed_calls=tuple(calls),
            proposed_action=case.proposed_action,
            conflicts=tuple(conflicts),
            commitments=case.commitments,
        )
    )


def _evidence(case: HandoffCase, rows: list[LedgerRow]) -> tuple[PacketEvidence, ...]:
    linked, policy = set[str](), dict[str, str]()
    for row in rows:
        linked.update(row.evidence_ids)
        if row.policy_version is not None:
            policy.update((evidence_id, row.policy_version) for evidence_id in row.evidence_ids)
    return tuple(
        PacketEvidence(
            evidence_id=record.evidence_id,
            source_at=record.source_at,
            version=record.version,
            policy_version=policy.get(record.evidence_id),
        )
        for record in case.retrieval.records
        if record.evidence_id in linked
    )


def by_picking(case: HandoffCase, tools: HandoffTools) -> Operation | Failures:
    """The case as plain data, and from it only what a packet names."""
    plain = json.loads(case.model_dump_json())
    rows = [row for row in plain["ledger"]["rows"] if row["issue_id"] == plain["issue_id"]]
    ids = {each for row in rows for each in row["evidence_ids"]}
    who = plain["authentication"]
    packet: dict[str, Any] = {
        name: plain[name]
        for name in ("conversation_id", "issue_id", "reason", "proposed_action", "commitments")
    }
    packet |= {name: who[name] for name in ("customer_id", "assurance", "scopes")}
    packet["issues"] = [
        {
            "id": each["id"],
            "type": each["type"],
            "slots": {name: value for name, value in each.items() if name not in ("id", "type", "span")},
        }
        for each in plain["issues"]
    ]
    packet["evidence"] = [
        {name: each[name] for name in ("evidence_id", "source_at", "version")} | {"policy_version": None}
        for each in plain["retrieval"]["records"]
        if each["evidence_id"] in ids
    ]
    packet["completed_calls"] = [
        {"tool": each["tool"], "outcome": each.get("code", "success")} for each in plain["retrieval"]["reads"]
    ]
    packet["conflicts"] = [
        {
            "subject": row["claim"]["subject"],
            "about": row["claim"]["predicate"],
            "status": row["status"] if row["evidence_ids"] else "missing",
            "code": row["qualifier"] or "unsupported",
            "evidence_ids": row["evidence_ids"],
        }
        for row in rows
        if row["status"] != "supported"
    ]
    return tools.hand_off(HandoffPacket.model_validate_json(json.dumps(packet)))
