"""The routing rules, read straight from a world's records; the desk under judgement implements them apart (001 §6).

Rules are tried in the order of their table. What a rule needs is looked up in the data, never in an answer to a read.
"""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.enums import Assurance, IssueState, Outcome, Plan, TargetPlan
from relay_lab.contracts.evidence import Source
from relay_lab.world.data import Scenario, TransactionRow

SELF_SERVICE_OPERATION = "schedule_downgrade"
"""What an account must allow before its customer may change the plan themselves."""

Route = tuple[Outcome, IssueState]
HANDED_OFF: Route = (Outcome.HUMAN_HANDOFF, IssueState.HANDED_OFF)
RESPOND: Route = (Outcome.RESPOND, IssueState.EVIDENCE_READY)
REFUND_FLOW: Route = (Outcome.VERIFIED_SELF_SERVICE, IssueState.EVIDENCE_READY)
CLARIFY: Route = (Outcome.CLARIFY, IssueState.NEEDS_INPUT)
SELF_SERVICE: Route = (Outcome.VERIFIED_SELF_SERVICE, IssueState.AWAITING_CONFIRMATION)
ABSTAIN: Route = (Outcome.ABSTAIN, IssueState.NEEDS_INPUT)

_NEEDS: dict[str, tuple[tuple[str, ...], tuple[Source, ...]]] = {
    "billing_duplicate": (("billing:read", "policy:read"), (Source.BILLING, Source.POLICIES)),
    "feature_access": (("entitlements:read", "incidents:read"), (Source.ENTITLEMENTS, Source.INCIDENTS)),
    "subscription_change": (
        ("entitlements:read", "policy:read"),
        (Source.ACCOUNTS, Source.SUBSCRIPTIONS, Source.POLICIES, Source.CATALOGUE),
    ),
}
"""By type: the scopes without which its required records cannot be had, and the sources that keep them."""


class RoutingTable:
    """The rules over the records of one scenario's customer."""

    def __init__(self, scenario: Scenario) -> None:
        self._now, self._session, self._data = scenario.now, scenario.session, scenario.data
        self._customer = scenario.session.authenticated_customer_id
        self._scopes = set(scenario.session.allowed_scopes)
        self._stale = {terms.source for terms in scenario.data.sources if terms.lag_s > terms.fresh_for_s}
        self._account = next((row for row in self._data.accounts if row.customer_id == self._customer), None)
        self._subscription = next(
            (s for s in self._data.subscriptions if s.customer_id == self._customer), None
        )
        self._prices = {row.plan: row for row in self._data.prices}
        in_force = [row for row in self._data.plan_maps if row.in_force_at <= self._now]
        self._map = max(in_force, key=lambda row: row.in_force_at, default=None)

    def route(self, issue_type: str, slots: dict[str, Scalar]) -> Route:
        """Outcome and state of one issue with these slots."""
        outcome, state = self._ruled(issue_type, slots)
        if state is IssueState.HANDED_OFF and "support:handoff" not in self._scopes:
            state = IssueState.HANDOFF_PENDING
        return outcome, state

    def terms(self, target: Plan) -> tuple[str, tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
        """Of a change to `target`: designated seat, seats kept, seats ended, features lost; None when not known."""
        account, subscription, price = self._account, self._subscription, self._prices.get(target)
        if account is None or subscription is None or price is None or self._map is None:
            return None
        if account.owner_seat_id is None or subscription.seats is None:
            return None
        others = [seat.seat_id for seat in subscription.seats if seat.seat_id != account.owner_seat_id]
        seats = [account.owner_seat_id, *others]
        room = max(price.seats_included, 1)
        after = self._map.features.get(target, ())
        lost = [feature for feature in self._map.features.get(subscription.plan, ()) if feature not in after]
        return account.owner_seat_id, tuple(seats[:room]), tuple(seats[room:]), tuple(lost)

    def _ruled(self, issue_type: str, slots: dict[str, Scalar]) -> Route:
        if self._session.session_assurance is Assurance.NONE:
            return HANDED_OFF
        match issue_type:
            case "billing_duplicate":
                return self._billing(slots["refund_requested"])
            case "feature_access":
                return self._feature(slots["feature"])
            case "subscription_change":
                return self._change(slots["target_plan"])
            case "other" if slots["about_account"] is False:
                return ABSTAIN
        return HANDED_OFF

    def _readable(self, issue_type: str) -> bool:
        scopes, sources = _NEEDS[issue_type]
        return self._scopes.issuperset(scopes) and not self._stale.intersection(sources)

    def _billing(self, refund_requested: Scalar) -> Route:
        charges = self._last_month()
        if not self._readable("billing_duplicate") or not charges:
            return HANDED_OFF
        invoices = {row.invoice_id for row in charges}
        found = [
            row
            for row in self._data.reconciliations
            if row.invoice_id in invoices and row.excess_captures > 0
        ]
        undone = any(row.reversed or row.refunded for row in found)
        settled = all(row.settlement == "settled" for row in charges)
        if found and settled and not undone and all(self._refund_policy(row.charged_at) for row in charges):
            return REFUND_FLOW if refund_requested is True else RESPOND
        if undone or not settled or len(invoices) == len(charges):
            return RESPOND
        return HANDED_OFF

    def _feature(self, feature: Scalar) -> Route:
        if feature is None:
            return CLARIFY
        given = [row for row in self._data.entitlements if row.customer_id == self._customer]
        if (
            not self._readable("feature_access")
            or self._subscription is None
            or self._map is None
            or not given
        ):
            return HANDED_OFF
        entitled = feature in given[0].features
        if entitled != (feature in self._map.features.get(self._subscription.plan, ())):
            return HANDED_OFF
        active = any(
            feature in row.affected_features
            and row.started_at <= self._now
            and (row.ended_at is None or row.ended_at > self._now)
            for row in self._data.incidents
        )
        return RESPOND if active or not entitled else HANDED_OFF

    def _change(self, target: Scalar) -> Route:
        if target is None:
            return CLARIFY
        if not self._readable("subscription_change") or self._subscription is None or self._account is None:
            return HANDED_OFF
        if target == self._subscription.plan:
            return CLARIFY
        if target == TargetPlan.CANCEL or Plan(str(target)).rank > self._subscription.plan.rank:
            return HANDED_OFF
        allowed = (
            self._account.contract_terms == "self_service"
            and SELF_SERVICE_OPERATION in self._account.allowed_operations
            and self._downgrade_policy()
            and self._session.session_assurance is Assurance.RECENT_MFA
            and self._scopes.issuperset({"subscription:prepare", "subscription:schedule"})
        )
        return SELF_SERVICE if allowed and self.terms(Plan(str(target))) else HANDED_OFF

    def _last_month(self) -> list[TransactionRow]:
        zone = ZoneInfo(self._account.display_zone if self._account else "UTC")
        month = f"{self._now.astimezone(zone).replace(day=1) - timedelta(days=1):%Y-%m}"
        return [
            row
            for row in self._data.transactions
            if row.customer_id == self._customer and f"{row.charged_at.astimezone(zone):%Y-%m}" == month
        ]

    def _refund_policy(self, at: datetime) -> bool:
        return any(
            row.effective_at <= at and (row.withdrawn_at is None or at < row.withdrawn_at)
            for row in self._data.refund_policies
        )

    def _downgrade_policy(self) -> bool:
        in_force = [
            row
            for row in self._data.subscription_policies
            if row.effective_at <= self._now and (row.withdrawn_at is None or self._now < row.withdrawn_at)
        ]
        latest = max(in_force, key=lambda row: row.effective_at, default=None)
        return latest is not None and latest.downgrade_allowed
