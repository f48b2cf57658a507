"""Confirmation: one machine for what waits for a person; its token is used once and kept as a digest alone."""

import sqlite3
from collections.abc import Callable
from typing import Any

import pytest
from core.desk import LIFE_S, Desk, context
from core.tools import Parcel

from relay_lab.contracts.base import digest
from relay_lab.contracts.enums import ActorType, ProposalState
from relay_lab.contracts.operations import Answered, Confirmed, NotConfirmed, Performed, Stopped
from relay_lab.contracts.session import Context
from relay_lab.core.confirmation import Grant


def state(desk: Desk, proposal_id: str) -> tuple[ProposalState, str | None]:
    proposal = desk.proposal(proposal_id)
    return proposal.state, proposal.reason


def refused(desk: Desk, proposal_id: str, challenge: str, at: Context | None = None) -> str:
    result = desk.runtime.exchange(at or desk.context, proposal_id, challenge)
    assert isinstance(result, NotConfirmed), result
    return result.code


def challenge_of(desk: Desk, proposal_id: str) -> str:
    return str(desk.rows("SELECT challenge FROM proposal WHERE proposal_id = ?", proposal_id)[0]["challenge"])


# -- the machine -------------------------------------------------------------------------------------------------------


def test_a_proposal_goes_from_pending_to_confirmed_to_executed(desk: Desk) -> None:
    proposal_id = desk.offer()
    assert state(desk, proposal_id) == (ProposalState.PENDING, None)
    grant = desk.grant(proposal_id)
    assert state(desk, proposal_id) == (ProposalState.CONFIRMED, None)
    assert desk.carrier.effects == []
    desk.ship(grant)
    assert state(desk, proposal_id) == (ProposalState.EXECUTED, None)


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
    assert state(desk, lost) == (ProposalState.CONFIRMED, None)
    desk.run("INSERT INTO setting (name, value) VALUES ('CUST-1:N1', 'x')")
    assert isinstance(desk.erase(desk.grant(local)), Answered)
    assert state(desk, local) == (ProposalState.EXECUTED, None)
    grant = desk.grant(refusing)
    desk.carrier.closed.add(f"ship:{refusing}")
    assert isinstance(desk.ship(grant), Performed)
    assert state(desk, refusing) == (ProposalState.REJECTED, "key_closed")


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
    challenge = challenge_of(desk, proposal_id)
    grant = desk.grant(proposal_id) if confirmed else Grant(proposal_id, "guess")
    assert desk.runtime.withdraw(desk.context, "S1", end, reason) == 1
    assert state(desk, proposal_id) == (end, reason)
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
    assert state(desk, proposal_id) == (ProposalState.PENDING, None)


def test_what_is_under_way_cannot_be_withdrawn(desk: Desk) -> None:
    proposal_id = desk.offer()
    desk.carrier.will("deliver", "lost_before")
    desk.ship(desk.grant(proposal_id))
    assert desk.runtime.withdraw(desk.context, "S1", ProposalState.REJECTED, "declined") == 0
    assert state(desk, proposal_id) == (ProposalState.CONFIRMED, None)


# -- one open proposal for each subject ----------------------------------------------------------------------------------


def test_another_proposal_on_a_subject_supersedes_the_open_one_and_its_token(desk: Desk) -> None:
    first = desk.offer(weight=3)
    grant = desk.grant(first)
    second = desk.offer(weight=4)
    assert (first, second) == ("P-1", "P-2")
    assert state(desk, first) == (ProposalState.SUPERSEDED, "replaced")
    assert desk.ship(grant) == Stopped(failures=("not_confirmed",), guard="confirmation")
    assert isinstance(desk.ship(desk.grant(second)), Performed)


def test_another_subject_conversation_or_customer_supersedes_nothing(desk: Desk) -> None:
    first = desk.offer("S1")
    desk.offer("S2")
    desk.offer("S1", at=context(conversation="C-2"))
    desk.offer("S1", at=context("CUST-2"))
    assert state(desk, first) == (ProposalState.PENDING, None)


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


# -- the exchange --------------------------------------------------------------------------------------------------------


