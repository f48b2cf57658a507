"""What a message adds to a conversation: new issues, more about old ones, an answer, the seat that stays (001 §2)."""

import json
from collections.abc import Iterable

from relay_lab.contracts.enums import IssueState, Outcome
from relay_lab.contracts.issues import AdmittedIssues, Issue, Other, Rejected, Span
from relay_lab.contracts.proposals import ContextBlock, ProposalRequest, Propose
from relay_lab.desks.support.cases import Case, join, same_request
from relay_lab.desks.support.route import UNANSWERED_LIMIT
from relay_lab.desks.support.terms import named_seat
from relay_lab.desks.support.turn import Turn

_SETTLED = (
    IssueState.SCHEDULED,
    IssueState.HANDED_OFF,
    IssueState.HANDOFF_PENDING,
    IssueState.UNKNOWN,
)
"""Issues on which nothing new is begun: they are with a receipt, a person, or not known."""

_OFFERS = (Outcome.RESPOND, Outcome.VERIFIED_SELF_SERVICE)


def hear(turn: Turn, propose: Propose, message: str) -> None:
    """Ask the model what the message says, and take up what admission lets through; a refused proposal becomes one issue."""
    request = ProposalRequest(task="decompose", message=message, blocks=_blocks(turn))
    answer = turn.runtime.propose(turn.context, propose, request)
    admission = turn.steps.decompose(message, answer, turn.context.session)
    match turn.runtime.note_admission(turn.context, admission):
        case Rejected():
            _refused(turn, message)
        case AdmittedIssues(issues=issues):
            _rephrased(turn)
            seated = _seated(turn)
            _mentioned(turn, tuple(issue for issue in issues if not _only_seats(issue, seated)), seated)


def _refused(turn: Turn, message: str) -> None:
    """A proposal that was refused: the whole message stays an issue, asked about once and then handed off."""
    for case in turn.cases:
        if isinstance(case.issue, Other) and case.issue.refused_proposal and case.asking:
            case.unanswered = UNANSWERED_LIMIT
            turn.evaluate([case])
            return
    span = Span(start=0, end=len(message), text=message)
    case, _ = join(turn.cases, Other(id="I1", span=span, refused_proposal=True), turn.number)
    turn.evaluate([case])


def _seated(turn: Turn) -> list[Case]:
    """Issues whose quote waits and for which the message names another seat by its id: a new quote keeps that one."""
    changed = []
    for case in turn.cases:
        for quote in turn.door.quotes([case.id]) if case.state is IssueState.AWAITING_CONFIRMATION else ():
            seat = named_seat(turn.message, (*quote.terms.seats_kept, *quote.terms.seats_ended))
            if seat is not None and seat != quote.terms.designated_seat_id:
                case.seat = seat
                changed.append(case)
    return changed


def _only_seats(issue: Issue, seated: list[Case]) -> bool:
    """Whether a request that fits no type is what has just been taken up as a seat."""
    return isinstance(issue, Other) and any(case.seat and case.seat in issue.span.text for case in seated)


def _mentioned(turn: Turn, issues: tuple[Issue, ...], seated: list[Case]) -> None:
    before = len(turn.cases)
    asking = [case for case in turn.cases if case.asking]
    affected = {case.id: case for case in seated}
    told: set[str] = set()
    for issue in _without_accepted_offer(turn, issues, affected):
        case, news = join(turn.cases, issue, turn.number)
        affected[case.id] = case
        if news:
            told.add(case.id)
    if len(turn.cases) == before:
        for case in asking:
            if case.id not in told:
                case.unanswered += 1
                affected[case.id] = case
    fresh = [case for case in affected.values() if case.state not in _SETTLED]
    if fresh:
        turn.evaluate(fresh)
    for case in affected.values():
        turn.touch(case)
        if case.state is IssueState.SCHEDULED:
            turn.look([case])  # a schedule may have taken effect since


def _without_accepted_offer(
    turn: Turn, issues: tuple[Issue, ...], affected: dict[str, Case]
) -> Iterable[Issue]:
    """The issues of a message, less the wish for a person that takes up our offer to pass an earlier issue on.

    The offer meant is that of the issues named beside the wish, or the only one there is.
    """
    offered = [
        case for case in turn.cases if case.state is IssueState.EVIDENCE_READY and case.outcome in _OFFERS
    ]
    named = [case for case in offered if any(same_request(case, issue) for issue in issues)]
    meant = named or (offered if len(offered) == len(issues) == 1 else [])
    if not meant or not any(issue.type == "human_request" for issue in issues):
        return issues
    for case in meant:
        turn.transfer(case)
        affected[case.id] = case
    return [
        issue
        for issue in issues
        if issue.type != "human_request" and not any(same_request(case, issue) for case in meant)
    ]


def _rephrased(turn: Turn) -> None:
    """A message that could be read answers the question whether the last one can be said again."""
    for case in turn.cases:
        if isinstance(case.issue, Other) and case.issue.refused_proposal and case.asking:
            case.stand(Outcome.RESPOND, IssueState.EVIDENCE_READY, "rephrased")


def _blocks(turn: Turn) -> tuple[ContextBlock, ...]:
    """What the model is told besides the message: the session, to be read, and the issues so far. Both are ours."""
    issues = [
        case.issue.model_dump(mode="json", exclude={"span"})
        | {"state": case.state.value, "question": case.reason if case.asking else None}
        for case in turn.cases
    ]
    return (
        ContextBlock(name="session", trusted=True, text=turn.context.session.model_dump_json()),
        ContextBlock(name="open_issues", trusted=True, text=json.dumps(issues)),
    )
