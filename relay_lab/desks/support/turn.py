"""One turn of a conversation: what was heard or clicked, each issue taken as far as its records and rights allow, one reply."""

from datetime import timedelta

from relay_lab.contracts.base import iso
from relay_lab.contracts.enums import IssueState, OperationState, Outcome, Plan, ProposalState, TargetPlan
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.evidence import Account, Retrieval, Subscription, VerifiedRecord
from relay_lab.contracts.handoff import PacketAction
from relay_lab.contracts.issues import SubscriptionChange
from relay_lab.contracts.ledger import Ledger
from relay_lab.contracts.operations import Answered, Denied, Operation, Proposal, Stopped
from relay_lab.contracts.session import Authentication, Context
from relay_lab.contracts.steps import ExecutionOrder, HandoffCase, Steps
from relay_lab.core.confirmation import Grant
from relay_lab.core.operations import UNSETTLED
from relay_lab.core.runtime import Runtime
from relay_lab.desks.support.cases import TERMINAL, Case, read, restored, with_slots
from relay_lab.desks.support.claims.rows import first
from relay_lab.desks.support.door import Door, Handoffs, Writes
from relay_lab.desks.support.reply.material import Note
from relay_lab.desks.support.terms import envelope_of, named_seat, quote_of, terms_of
from relay_lab.desks.support.tools import PrepareQuote

QUOTE_LIFE = timedelta(seconds=1800)

_STAYS = ("audit_unavailable", "not_confirmed", "wrong_token", "already_used", "unknown_proposal", "binding")
"""Failures that say nothing against the quote: it waits on."""


