"""Companies with many customers: each is built once a run and copied from there."""

import shutil
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from relay_lab.contracts.change import Envelope
from relay_lab.contracts.enums import Plan
from relay_lab.world.clock import VirtualClock
from relay_lab.world.company import Company
from relay_lab.world.data import WorldData, load_fixture
from relay_lab.world.generator import generate_many

SEED = 7
CROWD_NOW = datetime(2026, 9, 10, 10, tzinfo=UTC)
_KINDS = (
    "accounts", "subscriptions", "entitlements", "invoices", "transactions", "reconciliations", "enrolments",
)  # fmt: skip


def built(path: Path, data: WorldData, now: datetime) -> Path:
    """A new company in one file, closed."""
    Company.create(path, data, VirtualClock(now)).close()
    return path


def copied(path: Path, to: Path) -> Path:
    """A copy of a company's file that nobody holds."""
    shutil.copyfile(path, to)
    return to


def crowd(count: int, path: Path) -> Path:
    """A company with `count` customers and nobody else."""
    return built(path, generate_many(count, SEED), CROWD_NOW)


def fixture_among(count: int, path: Path) -> Path:
    """A company of `count` customers, one of whom is the fixture's."""
    scenario = load_fixture()
    customer = scenario.session.authenticated_customer_id
    others = generate_many(count - 1, SEED)
    joined: dict[str, Any] = {
        kind: (
            *(row for row in getattr(scenario.data, kind) if row.customer_id == customer),
            *getattr(others, kind),
        )
        for kind in _KINDS
    }
    return built(path, scenario.data.model_copy(update=joined), scenario.now)


@dataclass(frozen=True)
class Order:
    """One delivery to the subscription service."""

    key: str
    customer_id: str
    envelope: dict[str, Any]


def orders(path: Path, number: int, named: str = "C0%") -> list[Order]:
    """One acceptable downgrade for each of the first `number` customers so named who have a plan to leave."""
    connection = sqlite3.connect(path)
    found = connection.execute(
        "SELECT s.customer_id, s.tenant_id, s.cycle_id, s.renews_at, s.subscription_version,"
        " (SELECT seat_id FROM seats WHERE seats.customer_id = s.customer_id ORDER BY position)"
        " FROM subscriptions s WHERE s.plan <> ? AND s.customer_id LIKE ? ORDER BY s.customer_id LIMIT ?",
        (Plan.INDIVIDUAL.value, named, number),
    ).fetchall()
    connection.close()
    if len(found) < number:
        raise ValueError(f"{path.name} has {len(found)} customers to take an order of, not {number}")
    return [_order(*row) for row in found]


def _order(customer: str, tenant: str, cycle: str, renews_at: str, version: int, seat: str) -> Order:
    quote = f"DG-{customer}-v1"
    envelope = Envelope(
        tenant_id=tenant,
        runtime_customer_id=customer,
        target_plan=Plan.INDIVIDUAL,
        designated_seat_id=seat,
        effective_at=datetime.fromisoformat(renews_at),
        renewal_cycle_id=cycle,
        expected_subscription_version=version,
        quote_id=quote,
        confirmation_id="CNF-I1-v1",
        policy_version="SP-1",
        idempotency_key=f"{tenant}:{customer}:{cycle}:I1:{quote}",
    )
    return Order(envelope.idempotency_key, customer, envelope.model_dump(mode="json"))


def undo(path: Path) -> None:
    """Take every schedule, its receipt and its journal row out of a company's file: between rounds, outside the clock."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("DELETE FROM schedules")
    connection.execute("DELETE FROM schedule_receipts")
    connection.execute("DELETE FROM journal WHERE key IS NOT NULL AND at > '2000'")
    connection.execute("COMMIT")
    connection.close()


def remember_changes(path: Path, number: int) -> None:
    """Give a company a past: so many changes on request in its journal, all of them long ago."""
    connection = sqlite3.connect(path)
    connection.execute(
        "INSERT INTO journal (at, system, operation, customer_id, key, cause, mutations, tickets)"
        " SELECT '1999-01-01T00:00:00.000000Z', 'subscriptions', 'schedule_downgrade', customer_id, customer_id, 'request',"
        " row_number() OVER (ORDER BY customer_id), 0 FROM accounts LIMIT ?",
        (number,),
    )
    connection.commit()
    connection.close()
