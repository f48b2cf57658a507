"""The support desk: a message, a pick or a click in; a run record out."""

from dataclasses import dataclass

from relay_lab.contracts.enums import IssueState, Outcome, ProposalState, TargetPlan
from relay_lab.contracts.errors import BadInput, ConversationMoved
from relay_lab.contracts.issues import SubscriptionChange
from relay_lab.contracts.operations import Confirmed
from relay_lab.contracts.proposals import Propose
from relay_lab.contracts.record import RunRecord
from relay_lab.contracts.session import Context
from relay_lab.contracts.steps import Steps
from relay_lab.core.admission import refuse_message
from relay_lab.core.guards import STANDING, Guards
from relay_lab.core.phrases import meaning
from relay_lab.core.runtime import Runtime
from relay_lab.desks.phrases import phrases
from relay_lab.desks.support import closing, courtesy, hearing
from relay_lab.desks.support.authenticate import authenticate
from relay_lab.desks.support.cases import Case, with_slots
from relay_lab.desks.support.decompose import decompose
from relay_lab.desks.support.execute import execute
from relay_lab.desks.support.hand_off import hand_off
from relay_lab.desks.support.ledger import build_ledger
from relay_lab.desks.support.retrieve import retrieve
from relay_lab.desks.support.route import route
from relay_lab.desks.support.turn import Turn

_REFUSALS = {
    "empty": "the message is empty; write what you need.",
    "too_long": "the message is longer than 20,000 characters; send the part that matters.",
    "control_character": "the message holds a control character at position {at}; remove it.",
    "bidi_control": "the message holds a character that reorders text at position {at}; remove it.",
    "not_text": "the message holds half a character (a lone surrogate) at position {at}; send valid Unicode.",
}


def reference_steps(guards: Guards = STANDING) -> Steps:
    """The seven steps as this package implements them."""
    return Steps(
        authenticate=authenticate,
        decompose=lambda message, answer, session: decompose(message, answer, session, guards),
        retrieve=retrieve,
        build_ledger=build_ledger,
        route=route,
        execute=execute,
        hand_off=hand_off,
    )


