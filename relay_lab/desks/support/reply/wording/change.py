"""What is said about another plan: the choice, a scheduled change, an outcome that is not known (001 §6, §7)."""

from relay_lab.contracts.enums import IssueState
from relay_lab.contracts.evidence import PlanPrice
from relay_lab.contracts.record import Sentence
from relay_lab.desks.support.reply.ids import printable
from relay_lab.desks.support.reply.reasons import (
    CYCLE_CHANGED,
    DECLINED,
    NOT_RECORDED,
    SAME_PLAN,
    VOIDED,
)
from relay_lab.desks.support.reply.wording.english import instant, money, plan
from relay_lab.desks.support.reply.wording.quote import quoted
from relay_lab.desks.support.reply.wording.rows import Known, present, say, text, truth

ALREADY = "A change to your plan is scheduled already."
CHOOSE = "Please tell me which plan you would like."
SHOWN_FIRST = "I will show you its price, seats, features and start in a quote, and nothing changes until you confirm it."
NOT_RECORDED_YET = "Your change was not recorded, and nothing has changed."
IF_STILL = "If you still want a change, please tell me which plan you would like."
STILL_WANTED = "Do you still want this change?"
VOID = "Your earlier quote is void, and nothing was scheduled."
VOID_WORDS = {
    "subscription": "Your subscription has changed, so your earlier quote is void, and nothing was scheduled.",
    "price": "The price has changed, so your earlier quote is void, and nothing was scheduled.",
    "policy": "The policy has changed, so your earlier quote is void, and nothing was scheduled.",
    "expired": "Your earlier quote has expired, and nothing was scheduled.",
    "plan_renewed": "Your plan has renewed, so your earlier quote is void, and nothing was scheduled.",
    "seat": "You chose another seat, so your earlier quote is void, and nothing was scheduled.",
    "plan": "You chose another plan, so your earlier quote is void, and nothing was scheduled.",
}
UNSETTLED = ("submitted", "failed_unknown")
UNKNOWN_CHECK = "Please do not confirm it again: I will check whether it was recorded."


def subscription_change(known: Known) -> tuple[Sentence, ...]:
    """The wording for the state of the change; nothing while a specialist has it, except that an outcome is not known."""
    match known.view.state:
        case IssueState.AWAITING_CONFIRMATION:
            return (*voided(known), *quoted(known))
        case IssueState.SCHEDULED:
            return scheduled(known)
        case IssueState.UNKNOWN:
            return (*outcome_unknown(known), say(UNKNOWN_CHECK, known.state))
        case IssueState.HANDED_OFF | IssueState.HANDOFF_PENDING:
            return (*voided(known), *outcome_unknown(known))
        case _:
            return _open(known)


def _open(known: Known) -> tuple[Sentence, ...]:
    void = voided(known)
    if known.view.reason in CYCLE_CHANGED or void:
        return (*void, say(STILL_WANTED, known.state))
    if known.view.reason in NOT_RECORDED:
        return (say(NOT_RECORDED_YET, known.state), say(STILL_WANTED, known.state))
    if known.view.reason in DECLINED:
        return present(_renews(known), say(IF_STILL, known.state))
    there = next((row for row in known.rows("change_scheduled") if truth(row) is True), None)
    if there is not None:
        return (say(ALREADY, there), say(CHOOSE, known.state))
    same = known.row("current_plan") if known.view.reason in SAME_PLAN else None
    on_it = say(f"You are on the {plan(text(same) or '')} plan.", same) if same else None
    return present(
        _renews(known), on_it, _offers(known), say(CHOOSE, known.state), say(SHOWN_FIRST, known.state)
    )


def voided(known: Known) -> tuple[Sentence, ...]:
    """That an earlier quote no longer holds, why, and that nothing was scheduled; nothing where that is not known."""
    reason = next((code for issue, code in known.material.voided if issue == known.issue_id), None)
    if reason is None or known.may_have_changed():
        return ()
    return (say(VOID_WORDS.get(VOIDED.get(reason, ""), VOID), known.state),)


def _renews(known: Known) -> Sentence | None:
    row, current = known.row("renews_at"), known.row("current_plan")
    free = next((found for found in known.rows("change_scheduled") if truth(found) is False), None)
    when = text(row)
    if row is None or when is None:
        return say("Nothing is scheduled for your plan.", free) if free else None
    yours = f"Your {plan(text(current) or '')} plan" if current else "Your plan"
    tail = ", and no change is scheduled" if free else ""
    return say(f"{yours} renews on {instant(when, known.material.display_zone)}{tail}.", row, current, free)


def _offers(known: Known) -> Sentence | None:
    prices = {
        record.evidence_id: record.value
        for record in known.material.evidence
        if isinstance(record.value, PlanPrice)
    }
    rows = [row for row in known.rows("offered_plan") if row.claim.subject in prices]
    offers = [_offer(prices[row.claim.subject]) for row in rows]
    return say(f"You can choose {' or '.join(offers)}.", *rows) if offers else None


def _offer(price: PlanPrice) -> str:
    return f"{plan(price.plan)} at {money(price.price_cents, price.currency)} per month"


def scheduled(known: Known) -> tuple[Sentence, ...]:
    """The change as scheduled, for when and under which schedule, and the plan that holds until then."""
    row, current = known.row("scheduled_plan"), known.row("current_plan")
    if row is None:
        return ()
    subject = row.claim.subject
    effective = known.row("effective_at", subject)
    when = text(effective)
    at = f" for {instant(when, known.material.display_zone)}" if when else ""
    under = f" under schedule {subject}" if printable(subject) else ""
    if current is not None and text(current) == text(row):
        # The renewal has come and the account is there: what was scheduled is no longer ahead.
        return (say(f"You are on the {plan(text(current) or '')} plan.", current),)
    told = say(f"Your change to {plan(text(row) or '')} is scheduled{at}{under}.", row, effective)
    if current is None:
        return (told,)
    return (told, say(f"Until then your account stays on {plan(text(current) or '')}.", current, row))


def outcome_unknown(known: Known) -> tuple[Sentence, ...]:
    """That it is not known whether the change was recorded; nothing when that is not so."""
    row = next((found for found in known.rows("operation_state") if text(found) in UNSETTLED), None)
    if row is None and known.view.state is not IssueState.UNKNOWN:
        return ()
    target = known.row("quote_plan", row.claim.subject) if row else None
    to = f" to {plan(text(target) or '')}" if target else ""
    return (say(f"I do not know whether your change{to} was recorded.", row or known.state, target),)
