"""The reply the customer sees, composed from ledger and states (001 "A Truthful User-Facing Response")."""

from relay_lab.contracts.enums import IssueState
from relay_lab.contracts.record import Sentence
from relay_lab.desks.support.reply.material import ReplyMaterial
from relay_lab.desks.support.reply.wording.billing import billing
from relay_lab.desks.support.reply.wording.blocked import not_known
from relay_lab.desks.support.reply.wording.change import subscription_change
from relay_lab.desks.support.reply.wording.feature import feature_access
from relay_lab.desks.support.reply.wording.general import (
    MORE,
    NOT_READ,
    OTHER_WORDS,
    UNVERIFIED,
    other,
    passed_on,
    reason,
)
from relay_lab.desks.support.reply.wording.quote import NOT_TAKEN
from relay_lab.desks.support.reply.wording.rows import Known, joined, say

COURTESY = "I am sorry for the trouble."
WITHDRAWN = "Your quote is withdrawn, and nothing was scheduled."
OPEN = (IssueState.NEEDS_INPUT, IssueState.AWAITING_CONFIRMATION)
GREETING = "Thank you for your message."
WHAT_ELSE = "Please tell me what I can help with."


def compose(material: ReplyMaterial) -> tuple[Sentence, ...]:
    """The reply to one turn, one short paragraph an issue, in the order of the issues.

    Every sentence with a fact in it cites the claims it rests on; a courtesy cites none. Nothing of the customer's words, no
    holder's name and no article's text is repeated. Never empty. Source: 001 §5, §6, §7.
    """
    opening = (say(COURTESY),) if material.courtesy else ()
    body = _once(joined(_issue(Known(view, material)) for view in material.views))
    if body:
        return opening + _withdrawn(material) + body
    if "refused_proposal" in material.notes:
        return (*opening, say(NOT_READ), say(OTHER_WORDS))
    if "ambiguous_confirmation" in material.notes:
        return (*opening, say(NOT_TAKEN), say(WHAT_ELSE))
    return (*opening, say(GREETING), say(WHAT_ELSE))


def _once(sentences: tuple[Sentence, ...]) -> tuple[Sentence, ...]:
    """That the sign-in could not be verified is said once, however many issues it holds up."""
    first = next((sentence for sentence in sentences if sentence.text == UNVERIFIED), None)
    return tuple(sentence for sentence in sentences if sentence.text != UNVERIFIED or sentence is first)


def _withdrawn(material: ReplyMaterial) -> tuple[Sentence, ...]:
    if "rejected_quote" not in material.notes:
        return ()
    changes = (Known(view, material) for view in material.views if view.issue.type == "subscription_change")
    declined = (known for known in changes if known.view.state in OPEN and not known.may_have_changed())
    return tuple(say(WITHDRAWN, known.state) for known in declined)[:1]


def _issue(known: Known) -> tuple[Sentence, ...]:
    told = (*_told(known), *not_known(known))
    if known.view.state in (IssueState.HANDED_OFF, IssueState.HANDOFF_PENDING):
        return (*told, *reason(known), *passed_on(known))
    return told or (say(MORE, known.state),)


def _told(known: Known) -> tuple[Sentence, ...]:
    match known.view.issue.type:
        case "billing_duplicate":
            return billing(known)
        case "feature_access":
            return feature_access(known)
        case "subscription_change":
            return subscription_change(known)
        case "human_request" | "other":
            waiting = known.view.state is IssueState.NEEDS_INPUT
            return other(known) if waiting else ()
