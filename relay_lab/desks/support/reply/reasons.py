"""Codes that have words of their own. Any other code gets the general wording of its state."""

NO_ASSURANCE = frozenset({"assurance_none"})
DECLINED = frozenset({"quote_declined"})
SAME_PLAN = frozenset({"same_plan"})
ALREADY_SCHEDULED = frozenset({"already_scheduled"})
HIGHER_PLAN = frozenset({"higher_plan"})
CANCEL = frozenset({"cancel"})
NOT_ALLOWED = frozenset({"not_operation_allowed", "not_self_service", "not_downgrade_allowed"})
LOW_ASSURANCE = frozenset({"assurance_too_low", "assurance", "session_assurance"})
NO_SCOPE = frozenset({"scope_missing", "scope"})
UNCLEAR_CONSEQUENCES = frozenset({"consequences_unknown"})
CYCLE_CHANGED = frozenset({"cycle_changed", "renewal_cycle", "cycle"})
NOT_RECORDED = frozenset({"operation_rejected", "not_recorded", "key_closed", "rejected"})
REFUSED_PROPOSAL = frozenset({"refused_proposal"})

VOIDED = {
    "subscription_version": "subscription",
    "version_changed": "subscription",
    "price": "price",
    "policy_version": "policy",
    "renewal_cycle": "plan_renewed",
    "cycle_changed": "plan_renewed",
    "expired": "expired",
    "expiry": "expired",
    "seat": "seat",
    "plan": "plan",
}
"""Why an earlier quote no longer holds -> what the reply says of it. Another code is said without a reason."""

FORBIDDEN = frozenset({"scope_missing", "assurance_too_low", "denied", "unauthorized", "forbidden"})
"""Qualifiers of a row that could not be had for want of permission."""
