"""The exchange: a challenge is traded for a token by whom the proposal is for, in time, and by nobody else."""

from collections.abc import Callable
from typing import Any

import pytest
from core.desk import LIFE_S, Desk, context
from core.tools import Parcel

from relay_lab.contracts.base import digest
from relay_lab.contracts.enums import ActorType, Decision, ProposalState
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.operations import Confirmed, NotConfirmed, Performed, Stopped
from relay_lab.contracts.session import Context
from relay_lab.core.confirmation import Grant


def refused(desk: Desk, proposal_id: str, challenge: str, at: Context | None = None) -> str:
    result = desk.runtime.exchange(at or desk.context, proposal_id, challenge)
    assert isinstance(result, NotConfirmed), result
    return result.code


# -- the exchange --------------------------------------------------------------------------------------------------------


def test_a_challenge_is_traded_for_a_token_of_which_only_a_digest_is_kept(desk: Desk) -> None:
    proposal_id = desk.offer()
    challenge = desk.runtime.show(desk.context, proposal_id)
    result = desk.runtime.exchange(desk.context, proposal_id, str(challenge))
    assert isinstance(result, Confirmed)
    assert result.confirmation_id == "CNF-1"
    row = desk.trace.rows[-1]
    assert (row.tool, row.decision, row.outcome, row.guard) == ("confirm", Decision.ALLOW, "confirmed", None)
    assert result.token != challenge
    desk.ship(Grant(proposal_id, result.token))
    desk.runtime.save(desk.context, 1, "{}", "hello")
    cells = [
        str(cell)
        for table in desk.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        for row in desk.rows(f"SELECT * FROM {table['name']}")
        for cell in row.values()
    ]
    assert not [cell for cell in cells if result.token in cell or str(challenge) in cell]
    assert {digest(result.token), digest(str(challenge))} <= set(cells)
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
    challenge, parcel = desk.challenge(proposal_id), desk.parcel(proposal_id)
    desk.runtime.show(desk.context, proposal_id)
    assert desk.runtime.show(at, proposal_id) is None
    assert desk.runtime.exchange_by_phrase(at) is None
    code = REFUSALS.get(stranger, "wrong_binding")
    assert refused(desk, proposal_id, challenge, at) == code
    assert desk.stopped_by() == ("binding" if code == "wrong_binding" else "confirmation")
    assert desk.state(proposal_id) == (ProposalState.PENDING, None)
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


def test_nothing_is_confirmed_for_a_tool_that_is_not_there_any_more(desk: Desk) -> None:
    proposal_id = desk.offer()
    ship = desk.registry.pop("ship")
    assert refused(desk, proposal_id, desk.challenge(proposal_id)) == "unknown_tool"
    assert desk.stopped_by() == "registry"
    assert desk.state(proposal_id) == (ProposalState.PENDING, None)
    desk.registry["ship"] = ship
    assert isinstance(desk.ship(desk.grant(proposal_id)), Performed)


def test_a_wrong_challenge_is_not_traded_and_changes_nothing(desk: Desk) -> None:
    first, second = desk.offer("S1"), desk.offer("S2")
    for wrong in ("", "guess", desk.challenge(second), desk.challenge(first) + "x"):
        assert refused(desk, first, wrong) == "wrong_challenge"
    assert desk.stopped_by() == "confirmation"
    assert desk.state(first) == (ProposalState.PENDING, None)


def test_a_proposal_holds_until_just_before_it_expires(desk: Desk) -> None:
    proposal_id = desk.offer()
    desk.clock.pass_s(LIFE_S - 0.000_001)
    assert isinstance(desk.ship(desk.grant(proposal_id)), Performed)


def test_a_proposal_is_over_at_the_very_instant_it_expires(desk: Desk) -> None:
    early, late = desk.offer("S1"), desk.offer("S2")
    grant = desk.grant(early)
    desk.clock.pass_s(LIFE_S)
    assert refused(desk, late, desk.challenge(late)) == "expired"
    assert desk.stopped_by() == "expiry"
    assert desk.state(late) == (ProposalState.EXPIRED, "expired")
    assert desk.ship(grant) == Stopped(failures=("expired",), guard="expiry")
    assert desk.carrier.calls == []


