"""What is said whatever the issue is about: passed on, not passed on yet, asked again, outside the service (001 §6, §8)."""

from relay_lab.contracts.enums import IssueState, Outcome
from relay_lab.contracts.issues import Other, SubscriptionChange
from relay_lab.contracts.record import Sentence
from relay_lab.desks.support.reply.ids import printable
from relay_lab.desks.support.reply.reasons import (
    ALREADY_SCHEDULED,
    CANCEL,
    HIGHER_PLAN,
    LOW_ASSURANCE,
    NO_ASSURANCE,
    NO_SCOPE,
    NOT_ALLOWED,
    REFUSED_PROPOSAL,
    UNCLEAR_CONSEQUENCES,
)
from relay_lab.desks.support.reply.wording.english import feature
from relay_lab.desks.support.reply.wording.feature import slot
from relay_lab.desks.support.reply.wording.rows import Known, say, truth

CHANGE_REASONS = (
    (HIGHER_PLAN, "A change to a higher plan needs a specialist."),
    (CANCEL, "A cancellation needs a specialist."),
    (NOT_ALLOWED, "Your account terms do not allow this change here."),
    (LOW_ASSURANCE, "This change needs a stronger sign-in."),
    (UNCLEAR_CONSEQUENCES, "I could not establish what this change would mean for your seats."),
    (NO_SCOPE, "I do not have permission for this change."),
)
UNVERIFIED = "I could not verify your sign-in, so I did not read your records."
MORE = "Please tell me more about what you need."
NOT_READ = "I could not read your message reliably."
OTHER_WORDS = "Please write it again in other words."
OUTSIDE = "I cannot help with this question, because it is outside this service."
ALREADY = "A change to your plan is scheduled already."
TRY_AGAIN = "I can try again with your next message."


def reason(known: Known) -> tuple[Sentence, ...]:
    """Why a specialist has to decide, where the reason has words of its own."""
    code = known.view.reason
    if code in NO_ASSURANCE:
        return (say(UNVERIFIED, known.state),)
    if not isinstance(known.view.issue, SubscriptionChange) or known.blocked():
        return ()
    if code in ALREADY_SCHEDULED:
        there = next((row for row in known.rows("change_scheduled") if truth(row) is True), None)
        return (say(ALREADY, there),) if there else ()
    return tuple(say(words, known.state) for codes, words in CHANGE_REASONS if code in codes)[:1]


def passed_on(known: Known) -> tuple[Sentence, ...]:
    """That a specialist has the issue, with the ticket; without an acknowledged ticket, that it was not passed on yet."""
    ticket = known.material.ticket(known.issue_id)
    row = known.row("ticket")
    if known.view.state is IssueState.HANDED_OFF and ticket is not None and row is not None:
        under = f" under ticket {ticket}" if printable(ticket) else ""
        return (say(f"I have passed {_topic(known)} to a specialist{under}.", row, known.state),)
    topic = _topic(known)
    not_yet = f"{topic[0].upper()}{topic[1:]} needs a specialist, but I could not pass it on yet."
    again = (say(TRY_AGAIN, known.state),) if known.material.may_hand_off else ()
    return (say(not_yet, known.state), *again)


def _topic(known: Known) -> str:
    match known.view.issue.type:
        case "billing_duplicate":
            return "your billing question"
        case "feature_access":
            named = slot(known)
            return f"your question about {feature(named)}" if named else "your question"
        case "subscription_change":
            return "your plan question"
        case "human_request":
            return "your request for a person"
        case _:
            return "your question"


def other(known: Known) -> tuple[Sentence, ...]:
    """A request that is none of the typed ones: asked again, or outside the service."""
    if known.view.outcome is Outcome.ABSTAIN:
        return (say(OUTSIDE, known.state),)
    issue = known.view.issue
    if known.view.reason in REFUSED_PROPOSAL or (isinstance(issue, Other) and issue.refused_proposal):
        return (say(NOT_READ, known.state), say(OTHER_WORDS, known.state))
    return (say(MORE, known.state),)