def test_a_challenge_is_traded_for_a_token_of_which_only_a_digest_is_kept(desk: Desk) -> None:
    proposal_id = desk.offer()
    challenge = desk.runtime.show(desk.context, proposal_id)
    result = desk.runtime.exchange(desk.context, proposal_id, str(challenge))
    assert isinstance(result, Confirmed)
    assert result.confirmation_id == "CNF-1"
    assert result.token != challenge
    desk.ship(Grant(proposal_id, result.token))
    desk.runtime.save(desk.context, 1, "{}", "hello")
    cells = [
        str(cell)
        for table in desk.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        for row in desk.rows(f"SELECT * FROM {table['name']}")
        for cell in row.values()
    ]
    assert not [cell for cell in cells if result.token in cell]
    assert digest(result.token) in cells
    assert not [row for row in desk.trace.rows if result.token in row.model_dump_json()]


STRANGERS: dict[str, Callable[[], Context]] = {
    "another actor": lambda: context(actor_id="CUST-1-assistant"),
    "another kind of actor": lambda: context(actor_type=ActorType.OPERATOR),
    "another conversation": lambda: context(conversation="C-2"),
    "another customer": lambda: context("CUST-2"),
    "another tenant": lambda: context(tenant="other"),
}
REFUSALS = {"another customer": "unknown_proposal", "another tenant": "unknown_proposal"}


@pytest.mark.parametrize("stranger", STRANGERS)
def test_nobody_else_can_trade_see_or_use_a_confirmation(desk: Desk, stranger: str) -> None:
    """Another tenant's or customer's proposal is not even known to exist."""
    proposal_id, at = desk.offer(), STRANGERS[stranger]()
    challenge, parcel = challenge_of(desk, proposal_id), desk.parcel(proposal_id)
    assert desk.runtime.show(at, proposal_id) is None
    assert desk.runtime.exchange_by_phrase(at) is None
    code = REFUSALS.get(stranger, "wrong_binding")
    assert refused(desk, proposal_id, challenge, at) == code
    assert desk.stopped_by() == ("binding" if code == "wrong_binding" else "confirmation")
    assert state(desk, proposal_id) == (ProposalState.PENDING, None)
    grant = desk.grant(proposal_id)
    asked = parcel.model_copy(
        update={"customer_id": at.session.authenticated_customer_id, "tenant_id": at.session.tenant_id}
    )
    result = desk.runtime.call(at, "ship", asked, "K", grant)
    assert isinstance(result, Stopped)
    expected = {
        "unknown_proposal": ("not_confirmed", "confirmation"),
        "wrong_binding": ("binding", "binding"),
    }[code]
    assert (result.failures[0], result.guard) == expected
    assert desk.carrier.calls == []
    assert isinstance(desk.ship(grant), Performed)


def test_an_unknown_proposal_is_not_confirmed(desk: Desk) -> None:
    assert refused(desk, "P-1", "x") == "unknown_proposal"
    parcel = Parcel(customer_id="CUST-1", tenant_id="acme", offer_id="P-1", weight=3)
    result = desk.runtime.call(desk.context, "ship", parcel, "K", Grant("P-1", "x"))
    assert result == Stopped(failures=("not_confirmed",), guard="confirmation")


def test_a_wrong_challenge_is_not_traded_and_changes_nothing(desk: Desk) -> None:
    first, second = desk.offer("S1"), desk.offer("S2")
    for wrong in ("", "guess", challenge_of(desk, second), challenge_of(desk, first) + "x"):
        assert refused(desk, first, wrong) == "wrong_challenge"
    assert desk.stopped_by() == "confirmation"
    assert state(desk, first) == (ProposalState.PENDING, None)


def test_a_proposal_holds_until_just_before_it_expires(desk: Desk) -> None:
    proposal_id = desk.offer()
    desk.clock.pass_s(LIFE_S - 0.000_001)
    assert isinstance(desk.ship(desk.grant(proposal_id)), Performed)


def test_a_proposal_is_over_at_the_very_instant_it_expires(desk: Desk) -> None:
    early, late = desk.offer("S1"), desk.offer("S2")
    grant = desk.grant(early)
    desk.clock.pass_s(LIFE_S)
    assert refused(desk, late, challenge_of(desk, late)) == "expired"
    assert desk.stopped_by() == "expiry"
    assert state(desk, late) == (ProposalState.EXPIRED, "expired")
    assert desk.ship(grant) == Stopped(failures=("expired",), guard="expiry")
    assert desk.carrier.calls == []


