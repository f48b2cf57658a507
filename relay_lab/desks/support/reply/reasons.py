"""Reason codes that have words of their own. A code that is not listed here gets the general wording of its state."""

HIGHER_PLAN = frozenset({"higher_plan", "upgrade"})
CANCEL = frozenset({"cancel", "cancellation", "cancel_requested"})
NOT_ALLOWED = frozenset(
    {
        "not_allowed",
        "contract",
        "contract_terms",
        "contract_not_allowed",
        "account_not_allowed",
        "operation_not_allowed",
        "policy_not_allowed",
    }
)
LOW_ASSURANCE = frozenset({"assurance", "assurance_low", "assurance_too_low", "low_assurance"})
NO_ASSURANCE = frozenset({"assurance_none", "unverified", "not_authenticated", "no_assurance"})
UNCLEAR_CONSEQUENCES = frozenset({"consequences_unknown", "seats_unknown", "seat_list_missing"})
NO_SCOPE = frozenset({"scope_missing", "scope", "no_scope", "missing_scope"})
SAME_PLAN = frozenset({"same_plan", "current_plan", "target_is_current"})
CYCLE_CHANGED = frozenset({"cycle_changed", "renewal_cycle", "cycle", "renewal_cycle_id"})
NOT_RECORDED = frozenset({"operation_rejected", "not_recorded", "key_closed", "rejected"})
REFUSED_PROPOSAL = frozenset({"refused_proposal", "proposal_refused", "unreadable_message"})

VOIDED = {
    "subscription_version": "subscription",
    "price": "price",
    "policy_version": "policy",
    "cycle_changed": "renewed",
    "renewal_cycle": "renewed",
    "renewal_cycle_id": "renewed",
    "expired": "expired",
    "quote_expiry": "expired",
    "quote_expired": "expired",
    "seat": "seat",
    "designated_seat": "seat",
    "plan": "plan",
    "target_plan": "plan",
}
"""Why an earlier quote no longer holds -> the word that says it. Other codes are said without a reason."""

UNREADABLE = frozenset(
    {"timeout", "unavailable", "late", "error", "failed", "attempts_spent", "deadline", "unreadable"}
)
FORBIDDEN = frozenset({"scope_missing", "denied", "unauthorized", "forbidden", "not_allowed"})
ABSENT = frozenset({"not_found", "missing", "no_record", "seats_unknown"})
