"""The receiving side of a scheduled downgrade: it refuses by itself whatever does not hold."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from relay_lab.contracts.operations import Absent, Accepted, Refused
from relay_lab.world.data import Scenario


def test_a_matching_envelope_is_scheduled_and_echoed(lab: Any) -> None:
    envelope = lab.envelope()
    key = envelope["idempotency_key"]
    answer = lab.company.subscriptions.schedule(key, envelope)
    assert isinstance(answer, Accepted)
    assert answer.receipt.receipt_id == "SCH-000001"
    assert answer.receipt.recorded_at == lab.clock.now()
    assert answer.receipt.echo == {
        "runtime_customer_id": "CUST-1042",
        "target_plan": "individual",
        "renewal_cycle_id": "renewal-20260911",
        "quote_id": "DG-1042-v1",
        "effective_at": "2026-09-11T10:00:00Z",
        "designated_seat_id": "SEAT-1042-1",
        "idempotency_key": key,
    }
    assert lab.company.subscriptions.find(key) == answer
    assert lab.company.mutations() == 1


def test_the_echo_repeats_the_instant_as_it_was_written(lab: Any) -> None:
    envelope = lab.envelope(effective_at="2026-09-11T12:00:00+02:00")
    answer = lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope)
    assert isinstance(answer, Accepted)
    assert answer.receipt.echo["effective_at"] == "2026-09-11T12:00:00+02:00"


def test_a_schedule_is_shown_and_changes_neither_plan_nor_version(lab: Any) -> None:
    envelope = lab.envelope()
    lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope)
    (record,) = lab.company.subscriptions.get("CUST-1042")
    assert (record.value.plan, record.value.subscription_version) == ("team", 17)
    assert (record.value.scheduled_plan, record.value.schedule_id) == ("individual", "SCH-000001")


REFUSALS: list[tuple[str, dict[str, Any]]] = [
    ("malformed_envelope", {"tool": "refund"}),
    ("malformed_envelope", {"refund_cents": 4900}),
    ("malformed_envelope", {"expected_subscription_version": "17"}),
    ("malformed_envelope", {"expected_subscription_version": True}),
    ("malformed_envelope", {"expected_subscription_version": float("nan")}),
    ("malformed_envelope", {"target_plan": "cancel"}),
    ("malformed_envelope", {"effective_at": "2026-09-11T10:00:00"}),
    ("malformed_envelope", {"confirmation_id": None}),
    ("malformed_envelope", {"policy_version": "SP 12"}),
    ("malformed_envelope", {"policy_version": object()}),
    ("malformed_envelope", {"policy_version": "SP-\ud800"}),
    ("key_mismatch", {"idempotency_key": "relay-prod:CUST-1042:renewal-20260911:I3:DG-1042-v2"}),
    ("key_mismatch", {"idempotency_key": "relay-prod:CUST-1042:renewal-20260811:I3:DG-1042-v1"}),
    ("key_mismatch", {"idempotency_key": "relay-prod:CUST-2077:renewal-20260911:I3:DG-1042-v1"}),
    ("key_mismatch", {"idempotency_key": "relay-emea:CUST-1042:renewal-20260911:I3:DG-1042-v1"}),
    ("key_mismatch", {"idempotency_key": "relay-prod:CUST-1042:renewal-20260911:next:DG-1042-v1"}),
    ("key_mismatch", {"idempotency_key": "relay-prod:CUST-1042:renewal-20260911:DG-1042-v1"}),
    ("unknown_customer", {"runtime_customer_id": "CUST-9999"}),
    ("ownership", {"tenant_id": "relay-emea"}),
    ("version_conflict", {"expected_subscription_version": 16}),
    ("version_conflict", {"expected_subscription_version": 18}),
    ("cycle_changed", {"renewal_cycle_id": "renewal-20260811"}),
    ("effective_at_mismatch", {"effective_at": "2026-09-11T10:00:01Z"}),
    ("not_a_downgrade", {"target_plan": "team"}),
    ("not_a_downgrade", {"target_plan": "business"}),
    ("unknown_seat", {"designated_seat_id": "SEAT-2077-1"}),
]


@pytest.mark.parametrize(("code", "changes"), REFUSALS)
def test_an_envelope_that_does_not_hold_is_refused_and_changes_nothing(
    lab: Any, code: str, changes: dict[str, Any]
) -> None:
    before = lab.company.tables()
    envelope = lab.envelope(**changes)
    assert lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope) == Refused(code=code)
    assert lab.company.tables() == before
    assert lab.company.subscriptions.find(envelope["idempotency_key"]) == Absent()


def test_the_first_difference_is_the_one_that_is_told(lab: Any) -> None:
    wrong = {"tenant_id": "relay-emea", "expected_subscription_version": 1, "target_plan": "business"}
    envelope = lab.envelope(**wrong)
    assert lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope) == Refused(
        code="ownership"
    )


def test_an_envelope_under_another_key_than_its_own_is_refused(lab: Any) -> None:
    answer = lab.company.subscriptions.schedule(
        "relay-prod:CUST-1042:renewal-20260911:I4:DG-1042-v1", lab.envelope()
    )
    assert answer == Refused(code="key_mismatch")


@pytest.mark.parametrize("key", ["", " ", "a b", "x" * 161, "\ud800", "key\n"])
def test_what_cannot_be_a_key_is_refused(lab: Any, key: str) -> None:
    assert lab.company.subscriptions.schedule(key, lab.envelope()) == Refused(code="malformed_envelope")
    assert lab.company.subscriptions.find(key) == Absent()
    assert lab.company.subscriptions.close(key) == Refused(code="malformed_key")


def test_without_a_seat_list_no_seat_can_be_designated(
    scenario: Scenario, open_lab: Callable[..., Any]
) -> None:
    row = scenario.data.subscriptions[0].model_copy(update={"seats": None})
    lab = open_lab(scenario, scenario.data.model_copy(update={"subscriptions": (row,)}))
    envelope = lab.envelope()
    assert lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope) == Refused(
        code="unknown_seat"
    )


def test_the_same_delivery_again_is_answered_with_the_first_receipt(lab: Any) -> None:
    envelope = lab.envelope()
    key = envelope["idempotency_key"]
    first = lab.company.subscriptions.schedule(key, envelope)
    before = lab.company.tables()
    lab.clock.advance(600)
    again = dict(reversed(envelope.items()))
    assert lab.company.subscriptions.schedule(key, again) == first
    assert lab.company.tables() == before


def test_the_first_receipt_is_answered_even_after_the_facts_have_moved_on(lab: Any) -> None:
    envelope = lab.envelope()
    key = envelope["idempotency_key"]
    first = lab.company.subscriptions.schedule(key, envelope)
    lab.clock.advance(timedelta(days=40).total_seconds())
    assert lab.company.subscriptions.schedule(key, envelope) == first
    assert lab.company.mutations() == 1


@pytest.mark.parametrize("field", ["target_plan", "confirmation_id", "policy_version", "designated_seat_id"])
def test_another_payload_under_a_used_key_is_refused(lab: Any, field: str) -> None:
    envelope = lab.envelope()
    key = envelope["idempotency_key"]
    lab.company.subscriptions.schedule(key, envelope)
    before = lab.company.tables()
    assert lab.company.subscriptions.schedule(key, envelope | {field: "other"}) == Refused(code="key_reused")
    assert lab.company.subscriptions.schedule(key, {}) == Refused(code="key_reused")
    assert lab.company.subscriptions.schedule(key, envelope | {field: object()}) == Refused(code="key_reused")
    assert lab.company.tables() == before


def test_one_cycle_takes_one_schedule(lab: Any) -> None:
    first, second = lab.envelope(), lab.envelope(quote_id="DG-1042-v2")
    lab.company.subscriptions.schedule(first["idempotency_key"], first)
    answer = lab.company.subscriptions.schedule(second["idempotency_key"], second)
    assert answer == Refused(code="already_scheduled")
    assert lab.company.mutations() == 1


def test_a_closed_key_refuses_what_arrives_late(lab: Any) -> None:
    envelope = lab.envelope()
    key = envelope["idempotency_key"]
    assert lab.company.subscriptions.close(key) == Refused(code="key_closed")
    assert lab.company.subscriptions.close(key) == Refused(code="key_closed")
    assert lab.company.subscriptions.schedule(key, envelope) == Refused(code="key_closed")
    assert lab.company.subscriptions.find(key) == Refused(code="key_closed")
    assert lab.company.mutations() == 0


def test_closing_a_key_whose_effect_exists_answers_its_receipt(lab: Any) -> None:
    envelope = lab.envelope()
    key = envelope["idempotency_key"]
    first = lab.company.subscriptions.schedule(key, envelope)
    assert lab.company.subscriptions.close(key) == first
    assert lab.company.subscriptions.schedule(key, envelope) == first


@pytest.mark.parametrize("late_s", [0, 1])
def test_at_the_renewal_and_after_it_the_old_cycle_is_gone(lab: Any, late_s: int) -> None:
    lab.clock.advance(timedelta(days=1, seconds=late_s).total_seconds())
    envelope = lab.envelope(expected_subscription_version=18)
    answer = lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope)
    assert answer == Refused(code="cycle_changed")
    assert lab.company.mutations() == 0


def test_a_boundary_that_nobody_has_settled_is_passed_all_the_same(
    lab: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("relay_lab.world.renewal.Renewals.settle", lambda *_: None)
    lab.clock.advance(timedelta(days=1).total_seconds())
    envelope = lab.envelope()
    answer = lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope)
    assert answer == Refused(code="cycle_changed")


def test_a_version_raised_by_the_companys_own_people_is_a_conflict_and_no_mutation(lab: Any) -> None:
    lab.company.subscriptions.touch("CUST-1042")
    envelope = lab.envelope()
    answer = lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope)
    assert answer == Refused(code="version_conflict")
    assert lab.company.mutations() == 0


def test_ids_may_hold_colons_and_the_key_is_still_taken_apart_rightly(
    scenario: Scenario, open_lab: Callable[..., Any]
) -> None:
    customer = "acct:eu:7"
    account = scenario.data.accounts[0].model_copy(update={"customer_id": customer})
    row = scenario.data.subscriptions[0].model_copy(update={"customer_id": customer})
    lab = open_lab(
        scenario,
        type(scenario.data)(sources=scenario.data.sources, accounts=(account,), subscriptions=(row,)),
    )
    envelope = lab.envelope(runtime_customer_id=customer)
    answer = lab.company.subscriptions.schedule(envelope["idempotency_key"], envelope)
    assert isinstance(answer, Accepted)
