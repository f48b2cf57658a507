"""Reconciling: what became of an operation is asked by its key, and silence is neither success nor failure."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from core.desk import LIFE_S, Desk, context
from core.tools import Page

from relay_lab.contracts.enums import ActorType, OperationState, ProposalState
from relay_lab.contracts.evidence import ReadError
from relay_lab.contracts.operations import (
    UNKNOWN_WRITE_OUTCOME,
    Absent,
    Accepted,
    Lost,
    Operation,
    Performed,
    Receipt,
    Refused,
)

UNREACHABLE = Lost(code="unreachable")


@pytest.fixture
def lost(desk: Desk) -> Operation:
    """An operation whose call was lost before it arrived."""
    desk.carrier.will("deliver", "lost_before")
    operation = desk.shipped()
    desk.carrier.calls.clear()
    return operation


def ends(operation: Operation) -> tuple[OperationState, str | None, str | None, str | None]:
    return operation.state, operation.error, operation.detail, operation.recovery_action


UNKNOWN = OperationState.FAILED_UNKNOWN, UNKNOWN_WRITE_OUTCOME
COMPLETED = OperationState.COMPLETED, None, None, None


def test_a_receipt_that_matches_completes_it_without_another_delivery(desk: Desk) -> None:
    desk.carrier.will("deliver", "lost_after")
    settled = desk.reconcile(desk.shipped())
    assert ends(settled) == COMPLETED
    assert settled.receipt is not None
    assert desk.carrier.calls == ["deliver", "find"]
    assert desk.proposal("P-1").state is ProposalState.EXECUTED
    assert desk.runtime.standing(desk.context)[1] == (settled,)


def test_a_receipt_that_does_not_match_leaves_it_unknown(desk: Desk) -> None:
    desk.carrier.echo = {"weight": 4}
    desk.carrier.will("deliver", "lost_after")
    operation = desk.shipped()
    for _ in range(2):
        assert ends(desk.reconcile(operation)) == (*UNKNOWN, "echo_mismatch", "no_replay")
        assert desk.stopped_by() == "echo"
    assert desk.carrier.calls == ["deliver", "find", "find"]
    assert desk.proposal("P-1").state is ProposalState.CONFIRMED


def test_none_and_every_recheck_passing_delivers_the_same_key_exactly_once(
    desk: Desk, lost: Operation
) -> None:
    desk.restart()
    settled = desk.reconcile(lost)
    assert ends(settled) == COMPLETED
    assert desk.carrier.calls == ["find", "deliver"]
    assert desk.carrier.effects == [lost.idempotency_key]
    assert desk.reconcile(lost) == settled
    assert desk.carrier.calls == ["find", "deliver"]


def test_the_redelivery_may_be_refused_or_lost_in_its_turn(desk: Desk, lost: Operation) -> None:
    desk.carrier.will("deliver", "lost_after")
    assert ends(desk.reconcile(lost)) == (*UNKNOWN, "lost", "no_replay")
    assert ends(desk.reconcile(lost)) == COMPLETED
    assert desk.carrier.effects == [lost.idempotency_key]


FAILING: dict[str, Callable[[Desk], object]] = {
    "week": lambda desk: desk.world.update(week=2),
    "depot": lambda desk: desk.world.update(depot="closed"),
    "weight": lambda desk: desk.world.update(limit=1),
    "expired": lambda desk: desk.clock.pass_s(LIFE_S),
    "change_hash": lambda desk: desk.run("UPDATE proposal SET change_hash = ?", "0" * 64),
    "not_revalidatable": lambda desk: desk.registry.update(
        ship=replace(desk.registry["ship"], revalidatable=False)
    ),
    "not_confirmed": lambda desk: desk.run("UPDATE proposal SET consumed_at = NULL"),
    "other_tool": lambda desk: desk.run("UPDATE proposal SET tool = 'erase'"),
}


@pytest.mark.parametrize("name", FAILING)
def test_none_and_a_recheck_failing_closes_the_key_and_rejects(
    desk: Desk, lost: Operation, name: str
) -> None:
    FAILING[name](desk)
    settled = desk.reconcile(lost)
    assert ends(settled) == (OperationState.REJECTED, name, None, None)
    assert desk.carrier.calls == ["find", "close"]
    assert (desk.trace.rows[-1].outcome, desk.trace.rows[-1].idempotency_key) == (name, lost.idempotency_key)
    assert desk.rows("SELECT * FROM audit WHERE stage = 'revalidation' AND outcome = 'stopped'") != []
    assert desk.proposal("P-1").state is ProposalState.REJECTED
    late = desk.carrier.arrive(lost.idempotency_key, {})
    assert late == Refused(code="key_closed")
    assert desk.carrier.effects == []
    assert desk.reconcile(lost) == settled


@pytest.mark.parametrize("misses", [1, 2])
def test_facts_that_can_be_read_within_three_tries_let_the_same_key_be_delivered(
    desk: Desk, lost: Operation, misses: int
) -> None:
    """A read that fails on the way says nothing of the change that was confirmed."""
    desk.peek += [unread(desk)] * misses
    assert ends(desk.reconcile(lost)) == COMPLETED
    assert desk.carrier.calls == ["find", "deliver"]


def test_facts_that_stay_unreadable_leave_the_operation_and_its_confirmation_as_they_are(
    desk: Desk, lost: Operation
) -> None:
    """The key is not closed: what cannot be read has not changed, and a confirmed change is not lost by it."""
    desk.peek += [unread(desk)] * 3
    assert ends(desk.reconcile(lost)) == (*UNKNOWN, "unreachable", "no_replay")
    assert desk.carrier.calls == ["find"]
    assert desk.proposal("P-1").state is ProposalState.CONFIRMED
    assert ends(desk.reconcile(lost)) == COMPLETED


def test_a_check_that_fails_beside_facts_that_cannot_be_read_still_closes_the_key(
    desk: Desk, lost: Operation
) -> None:
    desk.peek += [unread(desk)] * 3
    desk.clock.pass_s(LIFE_S)
    assert ends(desk.reconcile(lost))[0] is OperationState.REJECTED
    assert desk.carrier.calls == ["find", "close"]


def unread(desk: Desk) -> ReadError:
    return ReadError(tool="peek", source_at=desk.clock.now(), code="timeout", retryable=True)


def test_a_proposal_that_is_gone_rejects_too(desk: Desk, lost: Operation) -> None:
    desk.run("DELETE FROM proposal")
    assert ends(desk.reconcile(lost)) == (OperationState.REJECTED, "not_confirmed", None, None)


def test_a_key_that_is_closed_already_rejects(desk: Desk, lost: Operation) -> None:
    desk.carrier.closed.add(lost.idempotency_key)
    assert ends(desk.reconcile(lost)) == (OperationState.REJECTED, "key_closed", None, None)
    assert desk.carrier.calls == ["find"]


def test_a_receipt_that_appears_while_the_key_is_closed_counts(desk: Desk, lost: Operation) -> None:
    """The delivery that was thought lost arrives between the look-up and the closing."""
    desk.world["week"] = 2
    envelope = desk.parcel("P-1").model_dump(mode="json")
    desk.carrier.will("close", lambda: desk.carrier.arrive(lost.idempotency_key, envelope))
    assert ends(desk.reconcile(lost)) == COMPLETED
    assert desk.carrier.calls == ["find", "close"]
    assert desk.carrier.effects == [lost.idempotency_key]


@pytest.mark.parametrize("misses", [1, 2])
def test_a_system_that_answers_within_three_tries_is_reachable(
    desk: Desk, lost: Operation, misses: int
) -> None:
    desk.carrier.will("find", *[UNREACHABLE] * misses)
    assert ends(desk.reconcile(lost)) == COMPLETED
    assert desk.carrier.calls == ["find"] * (misses + 1) + ["deliver"]


def test_it_is_unreachable_after_exactly_three_tries_and_stays_unknown(desk: Desk, lost: Operation) -> None:
    desk.carrier.will("find", *[UNREACHABLE] * 3)
    assert ends(desk.reconcile(lost)) == (*UNKNOWN, "unreachable", "no_replay")
    assert desk.carrier.calls == ["find"] * 3
    assert desk.proposal("P-1").state is ProposalState.CONFIRMED
    assert ends(desk.reconcile(lost)) == COMPLETED


@pytest.mark.parametrize("answers", [[UNREACHABLE] * 3, [Absent()]], ids=["unreachable", "not closed"])
def test_a_key_that_cannot_be_closed_leaves_it_unknown(
    desk: Desk, lost: Operation, answers: list[Lost | Absent]
) -> None:
    desk.world["week"] = 2
    desk.carrier.will("close", *answers)
    assert ends(desk.reconcile(lost)) == (*UNKNOWN, "unreachable", "no_replay")
    assert desk.carrier.calls == ["find"] + ["close"] * len(answers)
    assert ends(desk.reconcile(lost)) == (OperationState.REJECTED, "week", None, None)


@pytest.mark.parametrize("answer", [Lost(code="timeout"), Refused(code="depot_full")])
def test_what_another_process_settled_meanwhile_stands(
    desk: Desk, lost: Operation, answer: Lost | Refused
) -> None:
    """The slower process finds nothing; another one delivers and settles; then the slower one's delivery goes wrong."""
    theirs: list[Operation] = []

    def meanwhile() -> Lost | Refused:
        theirs.append(desk.reconcile(lost))
        return answer

    desk.carrier.will("deliver", meanwhile)
    settled = desk.reconcile(lost)
    assert [settled] == theirs
    assert ends(settled) == COMPLETED
    assert desk.carrier.calls == ["find", "deliver", "find", "deliver"]
    assert desk.runtime.standing(desk.context)[1] == (settled,)
    assert desk.proposal("P-1").state is ProposalState.EXECUTED


