"""Retention: how long each kind of record is kept, and the removal of what has outlived it (001 §8).

What a live matter needs is never removed, however old: a conversation with an operation that is not settled or a proposal that
can still be confirmed, and whatever those rest on. An expired conversation stays as an empty row, and the newest proposal of
a customer as an emptied one, so that no turn, no key and no quote id is ever given twice.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from relay_lab.contracts.base import canonical_json, digest, stamp
from relay_lab.contracts.ports import Points, Store, Tx
from relay_lab.core.audit import AuditEvent, append
from relay_lab.core.confirmation import OPEN
from relay_lab.core.operations import UNSETTLED

POINTS = ("purge:before_audit", "purge:before_commit", "purge:after_commit")
"""The fault points of a purge."""


@dataclass(frozen=True)
class Retention:
    """How long each kind is kept, counted from the instant in brackets. Raises `ValueError` for less than no time.

    wording (received): the customer's raw words · tokens (their proposal's expiry): digests of challenges and tokens ·
    conversations (last turn): states, ledger, evidence, replies · operations (settled): with receipt, envelope and packet ·
    confirmations (expiry): proposals with their terms · receipts (recorded): of local writes · audit: codes and hashes.
    """

    wording: timedelta = timedelta(days=30)
    tokens: timedelta = timedelta(days=1)
    conversations: timedelta = timedelta(days=180)
    operations: timedelta = timedelta(days=400)
    confirmations: timedelta = timedelta(days=400)
    receipts: timedelta = timedelta(days=400)
    audit: timedelta = timedelta(days=1095)

    def __post_init__(self) -> None:
        if min(getattr(self, field.name) for field in fields(self)) < timedelta():
            raise ValueError("nothing can be kept for less than no time")


@dataclass(frozen=True)
class Purged:
    """How many of each kind were removed, and how many are kept."""

    removed: dict[str, int]
    kept: dict[str, int]


class _Undone(Exception):
    """Nothing is to be changed after all."""


def purge(
    store: Store,
    now: datetime,
    run_id: str,
    retention: Retention,
    *,
    dry_run: bool = False,
    points: Points,
    append: Callable[[Tx, AuditEvent], None] = append,
) -> Purged:
    """Remove what has outlived its time at `now`, all of it or nothing, in one transaction that begins with its audit row.

    `run_id` makes that row one of its own. Raises what `append` raises, and then nothing was removed; where nothing has
    expired, and in a dry run, nothing changes and no row is written.
    """
    until = {field.name: stamp(now - getattr(retention, field.name)) for field in fields(retention)}
    event = AuditEvent(
        at=now,
        run_hash=digest(run_id),
        action_hash=digest(canonical_json(until)),
        stage="attempt",
        outcome="submitted",
        tool="purge",
        risk=2,
        tenant_hash=digest("*"),
    )
    removed, kept = {}, {}
    try:
        with store.transaction() as tx:
            points("purge:before_audit")
            append(tx, event)
            removed = _remove(tx, until, stamp(now), event.event_id)
            kept = _left(tx, event.event_id)
            if dry_run or not any(removed.values()):
                raise _Undone
            points("purge:before_commit")
    except _Undone:
        pass
    points("purge:after_commit")
    return Purged(removed, kept)


_OPEN = ", ".join(f"'{state}'" for state in OPEN)
_UNSETTLED = ", ".join(f"'{state}'" for state in UNSETTLED)

_OF_CONVERSATION = (
    "{0}.tenant_id = conversation.tenant_id AND {0}.customer_id = conversation.customer_id"
    " AND {0}.conversation_id = conversation.conversation_id"
)
_OF_PROPOSAL = (
    "{0}.tenant_id = proposal.tenant_id AND {0}.customer_id = proposal.customer_id"
    " AND {0}.proposal_id = proposal.proposal_id"
)
_LIVE = (
    f"(EXISTS (SELECT 1 FROM operation WHERE {_OF_CONVERSATION.format('operation')} AND state IN ({_UNSETTLED}))"
    f" OR EXISTS (SELECT 1 FROM proposal WHERE {_OF_CONVERSATION.format('proposal')}"
    f" AND state IN ({_OPEN}) AND expires_at > ?))"
)
"""Of a conversation: something in it can still happen."""

_READABLE = (
    "EXISTS (SELECT 1 FROM conversation WHERE conversation.tenant_id = {0}.tenant_id"
    " AND conversation.conversation_id = {0}.conversation_id AND conversation.document <> '')"
)
"""Of a row: its conversation can still be read, and would miss it."""

_IN_USE = (
    f"(EXISTS (SELECT 1 FROM operation WHERE {_OF_PROPOSAL.format('operation')} AND operation.state IN ({_UNSETTLED}))"
    f" OR (proposal.state IN ({_OPEN}) AND proposal.consumed_at IS NULL AND proposal.expires_at > ?))"
)
"""Of a proposal: it can still be confirmed, or rests under an operation that is not settled."""

_OVER = (
    f"expires_at <= ? AND payload <> '' AND NOT {_READABLE.format('proposal')}"
    f" AND NOT EXISTS (SELECT 1 FROM operation WHERE {_OF_PROPOSAL.format('operation')})"
)
_NEWEST = (
    "number = (SELECT MAX(number) FROM proposal AS newer WHERE newer.tenant_id = proposal.tenant_id"
    " AND newer.customer_id = proposal.customer_id)"
)


def _remove(tx: Tx, until: dict[str, str], now: str, event_id: str) -> dict[str, int]:
    """Each kind in an order in which nothing is removed that something kept still rests on."""
    removed = {}
    removed["conversations"] = tx.run(
        # The turn goes on by one: a turn that is being taken right now can then not be saved over it.
        f"UPDATE conversation SET document = '', turn = turn + 1 WHERE moved_at <= ? AND document <> '' AND NOT {_LIVE}",
        until["conversations"],
        now,
    )
    removed["wording"] = tx.run(
        f"DELETE FROM wording WHERE received_at <= ? OR NOT {_READABLE.format('wording')}", until["wording"]
    )
    removed["tokens"] = sum(
        tx.run(
            f"DELETE FROM {table} WHERE EXISTS (SELECT 1 FROM proposal WHERE {_OF_PROPOSAL.format(table)}"
            f" AND expires_at <= ? AND NOT {_IN_USE})",
            until["tokens"],
            now,
        )
        for table in ("challenge", "token")
    )
    removed["operations"] = tx.run(
        f"DELETE FROM operation WHERE settled_at <= ? AND state NOT IN ({_UNSETTLED})"
        f" AND NOT {_READABLE.format('operation')}",
        until["operations"],
    )
    removed["confirmations"] = tx.run(
        f"DELETE FROM proposal WHERE {_OVER} AND NOT {_NEWEST}", until["confirmations"]
    ) + tx.run(
        f"UPDATE proposal SET payload = '', state = CASE WHEN state IN ({_OPEN}) THEN 'expired' ELSE state END"
        f" WHERE {_OVER}",
        until["confirmations"],
    )
    removed["receipts"] = tx.run("DELETE FROM receipt WHERE recorded_at <= ?", until["receipts"])
    removed["audit"] = tx.run("DELETE FROM audit WHERE at <= ? AND event_id <> ?", until["audit"], event_id)
    return removed


def _left(tx: Tx, event_id: str) -> dict[str, int]:
    counts = {
        "conversations": tx.rows("SELECT COUNT(*) AS n FROM conversation WHERE document <> ''"),
        "wording": tx.rows("SELECT COUNT(*) AS n FROM wording"),
        "tokens": tx.rows("SELECT (SELECT COUNT(*) FROM challenge) + (SELECT COUNT(*) FROM token) AS n"),
        "operations": tx.rows("SELECT COUNT(*) AS n FROM operation"),
        "confirmations": tx.rows("SELECT COUNT(*) AS n FROM proposal WHERE payload <> ''"),
        "receipts": tx.rows("SELECT COUNT(*) AS n FROM receipt"),
        "audit": tx.rows("SELECT COUNT(*) AS n FROM audit WHERE event_id <> ?", event_id),
    }
    return {kind: rows[0]["n"] for kind, rows in counts.items()}
