"""Confirmation: one machine for what waits for a person; its token is used once and kept as a digest alone."""

import sqlite3

import pytest
from core.desk import LIFE_S, Desk, context

from relay_lab.contracts.enums import ActorType, ProposalState
from relay_lab.contracts.operations import Answered, NotConfirmed, Performed, Stopped
from relay_lab.contracts.session import Context
from relay_lab.core.confirmation import Grant


def refused(desk: Desk, proposal_id: str, challenge: str, at: Context | None = None) -> str:
    result = desk.runtime.exchange(at or desk.context, proposal_id, challenge)
    assert isinstance(result, NotConfirmed), result
    return result.code


# -- the machine -------------------------------------------------------------------------------------------------------


def test_a_proposal_goes_from_pending_to_confirmed_to_executed(desk: Desk) -> None:
    proposal_id = desk.offer()
    assert desk.state(proposal_id) == (ProposalState.PENDING, None)
    grant = desk.grant(proposal_id)
    assert desk.state(proposal_id) == (ProposalState.CONFIRMED, None)
    assert desk.carrier.effects == []
    desk.ship(grant)
    assert desk.state(proposal_id) == (ProposalState.EXECUTED, None)


def test_a_proposal_keeps_what_was_shown_and_whom_it_is_for(desk: Desk) -> None:
    proposal = desk.proposal(desk.offer(weight=7))
    parcel = {"customer_id": "CUST-1", "offer_id": "P-1", "tenant_id": "acme", "weight": 7}
    assert proposal.payload == '{"customer_id":"CUST-1","offer_id":"P-1","tenant_id":"acme","weight":7}'
    assert desk.parcel("P-1").model_dump() == parcel
    bound = (
        proposal.actor,
        proposal.actor_type,
        proposal.tenant_id,
        proposal.customer_id,
        proposal.conversation_id,
    )
    assert bound == ("CUST-1", ActorType.CUSTOMER, "acme", "CUST-1", "C-1")
    assert (proposal.expires_at - proposal.created_at).total_seconds() == LIFE_S


def test_the_end_of_an_operation_is_the_end_of_its_proposal(desk: Desk) -> None:
    lost, refusing, local = desk.offer("S1"), desk.offer("S2"), desk.offer("S3", "offer_erasure")
    desk.carrier.will("deliver", "lost_before")
    assert isinstance(desk.ship(desk.grant(lost)), Performed)
    assert desk.state(lost) == (ProposalState.CONFIRMED, None)
    desk.run("INSERT INTO setting (name, value) VALUES ('CUST-1:N1', 'x')")
    assert isinstance(desk.erase(desk.grant(local)), Answered)
    assert desk.state(local) == (ProposalState.EXECUTED, None)
    grant = desk.grant(refusing)
    desk.carrier.closed.add(f"ship:{refusing}")
    assert isinstance(desk.ship(grant), Performed)
    assert desk.state(refusing) == (ProposalState.REJECTED, "key_closed")


@pytest.mark.parametrize(
    ("end", "reason"),
    [
        (ProposalState.REJECTED, "customer_declined"),
        (ProposalState.SUPERSEDED, "terms_changed"),
        (ProposalState.EXPIRED, "too_late"),
    ],
)
@pytest.mark.parametrize("confirmed", [False, True])
def test_a_proposal_can_be_withdrawn_until_it_is_executed(
    desk: Desk, end: ProposalState, reason: str, confirmed: bool
) -> None:
    proposal_id = desk.offer()
    challenge = desk.challenge(proposal_id)
    grant = desk.grant(proposal_id) if confirmed else Grant(proposal_id, "guess")
    assert desk.runtime.withdraw(desk.context, "S1", end, reason) == 1
    assert desk.state(proposal_id) == (end, reason)
    assert desk.runtime.withdraw(desk.context, "S1", end, reason) == 0
    assert refused(desk, proposal_id, challenge) == "not_pending"
    assert desk.ship(grant) == Stopped(failures=("not_confirmed",), guard="confirmation")
    assert desk.runtime.show(desk.context, proposal_id) is None


def test_nothing_is_withdrawn_from_another_conversation_customer_tenant_or_subject(desk: Desk) -> None:
    proposal_id = desk.offer()
    end = (ProposalState.REJECTED, "declined")
    for at in (context(conversation="C-2"), context("CUST-2"), context(tenant="other")):
        assert desk.runtime.withdraw(at, "S1", *end) == 0
    assert desk.runtime.withdraw(desk.context, "S2", *end) == 0
    assert desk.state(proposal_id) == (ProposalState.PENDING, None)


def test_what_is_under_way_cannot_be_withdrawn(desk: Desk) -> None:
    proposal_id = desk.offer()
    desk.carrier.will("deliver", "lost_before")
    desk.ship(desk.grant(proposal_id))
    assert desk.runtime.withdraw(desk.context, "S1", ProposalState.REJECTED, "declined") == 0
    assert desk.state(proposal_id) == (ProposalState.CONFIRMED, None)


# -- one open proposal for each subject ----------------------------------------------------------------------------------


def test_another_proposal_on_a_subject_supersedes_the_open_one_and_its_token(desk: Desk) -> None:
    first = desk.offer(weight=3)
    grant = desk.grant(first)
    second = desk.offer(weight=4)
    assert (first, second) == ("P-1", "P-2")
    assert desk.state(first) == (ProposalState.SUPERSEDED, "replaced")
    assert desk.ship(grant) == Stopped(failures=("not_confirmed",), guard="confirmation")
    assert isinstance(desk.ship(desk.grant(second)), Performed)


def test_another_subject_conversation_or_customer_supersedes_nothing(desk: Desk) -> None:
    first = desk.offer("S1")
    desk.offer("S2")
    desk.offer("S1", at=context(conversation="C-2"))
    desk.offer("S1", at=context("CUST-2"))
    assert desk.state(first) == (ProposalState.PENDING, None)


@pytest.mark.parametrize("other", ["pending", "confirmed"])
def test_the_tables_themselves_hold_one_open_proposal_for_each_subject(desk: Desk, other: str) -> None:
    first, second = desk.offer("S1"), desk.offer("S2")
    desk.grant(first)
    with pytest.raises(sqlite3.IntegrityError, match="subject_id"):
        desk.run("UPDATE proposal SET subject_id = 'S1', state = ? WHERE proposal_id = ?", other, second)
    assert (
        desk.run("UPDATE proposal SET subject_id = 'S1', state = 'expired' WHERE proposal_id = ?", second)
        == 1
    )


def test_the_numbers_of_a_customers_proposals_go_on_whatever_became_of_them(desk: Desk) -> None:
    assert [desk.offer("S1"), desk.offer("S1"), desk.offer("S2")] == ["P-1", "P-2", "P-3"]
    assert desk.offer("S1", at=context("CUST-2")) == "P-1"
    assert desk.offer("S1", at=context(tenant="other")) == "P-1"
    assert desk.restart() is desk.runtime
    assert desk.offer("S9", at=context(conversation="C-2")) == "P-4"


def test_while_an_operation_is_not_settled_nothing_new_is_prepared_on_its_subject(desk: Desk) -> None:
    desk.carrier.will("deliver", "lost_before")
    operation = desk.shipped()
    with pytest.raises(AssertionError, match="in flight"):
        desk.offer("S1")
    assert [row["proposal_id"] for row in desk.rows("SELECT proposal_id FROM proposal")] == ["P-1"]
    assert desk.offer("S2") == "P-2"
    desk.reconcile(operation)
    assert desk.offer("S1") == "P-3"
