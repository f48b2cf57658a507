"""The receiving side of a scheduled downgrade: it defends itself, whatever the caller checked or forgot (001 §7).

Receipt, facts, effect and the receipt kept are one transaction here.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from relay_lab.contracts.change import Envelope
from relay_lab.contracts.enums import Plan
from relay_lab.contracts.evidence import Source
from relay_lab.contracts.operations import Accepted, Receipt, Refused
from relay_lab.contracts.ports import Clock, Points
from relay_lab.world import receipts
from relay_lab.world.database import Database, stamp
from relay_lab.world.journal import Journal
from relay_lab.world.renewal import Renewals

TABLES = """
CREATE TABLE schedules (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  customer_id TEXT NOT NULL REFERENCES subscriptions,
  cycle_id TEXT NOT NULL,
  target_plan TEXT NOT NULL,
  designated_seat_id TEXT NOT NULL,
  effective_at TEXT NOT NULL,
  quote_id TEXT NOT NULL,
  confirmation_id TEXT NOT NULL,
  policy_version TEXT NOT NULL,
  idempotency_key TEXT NOT NULL UNIQUE,
  applied_at TEXT,
  UNIQUE (customer_id, cycle_id)
);
""" + receipts.tables("schedule_receipts")
ECHOED = (
    "runtime_customer_id",
    "target_plan",
    "renewal_cycle_id",
    "quote_id",
    "effective_at",
    "designated_seat_id",
    "idempotency_key",
)
_ISSUE = re.compile(r"I[1-9][0-9]{0,3}")


def schedule_id(seq: int) -> str:
    """The durable id of a schedule, counted by its table."""
    return f"SCH-{seq:06}"


class Scheduling:
    """Schedules downgrades and keeps their receipts."""

    def __init__(self, database: Database, clock: Clock, journal: Journal, renewals: Renewals) -> None:
        self._db, self._clock, self._journal, self._renewals = database, clock, journal, renewals
        self.receipts = receipts.Receipts(database, clock, journal, "schedule_receipts", Source.SUBSCRIPTIONS)

    def schedule(self, key: str, envelope: Mapping[str, Any], points: Points) -> Accepted | Refused:
        """Schedule a downgrade for the renewal, once, whoever asks and however often.

        The same key and envelope get the first receipt again. Otherwise `Refused` with key_reused, key_closed,
        malformed_envelope, key_mismatch, unknown_customer, ownership, version_conflict, cycle_changed,
        effective_at_mismatch, not_a_downgrade, unknown_seat or already_scheduled, and nothing is changed. `points` is
        called inside the transaction just before it commits, and again once it has (001 §7).
        """
        now = self._clock.now()
        sealed = receipts.sealed(envelope)
        asked = _asked(sealed)
        if asked is not None:
            self._renewals.settle(asked.runtime_customer_id, now)
        with self._db.transaction():
            answer = self.receipts.stored(key, sealed and sealed[1]) if receipts.is_ident(key) else None
            if answer is None:
                answer = self._first(key, asked, envelope, sealed, now)
            points("schedule:before_commit")
        points("schedule:after_commit")
        return answer

    def _first(
        self,
        key: str,
        asked: Envelope | None,
        envelope: Mapping[str, Any],
        sealed: tuple[str, str] | None,
        now: datetime,
    ) -> Accepted | Refused:
        if asked is None or sealed is None or not receipts.is_ident(key):
            return Refused(code="malformed_envelope")
        code = self._refusal(key, asked, now)
        if code is not None:
            return Refused(code=code)
        seq = self._db.run(
            "INSERT INTO schedules (customer_id, cycle_id, target_plan, designated_seat_id, effective_at, quote_id,"
            " confirmation_id, policy_version, idempotency_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            asked.runtime_customer_id, asked.renewal_cycle_id, asked.target_plan, asked.designated_seat_id,
            stamp(asked.effective_at), asked.quote_id, asked.confirmation_id, asked.policy_version, key,
        )  # fmt: skip
        echo = {field: envelope[field] for field in ECHOED}
        receipt = Receipt(receipt_id=schedule_id(seq), recorded_at=now, echo=echo)
        answer = self.receipts.keep(key, sealed[1], receipt)
        self._journal.note(now, Source.SUBSCRIPTIONS, asked.tool, "request", asked.runtime_customer_id, key)
        return answer

    def _refusal(self, key: str, asked: Envelope, now: datetime) -> str | None:
        """The first reason why the effect may not be made, or None. It trusts nothing but this service's own tables."""
        if not _key_fits(key, asked):
            return "key_mismatch"
        row = self._db.one(
            "SELECT tenant_id, subscription_version, cycle_id, renews_at, plan FROM subscriptions WHERE customer_id = ?",
            asked.runtime_customer_id,
        )
        if row is None:
            return "unknown_customer"
        tenant_id, version, cycle_id, renews_at, plan = row
        # The order is part of the contract: a caller learns of the first difference only.
        checks = (
            (tenant_id == asked.tenant_id, "ownership"),
            (version == asked.expected_subscription_version, "version_conflict"),
            (cycle_id == asked.renewal_cycle_id, "cycle_changed"),
            (renews_at == stamp(asked.effective_at), "effective_at_mismatch"),
            (stamp(now) < renews_at, "cycle_changed"),
            (asked.target_plan.rank < Plan(plan).rank, "not_a_downgrade"),
            (self._has_seat(asked.runtime_customer_id, asked.designated_seat_id), "unknown_seat"),
            (not self._is_scheduled(asked.runtime_customer_id, cycle_id), "already_scheduled"),
        )
        return next((code for holds, code in checks if not holds), None)

    def _has_seat(self, customer_id: str, seat_id: str) -> bool:
        return (
            self._db.one("SELECT 1 FROM seats WHERE customer_id = ? AND seat_id = ?", customer_id, seat_id)
            is not None
        )

    def _is_scheduled(self, customer_id: str, cycle_id: str) -> bool:
        return (
            self._db.one(
                "SELECT 1 FROM schedules WHERE customer_id = ? AND cycle_id = ?", customer_id, cycle_id
            )
            is not None
        )


def _asked(sealed: tuple[str, str] | None) -> Envelope | None:
    try:
        return None if sealed is None else Envelope.model_validate_json(sealed[0])
    except ValidationError:
        return None


def _key_fits(key: str, asked: Envelope) -> bool:
    # Ids may hold colons, so the key is compared from both ends and what is left must be an issue's number.
    before = f"{asked.tenant_id}:{asked.runtime_customer_id}:{asked.renewal_cycle_id}:"
    after = f":{asked.quote_id}"
    if asked.idempotency_key != key or not key.startswith(before) or not key.endswith(after):
        return False
    return _ISSUE.fullmatch(key[len(before) : len(key) - len(after)]) is not None
