"""Subscriptions: plan, cycle, version and seats; changes of plan are scheduled here and take effect at the renewal."""

from collections.abc import Iterable, Mapping
from typing import Any

from relay_lab.contracts.enums import Plan
from relay_lab.contracts.evidence import Seat, Source, Subscription, VerifiedRecord
from relay_lab.contracts.operations import Absent, Accepted, Refused
from relay_lab.contracts.ports import Clock, Points
from relay_lab.world import scheduling
from relay_lab.world.data import SourceTerms, SubscriptionRow
from relay_lab.world.database import Database, instant_of, stamp
from relay_lab.world.journal import Journal
from relay_lab.world.renewal import PlanChange, Renewals, SeatsIncluded
from relay_lab.world.scheduling import Scheduling, schedule_id
from relay_lab.world.system import System, no_points


class Subscriptions(System):
    """The system of record for subscriptions."""

    source = Source.SUBSCRIPTIONS
    TABLES = (
        """
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
"""
        + scheduling.TABLES
    )

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
        self._scheduling = Scheduling(database, clock, journal, self._renewals)
        self.receipts = self._scheduling.receipts

    def load(self, subscriptions: Iterable[SubscriptionRow]) -> None:
        """Fill the empty tables. The accounts must be there."""
        rows = list(subscriptions)
        self._db.many(
            "INSERT INTO subscriptions VALUES"
            " (?, (SELECT tenant_id FROM accounts WHERE customer_id = ?), ?, ?, ?, ?, ?, ?)",
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
        with self._db.snapshot():
            return self._current(customer_id)

    def schedule(
        self, key: str, envelope: Mapping[str, Any], points: Points = no_points
    ) -> Accepted | Refused:
        """Schedule a downgrade for the renewal, once, whoever asks and however often; see `Scheduling.schedule`."""
        return self._scheduling.schedule(key, envelope, points)

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

    def _current(self, customer_id: str) -> list[VerifiedRecord]:
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
            schedule_id=None if row[6] is None else schedule_id(row[6]),
        )
        return [self._verified(f"SUB-{customer_id}-{version}", version, subscription)]

    def _seats(self, customer_id: str) -> tuple[Seat, ...]:
        found = self._db.rows(
            "SELECT seat_id, holder FROM seats WHERE customer_id = ? ORDER BY position", customer_id
        )
        return tuple(Seat(seat_id=row[0], holder=row[1]) for row in found)


def _columns(row: SubscriptionRow) -> tuple[str | int, ...]:
    return (
        row.customer_id,
        row.customer_id,
        row.plan,
        row.cycle_id,
        stamp(row.renews_at),
        row.renews_at.day,
        row.subscription_version,
        row.seats is not None,
    )
