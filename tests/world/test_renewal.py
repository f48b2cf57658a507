"""What happens at the renewal boundary, whoever notices it first."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from relay_lab.contracts.enums import Plan
from relay_lab.contracts.evidence import Entitlement, Subscription
from relay_lab.world.renewal import next_boundary


def subscription(lab: Any) -> Subscription:
    (record,) = lab.company.subscriptions.get("CUST-1042")
    assert isinstance(record.value, Subscription)
    return record.value


def scheduled(lab: Any) -> str:
    envelope = lab.envelope()
    lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope)
    return str(envelope["idempotency_key"])


def at(year: int, month: int, day: int) -> datetime:
    return datetime(year, month, day, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("boundary", "anchor_day", "following"),
    [
        (at(2026, 9, 11), 11, at(2026, 10, 11)),
        (at(2026, 12, 31), 31, at(2027, 1, 31)),
        (at(2027, 1, 31), 31, at(2027, 2, 28)),
        (at(2028, 1, 31), 31, at(2028, 2, 29)),
        (at(2027, 2, 28), 31, at(2027, 3, 31)),
        (at(2028, 2, 29), 29, at(2028, 3, 29)),
    ],
)
def test_a_cycle_is_one_calendar_month_and_short_months_do_not_shift_the_next(
    boundary: datetime, anchor_day: int, following: datetime
) -> None:
    assert next_boundary(boundary, anchor_day) == following


def test_a_second_before_the_renewal_nothing_has_changed(lab: Any) -> None:
    before = lab.company.tables()
    lab.clock.advance(timedelta(days=1).total_seconds() - 1)
    assert subscription(lab).subscription_version == 17
    assert lab.company.tables() == before


def test_at_the_renewal_a_new_cycle_begins_under_a_new_version(lab: Any) -> None:
    lab.clock.advance(timedelta(days=1).total_seconds())
    renewed = subscription(lab)
    assert (renewed.plan, renewed.cycle_id, renewed.subscription_version) == (
        Plan.TEAM,
        "renewal-20261011",
        18,
    )
    assert renewed.renews_at == datetime(2026, 10, 11, 10, tzinfo=UTC)
    assert renewed.seats is not None
    assert len(renewed.seats) == 3


def test_at_the_renewal_a_due_schedule_is_applied_with_everything_it_costs(lab: Any) -> None:
    key = scheduled(lab)
    lab.clock.advance(timedelta(days=1).total_seconds())
    now = subscription(lab)
    assert (now.plan, now.subscription_version) == (Plan.INDIVIDUAL, 18)
    assert now.seats is not None
    assert [seat.seat_id for seat in now.seats] == ["SEAT-1042-1"]
    assert (now.scheduled_plan, now.schedule_id) == (None, None)
    (entitlement,) = lab.company.entitlements.entitlement("CUST-1042")
    assert isinstance(entitlement.value, Entitlement)
    assert entitlement.value.features == ("calendar_view",)
    applied = [row for row in lab.company.journal() if row.operation == "apply_schedule"]
    assert [(row.key, row.cause, row.at) for row in applied] == [
        (key, "clock", datetime(2026, 9, 11, 10, tzinfo=UTC))
    ]


def test_what_the_clock_does_is_no_mutation_on_request(lab: Any) -> None:
    scheduled(lab)
    lab.clock.advance(timedelta(days=400).total_seconds())
    subscription(lab)
    assert lab.company.mutations() == 1


def test_several_cycles_that_passed_unseen_are_made_up_one_by_one(lab: Any) -> None:
    scheduled(lab)
    lab.clock.set(datetime(2027, 3, 11, 10, tzinfo=UTC))
    now = subscription(lab)
    assert (now.plan, now.cycle_id, now.subscription_version) == (Plan.INDIVIDUAL, "renewal-20270411", 24)
    assert [row.operation for row in lab.company.journal() if row.cause == "clock"].count("renew") == 7


def test_settling_happens_once_however_many_look(lab: Any) -> None:
    scheduled(lab)
    lab.clock.advance(timedelta(days=1).total_seconds())
    subscription(lab)
    after = lab.company.tables()
    subscription(lab)
    assert lab.company.tables() == after


def test_a_delivery_notices_the_renewal_too(lab: Any) -> None:
    lab.clock.advance(timedelta(days=1).total_seconds())
    envelope = lab.envelope()
    lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope)
    assert [row.operation for row in lab.company.journal()] == ["renew"]


def test_after_the_renewal_the_next_cycle_can_be_scheduled(lab: Any) -> None:
    lab.clock.advance(timedelta(days=1).total_seconds())
    envelope = lab.envelope(
        renewal_cycle_id="renewal-20261011",
        effective_at="2026-10-11T10:00:00Z",
        expected_subscription_version=18,
    )
    assert lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope).kind == "accepted"


def test_a_plan_with_room_keeps_every_seat(lab: Any) -> None:
    envelope = lab.envelope(
        runtime_customer_id="CUST-2077",
        target_plan="team",
        designated_seat_id="SEAT-2077-2",
        effective_at="2026-09-24T08:00:00Z",
        renewal_cycle_id="renewal-20260924",
        expected_subscription_version=4,
    )
    assert lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope).kind == "accepted"
    lab.clock.advance(timedelta(days=20).total_seconds())
    (record,) = lab.company.subscriptions.get("CUST-2077")
    assert record.value.plan is Plan.TEAM
    assert len(record.value.seats) == 2
