"""What the read-only tools answer, and for whom."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.enums import Feature, Plan
from relay_lab.contracts.evidence import (
    Account,
    IncidentReport,
    NoPolicy,
    ReadError,
    ReadSuccess,
    RefundPolicy,
    Source,
    Statement,
    Subscription,
    SubscriptionPolicy,
    VerifiedRecord,
)
from relay_lab.world import reading
from relay_lab.world.data import PriceRow, Scenario

AUGUST: dict[str, Scalar] = {"from_at": "2026-08-01T00:00:00Z", "until_at": "2026-09-01T00:00:00Z"}
EVERYTHING: dict[str, Scalar] = {"from_at": "2020-01-01T00:00:00Z", "until_at": "2030-01-01T00:00:00Z"}
CALLS: list[tuple[str, dict[str, Scalar]]] = [
    ("get_billing_transactions", EVERYTHING),
    ("get_plan_and_entitlements", {}),
    ("get_active_incidents", {"feature": "gantt_chart"}),
    ("get_policy", {"policy_id": "refund", "effective_at": "2026-08-11T10:00:00Z"}),
    ("get_policy", {"policy_id": "subscription", "effective_at": "2026-09-10T10:00:00Z"}),
    ("search_articles", {"query": "gantt payment plan"}),
]


def read(
    lab: Any, tool: str, arguments: dict[str, Scalar], customer: str = "CUST-1042"
) -> dict[str, VerifiedRecord]:
    tenant = "relay-emea" if customer == "CUST-3310" else "relay-prod"
    answer = reading.answer(lab.company, tool, tenant, customer, arguments)
    assert isinstance(answer, ReadSuccess), answer
    found = {record.evidence_id: record for record in answer.records}
    assert len(found) == len(answer.records)
    return found


def test_billing_answers_statement_charges_invoice_and_finding_of_the_window(lab: Any) -> None:
    found = read(lab, "get_billing_transactions", AUGUST)
    assert list(found) == ["STATEMENT-CUST-1042-202608", "TX-901", "TX-902", "INV-202608", "DUP-3"]
    statement = found["STATEMENT-CUST-1042-202608"].value
    assert isinstance(statement, Statement)
    assert statement.last_month_invoice_id == "INV-202608"


def test_a_charge_belongs_to_a_window_that_begins_with_it_and_not_to_one_that_ends_with_it(lab: Any) -> None:
    at = "2026-08-11T10:00:18Z"
    from_it: dict[str, Scalar] = {"from_at": at, "until_at": "2026-08-11T10:00:19Z"}
    until_it: dict[str, Scalar] = {"from_at": "2026-08-11T10:00:00Z", "until_at": at}
    assert "TX-901" in read(lab, "get_billing_transactions", from_it)
    assert "TX-901" not in read(lab, "get_billing_transactions", until_it)


def test_last_month_is_counted_in_the_zone_of_the_customer(
    scenario: Scenario, open_lab: Callable[..., Any]
) -> None:
    # In New York it is still August when it is September in UTC.
    account = scenario.data.accounts[0].model_copy(update={"display_zone": "America/New_York"})
    now = scenario.now.replace(day=1, hour=1)
    data = scenario.data.model_copy(update={"accounts": (account, *scenario.data.accounts[1:])})
    found = read(
        open_lab(scenario.model_copy(update={"now": now}), data), "get_billing_transactions", EVERYTHING
    )
    statement = found["STATEMENT-CUST-1042-202607"].value
    assert isinstance(statement, Statement)
    assert statement.last_month_invoice_id == "INV-202607"


def test_a_customer_without_an_invoice_has_none_for_last_month(lab: Any) -> None:
    found = read(lab, "get_billing_transactions", EVERYTHING, "CUST-3310")
    (statement,) = (record.value for record in found.values())
    assert isinstance(statement, Statement)
    assert statement.last_month_invoice_id is None


def test_plan_and_entitlements_answers_account_subscription_map_entitlement_and_enrolments(lab: Any) -> None:
    found = read(lab, "get_plan_and_entitlements", {})
    ids = ["ACCOUNT-CUST-1042", "SUB-CUST-1042-v17", "PLANMAP-PM-4", "ENT-CUST-1042-PM-4", "BETA-4"]
    assert list(found) == ids
    account, subscription = found[ids[0]].value, found[ids[1]].value
    assert isinstance(account, Account) and isinstance(subscription, Subscription)
    assert account.contract_terms == "self_service"
    assert subscription.plan is Plan.TEAM
    assert subscription.seats is not None
    assert account.owner_seat_id == subscription.seats[0].seat_id
    assert (subscription.scheduled_plan, subscription.schedule_id) == (None, None)


def test_a_seat_list_that_the_records_do_not_have_is_null_and_not_empty(
    scenario: Scenario, open_lab: Callable[..., Any]
) -> None:
    row = scenario.data.subscriptions[0].model_copy(update={"seats": None})
    lab = open_lab(scenario, scenario.data.model_copy(update={"subscriptions": (row,)}))
    subscription = read(lab, "get_plan_and_entitlements", {})["SUB-CUST-1042-v17"].value
    assert isinstance(subscription, Subscription)
    assert subscription.seats is None


def test_a_closed_incident_is_not_active(lab: Any) -> None:
    (record,) = read(lab, "get_active_incidents", {"feature": "gantt_chart"}).values()
    assert record.evidence_id == "INCIDENTS-gantt_chart"
    assert isinstance(record.value, IncidentReport)
    assert record.value.active == ()


def test_an_active_incident_is_reported_for_its_own_feature(lab: Any) -> None:
    (record,) = read(lab, "get_active_incidents", {"feature": "api_access"}).values()
    assert isinstance(record.value, IncidentReport)
    (incident,) = record.value.active
    assert (incident.incident_id, incident.affected_features) == ("INC-58", (Feature.API_ACCESS,))


@pytest.mark.parametrize(
    ("at", "version"),
    [
        ("2026-09-10T10:00:00Z", "RP-7"),
        ("2026-06-01T00:00:00Z", "RP-7"),
        ("2026-05-31T23:59:59Z", "RP-6"),
        ("2026-06-01T01:00:00+02:00", "RP-6"),
    ],
)
def test_the_policy_is_the_one_in_force_at_the_instant_asked_for(lab: Any, at: str, version: str) -> None:
    (record,) = read(lab, "get_policy", {"policy_id": "refund", "effective_at": at}).values()
    assert (record.evidence_id, record.version) == (version, version)
    assert isinstance(record.value, RefundPolicy)


def test_no_policy_in_force_is_a_record_of_its_own(lab: Any) -> None:
    (record,) = read(
        lab, "get_policy", {"policy_id": "refund", "effective_at": "2024-08-11T10:00:00Z"}
    ).values()
    assert record.evidence_id == "NOPOLICY-refund-20240811"
    assert isinstance(record.value, NoPolicy)


def test_the_subscription_policy_comes_with_the_catalogue(lab: Any) -> None:
    found = read(lab, "get_policy", {"policy_id": "subscription", "effective_at": "2026-09-10T10:00:00Z"})
    assert list(found) == ["SP-12", "PRICE-individual", "PRICE-team", "PRICE-business"]
    assert isinstance(found["SP-12"].value, SubscriptionPolicy)
    assert found["PRICE-individual"].source is Source.CATALOGUE


def test_a_price_published_later_is_the_price(lab: Any) -> None:
    lab.company.catalogue.publish(
        PriceRow(
            plan=Plan.INDIVIDUAL,
            price_cents=2100,
            currency="USD",
            tax_terms="none",
            seats_included=1,
            version="v2",
        )
    )
    found = read(lab, "get_policy", {"policy_id": "subscription", "effective_at": "2026-09-10T10:00:00Z"})
    assert found["PRICE-individual"].version == "v2"
    assert lab.company.mutations() == 0


def test_every_record_says_when_its_source_knew_it(lab: Any) -> None:
    terms = {term.source: term for term in lab.scenario.data.sources}
    for tool, arguments in CALLS:
        answer = reading.answer(lab.company, tool, "relay-prod", "CUST-1042", arguments)
        assert isinstance(answer, ReadSuccess)
        assert answer.source_at == min(record.source_at for record in answer.records)
        for record in answer.records:
            assert record.source_at == lab.clock.now() - timedelta(seconds=terms[record.source].lag_s)
            assert record.fresh_for_s == terms[record.source].fresh_for_s


@pytest.mark.parametrize("customer", ["CUST-1042", "CUST-2077", "CUST-3310"])
def test_no_record_of_another_customer_is_ever_answered(lab: Any, customer: str) -> None:
    for tool, arguments in CALLS:
        for record in read(lab, tool, arguments, customer).values():
            assert getattr(record.value, "customer_id", customer) == customer


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_an_unknown_customer_is_not_found_by_any_tool(
    lab: Any, tool: str, arguments: dict[str, Scalar]
) -> None:
    answer = reading.answer(lab.company, tool, "relay-prod", "CUST-9999", arguments)
    assert isinstance(answer, ReadError)
    assert (answer.code, answer.retryable) == ("not_found", False)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("refund_everything", {}),
        ("get_plan_and_entitlements", {"customer_id": "CUST-2077"}),
        ("get_billing_transactions", {}),
        ("get_billing_transactions", {"from_at": "yesterday", "until_at": "2026-09-01T00:00:00Z"}),
        ("get_billing_transactions", {"from_at": "2026-08-01T00:00:00", "until_at": "2026-09-01T00:00:00Z"}),
        ("get_billing_transactions", {"from_at": "2026-09-01T00:00:00Z", "until_at": "2026-09-01T00:00:00Z"}),
        ("get_billing_transactions", {"from_at": 7, "until_at": "2026-09-01T00:00:00Z"}),
        ("get_active_incidents", {"feature": "teleport"}),
        ("get_active_incidents", {"feature": None}),
        ("get_policy", {"policy_id": "privacy", "effective_at": "2026-09-01T00:00:00Z"}),
        ("get_policy", {"policy_id": "refund", "effective_at": "soon"}),
        ("search_articles", {"query": "x", "limit": 3}),
    ],
)
def test_an_unknown_tool_or_other_arguments_are_a_bad_request(
    lab: Any, tool: str, arguments: dict[str, Scalar]
) -> None:
    answer = reading.answer(lab.company, tool, "relay-prod", "CUST-1042", arguments)
    assert isinstance(answer, ReadError)
    assert (answer.code, answer.retryable) == ("bad_request", False)


def test_reading_changes_nothing(lab: Any) -> None:
    before = lab.company.tables()
    for tool, arguments in CALLS:
        read(lab, tool, arguments)
    assert lab.company.tables() == before


@pytest.mark.parametrize(("tool", "arguments"), CALLS)
def test_a_customer_of_another_tenant_is_not_found(lab: Any, tool: str, arguments: dict[str, Scalar]) -> None:
    answer = reading.answer(lab.company, tool, "relay-emea", "CUST-1042", arguments)
    assert isinstance(answer, ReadError) and answer.code == "not_found"
