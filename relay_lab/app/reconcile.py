"""Settling what is not known: every operation of a database whose outcome was lost."""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from relay_lab.app.lab import open_lab
from relay_lab.app.settings import file_of
from relay_lab.contracts.errors import BadInput, ConversationExpired
from relay_lab.contracts.operations import Operation
from relay_lab.core import operations


@dataclass(frozen=True)
class Reconciled:
    """`settled` are known now, `open` are not: their system of record gave no usable answer."""

    settled: tuple[Operation, ...]
    open: tuple[Operation, ...]

    def to_dict(self) -> dict[str, list[dict[str, Any]]]:
        """The document of `relay-lab reconcile --json`."""
        return {"settled": [_plain(op) for op in self.settled], "open": [_plain(op) for op in self.open]}


def _plain(operation: Operation) -> dict[str, Any]:
    return {
        "tool": operation.tool,
        "conversation_id": operation.conversation_id,
        "subject_id": operation.subject_id,
        "idempotency_key": operation.idempotency_key,
        "state": operation.state,
        "receipt_id": operation.receipt.receipt_id if operation.receipt else None,
        "error": operation.error,
        "detail": operation.detail,
    }


def reconcile(db: Path | str) -> Reconciled:
    """Settle each unknown operation in `db` under its own key, and move its conversation on.

    Nothing is prepared or sent under another key. Raises `BadInput` when there is no such database.
    """
    path = file_of(db)
    if path is None or not path.is_file():
        raise BadInput(f"there is no database {path}; give the file that a demo was run with.")
    with open_lab(db=path) as lab, lab.runtime.store.transaction() as tx:
        unknown = operations.unsettled(tx)
        session = lab.session
    # Whether an operation may still be delivered is checked under its customer's session; another's stays open here.
    whose = (session.tenant_id, session.authenticated_customer_id)
    mine = [operation for operation in unknown if (operation.tenant_id, operation.customer_id) == whose]
    for conversation in dict.fromkeys(operation.conversation_id for operation in mine):
        with open_lab(db=path, conversation_id=conversation) as lab:
            with suppress(ConversationExpired):
                lab.reconcile()
            for operation in mine:
                if operation.conversation_id == conversation:
                    # What no conversation speaks of any more is settled all the same.
                    lab.settle(operation.idempotency_key)
    with open_lab(db=path) as lab, lab.runtime.store.transaction() as tx:
        after = [operations.find(tx, operation.idempotency_key) or operation for operation in unknown]
    return Reconciled(
        settled=tuple(operation for operation in after if operation.state not in operations.UNSETTLED),
        open=tuple(operation for operation in after if operation.state in operations.UNSETTLED),
    )