@dataclass(frozen=True)
class SupportDesk:
    """One desk on one runtime. `propose` is the model; `steps` may be replaced one by one."""

    runtime: Runtime
    propose: Propose
    steps: Steps

    def say(self, context: Context, message: str) -> RunRecord:
        """Take a customer's message. Raises `BadInput` for text that cannot be one, and then nothing has changed."""
        refusal = refuse_message(message)
        if refusal is not None:
            raise BadInput(_REFUSALS[refusal[0]].format(at=refusal[1]))
        turn = Turn(self.runtime, self.steps, context, message)
        turn.courtesy = courtesy.called_for(message)
        turn.settle()
        if not self._phrase(turn, message):
            turn.expire()
            hearing.hear(turn, self.propose, message)
        turn.expire()
        return closing.finish(turn, self.propose, message)

    def choose(self, context: Context, plan: TargetPlan, seat: str | None = None) -> RunRecord | None:
        """Take a pick made on a page: a plan, and the seat that stays. None when no question about a plan is open.

        Another plan or seat makes a new quote and voids the old one. Raises `BadInput` for an unknown seat.
        """
        turn = Turn(self.runtime, self.steps, context, "")
        turn.settle()
        open_states = (IssueState.NEEDS_INPUT, IssueState.AWAITING_CONFIRMATION)
        changes = [
            case
            for case in turn.cases
            if isinstance(case.issue, SubscriptionChange) and case.state in open_states
        ]
        if not changes:
            return closing.finish(turn, self.propose, None) if turn.touched else None
        case = changes[-1]
        case.issue, case.seat = with_slots(case.issue, target_plan=plan), seat
        turn.picked_seat = seat
        turn.evaluate([case])
        return closing.finish(turn, self.propose, None)

    def confirm(self, context: Context, quote_id: str, challenge: str) -> RunRecord:
        """Take a click on Confirm: trade the challenge, execute, say what the system of record said.

        A click that was delivered more than once, even at the same time, gets the same answer each time.
        """
        while True:
            turn = Turn(self.runtime, self.steps, context, "")
            turn.settle()
            self._confirm(turn, quote_id, challenge)
            try:
                return closing.finish(turn, self.propose, None)
            except ConversationMoved:
                continue  # another process got ahead by one turn: look at what stands now

    def reject(self, context: Context, quote_id: str) -> RunRecord:
        """Take a click on Reject: the quote is withdrawn, nothing is scheduled."""
        turn = Turn(self.runtime, self.steps, context, "")
        turn.settle()
        for case in turn.cases:
            proposal = turn.door.proposal(case.id)
            if proposal and proposal.proposal_id == quote_id:
                _withdraw(turn, case)
        return closing.finish(turn, self.propose, None)

    def transfer(self, context: Context, issue_id: str) -> RunRecord:
        """Take the offer to send an issue to a specialist. Raises `BadInput` for an issue that is not open."""
        turn = Turn(self.runtime, self.steps, context, "")
        turn.settle()
        case = turn.case(issue_id)
        if case is None or case.state not in (IssueState.EVIDENCE_READY, IssueState.NEEDS_INPUT):
            raise BadInput(f"{issue_id} is not an open issue of this conversation; nothing was transferred.")
        turn.transfer(case)
        return closing.finish(turn, self.propose, None)

    def reconcile(self, context: Context) -> RunRecord | None:
        """Settle what is not known in this conversation, by its keys. None when nothing was open."""
        while True:
            turn = Turn(self.runtime, self.steps, context, "")
            turn.settle()
            if not turn.touched:
                return None
            try:
                return closing.finish(turn, self.propose, None)
            except ConversationMoved:
                continue  # by another process, or by a purge: what was settled stands, and is looked at again

    def record(self, context: Context) -> RunRecord | None:
        """The record as the last turn left it, without a new turn; None before the first."""
        turn = Turn(self.runtime, self.steps, context, "")
        return closing.record(turn) if turn.number > 1 else None

    def waiting(self, context: Context) -> tuple[str, ...]:
        """The ids of the quotes that wait for a confirmation in this conversation, oldest first."""
        return tuple(p.proposal_id for p in self.runtime.standing(context)[0] if p.waiting)

    def challenge(self, context: Context, quote_id: str) -> str | None:
        """What a page needs beside an open quote to let its customer confirm it."""
        return self.runtime.show(context, quote_id)

    def _confirm(self, turn: Turn, quote_id: str, challenge: str) -> None:
        found = [p for p in turn.door.proposals if p.proposal_id == quote_id]
        case = turn.case(found[0].subject_id) if found else None
        if case is None:
            turn.notes.append("ambiguous_confirmation")
            return
        turn.touch(case)
        if case.state is not IssueState.AWAITING_CONFIRMATION:
            return
        exchange = turn.door.exchange(quote_id, challenge)
        if isinstance(exchange, Confirmed):
            turn.execute(case, found[0], exchange.token)
        elif exchange.code == "expired":
            turn.void(case, "expired", found[0])
        elif not turn.follow(case, found[0]):
            turn.notes.append("ambiguous_confirmation")

    def _phrase(self, turn: Turn, message: str) -> bool:
        """Whether the message was nothing but an answer to the quotes that wait; an approval with more beside it is not taken."""
        waiting = [case for case in turn.cases if case.state is IssueState.AWAITING_CONFIRMATION]
        if not waiting:
            return False
        named = [quote.quote_id for quote in turn.door.quotes(case.id for case in waiting)]
        match meaning(message, phrases(), named):
            case "approve":
                self._approve(turn, waiting)
                return True
            case "reject":
                for case in waiting:
                    _withdraw(turn, case)
                return True
            case "ambiguous":
                _show_again(turn, waiting)
                return True
            case "mixed":
                turn.asked = "?" in message
                _show_again(turn, waiting)
                return False
            case "none":
                return False

    def _approve(self, turn: Turn, waiting: list[Case]) -> None:
        if not all(turn.fresh(case) for case in waiting):
            _show_again(turn, waiting)
            return
        proposals = {case.id: turn.door.proposal(case.id) for case in waiting}
        taken = turn.door.exchange_by_phrase()
        for case in waiting:
            proposal = proposals[case.id]
            turn.touch(case)
            if taken is None or proposal is None or proposal.proposal_id != taken[0]:
                turn.notes.append("ambiguous_confirmation")
            elif isinstance(taken[1], Confirmed):
                turn.execute(case, proposal, taken[1].token)
            elif taken[1].code == "expired":
                turn.void(case, "expired", proposal)
            elif not turn.follow(case, proposal):
                turn.notes.append("ambiguous_confirmation")


def _show_again(turn: Turn, waiting: list[Case]) -> None:
    turn.notes.append("ambiguous_confirmation")
    for case in waiting:
        turn.touch(case)


def _withdraw(turn: Turn, case: Case) -> None:
    if not turn.door.withdraw(case.id, ProposalState.REJECTED, "customer_declined"):
        return  # it was used up by an operation meanwhile: what became of that is said, and nothing else
    case.issue = with_slots(case.issue, target_plan=None)
    case.unanswered = 0
    case.stand(Outcome.CLARIFY, IssueState.NEEDS_INPUT, "quote_declined")
    turn.notes.append("rejected_quote")
    turn.touch(case)
