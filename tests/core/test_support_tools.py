"""The support desk's real registry and rechecks, run by the core: each scope taken away, each recheck falsified, in turn."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from core.support_records import RENEWS, SCOPES, Support
from core.watched import NOON

from relay_lab.contracts.base import Contract, iso
from relay_lab.contracts.enums import Assurance, Decision, OperationState, Plan
from relay_lab.contracts.evidence import ReadError, Seat
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.operations import Performed, Stopped
from relay_lab.core.guards import STANDING
from relay_lab.core.policy import RemoteWrite, decide
from relay_lab.desks.support.tools import RECHECKS


@pytest.fixture
def support() -> Iterator[Support]:
    support = Support()
    yield support
    support.close()


# -- scopes ----------------------------------------------------------------------------------------------------------------

# Written down from the design's table, apart from the registry.
NEEDED = {
    "billing:read": {"get_billing_transactions"},
    "entitlements:read": {"get_plan_and_entitlements"},
    "policy:read": {"get_policy"},
    "incidents:read": {"get_active_incidents"},
    "subscription:prepare": {"prepare_downgrade_quote"},
    "subscription:schedule": {"schedule_downgrade"},
    "support:handoff": {"hand_off"},
}
RISKS = {
    "get_billing_transactions": Decision.ALLOW,
    "get_plan_and_entitlements": Decision.ALLOW,
    "get_active_incidents": Decision.ALLOW,
    "get_policy": Decision.ALLOW,
    "search_articles": Decision.ALLOW,
    "prepare_downgrade_quote": Decision.ALLOW,
    "schedule_downgrade": Decision.REQUIRE_CONFIRMATION,
    "hand_off": Decision.REQUIRE_HUMAN,
}


def calls(support: Support) -> dict[str, dict[str, Any]]:
    """Arguments that are in order, for every tool."""
    quote = support.prepare()
    packet = HandoffPacket(
        conversation_id="C-1",
        issue_id="I1",
        reason="customer_asked",
        customer_id="CUST-7",
        assurance=Assurance.RECENT_MFA,
        scopes=SCOPES,
        issues=(),
        evidence=(),
        completed_calls=(),
        proposed_action=None,
        conflicts=(),
        commitments=(),
    )
    grant, order = support.confirmed()
    assert grant.proposal_id == order.quote_id
    dumped: dict[str, Contract] = {
        "prepare_downgrade_quote": quote,
        "schedule_downgrade": order,
        "hand_off": packet,
    }
    return {name: value.model_dump(mode="json") for name, value in dumped.items()} | {
        "get_billing_transactions": {"from_at": iso(NOON - timedelta(days=31)), "until_at": iso(NOON)},
        "get_plan_and_entitlements": {},
        "get_active_incidents": {"feature": "gantt_chart"},
        "get_policy": {"policy_id": "refund", "effective_at": iso(NOON)},
        "search_articles": {"query": "gantt"},
    }


def denied(support: Support, **session: Any) -> dict[str, tuple[str, str | None]]:
    """Code and guard of every tool that is denied."""
    at = support.session(**session)
    rulings = {
        name: decide(support.registry, at, name, arguments, STANDING)
        for name, arguments in calls(support).items()
    }
    return {
        name: (ruling.code, ruling.guard)
        for name, ruling in rulings.items()
        if ruling.decision is Decision.DENY
    }


def test_with_all_seven_scopes_every_tool_has_the_decision_of_its_risk(support: Support) -> None:
    at = support.session()
    decisions = {
        name: decide(support.registry, at, name, arguments, STANDING).decision
        for name, arguments in calls(support).items()
    }
    assert decisions == RISKS
    assert support.registry.keys() == RISKS.keys()
    assert set(NEEDED) == set(SCOPES)


@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_that_is_taken_away_denies_exactly_the_tools_that_need_it(
    support: Support, scope: str
) -> None:
    left = tuple(each for each in SCOPES if each != scope)
    assert denied(support, scopes=left) == dict.fromkeys(NEEDED[scope], ("scope_missing", "scope"))


def test_without_any_scope_only_the_articles_can_be_searched(support: Support) -> None:
    assert set(denied(support, scopes=())) == RISKS.keys() - {"search_articles"}


def test_password_reads_and_hands_off_and_none_hands_off_only(support: Support) -> None:
    low = ("assurance_too_low", "assurance")
    writes = {"prepare_downgrade_quote", "schedule_downgrade"}
    assert denied(support, session_assurance=Assurance.PASSWORD) == dict.fromkeys(writes, low)
    assert denied(support, session_assurance=Assurance.NONE) == dict.fromkeys(
        RISKS.keys() - {"hand_off"}, low
    )


def test_another_customer_or_tenant_can_schedule_nothing_and_hand_off_for_nobody_else(
    support: Support,
) -> None:
    foreign = denied(support, authenticated_customer_id="CUST-8")
    assert foreign == dict.fromkeys(("schedule_downgrade", "hand_off"), ("foreign_customer", "ownership"))
    assert denied(support, tenant_id="other") == {"schedule_downgrade": ("foreign_tenant", "ownership")}


def test_every_tool_is_an_audited_name(support: Support) -> None:
    """The audit table takes letters and underscores for a tool, and nothing else."""
    assert all(
        name.replace("_", "").isalpha() and name.islower() and len(name) <= 40 for name in support.registry
    )


# -- rechecks --------------------------------------------------------------------------------------------------------------

OTHER_SEATS = (Seat(seat_id="SEAT-1", holder="Ada"), Seat(seat_id="SEAT-3", holder="Cy"))
FALSIFIED: dict[str, tuple[Callable[[Support], object], tuple[str, ...]]] = {
    # The terms are compared as a whole as well, so whatever they hold brings "terms" along.
    "renewal_cycle": (lambda s: s.change("SUB-7", cycle_id="cycle-2"), ("renewal_cycle", "terms")),
    "identity": (lambda s: s.change("ACC-7", customer_id="CUST-8"), ("identity",)),
    "ownership": (lambda s: s.change("ACC-7", tenant_id="other"), ("ownership",)),
    "operation_allowed": (
        lambda s: s.change("ACC-7", allowed_operations=("cancel",)),
        ("operation_allowed",),
    ),
    "contract_terms": (lambda s: s.change("ACC-7", contract_terms="negotiated"), ("contract_terms",)),
    "subscription_version": (
        lambda s: s.change("SUB-7", subscription_version=5),
        ("subscription_version", "terms"),
    ),
    "policy_version": (lambda s: s.ids.update({"SP-1": "SP-2"}), ("policy_version", "terms")),
    "price": (lambda s: s.change("PRICE-1", price_cents=1_200), ("price", "terms")),
    "terms": (lambda s: s.change("SUB-7", seats=OTHER_SEATS), ("terms",)),
}
MORE: dict[str, tuple[Callable[[Support], object], tuple[str, ...]]] = {
    "another currency": (lambda s: s.change("PRICE-1", currency="USD"), ("price", "terms")),
    "other tax terms": (lambda s: s.change("PRICE-1", tax_terms="plus tax"), ("price", "terms")),
    "no price any more": (lambda s: s.values.pop("PRICE-1"), ("price", "terms")),
    "no policy any more": (lambda s: s.values.pop("SP-1"), ("policy_version", "terms")),
    "another renewal": (lambda s: s.change("SUB-7", renews_at=RENEWS + timedelta(days=1)), ("terms",)),
    "a seat list that is gone": (lambda s: s.change("SUB-7", seats=None), ("terms",)),
    "data not kept": (lambda s: s.change("SP-1", data_retained=False), ("terms",)),
    "a renewal meanwhile": (
        lambda s: s.change(
            "SUB-7", cycle_id="cycle-2", subscription_version=5, renews_at=RENEWS + timedelta(days=30)
        ),
        ("renewal_cycle", "subscription_version", "terms"),
    ),
    "no account": (lambda s: s.values.pop("ACC-7"), ("facts_unreadable",)),
    "no subscription": (lambda s: s.values.pop("SUB-7"), ("facts_unreadable",)),
    "a stale record": (lambda s: setattr(s, "age_s", 61), ("facts_unreadable",)),
    "a read that times out": (
        lambda s: s.unread.update(
            get_policy=ReadError(tool="get_policy", source_at=NOON, code="timeout", retryable=True)
        ),
        ("facts_unreadable",),
    ),
    "everything": (
        lambda s: (
            s.change(
                "ACC-7",
                customer_id="CUST-8",
                tenant_id="other",
                allowed_operations=(),
                contract_terms="negotiated",
            ),
            s.change("SUB-7", cycle_id="cycle-2", subscription_version=5),
            s.ids.update({"SP-1": "SP-2"}),
            s.change("PRICE-1", price_cents=1_200),
            s.clock.pass_s(1_800),
        ),
        (*RECHECKS, "expired"),
    ),
}


def unwritten(support: Support) -> bool:
    """Whether nothing was sent or stored, and the confirmation not used."""
    [proposal] = support.runtime.standing(support.context)[0]
    with support.store.transaction() as tx:
        used = tx.rows("SELECT consumed_at FROM proposal WHERE consumed_at IS NOT NULL")
        stored = tx.rows("SELECT * FROM operation")
    return proposal.state == "confirmed" and not used and not stored and support.subscriptions.calls == []


def test_every_recheck_of_the_desk_is_falsified_here() -> None:
    assert list(FALSIFIED) == list(RECHECKS)
    assert next(iter(RECHECKS)) == "renewal_cycle"


def test_with_nothing_changed_the_confirmed_quote_is_scheduled(support: Support) -> None:
    grant, order = support.confirmed()
    result = support.runtime.call(support.context, "schedule_downgrade", order, order.idempotency_key, grant)
    assert isinstance(result, Performed)
    assert result.operation.state is OperationState.COMPLETED
    assert support.subscriptions.effects == [order.idempotency_key] == ["acme:CUST-7:cycle-1:I1:DG-7-v1"]


@pytest.mark.parametrize("name", [*FALSIFIED, *MORE])
def test_what_no_longer_holds_stops_the_confirmed_quote_by_its_name(support: Support, name: str) -> None:
    grant, order = support.confirmed()
    change, failures = (FALSIFIED | MORE)[name]
    change(support)
    result = support.runtime.call(support.context, "schedule_downgrade", order, order.idempotency_key, grant)
    assert result == Stopped(failures=failures, guard="rechecks")
    assert unwritten(support)


ENVELOPE = {
    "target_plan": Plan.BUSINESS,
    "designated_seat_id": "SEAT-2",
    "effective_at": RENEWS + timedelta(days=1),
    "renewal_cycle_id": "cycle-2",
    "expected_subscription_version": 5,
    "quote_id": "DG-7-v2",
    "confirmation_id": "CNF-I1-v2",
    "policy_version": "SP-2",
    "idempotency_key": "another",
}


@pytest.mark.parametrize("name", ENVELOPE)
def test_an_envelope_that_differs_from_the_confirmed_quote_is_not_covered(
    support: Support, name: str
) -> None:
    grant, order = support.confirmed()
    changed = order.model_copy(update={name: ENVELOPE[name]})
    result = support.runtime.call(
        support.context, "schedule_downgrade", changed, order.idempotency_key, grant
    )
    assert result == Stopped(failures=("envelope_mismatch",), guard="binding")
    assert unwritten(support)


@pytest.mark.parametrize(
    "name", ["runtime_customer_id", "target_plan", "renewal_cycle_id", "quote_id", "effective_at"]
)
def test_a_success_counts_only_if_it_echoes_customer_plan_cycle_quote_and_time(
    support: Support, name: str
) -> None:
    grant, order = support.confirmed()
    support.subscriptions.echo = {name: "something-else"}
    result = support.runtime.call(support.context, "schedule_downgrade", order, order.idempotency_key, grant)
    assert isinstance(result, Performed)
    assert (result.operation.state, result.operation.detail) == (
        OperationState.FAILED_UNKNOWN,
        "echo_mismatch",
    )


def test_the_key_names_tenant_customer_cycle_issue_and_quote(support: Support) -> None:
    _, order = support.confirmed()
    write = support.registry["schedule_downgrade"].write
    assert isinstance(write, RemoteWrite)
    [proposal] = support.runtime.standing(support.context)[0]
    assert write.compile is not None
    assert write.compile(proposal) == order
    assert order.idempotency_key == "acme:CUST-7:cycle-1:I1:DG-7-v1"
    assert order.confirmation_id == "CNF-I1-v1"
