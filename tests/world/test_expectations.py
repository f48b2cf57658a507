"""The routing table, on the fixture and on the failure matrix's changes to it; the states here are written by hand."""

from collections.abc import Callable
from typing import Any

import pytest

from relay_lab.contracts.enums import Assurance, Feature, IssueState, Plan
from relay_lab.contracts.evidence import Source
from relay_lab.world.data import Scenario, WorldData
from relay_lab.world.expectations import Asked, Expected, expect

READY, INPUT, HANDED = IssueState.EVIDENCE_READY, IssueState.NEEDS_INPUT, IssueState.HANDED_OFF
PENDING, SCHEDULED = IssueState.HANDOFF_PENDING, IssueState.SCHEDULED
BASELINE = (READY, READY, INPUT)

ASKED = (
    Asked(type="billing_duplicate", slots={"refund_requested": None}, span_text="."),
    Asked(type="feature_access", slots={"feature": "gantt_chart"}, span_text="."),
    Asked(type="subscription_change", slots={"target_plan": None}, span_text="."),
)
PERSON = Asked(type="human_request", slots={}, span_text=".")


def of(scenario: Scenario, *more: Asked, **changes: Any) -> Expected:
    """What should come of the fixture with its data changed kind by kind."""
    data = scenario.data.model_copy(update=changes)
    return expect(scenario.model_copy(update={"data": data}), (*ASKED, *more))


def first(rows: tuple[Any, ...], **changes: Any) -> tuple[Any, ...]:
    return (rows[0].model_copy(update=changes), *rows[1:])


def test_the_baseline_ends_with_one_scheduled_change(scenario: Scenario) -> None:
    found = of(scenario)
    assert found.states == BASELINE
    assert found.picked_states == (READY, READY, IssueState.AWAITING_CONFIRMATION)
    assert found.final_states == (READY, READY, SCHEDULED)
    assert [issue.outcome for issue in found.issues] == ["respond", "respond", "clarify"]
    assert (found.mutations, found.tickets) == (1, 0)


def test_the_quote_says_what_the_change_costs(scenario: Scenario) -> None:
    quote = of(scenario).quote
    assert quote is not None
    assert (quote.target_plan, quote.price_cents, quote.currency) == (Plan.INDIVIDUAL, 1900, "USD")
    assert quote.designated_seat_id == "SEAT-1042-1"
    assert quote.seats_kept == ("SEAT-1042-1",)
    assert set(quote.seats_ended) == {"SEAT-1042-2", "SEAT-1042-3"}
    assert set(quote.features_lost) == {"time_tracking", "guest_access"}
    assert quote.effective_at == scenario.data.subscriptions[0].renews_at


def test_a_refund_that_was_asked_for_is_the_customers_own_way(scenario: Scenario) -> None:
    asked = (ASKED[0].model_copy(update={"slots": {"refund_requested": True}}), *ASKED[1:])
    found = expect(scenario, asked)
    assert found.issues[0].outcome == "verified_self_service"
    assert found.states == BASELINE


def no_entitled(data: WorldData) -> dict[str, Any]:
    team = (Feature.GANTT_CHART, Feature.CALENDAR_VIEW)
    return {
        "plan_maps": first(
            data.plan_maps, features={Plan.INDIVIDUAL: (), Plan.TEAM: team, Plan.BUSINESS: team}
        )
    }


def entitled(data: WorldData) -> dict[str, Any]:
    return no_entitled(data) | {"entitlements": first(data.entitlements, features=(Feature.GANTT_CHART,))}


def apart(data: WorldData) -> dict[str, Any]:
    row = data.invoices[1].model_copy(update={"invoice_id": "INV-B"})
    return {
        "invoices": (*data.invoices, row),
        "transactions": tuple(
            tx.model_copy(update={"invoice_id": "INV-B"}) if tx.transaction_id == "TX-902" else tx
            for tx in data.transactions
        ),
        "reconciliations": (),
    }


def unsettled(data: WorldData) -> dict[str, Any]:
    pending = tuple(
        tx.model_copy(update={"settlement": "pending"}) if tx.transaction_id == "TX-902" else tx
        for tx in data.transactions
    )
    return {"transactions": pending, "reconciliations": ()}


def stale(source: Source) -> Callable[[WorldData], dict[str, Any]]:
    def change(data: WorldData) -> dict[str, Any]:
        return {
            "sources": tuple(
                term.model_copy(update={"lag_s": term.fresh_for_s + 1}) if term.source is source else term
                for term in data.sources
            )
        }

    return change


MATRIX: list[tuple[str, Callable[[WorldData], dict[str, Any]], tuple[IssueState, ...]]] = [
    ("F3", no_entitled, (READY, HANDED, INPUT)),
    ("F3b", lambda data: {"refund_policies": ()}, (HANDED, READY, INPUT)),
    ("F22", lambda data: {"reconciliations": ()}, (HANDED, READY, INPUT)),
    ("F23", lambda data: {"reconciliations": first(data.reconciliations, refunded=True)}, BASELINE),
    ("reversed", lambda data: {"reconciliations": first(data.reconciliations, reversed=True)}, BASELINE),
    ("N1", apart, BASELINE),
    ("unsettled", unsettled, BASELINE),
    ("F25", stale(Source.ENTITLEMENTS), (READY, HANDED, INPUT)),
    ("stale billing", stale(Source.BILLING), (HANDED, READY, INPUT)),
    ("entitled, no incident", entitled, (READY, HANDED, INPUT)),
    (
        "entitled, incident",
        lambda data: (
            entitled(data) | {"incidents": first(data.incidents, affected_features=(Feature.GANTT_CHART,))}
        ),
        BASELINE,
    ),
]


