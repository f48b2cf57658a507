"""The operation table: one row for each effect in another system, under its key."""

from datetime import datetime
from typing import Any

from relay_lab.contracts.base import canonical_json, stamp
from relay_lab.contracts.enums import OperationState
from relay_lab.contracts.operations import Operation, Receipt
from relay_lab.contracts.ports import Tx
from relay_lab.contracts.session import Context

_OLDEST_FIRST = "ORDER BY submitted_at, length(idempotency_key), idempotency_key"
"""Of one instant, the quotes of a customer in their order: DG-1-v9 before DG-1-v10."""

UNSETTLED = (OperationState.SUBMITTED, OperationState.FAILED_UNKNOWN)


def find(tx: Tx, key: str) -> Operation | None:
    """The operation under a key, or None."""
    row = tx.one("SELECT * FROM operation WHERE idempotency_key = ?", key)
    return _operation(row) if row else None


def of_conversation(tx: Tx, context: Context) -> tuple[Operation, ...]:
    """Every operation of one conversation of one customer, oldest first."""
    rows = tx.rows(
        "SELECT * FROM operation WHERE tenant_id = ? AND conversation_id = ? AND customer_id = ?"
        f" {_OLDEST_FIRST}",
        context.session.tenant_id,
        context.conversation_id,
        context.session.authenticated_customer_id,
    )
    return tuple(_operation(row) for row in rows)


def unsettled(tx: Tx) -> tuple[Operation, ...]:
    """Every operation whose outcome is not known, oldest first."""
    rows = tx.rows(f"SELECT * FROM operation WHERE state IN (?, ?) {_OLDEST_FIRST}", *UNSETTLED)
    return tuple(_operation(row) for row in rows)


def insert(tx: Tx, operation: Operation, now: datetime) -> None:
    """Store a submitted operation."""
    tx.run(
        "INSERT INTO operation (idempotency_key, tool, tenant_id, customer_id, conversation_id, subject_id,"
        " proposal_id, fingerprint, envelope, state, submitted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        operation.idempotency_key,
        operation.tool,
        operation.tenant_id,
        operation.customer_id,
        operation.conversation_id,
        operation.subject_id,
        operation.proposal_id,
        operation.fingerprint,
        operation.envelope,
        operation.state,
        stamp(now),
    )


def forget(tx: Tx, key: str) -> None:
    """Remove the operation under a key: only where the receipt guard is off, to show what follows."""
    tx.run("DELETE FROM operation WHERE idempotency_key = ?", key)


def settle(tx: Tx, operation: Operation, now: datetime) -> int:
    """Record how an unsettled operation ended; 0 when it was settled already, and then nothing changes."""
    return tx.run(
        "UPDATE operation SET state = ?, receipt = ?, error = ?, detail = ?, settled_at = ?"
        " WHERE idempotency_key = ? AND state IN (?, ?)",
        operation.state,
        canonical_json(operation.receipt) if operation.receipt else None,
        operation.error,
        operation.detail,
        stamp(now),
        operation.idempotency_key,
        *UNSETTLED,
    )


def mark_unaudited(tx: Tx, key: str) -> None:
    """Surface that the outcome of an operation has no audit row."""
    tx.run("UPDATE operation SET audit_failed = 1 WHERE idempotency_key = ?", key)


def _operation(row: dict[str, Any]) -> Operation:
    state = OperationState(row["state"])
    return Operation(
        idempotency_key=row["idempotency_key"],
        tool=row["tool"],
        tenant_id=row["tenant_id"],
        customer_id=row["customer_id"],
        conversation_id=row["conversation_id"],
        subject_id=row["subject_id"],
        proposal_id=row["proposal_id"],
        fingerprint=row["fingerprint"],
        envelope=row["envelope"],
        state=state,
        receipt=Receipt.model_validate_json(row["receipt"]) if row["receipt"] else None,
        error=row["error"],
        detail=row["detail"],
        recovery_action="no_replay" if state is OperationState.FAILED_UNKNOWN else None,
        audit_failed=bool(row["audit_failed"]),
    )
