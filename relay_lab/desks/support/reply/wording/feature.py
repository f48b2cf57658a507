"""What is said about a feature that the customer cannot use (001 §5, §6)."""

from relay_lab.contracts.enums import Feature, IssueState
from relay_lab.contracts.issues import FeatureAccess
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import Sentence
from relay_lab.desks.support.reply.ids import printable
from relay_lab.desks.support.reply.wording.english import count, feature, instant, listed, plan
from relay_lab.desks.support.reply.wording.rows import Known, present, say, text, truth, whole

IF_IT_DIFFERS = "If this does not match what you see, I can pass the records to a support specialist."
WHICH = "Please tell me which feature you mean, and I will check whether your plan includes it."


def slot(known: Known) -> Feature | None:
    """The feature that the issue is about, as admitted."""
    issue = known.view.issue
    return issue.feature if isinstance(issue, FeatureAccess) else None


def feature_access(known: Known) -> tuple[Sentence, ...]:
    """Plan, earlier access and incidents; an empty list of incidents proves no cause. Or the question which feature."""
    if slot(known) is None:
        return (say(WHICH, known.state),) if known.view.state is IssueState.NEEDS_INPUT else ()
    ready = known.view.state is IssueState.EVIDENCE_READY
    if known.blocked() and not ready:
        return ()
    offer = say(IF_IT_DIFFERS, known.state) if ready else None
    return present(_entitlement(known), _earlier(known), _running(known), _incidents(known), offer)


def _entitlement(known: Known) -> Sentence | None:
    in_plan, on_account = known.row("feature_in_plan"), known.row("feature_on_account")
    current, shown = known.row("current_plan"), in_plan or on_account
    if shown is None:
        return None
    name = feature(shown.claim.subject)
    if in_plan is None:
        verb = "includes" if truth(on_account) else "does not include"
        return say(f"Your account {verb} {name}.", on_account)
    yours = f"Your {plan(text(current) or '')} plan" if current is not None else "Your plan"
    verb = "includes" if truth(in_plan) else "does not include"
    if truth(in_plan) is truth(on_account) or on_account is None:
        return say(f"{yours} {verb} {name}.", in_plan, current, on_account)
    also = "includes" if truth(on_account) else "does not include"
    return say(f"{yours} {verb} {name}, but your account {also} it.", in_plan, current, on_account)


def _earlier(known: Known) -> Sentence | None:
    programme, ended = known.row("prior_access"), known.row("prior_access_ended_at")
    if programme is None:
        return None
    through, when = text(programme) or "", text(ended)
    opening = "You had access to it earlier" + (
        f" through beta {through}" if printable(through) else " through a beta"
    )
    if when is None:
        return say(f"{opening}.", programme)
    return say(f"{opening}, which ended on {instant(when, known.material.display_zone)}.", programme, ended)


def _running(known: Known) -> Sentence | None:
    row = known.row("enrolment_active")
    if row is None or truth(row) is not True:
        return None
    return say(f"Your account has access to {feature(row.claim.subject)} through a beta that is active.", row)


def _incidents(known: Known) -> Sentence | None:
    row = known.row("active_incidents")
    number = whole(row)
    if row is None or number is None:
        return None
    name = feature(row.claim.subject)
    if number == 0:
        return say(
            f"I found no active incident that affects {name}, though this alone does not prove the cause.",
            row,
        )
    ids = [i for i in _incident_ids(known) if printable(i)]
    named = f": {listed(ids)}" if len(ids) == number else ""
    what = "active incident that affects" if number == 1 else "active incidents that affect"
    return say(f"I found {count(number)} {what} {name}{named}.", row, *known.rows("incident_id"))


def _incident_ids(known: Known) -> list[str]:
    return [text(row) or "" for row in known.rows("incident_id")]


def topic(known: Known, row: LedgerRow | None = None) -> str:
    """The feature as a noun phrase, from the slot or else from a row's subject."""
    named = slot(known)
    return feature(named or (row.claim.subject if row else ""))
