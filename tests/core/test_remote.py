"""Remote execution: submitted once under one key, called with no transaction open, believed only if it echoes."""

from dataclasses import replace
from typing import Any

import pytest
from core.desk import LIFE_S, Desk, context, performed
from core.tools import Page, Parcel

from relay_lab.contracts.enums import Decision, OperationState, ProposalState
from relay_lab.contracts.operations import (
    UNKNOWN_WRITE_OUTCOME,
    Refused,
    Stopped,
)
from relay_lab.core.confirmation import Grant


@pytest.fixture
def grant(desk: Desk) -> Grant:
    """A confirmed parcel."""
    return desk.grant(desk.offer())


# -- what an answer makes of it -----------------------------------------------------------------------------------------


def test_a_receipt_with_a_matching_echo_completes_the_operation(desk: Desk, grant: Grant) -> None:
    operation = performed(desk.ship(grant))
    assert operation.state is OperationState.COMPLETED
    assert operation.receipt is not None
    assert operation.receipt.receipt_id == "R-1"
    assert (operation.error, operation.detail, operation.recovery_action) == (None, None, None)
    assert desk.runtime.standing(desk.context)[1] == (operation,)
    assert desk.proposal(grant.proposal_id).state is ProposalState.EXECUTED
    row = desk.trace.rows[-1]
    assert (row.tool, row.decision, row.outcome, row.guard) == ("ship", Decision.ALLOW, "submitted", None)
    assert row.idempotency_key == operation.idempotency_key


def test_a_refusal_rejects_the_operation_and_its_proposal(desk: Desk, grant: Grant) -> None:
    desk.carrier.will("deliver", Refused(code="depot_full"))
    operation = performed(desk.ship(grant))
    assert (operation.state, operation.error) == (OperationState.REJECTED, "depot_full")
    assert operation.recovery_action is None
    assert desk.proposal(grant.proposal_id).state is ProposalState.REJECTED
    assert desk.offer("S1") == "P-2"


@pytest.mark.parametrize("lost", ["lost_before", "lost_after"])
def test_a_lost_answer_is_neither_success_nor_failure(desk: Desk, grant: Grant, lost: str) -> None:
    desk.carrier.will("deliver", lost)
    operation = performed(desk.ship(grant))
    assert operation.state is OperationState.FAILED_UNKNOWN
    assert (operation.error, operation.detail) == (UNKNOWN_WRITE_OUTCOME, "lost")
    assert operation.recovery_action == "no_replay"
    assert operation.receipt is None
    assert desk.runtime.standing(desk.context)[1] == (operation,)
    assert desk.proposal(grant.proposal_id).state is ProposalState.CONFIRMED


@pytest.mark.parametrize("echo", [{"offer_id": "P-9"}, {"weight": 4}, {"weight": "3"}, {"weight": None}])
def test_a_success_that_says_something_else_is_not_believed(
    desk: Desk, grant: Grant, echo: dict[str, Any]
) -> None:
    desk.carrier.echo = echo
    operation = performed(desk.ship(grant))
    assert (operation.state, operation.detail) == (OperationState.FAILED_UNKNOWN, "echo_mismatch")
    assert (operation.error, operation.receipt) == (UNKNOWN_WRITE_OUTCOME, None)
    row = desk.trace.rows[-1]
    assert (row.outcome, row.guard, row.place) == ("echo_mismatch", "echo", next(iter(echo)))


def test_fields_beside_those_that_must_be_echoed_may_say_anything(desk: Desk, grant: Grant) -> None:
    desk.carrier.echo = {"tenant_id": "unheard of", "colour": "red"}
    assert performed(desk.ship(grant)).state is OperationState.COMPLETED


# -- once ---------------------------------------------------------------------------------------------------------------


def test_the_receipt_comes_first_when_every_check_would_fail_by_now(desk: Desk, grant: Grant) -> None:
    first = desk.ship(grant)
    desk.world.update(week=2, depot="closed", limit=0)
    desk.clock.pass_s(LIFE_S)
    desk.registry["ship"] = replace(desk.registry["ship"], revalidatable=False)
    desk.restart()
    assert desk.ship(Grant(grant.proposal_id, "worn out")) == first
    assert desk.carrier.calls == ["deliver"]
    assert (desk.trace.rows[-1].outcome, desk.trace.rows[-1].guard) == ("replayed", "receipt")


