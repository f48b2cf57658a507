"""Two right versions of step 6, written on their own."""

from collections.abc import Callable, Mapping

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
from relay_lab.contracts.ledger import Ledger
from relay_lab.contracts.record import Routing
from relay_lab.contracts.session import Authentication

Way = tuple[Outcome, IssueState]
TELL: Way = (Outcome.RESPOND, IssueState.EVIDENCE_READY)
REFUND: Way = (Outcome.VERIFIED_SELF_SERVICE, IssueState.EVIDENCE_READY)
ASK: Way = (Outcome.CLARIFY, IssueState.NEEDS_INPUT)
OFFER: Way = (Outcome.VERIFIED_SELF_SERVICE, IssueState.AWAITING_CONFIRMATION)
PERSON: Way = (Outcome.HUMAN_HANDOFF, IssueState.HANDOFF_PENDING)
QUIET: Way = (Outcome.ABSTAIN, IssueState.NEEDS_INPUT)

Facts = dict[str, Scalar]
When = Callable[[Facts], bool]


def by_a_table(
    authentication: Authentication, issues: tuple[Issue, ...], ledger: Ledger, unanswered: Mapping[str, int]
) -> tuple[Routing, ...]:
    """The first row of the table whose condition the facts of an issue fulfil."""
    return tuple(
        next(
            Routing(issue_id=issue.id, outcome=way[0], state=way[1], reason=reason)
            for reason, when, way in TABLE
            if when(_facts(authentication, issue, ledger, unanswered))
        )
        for issue in issues
    )


def _facts(
    authentication: Authentication, issue: Issue, ledger: Ledger, unanswered: Mapping[str, int]
) -> Facts:
    rows = ledger.of(issue.id)
    said: Facts = {
        row.claim.predicate: row.claim.value for row in rows if row.status is ClaimStatus.SUPPORTED
    }
    slots: Facts = issue.model_dump(mode="json", exclude={"id", "span"})
    rights: Facts = {
        "nobody": authentication.assurance is Assurance.NONE,
        "may_change": authentication.may_change
        and {"subscription:prepare", "subscription:schedule"} <= set(authentication.scopes),
        "tired": unanswered.get(issue.id, 0) > 1,
        "weak": any(row.status is not ClaimStatus.SUPPORTED for row in rows),
    }
    return said | slots | rights


def _is(kind: str, **wanted: Scalar) -> When:
    return lambda facts: (
        facts["type"] == kind and all(facts.get(name) == value for name, value in wanted.items())
    )


def _unclear(facts: Facts) -> bool:
    plan = facts.get("target_plan")
    return (
        (facts["type"] == "feature_access" and facts["feature"] is None)
        or (facts["type"] == "subscription_change" and plan in (None, facts.get("current_plan")))
        or facts.get("refused_proposal") is True
    )


def _allowed(facts: Facts) -> bool:
    needed = ("operation_allowed", "self_service", "downgrade_allowed", "target_is_lower", "may_change")
    return facts.get("change_scheduled") is False and all(facts.get(name) is True for name in needed)


TABLE: tuple[tuple[str, When, Way], ...] = (
    ("nobody", lambda facts: facts["nobody"] is True, PERSON),
    ("tired_of_asking", lambda facts: _unclear(facts) and facts["tired"] is True, PERSON),
    ("unclear", _unclear, ASK),
    ("a_person", _is("human_request"), PERSON),
    ("outside", _is("other", about_account=False), QUIET),
    ("other", _is("other"), PERSON),
    ("weak", lambda facts: facts["weak"] is True, PERSON),
    ("refunded", _is("billing_duplicate", excess_refunded=True), TELL),
    ("reversed", _is("billing_duplicate", excess_reversed=True), TELL),
    ("none_found", _is("billing_duplicate", duplicate_found=False), TELL),
    ("refund_wanted", _is("billing_duplicate", refund_eligible=True, refund_requested=True), REFUND),
    ("confirmed", _is("billing_duplicate", refund_eligible=True), TELL),
    ("unproven", _is("billing_duplicate"), PERSON),
    ("incident", lambda facts: bool(facts.get("active_incidents")), TELL),
    ("running_beta", _is("feature_access", enrolment_active=True), PERSON),
    ("not_theirs", _is("feature_access", feature_on_account=False), TELL),
    ("unexplained", _is("feature_access"), PERSON),
    ("allowed", _allowed, OFFER),
    ("not_allowed", lambda _: True, PERSON),
)  # fmt: skip


def one_after_the_other(
    authentication: Authentication, issues: tuple[Issue, ...], ledger: Ledger, unanswered: Mapping[str, int]
) -> tuple[Routing, ...]:
    """A loop over the issues, with the rules of each type in a function of its own."""
    routings = []
    for issue in issues:
        rows = [row for row in ledger.rows if row.issue_id == issue.id]
        sure = {row.claim.predicate: row.claim.value for row in rows if row.status == "supported"}
        doubt = len(sure) < len(rows) and any(row.status != "supported" for row in rows)
        if isinstance(issue, BillingDuplicate):
            way = PERSON if doubt else _billing(issue, sure)
        elif isinstance(issue, FeatureAccess):
            way = ASK if issue.feature is None else PERSON if doubt else _feature(sure)
        elif isinstance(issue, SubscriptionChange):
            way = _change(issue, sure, doubt, authentication)
        elif isinstance(issue, HumanRequest):
            way = PERSON
        else:
            way = _other(issue)
        if authentication.assurance == "none" or (way == ASK and unanswered.get(issue.id, 0) >= 2):
            way = PERSON
        routings.append(Routing(issue_id=issue.id, outcome=way[0], state=way[1], reason=way[0].value))
    return tuple(routings)


def _billing(issue: BillingDuplicate, sure: Facts) -> Way:
    settled = sure.get("duplicate_found") is False
    if settled or sure.get("excess_refunded") or sure.get("excess_reversed"):
        return TELL
    if not sure.get("refund_eligible"):
        return PERSON
    return REFUND if issue.refund_requested else TELL


def _feature(sure: Facts) -> Way:
    if sure.get("feature_on_account") or sure.get("enrolment_active"):
        return TELL if sure.get("active_incidents") else PERSON
    return TELL


def _change(issue: SubscriptionChange, sure: Facts, doubt: bool, who: Authentication) -> Way:
    target = issue.target_plan
    if target is None or target == sure.get("current_plan"):
        return ASK
    if (
        target is TargetPlan.CANCEL
        or doubt
        or not sure.get("target_is_lower")
        or sure.get("change_scheduled")
    ):
        return PERSON
    terms = all(sure.get(name) for name in ("operation_allowed", "self_service", "downgrade_allowed"))
    scopes = all(f"subscription:{right}" in who.scopes for right in ("prepare", "schedule"))
    return OFFER if terms and scopes and who.assurance == "recent_mfa" else PERSON


def _other(issue: Other) -> Way:
    if issue.refused_proposal:
        return ASK
    return QUIET if issue.about_account is False else PERSON
