"""Confirmation: one state machine for a quote, a case proposal and a pending action (001 §7; 000; 003).

    pending ──exchange──> confirmed ──execution──> executed
       │                      │
       └──────────────────────┴──> expired · superseded · rejected

A challenge is what a page holds, each showing its own; trading it gives a one-use token. Of both only digests are kept.
A confirmation is bound to the change hash and to actor, actor type, tenant, customer and conversation. It is not a scope and
reserves nothing.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from relay_lab.contracts.base import canonical_json, digest, stamp
from relay_lab.contracts.enums import ActorType, ProposalState
from relay_lab.contracts.operations import Confirmed, Exchange, NotConfirmed, Proposal
from relay_lab.contracts.ports import Tx
from relay_lab.contracts.session import Context
from relay_lab.core.guards import Guards
from relay_lab.core.policy import Draft

OPEN = (ProposalState.PENDING, ProposalState.CONFIRMED)

_COLUMNS = (
    "proposal_id, tool, tenant_id, customer_id, actor, actor_type, conversation_id, subject_id, payload, change_hash, "
    "state, reason, created_at, expires_at, confirmation_id"
)


@dataclass(frozen=True)
class Grant:
    """What a caller brings to a tool that needs a confirmation. Never seen by a model."""

    proposal_id: str
    token: str


def open_proposal(tx: Tx, context: Context, draft: Draft, now: datetime) -> str:
    """Store a pending proposal under the id that is given back; an open one on the same subject is superseded, because two
    could not both be meant.
    """
    session = context.session
    close_proposals(tx, context, draft.subject_id, ProposalState.SUPERSEDED, "replaced")
    last = tx.one(
        "SELECT MAX(number) AS number FROM proposal WHERE tenant_id = ? AND customer_id = ?",
        session.tenant_id,
        session.authenticated_customer_id,
    )
    number = ((last and last["number"]) or 0) + 1
    proposal_id = draft.proposal_id(number)
    tx.run(
        f"INSERT INTO proposal ({_COLUMNS}, number) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        proposal_id,
        draft.tool,
        session.tenant_id,
        session.authenticated_customer_id,
        session.actor,
        session.actor_type,
        context.conversation_id,
        draft.subject_id,
        canonical_json(draft.payload(proposal_id, number)),
        draft.change_hash,
        ProposalState.PENDING,
        None,
        stamp(now),
        stamp(draft.expires_at),
        draft.confirmation_id(number),
        number,
    )
    return proposal_id


def find_proposal(tx: Tx, context: Context, proposal_id: str) -> Proposal | None:
    """The proposal of this tenant and customer under that id, or None: another customer's is not to be seen."""
    row = _row(tx, context, proposal_id)
    return _proposal(row) if row else None


def proposals_of(tx: Tx, context: Context) -> tuple[Proposal, ...]:
    """Every proposal of this conversation, oldest first."""
    rows = tx.rows(
        "SELECT * FROM proposal WHERE tenant_id = ? AND customer_id = ? AND conversation_id = ? AND payload <> ''"
        " ORDER BY number",
        context.session.tenant_id,
        context.session.authenticated_customer_id,
        context.conversation_id,
    )
    return tuple(_proposal(row) for row in rows)


def show(tx: Tx, context: Context, proposal_id: str, now: datetime) -> bool:
    """Note that an open proposal was shown in this very conversation to its own actor; False when it is not theirs to see."""
    row = _row(tx, context, proposal_id)
    if row is None or not _proposal(row).waiting or not _bound(row, context):
        return False
    if row["shown_at"] is None:
        tx.run(
            "UPDATE proposal SET shown_at = ? WHERE tenant_id = ? AND customer_id = ? AND proposal_id = ?",
            stamp(now),
            *_identity(row),
        )
    return True


def put_challenge(tx: Tx, context: Context, proposal_id: str, challenge: str) -> None:
    """Let `challenge` be traded for a token of this proposal: a page holds it from now on, and its digest alone is kept."""
    [row] = _rows(tx, context, proposal_id)
    _keep_digest(tx, "challenge", challenge, row)


def in_flight(tx: Tx, context: Context, subject_id: str) -> bool:
    """Whether a confirmation on this subject was consumed by an operation that is not settled yet."""
    row = tx.one(
        "SELECT proposal_id FROM proposal WHERE tenant_id = ? AND customer_id = ? AND conversation_id = ?"
        " AND subject_id = ? AND state = ? AND consumed_at IS NOT NULL",
        context.session.tenant_id,
        context.session.authenticated_customer_id,
        context.conversation_id,
        subject_id,
        ProposalState.CONFIRMED,
    )
    return row is not None


def the_only_one_shown(tx: Tx, context: Context) -> str | None:
    """The id of the one open proposal of this conversation, if it is the only one and was shown: what a phrase can mean."""
    pending = tx.rows(
        "SELECT proposal_id, shown_at FROM proposal WHERE tenant_id = ? AND customer_id = ? AND conversation_id = ?"
        " AND state IN (?, ?) AND consumed_at IS NULL",
        context.session.tenant_id,
        context.session.authenticated_customer_id,
        context.conversation_id,
        *OPEN,
    )
    return str(pending[0]["proposal_id"]) if len(pending) == 1 and pending[0]["shown_at"] else None


