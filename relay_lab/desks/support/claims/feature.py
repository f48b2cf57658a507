"""Features: what the plan includes, what the account was given, what a beta allowed, and which incidents are active (001 §4)."""

from collections.abc import Iterator
from datetime import datetime

from relay_lab.contracts.base import iso
from relay_lab.contracts.enums import ClaimStatus, Feature
from relay_lab.contracts.evidence import (
    Enrolment,
    Entitlement,
    IncidentReport,
    PlanMap,
    Subscription,
    VerifiedRecord,
)
from relay_lab.desks.support.claims.rows import Finding, first, of_kind


def findings(feature: Feature, records: tuple[VerifiedRecord, ...], now: datetime) -> Iterator[Finding]:
    """The claims on one feature. An empty incident list is reported as such: it is not the cause of anything."""
    yield from _entitled(feature, records, now)
    for report_id, report in of_kind(records, IncidentReport):
        if report.feature is feature:
            yield Finding(feature, "active_incidents", len(report.active), (report_id,))
            for incident in report.active:
                yield Finding(feature, "incident_id", incident.incident_id, (report_id,))


def _entitled(feature: Feature, records: tuple[VerifiedRecord, ...], now: datetime) -> Iterator[Finding]:
    subscription_id, subscription = first(records, Subscription)
    map_id, plan_map = first(records, PlanMap)
    entitlement_id, entitlement = first(records, Entitlement)
    if subscription is None or plan_map is None or entitlement is None:
        return
    if subscription_id is None or map_id is None or entitlement_id is None:
        return
    in_plan = feature in plan_map.features.get(subscription.plan, ())
    on_account = feature in entitlement.features
    running = [
        (eid, enrolment)
        for eid, enrolment in of_kind(records, Enrolment)
        if enrolment.feature is feature and (enrolment.ended_at is None or enrolment.ended_at > now)
    ]
    # A running beta explains a feature beyond the plan; nothing explains one that the plan has and the account has not.
    conflict = in_plan != on_account and not (on_account and running)
    status = ClaimStatus.CONFLICTING if conflict else ClaimStatus.SUPPORTED
    both = (subscription_id, map_id, entitlement_id)
    reason = "conflict" if conflict else None
    yield Finding(subscription.customer_id, "current_plan", subscription.plan, (subscription_id,))
    yield Finding(feature, "feature_in_plan", in_plan, both if conflict else both[:2], status, reason)
    yield Finding(feature, "feature_on_account", on_account, both if conflict else both[2:], status, reason)
    for enrolment_id, enrolment in of_kind(records, Enrolment):
        if enrolment.feature is feature:
            if enrolment.ended_at is not None and enrolment.ended_at <= now:
                yield Finding(feature, "prior_access", enrolment.programme, (enrolment_id,))
                yield Finding(feature, "prior_access_ended_at", iso(enrolment.ended_at), (enrolment_id,))
            else:
                yield Finding(feature, "enrolment_active", True, (enrolment_id,))
