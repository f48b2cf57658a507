"""When a licence holds: small functions of the cited claims, the state of the issue and what the clause names."""

from collections.abc import Callable

from relay_lab.contracts.enums import ClaimStatus, IssueState, Outcome
from relay_lab.desks.support.reply import reasons
from relay_lab.desks.support.reply.checks.billing import BILLING
from relay_lab.desks.support.reply.checks.change import CHANGE
from relay_lab.desks.support.reply.checks.scene import Scene
from relay_lab.desks.support.reply.families import Family

TRANSFERABLE = (IssueState.NEEDS_INPUT, IssueState.EVIDENCE_READY)
ABSENT = ("not_found", "seats_unknown", "price_unknown", "no_policy", "no_reconciliation")
"""Qualifiers of a record that was looked for in vain."""


def _valued(scene: Scene) -> bool:
    """`be` says something only where it names a value, or a thing that must be there; and a plan is, not was."""
    if "plan" in scene.kinds and scene.reading.past:
        return False
    return bool(scene.nouns & {"excess", "incident"}) or bool(scene.kinds & {"date", "id", "plan", "number"})


def _blocked(scene: Scene, *statuses: ClaimStatus) -> bool:
    return any(row.status in statuses for row in scene.ground.blocked)


def _not_read(scene: Scene) -> bool:
    if scene.reason in reasons.NO_ASSURANCE and not scene.ground.blocked:
        return "message" not in scene.nouns
    unread = any(row.qualifier not in ("conflict", "stale") for row in scene.ground.blocked)
    return unread and "message" not in scene.nouns and _named_family(scene)


def _unread_message(scene: Scene) -> bool:
    view = scene.ground.view
    if view is None:
        return "refused_proposal" in scene.ground.material.notes
    return view.reason in reasons.REFUSED_PROPOSAL or bool(getattr(view.issue, "refused_proposal", False))


def _forbidden(scene: Scene) -> bool:
    qualified = any(row.qualifier in reasons.FORBIDDEN for row in scene.ground.blocked)
    refused = _blocked(scene, ClaimStatus.UNAUTHORIZED) or qualified
    if "change" in scene.nouns and not scene.ground.blocked:
        return scene.reason in reasons.NO_SCOPE
    return refused and _named_family(scene)


def _handed_off(scene: Scene) -> bool:
    ticket = scene.ground.material.ticket(scene.issue_id)
    return (
        scene.state is IssueState.HANDED_OFF and ticket is not None and scene.ground.value("ticket") == ticket
    )


def _not_handed_off(scene: Scene) -> bool:
    """Until the queue has acknowledged it with a ticket, an issue is not passed on."""
    unacknowledged = (
        scene.state is IssueState.HANDED_OFF and scene.ground.material.ticket(scene.issue_id) is None
    )
    return scene.state is IssueState.HANDOFF_PENDING or unacknowledged


def _specialist_needed(scene: Scene) -> bool:
    """A specialist is needed; of a higher plan or a cancellation only where that is the reason."""
    if "higher" in scene.texts and scene.reason not in reasons.HIGHER_PLAN:
        return False
    if "cancellation" in scene.nouns and scene.reason not in reasons.CANCEL:
        return False
    return scene.ground.view is not None and scene.ground.view.outcome is Outcome.HUMAN_HANDOFF


def _checking(scene: Scene) -> bool:
    """What the desk does by itself: looking for a receipt, and reading once it knows the feature."""
    asked = scene.type_is("feature_access") and scene.state is IssueState.NEEDS_INPUT
    return scene.state is IssueState.UNKNOWN or asked


def _none(scene: Scene, qualifier: str) -> bool:
    """ "No policy", "no record": a cited row says that there was none."""
    return "no" in scene.texts and any(row.qualifier == qualifier for row in scene.ground.blocked)


def _named_family(scene: Scene) -> bool:
    """Whether the records that the clause names are those of a cited row that is not supported."""
    named = {kind for words, kind in NAMED.items() if words & scene.texts}
    cited = {scene.family(row) for row in scene.ground.blocked}
    return named <= cited if named else True


NAMED: dict[frozenset[str], Family] = {
    frozenset({"billing"}): "billing",
    frozenset({"policy"}): "refund_policy",
    frozenset({"incident"}): "incidents",
    frozenset({"feature"}): "entitlements",
    frozenset({"change", "seats", "price"}): "change",
}
"""Words that name records -> which."""


def _feature_is(scene: Scene, held: bool) -> bool:
    predicates = ["feature_on_account"] if "account" in scene.nouns else []
    if "account" not in scene.nouns or scene.nouns & {"plan", "plan_name"}:
        predicates.append("feature_in_plan")
    features = scene.features or {
        r.claim.subject for r in scene.ground.rows if r.claim.predicate in predicates
    }
    return (
        bool(features)
        and not scene.reading.past
        and all(
            scene.ground.value(predicate, feature) is held for predicate in predicates for feature in features
        )
    )