def test_a_consumed_confirmation_is_not_traded_again(desk: Desk) -> None:
    proposal_id = desk.offer()
    challenge = desk.challenge(proposal_id)
    desk.carrier.will("deliver", "lost_before")
    desk.ship(desk.grant(proposal_id))
    assert refused(desk, proposal_id, challenge) == "not_pending"


def test_each_showing_has_a_challenge_of_its_own_and_all_of_them_hold(desk: Desk) -> None:
    """Two pages that show one proposal can each confirm it, and no page can confirm another proposal."""
    first, second = desk.offer("S1"), desk.offer("S2")
    pages = [str(desk.runtime.show(desk.context, first)) for _ in range(2)]
    assert len(set(pages)) == 2
    assert refused(desk, second, pages[0]) == "wrong_challenge"
    for page in pages:
        assert isinstance(desk.runtime.exchange(desk.context, first, page), Confirmed)


def test_each_click_gets_a_token_of_its_own_and_only_one_of_them_is_ever_used(desk: Desk) -> None:
    proposal_id = desk.offer()
    first, second = desk.grant(proposal_id), desk.grant(proposal_id)
    assert first.token != second.token
    done = desk.ship(first)
    assert isinstance(done, Performed) and done.operation.state == "completed"
    assert desk.ship(second) == done  # the receipt answers: the effect is there already
    assert len(desk.carrier.effects) == 1


def test_a_token_opens_the_proposal_that_it_was_given_for_and_no_other(desk: Desk) -> None:
    first, second = desk.grant(desk.offer("S1")), desk.grant(desk.offer("S2"))
    wrong = Stopped(failures=("wrong_token",), guard="confirmation")
    assert desk.ship(Grant(second.proposal_id, first.token)) == wrong
    theirs = context("CUST-2")
    other = desk.grant(desk.offer("S1", at=theirs), theirs)
    assert other.proposal_id == first.proposal_id
    assert desk.ship(other) == wrong
    assert desk.carrier.calls == []


def test_a_confirmation_survives_a_restart_and_restarting_confirms_nothing(desk: Desk) -> None:
    waiting, confirmed = desk.offer("S1"), desk.offer("S2")
    grant = desk.grant(confirmed)
    desk.restart()
    assert desk.state(waiting) == (ProposalState.PENDING, None)
    assert desk.ship(Grant(waiting, grant.token)) == Stopped(
        failures=("not_confirmed",), guard="confirmation"
    )
    assert isinstance(desk.ship(grant), Performed)


def test_an_exchange_without_its_audit_row_confirms_nothing(desk: Desk) -> None:
    proposal_id = desk.offer()
    desk.broken.add("confirmation")
    assert refused(desk, proposal_id, desk.challenge(proposal_id)) == "audit_unavailable"
    assert desk.stopped_by() == "audit"
    assert desk.state(proposal_id) == (ProposalState.PENDING, None)


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


def test_a_turn_and_the_showing_of_its_proposals_are_one_commit(desk: Desk) -> None:
    proposal_id = desk.offer()
    desk.runtime.save(desk.context, 1, "{}", "hello")
    with pytest.raises(BadInput):
        desk.runtime.save(desk.context, 1, "{}", "hello", (proposal_id,))
    assert desk.runtime.exchange_by_phrase(desk.context) is None
    with pytest.raises(BadInput):
        desk.runtime.save(context("CUST-2"), 2, "{}", "hello", (proposal_id,))
    desk.runtime.save(context("CUST-2", conversation="C-2"), 1, "{}", "hello", (proposal_id,))
    assert desk.runtime.exchange_by_phrase(desk.context) is None
    desk.runtime.save(desk.context, 2, "{}", "hello", (proposal_id,))
    assert desk.runtime.exchange_by_phrase(desk.context) is not None


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
    assert (
        desk.rows("SELECT shown_at FROM proposal") == first == [{"shown_at": "2030-01-01T12:00:00.000000Z"}]
    )
