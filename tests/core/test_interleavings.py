"""Any interleaving of clicks, duplicates, lost answers, deaths, restarts and time: one effect for each key, nothing lost."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from core.desk import LIFE_S, Desk
from core.tools import Offer
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from relay_lab.contracts.enums import OperationState, ProposalState
from relay_lab.contracts.operations import Answered, Confirmed, Lost, Stopped
from relay_lab.core import operations
from relay_lab.core.confirmation import Grant


class Died(Exception):
    """The process, at this very point."""


POINTS = st.none() | st.sampled_from(
    [
        "prepare:before_commit",
        "prepare:after_commit",
        "exchange:before_commit",
        "exchange:after_commit",
        "submit:before_audit",
        "submit:before_commit",
        "submit:after_commit",
        "settle:before_commit",
        "settle:after_commit",
        "settle:after_audit",
    ]
)
LOSSES = st.sampled_from(
    [
        "answered",
        "lost_before",
        "lost_after",
        "in_transit",
        "overtaken",
        "died_before",
        "died_after",
        "died_in_transit",
    ]
)
PICK = st.integers(0, 7)
WEEKS = st.sampled_from([1, 1, 2])


class Interleaving(RuleBasedStateMachine):
    """One subject, one customer, one carrier; whatever may come between."""

    def __init__(self) -> None:
        super().__init__()
        self.desk = Desk(points=self._pass)
        self.dies_at: str | None = None
        self.grants: list[Grant] = []
        self.transit: list[tuple[str, dict[str, Any]]] = []
        self.was_bad = False

    def teardown(self) -> None:
        try:
            self._everything_settles()
        finally:
            self.desk.close()

    # -- what happens ----------------------------------------------------------------------------------------------------

    @initialize()
    def a_first_offer(self) -> None:
        self.offer(3, None)
        self.click(0, None)

    @rule(weight=st.integers(1, 9), dies_at=POINTS)
    def offer(self, weight: int, dies_at: str | None) -> None:
        under_way = self._unsettled() != ()
        asked = Offer(
            customer_id="CUST-1",
            tenant_id="acme",
            subject_id="S1",
            expires_at=self.desk.clock.now() + timedelta(seconds=LIFE_S),
            weight=weight,
        )
        key = f"offer-{len(self._proposals())}-{len(self.desk.trace.rows)}"
        result = self._do(
            lambda: self.desk.runtime.call(self.desk.context, "offer_parcel", asked, key), dies_at
        )
        if isinstance(result, Answered):
            assert (result.answer["proposal_id"] is None) == under_way

    @precondition(lambda self: self._proposals())
    @rule(pick=PICK, dies_at=POINTS)
    def click(self, pick: int, dies_at: str | None) -> None:
        proposal_id = self._of(self._proposals(), pick)
        challenge = self.desk.runtime.show(self.desk.context, proposal_id) or "none"
        result = self._do(
            lambda: self.desk.runtime.exchange(self.desk.context, proposal_id, challenge), dies_at
        )
        if isinstance(result, Confirmed):
            self.grants.append(Grant(proposal_id, result.token))

    @precondition(lambda self: self.grants)
    @rule(pick=PICK, dies_at=POINTS, loss=LOSSES)
    def execute(self, pick: int, dies_at: str | None, loss: str) -> None:
        self._lose(loss)
        self._do(lambda: self.desk.ship(self._of(self.grants, pick)), dies_at)

    @precondition(lambda self: self.grants)
    @rule(pick=PICK)
    def execute_another_payload(self, pick: int) -> None:
        grant = self._of(self.grants, pick)
        result = self._do(lambda: self.desk.ship(grant, weight=19))
        assert isinstance(result, Stopped)

    @precondition(lambda self: self.grants)
    @rule(pick=PICK, key=st.sampled_from(["other-1", "other-2"]), loss=LOSSES)
    def execute_under_another_key(self, pick: int, key: str, loss: str) -> None:
        grant = self._of(self.grants, pick)
        self._lose(loss)
        self._do(lambda: self.desk.ship(grant, key=f"{key}:{grant.proposal_id}"))

    @precondition(lambda self: self._unsettled())
    @rule(week=WEEKS, dies_at=POINTS, loss=LOSSES, misses=st.integers(0, 3), closes=st.booleans())
    def reconcile(self, week: int, dies_at: str | None, loss: str, misses: int, closes: bool) -> None:
        self.the_week_changes(week)
        self._lose(loss)
        self.desk.carrier.will("find", *[Lost(code="unreachable")] * misses)
        if not closes:
            self.desk.carrier.will("close", *[Lost(code="unreachable")] * 3)
        for operation in self._unsettled():
            self._do(lambda each=operation: self.desk.reconcile(each), dies_at)

    @precondition(lambda self: self.transit)
    @rule(pick=PICK)
    def a_late_delivery_arrives(self, pick: int) -> None:
        self.desk.carrier.arrive(*self.transit.pop(pick % len(self.transit)))

    @precondition(lambda self: self.desk.carrier.asked)
    @rule(pick=PICK)
    def a_delivery_arrives_twice(self, pick: int) -> None:
        """A copy of one that the carrier has had already."""
        key, envelope = self._of(self.desk.carrier.asked, pick)
        if (key, envelope) not in self.transit and key in self.desk.carrier.receipts:
            self.desk.carrier.arrive(key, envelope)

    @rule()
    def restart(self) -> None:
        self.desk.restart()

    @rule(seconds=st.sampled_from([1, LIFE_S // 3, LIFE_S // 3, LIFE_S]))
    def time_passes(self, seconds: int) -> None:
        self.desk.clock.pass_s(seconds)
        self.was_bad |= seconds == LIFE_S

    @rule(week=WEEKS)
    def the_week_changes(self, week: int) -> None:
        self.desk.world["week"] = week
        self.was_bad |= week == 2

    # -- what must hold --------------------------------------------------------------------------------------------------

    @invariant()
    def one_effect_for_each_key_and_each_confirmation(self) -> None:
        effects = self.desk.carrier.effects
        assert max(Counter(effects).values(), default=0) <= 1
        offers = [self._receipt(key)["offer_id"] for key in effects]
        assert max(Counter(offers).values(), default=0) <= 1

    @invariant()
    def nothing_is_done_that_was_not_confirmed_as_it_is(self) -> None:
        confirmed = {
            row["proposal_id"]: row["payload"]
            for row in self.desk.rows(
                "SELECT proposal_id, payload FROM proposal WHERE confirmed_hash = change_hash"
            )
        }
        for key in self.desk.carrier.effects:
            done = self._receipt(key)
            assert self.desk.parcel(done["offer_id"]).model_dump(mode="json") == done
            assert done["offer_id"] in confirmed

    @invariant()
    def nothing_is_completed_before_the_carrier_has_it_nor_rejected_once_it_has(self) -> None:
        for operation in self.desk.runtime.standing(self.desk.context)[1]:
            has_it = operation.idempotency_key in self.desk.carrier.receipts
            assert has_it or operation.state is not OperationState.COMPLETED
            assert not has_it or operation.state is not OperationState.REJECTED

    @invariant()
    def a_used_confirmation_and_its_operation_stand_or_fall_together(self) -> None:
        proposals, found = self.desk.runtime.standing(self.desk.context)
        used = {
            row["proposal_id"]
            for row in self.desk.rows("SELECT proposal_id FROM proposal WHERE consumed_at NOT NULL")
        }
        assert Counter(operation.proposal_id for operation in found) == Counter(used)
        states = {operation.proposal_id: operation.state for operation in found}
        for proposal in proposals:
            executed = proposal.state is ProposalState.EXECUTED
            if executed:
                assert states[proposal.proposal_id] is OperationState.COMPLETED

    def _everything_settles(self) -> None:
        """The carrier answers: nothing stays unknown, and what was confirmed is done unless something spoke against it."""
        self.dies_at = None
        self._clear()
        self.desk.restart()
        for operation in self._unsettled():
            self.desk.reconcile(operation)
        assert self._unsettled() == ()
        _, found = self.desk.runtime.standing(self.desk.context)
        for operation in found:
            if operation.state is OperationState.REJECTED:
                assert self.was_bad
                assert operation.error in ("week", "expired", "key_closed")
        while self.transit:
            self.desk.carrier.arrive(*self.transit.pop())
        self.one_effect_for_each_key_and_each_confirmation()
        self.nothing_is_completed_before_the_carrier_has_it_nor_rejected_once_it_has()
        assert len(self.desk.carrier.effects) == sum(op.state is OperationState.COMPLETED for op in found)
        assert self.desk.offer()

    # -- how -------------------------------------------------------------------------------------------------------------

    def _pass(self, point: str) -> None:
        if point == self.dies_at:
            self.dies_at = None
            raise Died

    def _do(self, act: Callable[[], Any], dies_at: str | None = None) -> Any:
        self.dies_at = dies_at
        try:
            return act()
        except Died:
            self.desk.restart()
        finally:
            self.dies_at = None
            self._clear()

    def _clear(self) -> None:
        for planned in self.desk.carrier.plan.values():
            planned.clear()

    def _lose(self, loss: str) -> None:
        """What becomes of the next delivery."""
        carrier = self.desk.carrier

        def arrives_later() -> Lost:
            self.transit.append(carrier.asked[-1])
            return Lost(code="timeout")

        def overtaken() -> Lost:
            """Another process settles it meanwhile."""
            for operation in self._unsettled():
                self.desk.reconcile(operation)
            return arrives_later()

        def dies(arrives: bool) -> None:
            if arrives:
                carrier.arrive(*carrier.asked[-1])
            raise Died

        match loss:
            case "answered":
                pass
            case "in_transit":
                carrier.will("deliver", arrives_later)
            case "overtaken":
                carrier.will("deliver", overtaken)
            case "died_before":
                carrier.will("deliver", lambda: dies(False))
            case "died_after":
                carrier.will("deliver", lambda: dies(True))
            case "died_in_transit":
                carrier.will("deliver", lambda: (arrives_later(), dies(False))[1])
            case _:
                carrier.will("deliver", loss)

    def _receipt(self, key: str) -> dict[str, Any]:
        return self.desk.carrier.receipts[key][1].echo

    def _proposals(self) -> list[str]:
        return [proposal.proposal_id for proposal in self.desk.runtime.standing(self.desk.context)[0]]

    def _unsettled(self) -> tuple[Any, ...]:
        with self.desk.store.transaction() as tx:
            return operations.unsettled(tx)

    @staticmethod
    def _of(values: list[Any], pick: int) -> Any:
        return values[-1 - pick % len(values)]


TestInterleavings = Interleaving.TestCase
TestInterleavings.settings = settings(max_examples=40, stateful_step_count=20)
