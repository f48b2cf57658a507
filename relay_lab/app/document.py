"""The JSON document of a run: stable keys, the seed's names for what the seed names."""

from typing import Any

from relay_lab.contracts.base import iso
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.record import IssueView, QuoteView, RunRecord, TraceRow


def document(record: RunRecord | None, trace: tuple[TraceRow, ...], mutations: int) -> dict[str, Any]:
    """What `relay-lab demo --json` prints (docs/json.md). Lists are empty and objects null before there is anything."""
    return {
        "conversation_id": record.conversation_id if record else None,
        "turn": record.turn if record else 0,
        "at": iso(record.at) if record else None,
        "issues": [_issue(view) for view in record.issues] if record else [],
        "ledger": [_plain_row(row.model_dump(mode="json")) for row in record.ledger.rows] if record else [],
        "replies": [
            {
                "turn": reply.turn,
                "text": reply.text,
                "sentences": [sentence.model_dump(mode="json") for sentence in reply.sentences],
                "refused_draft": reply.refused_draft,
            }
            for reply in (record.replies if record else ())
        ],
        "reply": record.replies[-1].text if record else "",
        "quote": _quote(record.quotes[-1]) if record and record.quotes else None,
        "operation": _operation(record),
        "handoffs": [
            {
                "issue_id": packet.issue_id,
                "reason": packet.reason,
                "ticket_id": _ticket(record, packet.issue_id),
            }
            for packet in (record.packets if record else ())
        ],
        "mutations": mutations,
        "trace": [_trace_row(row) for row in trace],
    }


def _issue(view: IssueView) -> dict[str, Any]:
    plain = view.issue.model_dump(mode="json")
    head: dict[str, Any] = {
        "id": plain.pop("id"),
        "type": plain.pop("type"),
        "state": view.state,
        "outcome": view.outcome,
    }
    return head | {"reason": view.reason, "span": plain.pop("span")} | plain


def _plain_row(row: dict[str, Any]) -> dict[str, Any]:
    claim = row.pop("claim")
    return {"claim_id": row.pop("claim_id"), "issue_id": row.pop("issue_id"), **claim, **row}


def _quote(view: QuoteView) -> dict[str, Any]:
    plain = view.quote.model_dump(mode="json")
    terms = plain.pop("terms")
    return {"quote_id": plain.pop("quote_id"), "state": view.state, "reason": view.reason, **terms, **plain}


def _operation(record: RunRecord | None) -> dict[str, Any] | None:
    if record is None or not record.operations:
        return None
    operation = record.operations[-1]
    return {
        "tool": operation.tool,
        "state": operation.state,
        "idempotency_key": operation.idempotency_key,
        "schedule_id": receipt_id(operation),
        "error": operation.error,
        "detail": operation.detail,
        "recovery_action": operation.recovery_action,
        "audit_failed": operation.audit_failed,
    }


def receipt_id(operation: Operation) -> str | None:
    """The id of the receipt of an operation that has one."""
    return operation.receipt.receipt_id if operation.receipt else None


def _ticket(record: RunRecord | None, issue_id: str) -> str | None:
    rows = record.ledger.of(issue_id) if record else ()
    return next((str(row.claim.value) for row in rows if row.claim.predicate == "ticket"), None)


def _trace_row(row: TraceRow) -> dict[str, Any]:
    plain = row.model_dump(mode="json")
    head = {name: plain.pop(name) for name in ("seq", "kind", "tool", "decision", "outcome", "guard")}
    return head | plain
