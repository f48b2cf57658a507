"""Conditions on what is said of another plan: a quote that waits, a scheduling with its receipt, an outcome nobody knows."""

from collections.abc import Callable

from relay_lab.contracts.enums import IssueState, OperationState
from relay_lab.desks.support.reply import reasons
from relay_lab.desks.support.reply.checks.scene import SENT, Scene

CHOOSING = (IssueState.NEEDS_INPUT, IssueState.AWAITING_CONFIRMATION)
WITH_A_PERSON = (IssueState.HANDED_OFF, IssueState.HANDOFF_PENDING)


def _quote_pending(scene: Scene) -> bool:
    cited = any(row.claim.predicate.startswith("quote_") for row in scene.ground.rows)
    return scene.ground.quote is not None and scene.state is IssueState.AWAITING_CONFIRMATION and cited


def _quote_is_for(scene: Scene) -> bool:
    named = "id" in scene.kinds or "this" in scene.texts
    return _quote_pending(scene) and "plan" in scene.kinds and named and not scene.reading.past


def _not_changed(scene: Scene) -> bool:
    """Nothing was changed by us: no scheduling of this issue was sent that may have had an effect."""
    over = scene.state in (IssueState.SCHEDULED, IssueState.UNKNOWN) or scene.operation(*SENT)
    subjects = {head.subject for head in scene.reading.heads}
    asked_not_to = "please" in scene.texts or "you" in subjects or ("" in subjects and "do" in scene.texts)
    there = scene.in_issue("change_scheduled", True)
    return scene.type_is("subscription_change") and not over and not there and not asked_not_to


def _not_scheduled(scene: Scene) -> bool:
    """Nothing was scheduled by us; of the account as it stands (`is scheduled`), only a record can say so."""
    return _not_changed(scene) and (scene.reading.past or scene.false("change_scheduled"))


def _scheduled(scene: Scene) -> bool:
    """A receipt of this issue, or a record of a schedule that was there before; a pending quote is neither."""
    if scene.state is IssueState.SCHEDULED and scene.operation(OperationState.COMPLETED):
        return scene.cites("scheduled_plan")
    return scene.true("change_scheduled") and "plan" not in scene.kinds


def _lost(scene: Scene, some: bool) -> bool:
    """Whether the quote takes something away, of the kind that the clause names."""
    quote = scene.ground.quote
    if quote is None or not _quote_pending(scene):
        return False
    seats = "seat" in scene.nouns or "access" in scene.nouns
    lost = quote.terms.seats_ended if seats else quote.terms.features_lost
    return bool(lost) is some and scene.cites("quote_seats_ended" if seats else "quote_features_lost")


def _seats_end(scene: Scene) -> bool:
    quote = scene.ground.quote
    return (
        _quote_pending(scene)
        and quote is not None
        and bool(quote.terms.seats_ended)
        and scene.cites("quote_seats_ended")
    )


def _stays(scene: Scene) -> bool:
    """The current plan stays, and where a change is coming only until then."""
    coming = scene.state not in (IssueState.NEEDS_INPUT, IssueState.EVIDENCE_READY)
    pledged = any(head.mood == "pledged" for head in scene.reading.heads)
    until = scene.reading.clause.lead == "until" or "until" in scene.texts
    return "plan" in scene.kinds and (until or not (coming or pledged))


def _voided_by(scene: Scene) -> bool:
    """The clause names what voided the earlier quote, and no other thing."""
    named = {"subscription", "price", "policy", "seat", "plan"} & scene.texts
    return len(named) == 1 and named <= scene.voided()


def _renews(scene: Scene) -> bool:
    renewed = "plan_renewed" in scene.voided() or scene.reason in reasons.CYCLE_CHANGED
    if scene.reading.past:
        return renewed and not scene.kinds & {"date", "plan"}
    return scene.cites("renews_at") and scene.state is not IssueState.SCHEDULED and not renewed


def _price_named(scene: Scene) -> bool:
    """A price is the price of a plan that stands beside it."""
    return {"amount", "plan"} <= scene.kinds


def _not_executed(scene: Scene) -> bool:
    return "not_executed" in scene.ground.material.notes and _not_changed(scene)


def _quote_void(scene: Scene) -> bool:
    withdrawn = "rejected_quote" in scene.ground.material.notes
    return withdrawn if "withdrawn" in scene.texts else bool(scene.voided())


def _not_taken(scene: Scene) -> bool:
    if scene.ground.view is None:
        return "ambiguous_confirmation" in scene.ground.material.notes
    told = scene.ground.material.asked or "ambiguous_confirmation" in scene.ground.material.notes
    return told and scene.state is IssueState.AWAITING_CONFIRMATION


def _unclear(scene: Scene) -> bool:
    return scene.state in WITH_A_PERSON and scene.reason in reasons.UNCLEAR_CONSEQUENCES


def _outcome_unknown(scene: Scene) -> bool:
    unsettled = scene.operation(OperationState.SUBMITTED, OperationState.FAILED_UNKNOWN)
    return unsettled or scene.state is IssueState.UNKNOWN


def _nothing_until(scene: Scene) -> bool:
    """Nothing changes until… something: without the condition that follows, the promise is too wide."""
    return scene.following == "until" and _not_changed(scene)


def _schedule_offer(scene: Scene) -> bool:
    """We schedule once it is confirmed, and the sentence must say so."""
    return _quote_pending(scene) and scene.following in ("once", "if")


CHANGE: dict[str, Callable[[Scene], bool]] = {
    "quote_pending": _quote_pending,
    "quote_open": lambda s: _quote_pending(s) and "date" in s.kinds,
    "quote_is_for": _quote_is_for,
    "quote_no_refund": lambda s: s.type_is("subscription_change") and _quote_pending(s),
    "quote_expired": lambda s: "expired" in s.voided(),
    "quote_void": _quote_void,
    "voided_by": _voided_by,
    "choice_open": lambda s: s.type_is("subscription_change") and s.state in CHOOSING,
    "not_changed": _not_changed,
    "nothing_until": _nothing_until,
    "not_executed": _not_executed,
    "not_taken": _not_taken,
    "schedule_offer": _schedule_offer,
    "scheduled": _scheduled,
    "takes_effect": lambda s: _scheduled(s) and not s.reading.past,
    "not_scheduled": _not_scheduled,
    "not_recorded": lambda s: s.reason in reasons.NOT_RECORDED and _not_changed(s),
    "outcome_unknown": _outcome_unknown,
    "seats_stay": lambda s: "seat" in s.nouns and _quote_pending(s),
    "seats_end": _seats_end,
    "features_lost": lambda s: _lost(s, True),
    "no_feature_lost": lambda s: "no" in s.texts and _lost(s, False),
    "none_lost": lambda s: _lost(s, False),
    "data_kept": lambda s: _quote_pending(s) and s.true("quote_data_retained"),
    "data_not_kept": lambda s: _quote_pending(s) and s.false("quote_data_retained"),
    "stays": _stays,
    "renews": _renews,
    "price_named": _price_named,
    "consequences": _unclear,
    "no_offer": lambda s: s.type_is("subscription_change") and s.state in WITH_A_PERSON,
    "not_allowed": lambda s: s.reason in reasons.NOT_ALLOWED,
}