def test_the_way_to_a_person_is_delivered_again_without_a_proposal(desk: Desk) -> None:
    desk.pager.will("deliver", "lost_before")
    page = Page(customer_id="CUST-1", issue_id="I1")
    result = desk.runtime.call(desk.context, "page", page, "K")
    assert isinstance(result, Performed)
    assert ends(desk.reconcile(result.operation)) == COMPLETED
    assert desk.pager.calls == ["deliver", "find", "deliver"]


def test_the_operation_of_another_customer_or_tenant_cannot_be_reconciled(
    desk: Desk, lost: Operation
) -> None:
    for stranger in (context("CUST-2"), context(tenant="other"), context(None)):
        assert desk.runtime.reconcile(stranger, lost.idempotency_key) is None
    assert desk.carrier.calls == []


def test_an_operation_that_this_desk_does_not_have_cannot_be_reconciled(desk: Desk, lost: Operation) -> None:
    assert desk.runtime.reconcile(desk.context, "unheard-of") is None
    ship = desk.registry.pop("ship")
    assert desk.runtime.reconcile(desk.context, lost.idempotency_key) is None
    desk.registry["ship"] = replace(ship, write=None)
    assert desk.runtime.reconcile(desk.context, lost.idempotency_key) is None
    assert desk.carrier.calls == []


