"""Which records stand behind a claim."""

from typing import Literal

Family = Literal["billing", "refund_policy", "entitlements", "incidents", "change", "other"]

BY_PREDICATE: dict[str, Family] = {
    "refund_eligible": "refund_policy",
    "refund_policy_read": "refund_policy",
    "active_incidents": "incidents",
    "incident_id": "incidents",
    "incident_report_read": "incidents",
}
BY_TYPE: dict[str, Family] = {
    "billing_duplicate": "billing",
    "feature_access": "entitlements",
    "subscription_change": "change",
}


def family(issue_type: str, predicate: str) -> Family:
    """The records that a claim of an issue of this type rests on."""
    own = BY_TYPE.get(issue_type, "other")
    return BY_PREDICATE.get(predicate, own) if own in ("billing", "entitlements") else own