def exchange(
    tx: Tx, context: Context, proposal_id: str, challenge: str, token: str, now: datetime, guards: Guards
) -> Exchange:
    """Trade a challenge of a proposal that is there for `token`. Each click gets its own; the first one used consumes the
    confirmation.
    """
    [row] = _rows(tx, context, proposal_id)
    if guards.binding and not _bound(row, context):
        return NotConfirmed(code="wrong_binding")
    if not _opens(tx, "challenge", challenge, row):
        return NotConfirmed(code="wrong_challenge")
    if not _proposal(row).waiting:
        return NotConfirmed(code="not_pending")
    if guards.expiry and _expired(row, now):
        finish(tx, context, proposal_id, ProposalState.EXPIRED, "expired")
        return NotConfirmed(code="expired")
    tx.run(
        "UPDATE proposal SET state = ?, confirmed_hash = change_hash"
        " WHERE tenant_id = ? AND customer_id = ? AND proposal_id = ?",
        ProposalState.CONFIRMED,
        *_identity(row),
    )
    _keep_digest(tx, "token", token, row)
    return Confirmed(confirmation_id=row["confirmation_id"], token=token)


def failed_bindings(
    tx: Tx, context: Context, proposal_id: str, token: str | None, now: datetime, guards: Guards
) -> tuple[str, ...]:
    """Every way in which the confirmation of a proposal that is there does not cover this call, in order; empty when it does.

    Without a token it must have been consumed already, by the operation that is now being reconciled.
    """
    [row] = _rows(tx, context, proposal_id)
    failures = []
    if guards.binding and not _bound(row, context):
        failures.append("binding")
    if guards.binding and (row["confirmed_hash"] or row["change_hash"]) != row["change_hash"]:
        failures.append("change_hash")
    if guards.confirmation:
        if row["state"] != ProposalState.CONFIRMED or (token is None and not row["consumed_at"]):
            failures.append("not_confirmed")
        elif token is not None and row["consumed_at"]:
            failures.append("already_used")
        elif token is not None and not _opens(tx, "token", token, row):
            failures.append("wrong_token")
    if guards.expiry and _expired(row, now):
        failures.append("expired")
    return tuple(failures)


def consume(tx: Tx, context: Context, proposal_id: str, now: datetime) -> None:
    """Use the confirmation up: its token opens nothing any more."""
    tx.run(
        "UPDATE proposal SET consumed_at = ?, state = ? WHERE tenant_id = ? AND customer_id = ? AND proposal_id = ?",
        stamp(now),
        ProposalState.CONFIRMED,
        context.session.tenant_id,
        context.session.authenticated_customer_id,
        proposal_id,
    )


def finish(tx: Tx, context: Context, proposal_id: str, state: ProposalState, reason: str | None) -> None:
    """Move a proposal to its end."""
    tx.run(
        "UPDATE proposal SET state = ?, reason = ? WHERE tenant_id = ? AND customer_id = ? AND proposal_id = ?",
        state,
        reason,
        context.session.tenant_id,
        context.session.authenticated_customer_id,
        proposal_id,
    )


def close_proposals(tx: Tx, context: Context, subject_id: str, state: ProposalState, reason: str) -> int:
    """End the open proposals on one subject whose confirmation was not used; how many there were."""
    return tx.run(
        "UPDATE proposal SET state = ?, reason = ?"
        " WHERE tenant_id = ? AND customer_id = ? AND conversation_id = ? AND subject_id = ?"
        " AND state IN (?, ?) AND consumed_at IS NULL",
        state,
        reason,
        context.session.tenant_id,
        context.session.authenticated_customer_id,
        context.conversation_id,
        subject_id,
        *OPEN,
    )


def _keep_digest(tx: Tx, table: Literal["challenge", "token"], secret: str, row: dict[str, Any]) -> None:
    tx.run(
        f"INSERT INTO {table} (digest, tenant_id, customer_id, proposal_id) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        digest(secret),
        *_identity(row),
    )


def _opens(tx: Tx, table: Literal["challenge", "token"], secret: str, row: dict[str, Any]) -> bool:
    found = tx.one(
        f"SELECT tenant_id, customer_id, proposal_id FROM {table} WHERE digest = ?", digest(secret)
    )
    return found is not None and tuple(found.values()) == _identity(row)


def _bound(row: dict[str, Any], context: Context) -> bool:
    session = context.session
    return (
        row["actor"],
        row["actor_type"],
        row["tenant_id"],
        row["customer_id"],
        row["conversation_id"],
    ) == (
        session.actor,
        session.actor_type,
        session.tenant_id,
        session.authenticated_customer_id,
        context.conversation_id,
    )


def _expired(row: dict[str, Any], now: datetime) -> bool:
    return now >= datetime.fromisoformat(row["expires_at"])


def _identity(row: dict[str, Any]) -> tuple[str, str, str]:
    return row["tenant_id"], row["customer_id"], row["proposal_id"]


def _row(tx: Tx, context: Context, proposal_id: str) -> dict[str, Any] | None:
    return next(iter(_rows(tx, context, proposal_id)), None)


def _rows(tx: Tx, context: Context, proposal_id: str) -> list[dict[str, Any]]:
    # One that was emptied when its time was over is there only for its number: see retention.
    return tx.rows(
        "SELECT * FROM proposal WHERE tenant_id = ? AND customer_id = ? AND proposal_id = ? AND payload <> ''",
        context.session.tenant_id,
        context.session.authenticated_customer_id,
        proposal_id,
    )


def _proposal(row: dict[str, Any]) -> Proposal:
    return Proposal(
        **{name: row[name] for name in _TEXT},
        actor_type=ActorType(row["actor_type"]),
        state=ProposalState(row["state"]),
        created_at=datetime.fromisoformat(row["created_at"]),
        expires_at=datetime.fromisoformat(row["expires_at"]),
        consumed=row["consumed_at"] is not None,
    )


_TEXT = tuple(
    name for name in _COLUMNS.split(", ") if name not in ("actor_type", "state", "created_at", "expires_at")
)