def test_asking_from_another_conversation_settles_it_all_the_same(desk: Desk, lost: Operation) -> None:
    assert ends(desk.reconcile(lost, at=context(conversation="C-2"))) == COMPLETED


def test_another_actor_than_the_one_who_confirmed_does_not_have_it_delivered(
    desk: Desk, lost: Operation
) -> None:
    operator = context(actor_id="OP-1", actor_type=ActorType.OPERATOR)
    assert ends(desk.reconcile(lost, at=operator)) == (OperationState.REJECTED, "binding", None, None)
    assert desk.carrier.effects == []


def test_a_process_that_died_after_submitting_is_reconciled_like_a_lost_call(
    make_desk: Callable[..., Desk],
) -> None:
    class Died(Exception):
        """The process."""

    def die(point: str) -> None:
        if point == "submit:after_commit":
            raise Died

    desk = make_desk(points=die)
    grant = desk.grant(desk.offer())
    with pytest.raises(Died):
        desk.ship(grant)
    desk.points = lambda _: None
    desk.restart()
    operation = desk.runtime.standing(desk.context)[1][0]
    assert operation.state is OperationState.SUBMITTED
    assert ends(desk.reconcile(operation)) == COMPLETED
    assert desk.carrier.calls == ["find", "deliver"]


def test_a_receipt_survives_being_stored(desk: Desk) -> None:
    receipt = Receipt(
        receipt_id="R-9",
        recorded_at=desk.clock.now(),
        echo={"offer_id": "P-1", "weight": 3, "x": None, "y": True},
    )
    desk.carrier.will("deliver", Accepted(receipt=receipt))
    desk.shipped()
    assert desk.runtime.standing(desk.context)[1][0].receipt == receipt
