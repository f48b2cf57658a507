"""What each tool needs, from the specification (scenarios, "Tools of the support desk"), not from the registry that is judged."""

from relay_lab.contracts.enums import Assurance

SCOPES = {
    "get_billing_transactions": "billing:read",
    "get_plan_and_entitlements": "entitlements:read",
    "get_active_incidents": "incidents:read",
    "get_policy": "policy:read",
    "schedule_downgrade": "subscription:schedule",
    "hand_off": "support:handoff",
}
"""The scope of a call; a tool that is not named needs none."""

READS = (
    "get_billing_transactions",
    "get_plan_and_entitlements",
    "get_active_incidents",
    "get_policy",
    "search_articles",
)


def assurance_of(tool: str) -> Assurance:
    """The least assurance that a call needs: a password for what is the customer's, the second factor for a change."""
    if tool == "schedule_downgrade":
        return Assurance.RECENT_MFA
    return Assurance.PASSWORD if tool in READS and tool in SCOPES else Assurance.NONE
