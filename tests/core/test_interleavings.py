"""Any interleaving of clicks, duplicates, lost answers, deaths, restarts and time: one effect for each key, nothing lost."""

from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

from core.desk import LIFE_S, Desk
from core.tools import Offer
from core.watched import NOON
from hypothesis import given, settings
from hypothesis import strategies as st

from relay_lab.contracts.enums import OperationState, ProposalState
from relay_lab.contracts.operations import Answered, Confirmed, Lost, Operation, Stopped
from relay_lab.contracts.ports import RUNTIME_POINTS
from relay_lab.core import operations
from relay_lab.core.confirmation import Grant


class Died(Exception):
    """The process, at this very point."""


class Dice(NamedTuple):
    """One thing that happens, and what goes wrong with it."""

    what: str
    pick: int
    dies_at: str | None
    loss: str
    week: int
    misses: int
    closes: bool


POINTS = tuple(point for point in RUNTIME_POINTS if not point.startswith("turn:"))
LOSSES = (
    "answered",
    "lost_before",
    "lost_after",
    "in_transit",
    "overtaken",
    "died_before",
    "died_after",
    "died_in_transit",
)
WHAT = (
    *("execute", "reconcile") * 3,
    *("offer", "click", "late_delivery") * 2,
    *("another_payload", "another_key", "second_copy", "restart", "time_passes", "week_changes"),
)
DICE = st.builds(
    Dice,
    what=st.sampled_from(WHAT),
    pick=st.integers(0, 5),
    dies_at=st.sampled_from([None] * 20 + list(POINTS)),
    loss=st.sampled_from(LOSSES),
    week=st.sampled_from([1, 2]),
    misses=st.sampled_from([0, 0, 0, 1, 3]),
    closes=st.sampled_from([True, True, True, False]),
)