def test_the_same_key_with_another_envelope_is_refused(desk: Desk, grant: Grant) -> None:
    first = performed(desk.ship(grant))
    assert desk.ship(grant, weight=4) == Stopped(failures=("key_reused",), guard="receipt")
    assert desk.runtime.standing(desk.context)[1] == (first,)
    assert desk.carrier.calls == ["deliver"]


def test_the_same_key_and_envelope_while_the_outcome_is_unknown_reconciles(desk: Desk, grant: Grant) -> None:
    desk.carrier.will("deliver", "lost_after")
    desk.ship(grant)
    assert performed(desk.ship(grant)).state is OperationState.COMPLETED
    assert desk.carrier.calls == ["deliver", "find"]
    assert len(desk.carrier.effects) == 1


def test_a_token_opens_nothing_under_another_key(desk: Desk, grant: Grant) -> None:
    desk.carrier.will("deliver", "lost_before")
    desk.ship(grant)
    again = desk.ship(grant, key="another")
    assert again == Stopped(failures=("already_used",), guard="confirmation")
    desk.reconcile(desk.runtime.standing(desk.context)[1][0])
    assert desk.ship(grant, key="another") == Stopped(failures=("not_confirmed",), guard="confirmation")
    assert len(desk.carrier.effects) == 1


def test_a_key_answers_only_its_own_customer_tenant_and_tool(desk: Desk) -> None:
    """A key and arguments that say nothing about whose they are."""
    page = replace(desk.registry["page"], customer=None)
    desk.registry |= {"page": page, "page_too": replace(page, name="page_too")}
    asked = Page(customer_id="CUST-1", issue_id="I1")
    assert performed(desk.runtime.call(desk.context, "page", asked, "K")).customer_id == "CUST-1"
    reused = Stopped(failures=("key_reused",), guard="receipt")
    assert desk.runtime.call(context("CUST-2"), "page", asked, "K") == reused
    assert desk.runtime.call(context(tenant="other"), "page", asked, "K") == reused
    assert desk.runtime.call(desk.context, "page_too", asked, "K") == reused
    assert desk.runtime.call(context(conversation="C-2"), "page", asked, "K").kind == "performed"
    assert desk.pager.calls == ["deliver"]


# -- a person ------------------------------------------------------------------------------------------------------------


def test_the_way_to_a_person_needs_no_proposal_and_is_idempotent(desk: Desk) -> None:
    page = Page(customer_id="CUST-1", issue_id="I1")
    desk.pager.will("deliver", "lost_before")
    operation = performed(desk.runtime.call(desk.context, "page", page, "K"))
    assert (operation.state, operation.subject_id) == (OperationState.FAILED_UNKNOWN, "I1")
    again = performed(desk.runtime.call(desk.context, "page", page, "K"))
    assert again.state is OperationState.COMPLETED
    assert desk.pager.calls == ["deliver", "find", "deliver"]
    assert len(desk.pager.effects) == 1
    stages = [
        (row["stage"], row["outcome"]) for row in desk.rows("SELECT stage, outcome FROM audit ORDER BY rowid")
    ]
    assert stages == [
        ("policy", "require_human"),
        ("attempt", "submitted"),
        ("escalation", "failed_unknown"),
        ("escalation", "completed"),
    ]


def test_an_operation_on_no_issue_is_one_on_its_tool(desk: Desk) -> None:
    desk.registry["page"] = replace(desk.registry["page"], arguments=Parcel)
    parcel = Parcel(customer_id="CUST-1", tenant_id="acme", offer_id="P-1", weight=1)
    desk.pager.will("deliver", "lost_before")
    assert performed(desk.runtime.call(desk.context, "page", parcel, "K")).subject_id == "page"


# -- the transaction -----------------------------------------------------------------------------------------------------


def test_no_transaction_is_open_while_another_system_is_called(desk: Desk) -> None:
    """Every fake port checks it on every call; here one that would be open is seen."""
    desk.carrier.will("deliver", "lost_before")
    operation = desk.shipped()
    desk.world["week"] = 2
    desk.reconcile(operation)
    assert desk.carrier.calls == ["deliver", "find", "close"]
    with desk.store.transaction(), pytest.raises(AssertionError, match="inside a transaction"):
        desk.carrier.find("K")