class Turn:
    """The work of one turn. It changes nothing but through the runtime, and is kept by `closing.finish`."""

    def __init__(self, runtime: Runtime, steps: Steps, context: Context, message: str) -> None:
        self.runtime, self.steps, self.message = runtime, steps, message
        last, document = runtime.load(context)
        self.number = last + 1
        self.context = context.model_copy(update={"run_id": f"{context.conversation_id}:{self.number}"})
        kept = read(document)
        self.door = Door(runtime, self.context)
        words = {turn: runtime.wording(context, turn) for turn in {case.turn for case in kept.cases}}
        self.cases = [restored(case, words[case.turn]) for case in kept.cases]
        self.evidence = {record.evidence_id: record for record in kept.evidence}
        self.replies, self.display_zone = kept.replies, kept.display_zone
        self.touched: dict[str, None] = {}
        self.notes: list[Note] = []
        self.courtesy = self.asked = False
        self.picked_seat: str | None = None
        for case in self.cases:
            self._follow_receipts(case)
        self.authentication: Authentication = runtime.bind_authentication(
            self.context, steps.authenticate(context.session, message)
        )

    # -- what stands in the tables ---------------------------------------------------------------------------------

    def case(self, issue_id: str) -> Case | None:
        """The case of an issue id."""
        return next((case for case in self.cases if case.id == issue_id), None)

    def fresh(self, case: Case) -> bool:
        """Whether the last reply showed the quote of this issue: a yes to anything else does not mean it."""
        last = self.replies[-1].sentences if self.replies else ()
        return any(claim.startswith(f"{case.id}-Q") for sentence in last for claim in sentence.claim_ids)

    def touch(self, case: Case) -> None:
        """The reply of this turn speaks of this issue."""
        self.touched[case.id] = None

    def _follow_receipts(self, case: Case) -> None:
        """Where the tables say an issue stands: a turn cut off after its effect left a receipt, if no words."""
        handoff = self.door.operation(case.id, "hand_off")
        operation = self.door.operation(case.id, "schedule_downgrade")
        if handoff is not None and case.state not in TERMINAL:
            case.stand(Outcome.HUMAN_HANDOFF, IssueState.HANDOFF_PENDING, case.reason)
            self.acknowledge(case)
        elif operation is not None and operation.state is OperationState.COMPLETED:
            case.stand(Outcome.VERIFIED_SELF_SERVICE, IssueState.SCHEDULED, "scheduled")
        elif operation is not None and operation.state in UNSETTLED and case.state not in TERMINAL:
            case.stand(Outcome.VERIFIED_SELF_SERVICE, IssueState.UNKNOWN, operation.detail or "lost")

    # -- what an earlier turn left open ------------------------------------------------------------------------------

    def settle(self) -> None:
        """Reconcile what is not known, and send again what a queue has not acknowledged, each under its own key."""
        for case in self.cases:
            if case.state is IssueState.HANDOFF_PENDING:
                handoff = self.door.operation(case.id, "hand_off")
                if handoff is None or handoff.state is OperationState.REJECTED:
                    self.evaluate([case])
                    continue
                self.door.reconcile(handoff.idempotency_key)
                self.acknowledge(case)
                self.touch(case)
                continue
            operation = self.door.operation(case.id, "schedule_downgrade")
            if operation and case.state is IssueState.UNKNOWN:
                settled = self.door.reconcile(operation.idempotency_key) or operation
                self.land(case, settled, reconciled=True)
            elif case.state is IssueState.AWAITING_CONFIRMATION and self.door.proposal(case.id) is None:
                self.evaluate([case])  # its quote was voided by a turn that was cut off

    def land(self, case: Case, operation: Operation, *, reconciled: bool) -> None:
        """Where an issue stands after its operation. Only a receipt makes it scheduled."""
        self.touch(case)
        match operation.state:
            case OperationState.COMPLETED:
                case.stand(Outcome.VERIFIED_SELF_SERVICE, IssueState.SCHEDULED, "scheduled")
                if operation.settled_late(self.runtime.clock.now()):
                    self.look([case])  # the renewal has come meanwhile: what holds now is in the records
            case OperationState.REJECTED if reconciled or operation.error == "cycle_changed":
                reason = "cycle_changed" if operation.error in _CYCLE else "operation_rejected"
                self.ask_again(case, reason)
            case OperationState.REJECTED:
                refused = next(p for p in self.door.proposals if p.proposal_id == operation.proposal_id)
                self.void(case, operation.error or "refused", refused)
            case _ if reconciled and operation.detail in _TO_A_PERSON:
                # Nothing is read for this: the packet names the records that the issue rests on since its quote was made.
                known = Retrieval(records=tuple(self.evidence.values()), reads=(), missing=())
                self.send_on(case, operation.detail or "lost", known)
            case _:
                case.stand(Outcome.VERIFIED_SELF_SERVICE, IssueState.UNKNOWN, operation.detail or "lost")

    def ask_again(self, case: Case, reason: str) -> None:
        """The plan that was picked no longer counts: the customer is asked whether a change is still wanted."""
        self.door.withdraw(case.id, ProposalState.SUPERSEDED, reason)
        case.issue = with_slots(case.issue, target_plan=None)
        case.unanswered = 0
        case.stand(Outcome.CLARIFY, IssueState.NEEDS_INPUT, reason)
        self.touch(case)

    # -- a quote, its confirmation and its execution ------------------------------------------------------------------

    def void(self, case: Case, reason: str, proposal: Proposal) -> None:
        """A quote no longer holds: evaluate the issue anew, which makes a new quote or takes another way."""
        state = ProposalState.EXPIRED if reason == "expired" else ProposalState.SUPERSEDED
        self.door.withdraw(case.id, state, reason)
        case.voided, case.voided_cycle = reason, quote_of(proposal).terms.renewal_cycle_id
        self.evaluate([case])

    def look(self, cases: list[Case]) -> tuple[Retrieval, Ledger]:
        """Steps 3 to 5 for some issues; each keeps the rows of its own."""
        issues = tuple(case.issue for case in cases)
        tools = self.runtime.read_tools(self.context)
        retrieval = self.steps.retrieve(self.authentication, issues, tools)
        ledger = self.steps.build_ledger(issues, retrieval, self.runtime.clock.now())
        self._keep(retrieval.records)
        for case in cases:
            case.rows = ledger.of(case.id)
        return retrieval, ledger

    def expire(self) -> None:
        """Void what has expired by the clock, before it is shown once more as if it could be confirmed."""
        for case in self.cases:
            waiting = self.door.proposal(case.id) if case.state is IssueState.AWAITING_CONFIRMATION else None
            if waiting is not None and self.runtime.clock.now() >= waiting.expires_at:
                self.void(case, "expired", waiting)

    def transfer(self, case: Case) -> None:
        """The customer takes the offer of a specialist for an issue that could have been answered."""
        self.send_on(case, "customer_asked", *self.look([case]))

    def execute(self, case: Case, proposal: Proposal, token: str) -> None:
        """Run step 7 on a confirmed quote; whatever the step answers, the operation table says where the issue stands."""
        tools = Writes(self.door, Grant(proposal.proposal_id, token))
        self.steps.execute(
            ExecutionOrder(
                tenant_id=proposal.tenant_id,
                customer_id=proposal.customer_id,
                quote=quote_of(proposal),
                confirmation_id=proposal.confirmation_id,
            ),
            tools,
        )
        if self.follow(case, proposal):
            return
        if tools.failures and tools.failures[0] in _STAYS:
            self.notes.append("not_executed")
            self.touch(case)
        else:
            self.void(case, tools.failures[0] if tools.failures else "not_submitted", proposal)

    def follow(self, case: Case, proposal: Proposal) -> bool:
        """Land the issue where the operation of this very quote stands; False when there is none."""
        key = envelope_of(proposal).idempotency_key
        operation = next((op for op in self.door.operations if op.idempotency_key == key), None)
        if operation is None:
            return False
        if operation.state is OperationState.SUBMITTED:  # by another process, or before a crash
            operation = self.door.reconcile(key) or operation
        self.land(case, operation, reconciled=False)
        return True

    def quote(self, case: Case, retrieval: Retrieval) -> None:
        """Put an exact quote before the customer, the standing one if it is the same; no consequence unknown."""
        issue, terms = case.issue, None
        _, subscription = first(retrieval.records, Subscription)
        if subscription is not None:
            seats = [seat.seat_id for seat in subscription.seats or ()]
            case.seat = case.seat if case.seat in seats else named_seat(self.message, seats)
        if isinstance(issue, SubscriptionChange) and issue.target_plan not in (None, TargetPlan.CANCEL):
            terms = terms_of(retrieval.records, Plan(str(issue.target_plan)), case.seat)
        if terms is None:
            self.send_on(case, "consequences_unknown", retrieval)
            return
        standing = self.door.proposal(case.id)
        now = self.runtime.clock.now()
        if standing and standing.change_hash == terms.change_hash and now < standing.expires_at:
            return
        if standing and case.voided is None:
            case.voided = "replaced" if now < standing.expires_at else "expired"
        expires_at = min(now + QUOTE_LIFE, terms.effective_at)
        result = self.door.call(
            "prepare_downgrade_quote",
            PrepareQuote(issue_id=case.id, terms=terms, expires_at=expires_at),
            # The number of proposals so far makes the key of one attempt: what an earlier one answered may be void by now.
            f"{self.context.run_id}:{case.id}:{len(self.door.proposals)}:{terms.change_hash[:16]}:{iso(expires_at)}",
        )
        match result:
            case Answered(answer={"proposal_id": str()}):
                pass
            case Denied(code=code):
                self.send_on(case, code, retrieval)
            case Stopped(failures=failures):
                case.stand(Outcome.CLARIFY, IssueState.NEEDS_INPUT, failures[0])
            case _:
                case.stand(Outcome.VERIFIED_SELF_SERVICE, IssueState.UNKNOWN, "lost")

    # -- steps 3 to 6 and 8 --------------------------------------------------------------------------------------------

    def evaluate(self, cases: list[Case]) -> None:
        """Retrieve, fill the ledger, route, and take each issue's way: a quote, a specialist, or words."""
        retrieval, ledger = self.look(cases)
        unanswered = {case.id: case.unanswered for case in cases}
        issues = tuple(case.issue for case in cases)
        routings = self.steps.route(self.authentication, issues, ledger, unanswered)
        self._refuse_unknown_seat(cases, retrieval)
        ways = {routing.issue_id: routing for routing in routings}
        for case in cases:
            self.touch(case)
            way = ways.get(case.id)
            if way is None:
                self.send_on(case, "not_routed", retrieval, ledger)
                continue
            case.stand(way.outcome, way.state, way.reason)
            self._take(case, retrieval, ledger)

    def _refuse_unknown_seat(self, cases: list[Case], retrieval: Retrieval) -> None:
        """A seat picked in this very call must exist; one that an earlier turn kept may have ended since, and is dropped."""
        _, subscription = first(retrieval.records, Subscription)
        seats = [seat.seat_id for seat in (subscription.seats if subscription else None) or ()]
        for case in cases:
            if case.seat is not None and case.seat == self.picked_seat and seats and case.seat not in seats:
                raise BadInput(
                    f"seat {case.seat} is not one of this subscription; its seats are {', '.join(seats)}."
                )

    def _take(self, case: Case, retrieval: Retrieval, ledger: Ledger) -> None:
        _, subscription = first(retrieval.records, Subscription)
        if case.voided_cycle and subscription and subscription.cycle_id != case.voided_cycle:
            case.voided = "cycle_changed"  # says more than the expiry that came with it
            self.ask_again(case, "cycle_changed")
            return
        match case.state:
            case IssueState.AWAITING_CONFIRMATION:
                self.quote(case, retrieval)
            case IssueState.NEEDS_INPUT | IssueState.EVIDENCE_READY:
                self.door.withdraw(case.id, ProposalState.SUPERSEDED, case.reason)
            case _:
                # No step can say scheduled, handed off or unknown: those follow from receipts. A person looks at the rest.
                self.send_on(case, case.reason, retrieval, ledger)

    def send_on(self, case: Case, reason: str, retrieval: Retrieval, ledger: Ledger | None = None) -> None:
        """Run step 8 for one issue; handed off once the queue acknowledged, until then pending."""
        operation = self.door.operation(case.id, "schedule_downgrade")
        proposal = self.door.proposal(case.id)
        self.door.withdraw(case.id, ProposalState.SUPERSEDED, "handed_off")
        action, about = None, proposal or operation
        if about is not None or isinstance(case.issue, SubscriptionChange):
            action = PacketAction(
                tool="schedule_downgrade",
                proposal_id=about.proposal_id if about else None,
                operation_state=operation.state if operation else None,
                reason=reason,
            )
        self.steps.hand_off(
            HandoffCase(
                conversation_id=self.context.conversation_id,
                issue_id=case.id,
                reason=reason,
                authentication=self.authentication,
                issues=tuple(each.issue for each in self.cases),
                ledger=ledger or Ledger(rows=case.rows),
                retrieval=retrieval,
                proposed_action=action,
                commitments=self.commitments(case.id),
            ),
            Handoffs(self.door, case.id),
        )
        case.stand(Outcome.HUMAN_HANDOFF, IssueState.HANDOFF_PENDING, reason)
        self.acknowledge(case)
        self.touch(case)

    def acknowledge(self, case: Case) -> None:
        """Handed off exactly when the queue's receipt is there."""
        operation = self.door.operation(case.id, "hand_off")
        done = operation is not None and operation.state is OperationState.COMPLETED
        state = IssueState.HANDED_OFF if done else IssueState.HANDOFF_PENDING
        case.stand(Outcome.HUMAN_HANDOFF, state, case.reason)

    def commitments(self, issue_id: str) -> tuple[str, ...]:
        """What was said to the customer on where this issue stands, oldest first."""
        said = (sentence for reply in self.replies for sentence in reply.sentences)
        return tuple(dict.fromkeys(s.text for s in said if f"{issue_id}-S" in s.claim_ids))

    def _keep(self, records: tuple[VerifiedRecord, ...]) -> None:
        self.evidence |= {record.evidence_id: record for record in records}
        _, account = first(records, Account)
        if account is not None:
            self.display_zone = account.display_zone


_TO_A_PERSON = ("unreachable", "echo_mismatch")
_CYCLE = ("cycle_changed", "renewal_cycle")
