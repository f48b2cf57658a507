"""Conversations: a desk's document for each, moved on one turn at a time, and the raw wording in a table of its own (001 §2)."""

from datetime import datetime

from relay_lab.contracts.base import stamp
from relay_lab.contracts.errors import BadInput, ConversationExpired, ConversationMoved
from relay_lab.contracts.ports import Tx
from relay_lab.contracts.session import Context


def load(tx: Tx, context: Context) -> tuple[int, str | None]:
    """The last turn's number and the desk's document; (0, None) for a new conversation.

    Another customer's is refused, and one whose time is over raises `ConversationExpired`.
    """
    row = tx.one(
        "SELECT customer_id, turn, document FROM conversation WHERE tenant_id = ? AND conversation_id = ?",
        context.session.tenant_id,
        context.conversation_id,
    )
    if row is None:
        return 0, None
    if row["customer_id"] != (context.session.authenticated_customer_id or ""):
        raise BadInput(f"conversation {context.conversation_id} is not one of this customer's; name another.")
    if not row["document"]:
        raise ConversationExpired(
            f"conversation {context.conversation_id} was removed when its time was over; begin another one."
        )
    return row["turn"], row["document"]


def save(tx: Tx, context: Context, turn: int, document: str, wording: str | None, now: datetime) -> None:
    """Store the document after turn `turn` and, apart from it, the customer's raw words (None: the turn was a click)."""
    session = context.session
    if turn == 1:
        moved = tx.run(
            "INSERT INTO conversation (tenant_id, conversation_id, customer_id, turn, moved_at, document)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            session.tenant_id,
            context.conversation_id,
            session.authenticated_customer_id or "",
            turn,
            stamp(now),
            document,
        )
    else:
        moved = tx.run(
            "UPDATE conversation SET turn = ?, moved_at = ?, document = ?"
            " WHERE tenant_id = ? AND conversation_id = ? AND customer_id = ? AND turn = ?",
            turn,
            stamp(now),
            document,
            session.tenant_id,
            context.conversation_id,
            session.authenticated_customer_id or "",
            turn - 1,
        )
    if moved != 1:
        raise ConversationMoved(
            f"conversation {context.conversation_id} was moved on by another process meanwhile; look at it and send again."
        )
    if wording is not None:
        tx.run(
            "INSERT INTO wording (tenant_id, conversation_id, turn, received_at, text) VALUES (?, ?, ?, ?, ?)",
            session.tenant_id,
            context.conversation_id,
            turn,
            stamp(now),
            wording,
        )


def wording(tx: Tx, context: Context, turn: int) -> str | None:
    """The raw words of one turn, or None when they are not kept any more or another customer's."""
    row = tx.one(
        "SELECT text FROM wording JOIN conversation USING (tenant_id, conversation_id)"
        " WHERE tenant_id = ? AND conversation_id = ? AND customer_id = ? AND wording.turn = ?",
        context.session.tenant_id,
        context.conversation_id,
        context.session.authenticated_customer_id or "",
        turn,
    )
    return row["text"] if row else None