@pytest.mark.parametrize(("change", "states"), [row[1:] for row in MATRIX], ids=[row[0] for row in MATRIX])
def test_a_change_of_the_records_moves_the_issue_it_touches(
    scenario: Scenario, change: Callable[[WorldData], dict[str, Any]], states: tuple[IssueState, ...]
) -> None:
    assert of(scenario, **change(scenario.data)).states == states


def test_a_refund_policy_that_came_after_the_charges_is_none(scenario: Scenario) -> None:
    policies = first(scenario.data.refund_policies, effective_at=scenario.now)[:1]
    assert of(scenario, refund_policies=policies).states == (HANDED, READY, INPUT)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: {"subscriptions": first(data.subscriptions, seats=None)},
        lambda data: {"accounts": first(data.accounts, owner_seat_id=None)},
        lambda data: {"accounts": first(data.accounts, contract_terms="negotiated")},
        lambda data: {"accounts": first(data.accounts, allowed_operations=())},
        lambda data: {"subscription_policies": ()},
        lambda data: {"subscription_policies": data.subscription_policies[:1]},
        lambda data: {"prices": data.prices[1:]},
    ],
)
def test_what_stands_in_the_way_of_a_change_shows_once_a_plan_is_picked(
    scenario: Scenario, change: Callable[[WorldData], dict[str, Any]]
) -> None:
    found = of(scenario, **change(scenario.data))
    assert found.states == BASELINE
    assert found.picked_states == found.final_states == (READY, READY, HANDED)
    assert (found.quote, found.mutations, found.tickets) == (None, 0, 1)


def with_session(scenario: Scenario, **changes: Any) -> Scenario:
    return scenario.model_copy(update={"session": scenario.session.model_copy(update=changes)})


def test_without_a_verified_session_everything_goes_to_a_person(scenario: Scenario) -> None:
    assert of(with_session(scenario, session_assurance=Assurance.NONE)).states == (HANDED, HANDED, HANDED)


def test_a_password_reads_and_does_not_change(scenario: Scenario) -> None:
    found = of(with_session(scenario, session_assurance=Assurance.PASSWORD))
    assert found.states == BASELINE
    assert found.picked_states == (READY, READY, HANDED)


@pytest.mark.parametrize(
    ("scope", "states", "picked"),
    [
        ("billing:read", (HANDED, READY, INPUT), SCHEDULED),
        ("entitlements:read", (READY, HANDED, INPUT), HANDED),
        ("policy:read", (HANDED, READY, INPUT), HANDED),
        ("incidents:read", (READY, HANDED, INPUT), SCHEDULED),
        ("subscription:prepare", BASELINE, HANDED),
        ("subscription:schedule", BASELINE, HANDED),
        ("support:handoff", BASELINE, SCHEDULED),
    ],
)
def test_each_scope_that_is_absent_takes_away_what_it_gave(
    scenario: Scenario, scope: str, states: tuple[IssueState, ...], picked: IssueState
) -> None:
    scopes = tuple(held for held in scenario.session.allowed_scopes if held != scope)
    found = of(with_session(scenario, allowed_scopes=scopes))
    assert found.states == states
    assert found.final_states[2] is picked


def test_a_handoff_that_may_not_be_sent_stays_pending(scenario: Scenario) -> None:
    scopes = tuple(held for held in scenario.session.allowed_scopes if held != "support:handoff")
    assert of(scenario, PERSON).states == (*BASELINE, HANDED)
    assert of(scenario, PERSON).states_without_queue == (*BASELINE, PENDING)
    assert of(with_session(scenario, allowed_scopes=scopes), PERSON).states == (*BASELINE, PENDING)


@pytest.mark.parametrize(
    ("target", "state"),
    [
        ("individual", IssueState.AWAITING_CONFIRMATION),
        ("team", INPUT),
        ("business", HANDED),
        ("cancel", HANDED),
    ],
)
def test_a_plan_that_is_named_is_routed_at_once(scenario: Scenario, target: str, state: IssueState) -> None:
    asked = (*ASKED[:2], ASKED[2].model_copy(update={"slots": {"target_plan": target}}))
    assert expect(scenario, asked).states == (READY, READY, state)


@pytest.mark.parametrize(("about", "state"), [(True, HANDED), (None, HANDED), (False, INPUT)])
def test_something_else_goes_to_a_person_unless_it_is_not_ours(
    scenario: Scenario, about: bool | None, state: IssueState
) -> None:
    other = Asked(type="other", slots={"about_account": about}, span_text=".")
    found = of(scenario, other)
    assert found.states == (*BASELINE, state)
    assert found.issues[3].outcome == ("abstain" if about is False else "human_handoff")