def test_a_consumed_confirmation_is_not_traded_again(desk: Desk) -> None:
    proposal_id = desk.offer()
    challenge = challenge_of(desk, proposal_id)
    desk.carrier.will("deliver", "lost_before")
    desk.ship(desk.grant(proposal_id))
    assert refused(desk, proposal_id, challenge) == "not_pending"


def test_each_click_gets_a_token_of_its_own_and_only_one_of_them_is_ever_used(desk: Desk) -> None:
    proposal_id = desk.offer()
    first, second = desk.grant(proposal_id), desk.grant(proposal_id)
    assert first.token != second.token
    done = desk.ship(first)
    assert isinstance(done, Performed) and done.operation.state == "completed"
    assert desk.ship(second) == done  # the receipt answers: the effect is there already
    assert len(desk.carrier.effects) == 1


def test_a_confirmation_survives_a_restart_and_restarting_confirms_nothing(desk: Desk) -> None:
    waiting, confirmed = desk.offer("S1"), desk.offer("S2")
    grant = desk.grant(confirmed)
    desk.restart()
    assert state(desk, waiting) == (ProposalState.PENDING, None)
    assert desk.ship(Grant(waiting, grant.token)) == Stopped(
        failures=("not_confirmed",), guard="confirmation"
    )
    assert isinstance(desk.ship(grant), Performed)


def test_an_exchange_without_its_audit_row_confirms_nothing(desk: Desk) -> None:
    proposal_id = desk.offer()
    desk.broken.add("confirmation")
    assert refused(desk, proposal_id, challenge_of(desk, proposal_id)) == "audit_unavailable"
    assert desk.stopped_by() == "audit"
    assert state(desk, proposal_id) == (ProposalState.PENDING, None)


# -- a phrase ------------------------------------------------------------------------------------------------------------


def test_a_phrase_means_the_one_open_proposal_that_was_shown(desk: Desk) -> None:
    proposal_id = desk.offer()
    assert desk.runtime.exchange_by_phrase(desk.context) is None
    desk.runtime.show(desk.context, proposal_id)
    taken = desk.runtime.exchange_by_phrase(desk.context)
    assert taken is not None
    assert taken[0] == proposal_id
    assert isinstance(taken[1], Confirmed)
    assert isinstance(desk.ship(Grant(proposal_id, taken[1].token)), Performed)


@pytest.mark.parametrize("shown", [("S1",), ("S2",), ("S1", "S2")])
def test_a_phrase_means_nothing_while_two_proposals_are_open(desk: Desk, shown: tuple[str, ...]) -> None:
    ids = {subject: desk.offer(subject) for subject in ("S1", "S2")}
    for subject in shown:
        desk.runtime.show(desk.context, ids[subject])
    assert desk.runtime.exchange_by_phrase(desk.context) is None
    desk.runtime.withdraw(desk.context, "S2", ProposalState.REJECTED, "declined")
    assert (desk.runtime.exchange_by_phrase(desk.context) is not None) == ("S1" in shown)


def test_a_phrase_cannot_mean_what_is_under_way(desk: Desk) -> None:
    desk.carrier.will("deliver", "lost_before")
    desk.shipped()
    assert desk.runtime.exchange_by_phrase(desk.context) is None
    second = desk.offer("S2")
    desk.runtime.show(desk.context, second)
    taken = desk.runtime.exchange_by_phrase(desk.context)
    assert taken is not None
    assert taken[0] == second


def test_a_phrase_for_an_expired_proposal_is_answered_with_expired(desk: Desk) -> None:
    proposal_id = desk.offer()
    desk.runtime.show(desk.context, proposal_id)
    desk.clock.pass_s(LIFE_S)
    assert desk.runtime.exchange_by_phrase(desk.context) == (proposal_id, NotConfirmed(code="expired"))


def test_showing_again_keeps_the_instant_of_the_first_showing(desk: Desk) -> None:
    proposal_id = desk.offer()
    desk.runtime.show(desk.context, proposal_id)
    first: list[dict[str, Any]] = desk.rows("SELECT shown_at FROM proposal")
    desk.clock.pass_s(60)
    desk.runtime.show(desk.context, proposal_id)
    assert desk.rows("SELECT shown_at FROM proposal") == first == [{"shown_at": "2030-01-01T12:00:00Z"}]