def _access_named(scene: Scene) -> bool:
    """Access is to a feature; the account has it and is not what it is to."""
    first = min(head.at for head in scene.reading.heads)
    to_account = any(noun.concept == "account" and noun.at > first for noun in scene.reading.nouns)
    return (
        "access" in scene.nouns
        and not to_account
        and ("feature" in scene.nouns or "to" not in scene.texts or "it" in scene.texts)
    )


def _has_access(scene: Scene) -> bool:
    now = not scene.reading.past
    return now and (scene.true("feature_on_account") or scene.true("enrolment_active"))


def _incident_none(scene: Scene) -> bool:
    """No incident is active; that none was, no list of active ones can tell."""
    were = scene.reading.past and any(head.name != "find" for head in scene.reading.heads)
    return scene.number("active_incidents") == 0 and not were


def _no_access(scene: Scene) -> bool:
    if scene.type_is("subscription_change"):
        return CHANGE["none_lost"](scene)
    none = scene.false("feature_on_account") and not scene.true("enrolment_active")
    return none and not scene.reading.past


def _ended(scene: Scene) -> bool:
    return scene.reading.past and scene.cites("prior_access_ended_at") and not scene.true("enrolment_active")


def _incident_known(scene: Scene) -> bool:
    """`That affects…` only carries on what was said of an incident before it."""
    return scene.number("active_incidents") > 0 or (
        scene.reading.clause.lead == "that" and scene.cites("active_incidents")
    )


def _is_active(scene: Scene) -> bool:
    """Active without a noun of its own (`that is active`) is said of a beta."""
    return (
        scene.number("active_incidents") > 0 if "incident" in scene.nouns else scene.true("enrolment_active")
    )


GENERAL: dict[str, Callable[[Scene], bool]] = {
    "always": lambda s: True,
    "never": lambda s: False,
    "valued": _valued,
    "found": lambda s: bool(s.nouns) or _valued(s),
    "charges_named": lambda s: bool(s.nouns & {"charge", "excess"}),
    "access_named": _access_named,
    "not_found": lambda s: any(r.qualifier in ABSENT for r in s.ground.blocked) and _named_family(s),
    "forbidden": _forbidden,
    "not_read": _not_read,
    "unread_message": _unread_message,
    "conflicting": lambda s: _blocked(s, ClaimStatus.CONFLICTING) and _named_family(s),
    "stale": lambda s: _blocked(s, ClaimStatus.STALE) and _named_family(s),
    "unverified": lambda s: s.reason in reasons.NO_ASSURANCE,
    "may_transfer": lambda s: s.state in TRANSFERABLE,
    "handed_off": _handed_off,
    "not_handed_off": _not_handed_off,
    "ticket_known": _handed_off,
    "checking": _checking,
    "billing_open": lambda s: s.open_family("billing"),
    "refund_open": lambda s: s.open_family("billing") or s.open_family("refund_policy"),
    "access_open": lambda s: s.open_family("entitlements"),
    "incidents_open": lambda s: s.open_family("incidents"),
    "none_in_force": lambda s: _none(s, "no_policy"),
    "no_reconciliation": lambda s: _none(s, "no_reconciliation"),
    "specialist_needed": _specialist_needed,
    "sign_in_needed": lambda s: s.reason in reasons.LOW_ASSURANCE,
    "outside_service": lambda s: s.ground.view is not None and s.ground.view.outcome is Outcome.ABSTAIN,
    "question_asked": lambda s: s.ground.material.asked,
}
FEATURE: dict[str, Callable[[Scene], bool]] = {
    "feature_included": lambda s: _feature_is(s, True),
    "feature_excluded": lambda s: _feature_is(s, False),
    "feature_open": lambda s: s.type_is("feature_access") and s.state is IssueState.NEEDS_INPUT,
    "beta_runs": lambda s: s.true("enrolment_active"),
    "feature_asked": lambda s: s.type_is("feature_access"),
    "has_feature": lambda s: "feature" in s.nouns and _has_access(s),
    "has_access": _has_access,
    "had_access": lambda s: s.cites("prior_access"),
    "no_access": _no_access,
    "access_shown": lambda s: s.cites("prior_access", "feature_on_account", "enrolment_active"),
    "ended": _ended,
    "is_active": _is_active,
    "incident_active": lambda s: s.number("active_incidents") > 0,
    "incident_none": _incident_none,
    "incident_known": _incident_known,
}
CONDITIONS = GENERAL | FEATURE | BILLING | CHANGE
"""Name -> condition, as the lines of the grammar use them."""
