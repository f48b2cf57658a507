"""The words that must not be mixed: one enum for each kind of thing with a state (001 §6 and matrix; 003)."""

from enum import StrEnum


class IssueState(StrEnum):
    """Of an issue."""

    NEEDS_INPUT = "needs_input"
    EVIDENCE_READY = "evidence_ready"
    AWAITING_CONFIRMATION = "awaiting_confirmation"
    SCHEDULED = "scheduled"
    HANDOFF_PENDING = "handoff_pending"
    HANDED_OFF = "handed_off"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """Of an issue's routing (001 §6)."""

    RESPOND = "respond"
    CLARIFY = "clarify"
    VERIFIED_SELF_SERVICE = "verified_self_service"
    HUMAN_HANDOFF = "human_handoff"
    ABSTAIN = "abstain"


class OperationState(StrEnum):
    """Of an operation: one attempt to cause one effect under one key."""

    PREPARED = "prepared"
    SUBMITTED = "submitted"
    COMPLETED = "completed"
    REJECTED = "rejected"
    FAILED_UNKNOWN = "failed_unknown"


class ProposalState(StrEnum):
    """Of a quote, a case proposal or a pending action: one machine for all three."""

    PENDING = "pending"
    CONFIRMED = "confirmed"
    EXECUTED = "executed"
    REJECTED = "rejected"
    EXPIRED = "expired"
    SUPERSEDED = "superseded"


class Decision(StrEnum):
    """Of policy on a tool call (003)."""

    ALLOW = "allow"
    DENY = "deny"
    REQUIRE_CONFIRMATION = "require_confirmation"
    REQUIRE_HUMAN = "require_human"


class PaymentState(StrEnum):
    """Of a refund at the payment provider. A recorded request is not a payment."""

    REQUESTED = "requested"
    SUBMITTED = "submitted"
    PAID = "paid"
    FAILED = "failed"
    UNRESOLVED = "unresolved"


class Assurance(StrEnum):
    """How the session was verified, weakest first."""

    NONE = "none"
    PASSWORD = "password"
    RECENT_MFA = "recent_mfa"

    @property
    def rank(self) -> int:
        """0 for none, 1 for password, 2 for recent_mfa."""
        return _ASSURANCES.index(self)


class ClaimStatus(StrEnum):
    """Of a ledger row (001 §5). Anything but supported blocks its claim or qualifies it in words."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    STALE = "stale"
    CONFLICTING = "conflicting"
    UNAUTHORIZED = "unauthorized"


class ActorType(StrEnum):
    """Who stands behind a session."""

    CUSTOMER = "customer"
    OPERATOR = "operator"


class Plan(StrEnum):
    """A plan of the fictional product, cheapest first."""

    INDIVIDUAL = "individual"
    TEAM = "team"
    BUSINESS = "business"

    @property
    def rank(self) -> int:
        """0 for individual, 1 for team, 2 for business."""
        return _PLANS.index(self)


class TargetPlan(StrEnum):
    """What a subscription change asks for: a plan, or an end."""

    INDIVIDUAL = "individual"
    TEAM = "team"
    BUSINESS = "business"
    CANCEL = "cancel"


class Feature(StrEnum):
    """A feature of the fictional product."""

    GANTT_CHART = "gantt_chart"
    CALENDAR_VIEW = "calendar_view"
    TIME_TRACKING = "time_tracking"
    AUTOMATIONS = "automations"
    GUEST_ACCESS = "guest_access"
    API_ACCESS = "api_access"


_ASSURANCES, _PLANS = tuple(Assurance), tuple(Plan)
