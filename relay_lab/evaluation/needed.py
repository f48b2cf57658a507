"""The records that an issue needs before anything may be said on it (001 §3, filled in)."""

from collections.abc import Iterator

from relay_lab.contracts.issues import FeatureAccess, Issue, SubscriptionChange
from relay_lab.contracts.record import RunRecord

_NEEDED: dict[str, tuple[tuple[str, ...], ...]] = {
    "billing_duplicate": (
        ("transaction", "statement"),
        ("invoice", "statement"),
        ("reconciliation", "statement"),
    ),
    "feature_access": (("plan_map",), ("entitlement",), ("enrolment", "entitlement"), ("incident_report",)),
    "subscription_change": (("account",), ("subscription",)),
}
"""By type, the record kinds it needs; the second is what shows that a list was read and is empty (001 §3, filled in)."""


def needed(issue: Issue, record: RunRecord) -> Iterator[tuple[str, ...]]:
    """The kinds of record that an issue needs, each with those that show that it was asked for and is not there."""
    if isinstance(issue, SubscriptionChange):
        if issue.target_plan is None:
            return
        if issue.target_plan.value != "cancel":
            yield from (("subscription_policy", "no_policy"), ("plan_price", "no_policy"))
    if isinstance(issue, FeatureAccess) and issue.feature is None:
        return
    yield from _NEEDED.get(issue.type, ())
    if issue.type == "billing_duplicate" and any(
        each.value.kind == "reconciliation"
        and each.value.excess_captures > 0
        and not (each.value.reversed or each.value.refunded)
        for each in record.evidence
    ):
        yield "refund_policy", "no_policy"
