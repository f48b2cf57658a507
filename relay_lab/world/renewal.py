"""The renewal boundary: what the subscription service does by itself when the clock has reached it."""

import calendar
import json
from collections.abc import Callable
from datetime import datetime
from typing import Any

from relay_lab.contracts.enums import Plan
from relay_lab.contracts.evidence import Source
from relay_lab.world.database import Database, instant_of, stamp
from relay_lab.world.journal import Journal

PlanChange = Callable[[str, Plan, datetime], None]
"""Told, inside the transaction, that a customer is on another plan from an instant on."""
SeatsIncluded = Callable[[Plan], int | None]


def next_boundary(boundary: datetime, anchor_day: int) -> datetime:
    """The boundary one calendar month on: the anchor day (1 to 31), or the last day of a month that has no such day."""
    year, month = (boundary.year, boundary.month + 1) if boundary.month < 12 else (boundary.year + 1, 1)
    return boundary.replace(year=year, month=month, day=min(anchor_day, calendar.monthrange(year, month)[1]))


def cycle_id_of(boundary: datetime) -> str:
    """The id of the renewal cycle that ends at a boundary."""
    return f"renewal-{boundary:%Y%m%d}"


class Renewals:
    """Applies a due schedule, or renews; once for each boundary that has passed."""

    def __init__(
        self, database: Database, journal: Journal, included: SeatsIncluded, changed: PlanChange
    ) -> None:
        self._db, self._journal, self._included, self._changed = database, journal, included, changed

    def settle(self, customer_id: str, now: datetime) -> None:
        """Bring one subscription up to `now`, in a transaction of its own. Nothing is written when nothing is due."""
        if self._due(customer_id, now) is None:
            return
        with self._db.transaction():
            # Another process may have settled it since; and one that slept for months has several boundaries behind it.
            while (row := self._due(customer_id, now)) is not None:
                self._pass(customer_id, *row)

    def _due(self, customer_id: str, now: datetime) -> tuple[Any, ...] | None:
        return self._db.one(
            "SELECT cycle_id, renews_at, anchor_day FROM subscriptions WHERE customer_id = ? AND renews_at <= ?",
            customer_id, stamp(now),
        )  # fmt: skip

    def _pass(self, customer_id: str, cycle_id: str, renews_at: str, anchor_day: int) -> None:
        boundary = instant_of(renews_at)
        schedule = self._db.one(
            "SELECT seq, target_plan, designated_seat_id, idempotency_key FROM schedules"
            " WHERE customer_id = ? AND cycle_id = ? AND applied_at IS NULL",
            customer_id, cycle_id,
        )  # fmt: skip
        if schedule is not None:
            self._apply(customer_id, boundary, *schedule)
        following = next_boundary(boundary, anchor_day)
        self._db.run(
            "UPDATE subscriptions SET cycle_id = ?, renews_at = ?, subscription_version = subscription_version + 1"
            " WHERE customer_id = ?",
            cycle_id_of(following), stamp(following), customer_id,
        )  # fmt: skip
        self._journal.note(boundary, Source.SUBSCRIPTIONS, "renew", "clock", customer_id)

    def _apply(
        self, customer_id: str, boundary: datetime, seq: int, target: str, seat: str, key: str
    ) -> None:
        self._db.run("UPDATE subscriptions SET plan = ? WHERE customer_id = ?", target, customer_id)
        self._db.run("UPDATE schedules SET applied_at = ? WHERE seq = ?", stamp(boundary), seq)
        ended = self._ended(customer_id, Plan(target), seat)
        if ended:
            self._db.run(
                "DELETE FROM seats WHERE customer_id = ? AND seat_id IN (SELECT value FROM json_each(?))",
                customer_id, json.dumps(ended),
            )  # fmt: skip
        self._journal.note(boundary, Source.SUBSCRIPTIONS, "apply_schedule", "clock", customer_id, key)
        self._changed(customer_id, Plan(target), boundary)

    def _ended(self, customer_id: str, target: Plan, designated: str) -> list[str]:
        """The seats that the plan has no room for: the designated one stays, the others in their order while there is room."""
        found = self._db.rows(
            "SELECT seat_id FROM seats WHERE customer_id = ? ORDER BY position", customer_id
        )
        seats = [designated, *(row[0] for row in found if row[0] != designated)]
        included = self._included(target)
        return [] if included is None else seats[max(included, 1) :]
