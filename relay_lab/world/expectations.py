"""What should come of a scenario, turn by turn, worked out from its records by the routing table alone (001 §6)."""

from relay_lab.contracts.base import Contract, Scalar, Utc
from relay_lab.contracts.enums import IssueState, Outcome, Plan
from relay_lab.world.data import Scenario
from relay_lab.world.routing_table import CLARIFY, SELF_SERVICE, RoutingTable


class Asked(Contract):
    """One issue as the message was written to hold it. `span_text` stands in the message, character for character."""

    type: str
    slots: dict[str, Scalar]
    span_text: str


class ExpectedIssue(Asked):
    """An issue, in order of first mention, and where it should stand after the first turn."""

    outcome: Outcome
    state: IssueState


class ExpectedQuote(Contract):
    """What a quote must say. Seats and features are in no particular order."""

    target_plan: Plan
    price_cents: int
    currency: str
    designated_seat_id: str
    seats_kept: tuple[str, ...]
    seats_ended: tuple[str, ...]
    features_lost: tuple[str, ...]
    effective_at: Utc


class Expected(Contract):
    """What should come of a scenario, issues always in order of first mention.

    `picked_states`: after the customer has picked `scenario.pick` (those of the first turn when there is no pick);
    `final_states`: after they have confirmed whatever then awaits it. `quote` is what they confirm, null when nothing is;
    `mutations` and `tickets` count what the company has been made to do by the end.
    """

    issues: tuple[ExpectedIssue, ...]
    picked_states: tuple[IssueState, ...]
    final_states: tuple[IssueState, ...]
    quote: ExpectedQuote | None
    mutations: int
    tickets: int

    @property
    def states(self) -> tuple[IssueState, ...]:
        """After the first turn."""
        return tuple(issue.state for issue in self.issues)

    @property
    def states_without_queue(self) -> tuple[IssueState, ...]:
        """After the first turn, should the queue acknowledge nothing, or the scope for it be absent."""
        pending = {IssueState.HANDED_OFF: IssueState.HANDOFF_PENDING}
        return tuple(pending.get(state, state) for state in self.states)


def expect(scenario: Scenario, asked: tuple[Asked, ...]) -> Expected:
    """What should come of `scenario`, whose message holds the issues `asked`, in order of first mention."""
    table = RoutingTable(scenario)
    first = [table.route(issue.type, issue.slots) for issue in asked]
    slots = [
        {**issue.slots, "target_plan": scenario.pick}
        if scenario.pick and issue.type == "subscription_change" and route == CLARIFY
        else issue.slots
        for issue, route in zip(asked, first, strict=True)
    ]
    picked = [table.route(issue.type, known) for issue, known in zip(asked, slots, strict=True)]
    targets = [
        known["target_plan"] for known, route in zip(slots, picked, strict=True) if route == SELF_SERVICE
    ]
    final = tuple(IssueState.SCHEDULED if route == SELF_SERVICE else route[1] for route in picked)
    return Expected(
        issues=tuple(
            ExpectedIssue(**dict(issue), outcome=outcome, state=state)
            for issue, (outcome, state) in zip(asked, first, strict=True)
        ),
        picked_states=tuple(state for _, state in picked),
        final_states=final,
        quote=_quote(scenario, table, Plan(str(targets[0]))) if targets else None,
        mutations=final.count(IssueState.SCHEDULED),
        tickets=final.count(IssueState.HANDED_OFF),
    )


def is_open(scenario: Scenario, asked: tuple[Asked, ...]) -> bool:
    """Whether the first turn leaves a plan to be picked."""
    table = RoutingTable(scenario)
    return any(
        issue.type == "subscription_change" and table.route(issue.type, issue.slots) == CLARIFY
        for issue in asked
    )


def _quote(scenario: Scenario, table: RoutingTable, target: Plan) -> ExpectedQuote | None:
    terms = table.terms(target)
    price = next(row for row in scenario.data.prices if row.plan is target)
    customer_id = scenario.session.authenticated_customer_id
    subscription = next(row for row in scenario.data.subscriptions if row.customer_id == customer_id)
    if terms is None:
        return None
    designated, kept, ended, lost = terms
    return ExpectedQuote(
        target_plan=target,
        price_cents=price.price_cents,
        currency=price.currency,
        designated_seat_id=designated,
        seats_kept=kept,
        seats_ended=ended,
        features_lost=lost,
        effective_at=subscription.renews_at,
    )