class Interleaving:
    """One subject, one customer, one carrier; whatever may come between."""

    def __init__(self) -> None:
        self.desk = Desk(points=self._pass)
        self.dies_at: str | None = None
        self.grants: list[Grant] = []
        self.transit: list[tuple[str, dict[str, Any]]] = []
        self.spoke_against = False

    # -- what happens ----------------------------------------------------------------------------------------------------

    def offer(self, dice: Dice) -> None:
        under_way = self.unsettled() != ()
        expires_at = self.desk.clock.now() + timedelta(seconds=LIFE_S)
        asked = Offer(
            customer_id="CUST-1",
            tenant_id="acme",
            subject_id="S1",
            expires_at=expires_at,
            weight=dice.pick + 1,
        )
        key = f"offer-{len(self.desk.trace.rows)}"
        result = self._do(lambda: self.desk.runtime.call(self.desk.context, "offer_parcel", asked, key), dice)
        if isinstance(result, Answered):
            assert (result.answer["proposal_id"] is None) == under_way

    def click(self, dice: Dice) -> None:
        proposals = self.desk.runtime.standing(self.desk.context)[0]
        if proposals:
            proposal_id = proposals[-1 - dice.pick % len(proposals)].proposal_id
            challenge = self.desk.runtime.show(self.desk.context, proposal_id) or "none"
            result = self._do(
                lambda: self.desk.runtime.exchange(self.desk.context, proposal_id, challenge), dice
            )
            if isinstance(result, Confirmed):
                self.grants.append(Grant(proposal_id, result.token))

    def execute(self, dice: Dice) -> None:
        for grant in self._grant(dice):
            self._lose(dice.loss)
            self._do(partial(self.desk.ship, grant), dice)

    def another_payload(self, dice: Dice) -> None:
        for grant in self._grant(dice):
            assert isinstance(self.desk.ship(grant, weight=19), Stopped)

    def another_key(self, dice: Dice) -> None:
        for grant in self._grant(dice):
            self._lose(dice.loss)
            self._do(partial(self.desk.ship, grant, key=f"other:{grant.proposal_id}"), dice)

    def reconcile(self, dice: Dice) -> None:
        for operation in self.unsettled():
            self.week_changes(dice)
            self._lose(dice.loss)
            self.desk.carrier.will("find", *[Lost(code="unreachable")] * dice.misses)
            if not dice.closes:
                self.desk.carrier.will("close", *[Lost(code="unreachable")] * 3)
            self._do(partial(self.desk.reconcile, operation), dice)

    def late_delivery(self, dice: Dice) -> None:
        if self.transit:
            self.desk.carrier.arrive(*self.transit.pop(dice.pick % len(self.transit)))

    def second_copy(self, dice: Dice) -> None:
        """Of a delivery that the carrier has had already."""
        had = [asked for asked in self.desk.carrier.asked if asked[0] in self.desk.carrier.receipts]
        if had:
            self.desk.carrier.arrive(*had[dice.pick % len(had)])

    def restart(self, _: Dice) -> None:
        self.desk.restart()

    def time_passes(self, dice: Dice) -> None:
        self.desk.clock.pass_s(LIFE_S if dice.pick == 0 else LIFE_S // 4)
        self.spoke_against |= self.desk.clock.now() >= NOON + timedelta(seconds=LIFE_S)

    def week_changes(self, dice: Dice) -> None:
        self.desk.world["week"] = dice.week
        self.spoke_against |= dice.week != 1

    # -- what must hold --------------------------------------------------------------------------------------------------

    def holds(self) -> None:
        """At every instant, whoever looks."""
        proposals, found = self.desk.runtime.standing(self.desk.context)
        carrier = self.desk.carrier
        # One effect for each key and for each confirmation, of exactly what was confirmed.
        done = [carrier.receipts[key][1].echo for key in carrier.effects]
        assert max(Counter(carrier.effects).values(), default=0) <= 1
        assert max(Counter(each["offer_id"] for each in done).values(), default=0) <= 1
        rows = self.desk.rows("SELECT * FROM proposal")
        confirmed = {row["proposal_id"] for row in rows if row["confirmed_hash"] == row["change_hash"]}
        for each in done:
            assert each["offer_id"] in confirmed
            assert self.desk.parcel(str(each["offer_id"])).model_dump(mode="json") == each
        # Nothing is completed before the carrier has it, nor rejected once it has.
        for operation in found:
            has_it = operation.idempotency_key in carrier.receipts
            assert has_it or operation.state is not OperationState.COMPLETED
            assert not has_it or operation.state is not OperationState.REJECTED
        # A used confirmation and its operation stand or fall together.
        used = [row["proposal_id"] for row in rows if row["consumed_at"]]
        assert Counter(operation.proposal_id for operation in found) == Counter(used)
        states = {operation.proposal_id: operation.state for operation in found}
        executed = [each.proposal_id for each in proposals if each.state is ProposalState.EXECUTED]
        assert {states[each] for each in executed} <= {OperationState.COMPLETED}

    def settles(self) -> None:
        """Once the carrier answers nothing stays unknown, and what was confirmed is done unless something spoke against it."""
        self.desk.restart()
        for operation in self.unsettled():
            self.desk.reconcile(operation)
        assert self.unsettled() == ()
        found = self.desk.runtime.standing(self.desk.context)[1]
        rejected = [operation.error for operation in found if operation.state is OperationState.REJECTED]
        assert set(rejected) <= {"week", "expired", "key_closed"}
        assert self.spoke_against or not rejected
        while self.transit:
            self.desk.carrier.arrive(*self.transit.pop())
        self.holds()
        assert len(self.desk.carrier.effects) == len(found) - len(rejected)
        assert self.desk.offer()

    def unsettled(self) -> tuple[Operation, ...]:
        with self.desk.store.transaction() as tx:
            return operations.unsettled(tx)

    # -- how -------------------------------------------------------------------------------------------------------------

    def _pass(self, point: str) -> None:
        if point == self.dies_at:
            self.dies_at = None
            raise Died

    def _do(self, act: Callable[[], Any], dice: Dice) -> Any:
        self.dies_at = dice.dies_at
        try:
            return act()
        except Died:
            self.desk.restart()
        finally:
            self.dies_at = None
            for planned in self.desk.carrier.plan.values():
                planned.clear()

    def _grant(self, dice: Dice) -> list[Grant]:
        return self.grants[-1 - dice.pick % len(self.grants) :][:1] if self.grants else []

    def _lose(self, loss: str) -> None:
        """What becomes of the next delivery."""
        carrier = self.desk.carrier

        def arrives_later() -> Lost:
            self.transit.append(carrier.asked[-1])
            return Lost(code="timeout")

        def overtaken() -> Lost:
            """Another process settles it meanwhile."""
            answer = arrives_later()
            for operation in self.unsettled():
                self.desk.reconcile(operation)
            return answer

        def dies(before: Callable[[], object]) -> None:
            before()
            raise Died

        planned: dict[str, Any] = {
            "in_transit": arrives_later,
            "overtaken": overtaken,
            "died_before": lambda: dies(lambda: None),
            "died_after": lambda: dies(lambda: carrier.arrive(*carrier.asked[-1])),
            "died_in_transit": lambda: dies(arrives_later),
        }
        if loss != "answered":
            carrier.will("deliver", planned.get(loss, loss))


FIRST = Dice("offer", 0, None, "answered", 1, 0, True)


@settings(max_examples=100)
@given(st.sampled_from(LOSSES), st.lists(DICE, min_size=6, max_size=14))
def test_whatever_comes_between_there_is_one_effect_for_each_key_and_nothing_is_lost(
    loss: str, steps: list[Dice]
) -> None:
    run = Interleaving()
    try:
        run.offer(FIRST)
        run.click(FIRST)
        for dice in (FIRST._replace(what="execute", loss=loss), *steps):
            getattr(run, dice.what)(dice)
            run.holds()
        run.settles()
    finally:
        run.desk.close()


def test_every_thing_that_can_happen_is_one_that_the_dice_can_show() -> None:
    public = {name for name in vars(Interleaving) if not name.startswith("_")}
    assert public - {"holds", "settles", "unsettled"} == set(WHAT)
