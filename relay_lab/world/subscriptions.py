"""Subscriptions: plan, cycle, version, seats and schedules; and the receiving side of a scheduled downgrade (001 §7).

The service defends itself. Whatever the caller checked or forgot, receipt, facts, effect and receipt again are one
transaction here.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from relay_lab.contracts.change import Envelope
from relay_lab.contracts.enums import Plan
from relay_lab.contracts.evidence import Seat, Source, Subscription, VerifiedRecord
from relay_lab.contracts.operations import Absent, Accepted, Receipt, Refused
from relay_lab.contracts.ports import Clock, Points
from relay_lab.world import receipts
from relay_lab.world.data import SourceTerms, SubscriptionRow
from relay_lab.world.database import Database, instant_of, stamp
from relay_lab.world.journal import Journal
from relay_lab.world.renewal import PlanChange, Renewals, SeatsIncluded
from relay_lab.world.system import System

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


def no_points(name: str) -> None:
    """Passes every fault point by."""


class Subscriptions(System):
    """The system of record for subscriptions."""

    source = Source.SUBSCRIPTIONS
    TABLES = """
CREATE TABLE subscriptions (
  customer_id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  plan TEXT NOT NULL,
  cycle_id TEXT NOT NULL,
  renews_at TEXT NOT NULL,
  anchor_day INTEGER NOT NULL,
  subscription_version INTEGER NOT NULL,
  seats_known INTEGER NOT NULL,
  FOREIGN KEY (tenant_id, customer_id) REFERENCES accounts (tenant_id, customer_id)
) WITHOUT ROWID;
CREATE TABLE seats (
  customer_id TEXT NOT NULL REFERENCES subscriptions,
  seat_id TEXT NOT NULL,
  holder TEXT NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (customer_id, seat_id)
) WITHOUT ROWID;
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

    def __init__(
        self,
        database: Database,
        clock: Clock,
        journal: Journal,
        terms: SourceTerms,
        included: SeatsIncluded,
        changed: PlanChange,
    ) -> None:
        super().__init__(database, clock, journal, terms)
        self._renewals = Renewals(database, journal, included, changed)
        self.receipts = receipts.Receipts(database, clock, journal, "schedule_receipts", self.source)

    def load(self, subscriptions: Iterable[SubscriptionRow]) -> None:
        """Fill the empty tables. The accounts must be there."""
        rows = list(subscriptions)
        self._db.many(
            "INSERT INTO subscriptions SELECT ?1, (SELECT tenant_id FROM accounts WHERE customer_id = ?1),"
            " ?2, ?3, ?4, ?5, ?6, ?7",
            map(_columns, rows),
        )
        self._db.many(
            "INSERT INTO seats VALUES (?, ?, ?, ?)",
            (
                (row.customer_id, seat.seat_id, seat.holder, position)
                for row in rows
                for position, seat in enumerate(row.seats or ())
            ),
        )

    def get(self, customer_id: str) -> list[VerifiedRecord]:
        """The subscription of a customer as it is now (`SUB-<customer>-v<version>`); nothing when there is none."""
        self._renewals.settle(customer_id, self._clock.now())
        row = self._db.one(
            "SELECT s.plan, s.cycle_id, s.renews_at, s.subscription_version, s.seats_known, c.target_plan, c.seq"
            " FROM subscriptions s LEFT JOIN schedules c"
            " ON c.customer_id = s.customer_id AND c.cycle_id = s.cycle_id AND c.applied_at IS NULL"
            " WHERE s.customer_id = ?",
            customer_id,
        )
        if row is None:
            return []
        version = f"v{row[3]}"
        subscription = Subscription(
            customer_id=customer_id,
            plan=Plan(row[0]),
            cycle_id=row[1],
            renews_at=instant_of(row[2]),
            subscription_version=row[3],
            seats=self._seats(customer_id) if row[4] else None,
            scheduled_plan=None if row[5] is None else Plan(row[5]),
            schedule_id=None if row[6] is None else _schedule_id(row[6]),
        )
        return [self._verified(f"SUB-{customer_id}-{version}", version, subscription)]

    def schedule(
        self, key: str, envelope: Mapping[str, Any], points: Points = no_points
    ) -> Accepted | Refused:
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

    def find(self, key: str) -> Accepted | Absent | Refused:
        """The receipt under a key; `Absent`; or `Refused(key_closed)`."""
        return self.receipts.find(key)

    def close(self, key: str) -> Accepted | Refused:
        """Refuse whatever arrives under this key later; the receipt instead, when the schedule exists."""
        return self.receipts.close(key)

    def touch(self, customer_id: str) -> None:
        """Raise the version from inside the company, as any change by its own people does (no mutation on request)."""
        with self._db.transaction():
            self._db.run(
                "UPDATE subscriptions SET subscription_version = subscription_version + 1 WHERE customer_id = ?",
                customer_id,
            )
            self._note("touch_subscription", customer_id)

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
        receipt = Receipt(receipt_id=_schedule_id(seq), recorded_at=now, echo=echo)
        answer = self.receipts.keep(key, sealed[1], receipt)
        self._journal.note(now, self.source, asked.tool, "request", asked.runtime_customer_id, key)
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

    def _seats(self, customer_id: str) -> tuple[Seat, ...]:
        found = self._db.rows(
            "SELECT seat_id, holder FROM seats WHERE customer_id = ? ORDER BY position", customer_id
        )
        return tuple(Seat(seat_id=row[0], holder=row[1]) for row in found)

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


def _schedule_id(seq: int) -> str:
    return f"SCH-{seq:06}"


def _columns(row: SubscriptionRow) -> tuple[str | int, ...]:
    return (
        row.customer_id,
        row.plan,
        row.cycle_id,
        stamp(row.renews_at),
        row.renews_at.day,
        row.subscription_version,
        row.seats is not None,
    )
