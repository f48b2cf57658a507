"""Step 6: one policy outcome for each issue by itself, never one score for the turn (001 §6).

The rules are the table of the design, tried in order: assurance none first, then the clarify rows, then what any type needs.
"""

from collections.abc import Mapping

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.enums import Assurance, ClaimStatus, IssueState, Outcome, TargetPlan
from relay_lab.contracts.issues import (
    BillingDuplicate,
    FeatureAccess,
    HumanRequest,
    Issue,
    Other,
    SubscriptionChange,
)
from relay_lab.contracts.ledger import Ledger, LedgerRow
from relay_lab.contracts.record import Routing
from relay_lab.contracts.session import Authentication

UNANSWERED_LIMIT = 2
"""Questions about one issue that may stay unanswered before a person takes over."""

CHANGE_SCOPES = ("subscription:prepare", "subscription:schedule")

Way = tuple[Outcome, IssueState, str]


def route(
    authentication: Authentication, issues: tuple[Issue, ...], ledger: Ledger, unanswered: Mapping[str, int]
) -> tuple[Routing, ...]:
    """Decide outcome, state and reason of each issue from the ledger alone.

    `unanswered` counts, by issue id, the questions that were asked and not answered. States are those before any effect:
    handoff_pending becomes handed_off when the queue acknowledges, awaiting_confirmation stands once a quote is made.
    """
    return tuple(
        Routing(issue_id=issue.id, outcome=outcome, state=state, reason=reason)
        for issue in issues
        for outcome, state, reason in [_way(authentication, issue, ledger.of(issue.id), unanswered)]
    )


def _way(
    authentication: Authentication, issue: Issue, rows: tuple[LedgerRow, ...], unanswered: Mapping[str, int]
) -> Way:
    if authentication.assurance is Assurance.NONE:
        return _person("assurance_none")
    way = _by_type(authentication, issue, _Facts(rows))
    if way[0] is Outcome.CLARIFY and unanswered.get(issue.id, 0) >= UNANSWERED_LIMIT:
        return _person("unanswered")
    return way


def _by_type(authentication: Authentication, issue: Issue, facts: "_Facts") -> Way:
    match issue:
        case BillingDuplicate():
            return facts.blocked() or _billing(issue, facts)
        case FeatureAccess(feature=None):
            return _ask("which_feature")
        case FeatureAccess():
            return facts.blocked() or _feature(facts)
        case SubscriptionChange():
            return _change(authentication, issue, facts)
        case HumanRequest():
            return _person("customer_asked")
        case Other(refused_proposal=True):
            return _ask("refused_proposal")
        case Other(about_account=False):
            return Outcome.ABSTAIN, IssueState.NEEDS_INPUT, "outside_service"
        case Other():
            return _person("other_request")


class _Facts:
    """The ledger rows of one issue, by predicate."""

    def __init__(self, rows: tuple[LedgerRow, ...]) -> None:
        self._rows = rows

    def value(self, predicate: str) -> Scalar:
        """The value of a supported claim; None when there is none."""
        found = (row.claim.value for row in self._rows if row.claim.predicate == predicate and not _weak(row))
        return next(found, None)

    def blocked(self) -> Way | None:
        """To a person, when a required record is stale, conflicting or could not be read."""
        weak = [row for row in self._rows if _weak(row)]
        return _person(weak[0].qualifier or "unsupported") if weak else None


def _weak(row: LedgerRow) -> bool:
    return row.status is not ClaimStatus.SUPPORTED


def _billing(issue: BillingDuplicate, facts: _Facts) -> Way:
    if facts.value("excess_refunded") or facts.value("excess_reversed"):
        return _tell("already_returned")
    if facts.value("duplicate_found") is False:
        return _tell("no_duplicate")
    if facts.value("refund_eligible") is not True:
        return _person("refund_not_eligible")
    if issue.refund_requested is True:
        return Outcome.VERIFIED_SELF_SERVICE, IssueState.EVIDENCE_READY, "verified_duplicate"
    return _tell("verified_duplicate")


def _feature(facts: _Facts) -> Way:
    entitled = facts.value("feature_on_account") or facts.value("enrolment_active")
    if not entitled:
        return _tell("not_entitled")
    return _tell("active_incident") if facts.value("active_incidents") else _person("entitled_no_incident")


def _change(authentication: Authentication, issue: SubscriptionChange, facts: _Facts) -> Way:
    if issue.target_plan is None:
        return _ask("which_plan")
    if issue.target_plan.value == facts.value("current_plan"):
        return _ask("same_plan")
    if issue.target_plan is TargetPlan.CANCEL:
        return _person("cancel")
    if facts.value("target_is_lower") is False:
        return _person("higher_plan")
    blocked = facts.blocked()
    if blocked:
        return blocked
    for predicate in ("operation_allowed", "self_service", "downgrade_allowed"):
        if facts.value(predicate) is not True:
            return _person(f"not_{predicate}")
    if facts.value("change_scheduled"):
        return _person("already_scheduled")
    if not authentication.may_change:
        return _person("assurance_too_low")
    if not set(CHANGE_SCOPES) <= set(authentication.scopes):
        return _person("scope_missing")
    return Outcome.VERIFIED_SELF_SERVICE, IssueState.AWAITING_CONFIRMATION, "quote"


def _tell(reason: str) -> Way:
    return Outcome.RESPOND, IssueState.EVIDENCE_READY, reason


def _ask(reason: str) -> Way:
    return Outcome.CLARIFY, IssueState.NEEDS_INPUT, reason


def _person(reason: str) -> Way:
    return Outcome.HUMAN_HANDOFF, IssueState.HANDOFF_PENDING, reason
