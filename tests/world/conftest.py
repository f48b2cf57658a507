"""A company in memory with a clock and a trace of its own, for every test here."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from relay_lab.contracts.ports import Points
from relay_lab.contracts.record import TraceRow
from relay_lab.world.clock import VirtualClock
from relay_lab.world.company import Company
from relay_lab.world.data import Scenario, WorldData, load_fixture
from relay_lab.world.faults import Fault, Faults
from relay_lab.world.system import no_points
from relay_lab.world.transport import Transport


@dataclass
class Rows:
    """A trace that numbers its rows."""

    rows: list[TraceRow] = field(default_factory=list)

    def add(self, make: Callable[[int], TraceRow]) -> None:
        self.rows.append(make(len(self.rows) + 1))

    def told(self) -> list[tuple[str, str, str | None]]:
        return [(row.tool, row.outcome, row.place) for row in self.rows]


@dataclass
class Lab:
    """One company, and everything a test does to it."""

    scenario: Scenario
    clock: VirtualClock
    company: Company
    trace: Rows = field(default_factory=Rows)

    def transport(self, *faults: Fault, points: Points = no_points, **settings: float) -> Transport:
        return Transport(self.company, self.clock, self.trace, Faults(faults), points, **settings)

    def envelope(self, **changes: Any) -> dict[str, Any]:
        """The envelope of the fixture's downgrade; its key follows from what is changed, unless it is given."""
        envelope = {
            "tool": "schedule_downgrade",
            "tenant_id": "relay-prod",
            "runtime_customer_id": "CUST-1042",
            "target_plan": "individual",
            "designated_seat_id": "SEAT-1042-1",
            "effective_at": "2026-09-11T10:00:00Z",
            "renewal_cycle_id": "renewal-20260911",
            "expected_subscription_version": 17,
            "quote_id": "DG-1042-v1",
            "confirmation_id": "CNF-I3-v1",
            "policy_version": "SP-12",
        } | changes
        key = ":".join(
            str(envelope.get(part))
            for part in ("tenant_id", "runtime_customer_id", "renewal_cycle_id", "issue", "quote_id")
        ).replace(":None:", ":I3:")
        return {"idempotency_key": key} | envelope

    def packet(self, **changes: Any) -> dict[str, Any]:
        return {
            "conversation_id": "C-1",
            "issue_id": "I1",
            "reason": "asked_for_transfer",
            "customer_id": "CUST-1042",
            "assurance": "recent_mfa",
            "scopes": ["billing:read", "support:handoff"],
            "issues": [],
            "evidence": [],
            "completed_calls": [],
            "proposed_action": None,
            "conflicts": [],
            "commitments": [],
        } | changes

    def business(self) -> dict[str, list[tuple[object, ...]]]:
        """Every table except the journal."""
        return {name: rows for name, rows in self.company.tables().items() if name != "journal"}


@pytest.fixture
def scenario() -> Scenario:
    return load_fixture()


@pytest.fixture
def open_lab() -> Iterator[Callable[..., Lab]]:
    opened: list[Company] = []

    def open_(scenario: Scenario, data: WorldData | None = None) -> Lab:
        clock = VirtualClock(scenario.now)
        opened.append(Company.create(None, data or scenario.data, clock))
        return Lab(scenario, clock, opened[-1])

    yield open_
    for company in opened:
        company.close()


@pytest.fixture
def lab(scenario: Scenario, open_lab: Callable[..., Lab]) -> Lab:
    return open_lab(scenario)
