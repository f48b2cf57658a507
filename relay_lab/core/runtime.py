"""The runtime: the one door. Every read, proposal, confirmation and effect of every desk goes through it."""

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any, assert_never

from relay_lab.contracts.base import Contract, Scalar
from relay_lab.contracts.enums import Decision, ProposalState
from relay_lab.contracts.errors import AuditUnavailable, ProposerRefused
from relay_lab.contracts.evidence import ReadAnswer, ReadError
from relay_lab.contracts.issues import Admission, AdmittedIssues, Rejected
from relay_lab.contracts.operations import (
    CallResult,
    Confirmed,
    Denied,
    Exchange,
    NeedsConfirmation,
    NotConfirmed,
    Operation,
    Proposal,
)
from relay_lab.contracts.ports import Clock, Points, Reads, ReadTools, Store, Trace, Tx
from relay_lab.contracts.proposals import ProposalRequest, Propose
from relay_lab.contracts.session import Authentication, Context
from relay_lab.core import audit, confirmation, conversation, operations, policy
from relay_lab.core.confirmation import Grant
from relay_lab.core.guards import STANDING, Guards
from relay_lab.core.local import LocalExecutor
from relay_lab.core.policy import Draft, LocalWrite, Preparation, RemoteWrite, Tool
from relay_lab.core.remote import RemoteExecutor
from relay_lab.core.witness import Witness


def nowhere(_: str) -> None:
    """The fault points of a run that is not a crash test."""


class Runtime:
    """One desk's door to its tools. `registry` is all the desk can do; `token` makes an unguessable secret."""

    def __init__(
        self,
        store: Store,
        registry: Mapping[str, Tool],
        reads: Reads,
        clock: Clock,
        trace: Trace,
        token: Callable[[], str],
        *,
        guards: Guards = STANDING,
        points: Points = nowhere,
        append: Callable[[Tx, audit.AuditEvent], None] = audit.append,
    ) -> None:
        self.store, self.registry, self.clock, self.guards = store, registry, clock, guards
        self._reads, self._token, self.points = reads, token, points
        self._witness = Witness(store, clock, trace, append)
        self._local = LocalExecutor(self._witness, guards, points)
        self._remote = RemoteExecutor(self._witness, guards, points, self.read_tools)

    def read_tools(self, context: Context) -> ReadTools:
        """The read-only tools of one conversation, bound to its session."""
        return _SessionReads(self, context)

    def read(
        self, context: Context, tool: str, arguments: Mapping[str, Scalar], timeout_s: float
    ) -> ReadAnswer:
        """One attempt at a read-only tool for the session's own customer; a denial is an error with its code."""
        ruling = self._ruling(context, tool, arguments)
        if ruling.decision is not Decision.ALLOW or ruling.tool is None or ruling.tool.risk != 0:
            code = ruling.code if ruling.decision is Decision.DENY else "not_a_read"
            return ReadError(tool=_name(tool), source_at=self.clock.now(), code=code, retryable=False)
        customer = str(context.session.authenticated_customer_id)
        return self._reads.read(tool, context.session.tenant_id, customer, arguments, timeout_s)

    def call(
        self,
        context: Context,
        tool: str,
        arguments: Contract,
        key: str,
        grant: Grant | None = None,
    ) -> CallResult:
        """One write under one idempotency key (001 §7; 003).

        Risk 1 runs, risk 2 runs with the grant of a confirmed proposal and otherwise answers that it needs one, risk 3 takes
        the way to a person. Denials, failed rechecks and unknown outcomes are values of the result.
        """
        ruling = self._ruling(context, tool, arguments.model_dump(mode="json"))
        entry = ruling.tool
        if ruling.decision is Decision.DENY or entry is None or ruling.arguments is None:
            return Denied(code=ruling.code, guard=ruling.guard or "registry")
        if ruling.decision is not Decision.REQUIRE_CONFIRMATION:
            grant = None  # a confirmation is used up by the tool that needs it and by no other
        elif grant is None:
            return NeedsConfirmation()
        match entry.write:
            case LocalWrite() as write:
                return self._local.run(context, entry, write, ruling.arguments, key, grant)
            case RemoteWrite() as write:
                return self._remote.run(context, entry, write, ruling.arguments, key, grant)
            case Preparation(draft=draft):
                storing = LocalWrite(lambda tx, _, accepted: self._store(tx, context, draft(accepted)))
                return self._local.run(context, entry, storing, ruling.arguments, key, grant)
            case None:
                return Denied(code="not_a_write", guard="registry")
            case _:
                assert_never(entry.write)

    def propose(self, context: Context, propose: Propose, request: ProposalRequest) -> str:
        """Ask a proposer. What it answers is text from outside; one that fails has answered nothing, and the trace says how."""
        try:
            answer: object = propose(request)
        except Exception as error:  # noqa: BLE001 - untrusted code may fail in any way
            self._witness.note(
                context,
                request.task,
                Decision.DENY,
                _why(error),
                "strict_json",
                place=type(error).__name__,
            )
            return ""
        if not isinstance(answer, str):
            self._witness.note(
                context, request.task, Decision.DENY, "not_text", "strict_json", place=type(answer).__name__
            )
            return ""
        return answer

    def note_admission(self, context: Context, admission: Admission) -> Admission:
        """Put what admission decided on the trace, a refusal with its code and place."""
        match admission:
            case Rejected(code=code, place=place, guard=guard):
                self._witness.note(context, "decompose", Decision.DENY, code, guard, place=place)
            case AdmittedIssues(overreach=overreach):
                for field in overreach:
                    self._witness.note(
                        context, "decompose", Decision.DENY, "foreign_identity", "ownership", place=field
                    )
                self._witness.note(context, "decompose", Decision.ALLOW, "admitted")
            case _:
                assert_never(admission)
        return admission

    def bind_authentication(self, context: Context, authentication: Authentication) -> Authentication:
        """Put account ids that came in unverified text on the trace; whatever a step answers, the session stays as it is."""
        for _ in authentication.foreign_ids:
            self._witness.note(context, "authenticate", Decision.DENY, "foreign_identity", "ownership")
        session = context.session
        return authentication.model_copy(
            update={
                "customer_id": session.authenticated_customer_id,
                "tenant_id": session.tenant_id,
                "assurance": session.session_assurance,
                "scopes": tuple(scope for scope in authentication.scopes if scope in session.allowed_scopes),
            }
        )

    def refuse(self, context: Context, tool: str, code: str, guard: str, place: str | None = None) -> None:
        """Put an attempt that a desk's own guard stopped (a draft, a packet) on the trace."""
        self._witness.note(context, tool, Decision.DENY, code, guard, place=place)

    def _store(self, tx: Tx, context: Context, draft: Draft) -> dict[str, Scalar]:
        """The id of a new pending proposal; null while an operation on its subject is not settled."""
        if confirmation.in_flight(tx, context, draft.subject_id):
            return {"proposal_id": None}
        now = self.clock.now()
        return {"proposal_id": confirmation.open_proposal(tx, context, draft, now)}

    def show(self, context: Context, proposal_id: str) -> str | None:
        """A new challenge of an open proposal, for the page that shows it to its own actor; from now on a phrase can mean it."""
        challenge = self._token()
        with self.store.transaction() as tx:
            if not confirmation.show(tx, context, proposal_id, self.clock.now()):
                return None
            confirmation.put_challenge(tx, context, proposal_id, challenge)
        return challenge

    def exchange(self, context: Context, proposal_id: str, challenge: str) -> Exchange:
        """Trade a click's challenge for a one-use token. A refusal has its code; nothing is executed here."""
        try:
            with self.store.transaction() as tx:
                proposal = confirmation.find_proposal(tx, context, proposal_id)
                tool = self.registry.get(proposal.tool) if proposal else None
                result: Exchange = NotConfirmed(code="unknown_tool" if proposal else "unknown_proposal")
                if tool is not None and proposal is not None:
                    now, token = self.clock.now(), self._token()
                    result = confirmation.exchange(
                        tx, context, proposal_id, challenge, token, now, self.guards
                    )
                    outcome: audit.AuditCode = (
                        "confirmed" if isinstance(result, Confirmed) else "not_confirmed"
                    )
                    self._witness.confirmation(tx, context, tool, proposal, outcome)
                self.points("exchange:before_commit")
        except AuditUnavailable:
            result = NotConfirmed(code="audit_unavailable")
        self.points("exchange:after_commit")
        refused = isinstance(result, NotConfirmed)
        code = result.code if isinstance(result, NotConfirmed) else "confirmed"
        guard = _EXCHANGE_GUARDS.get(code, "confirmation") if refused else None
        self._witness.note(context, "confirm", Decision.DENY if refused else Decision.ALLOW, code, guard)
        return result

    def exchange_by_phrase(self, context: Context) -> tuple[str, Exchange] | None:
        """The exchange for a customer who wrote an approving phrase: only for the one pending proposal shown to them."""
        with self.store.transaction() as tx:
            proposal_id = confirmation.the_only_one_shown(tx, context)
        challenge = self.show(context, proposal_id) if proposal_id else None
        if proposal_id is None or challenge is None:
            return None
        return proposal_id, self.exchange(context, proposal_id, challenge)

    def withdraw(self, context: Context, subject_id: str, state: ProposalState, reason: str) -> int:
        """End the open proposals on a subject; how many there were. One whose operation is under way stays."""
        with self.store.transaction() as tx:
            return confirmation.close_proposals(tx, context, subject_id, state, reason)

    def reconcile(self, context: Context, key: str) -> Operation | None:
        """Settle an operation whose outcome is unknown, by its key. None when this desk has no such operation."""
        with self.store.transaction() as tx:
            operation = operations.find(tx, key)
        tool = self.registry.get(operation.tool) if operation else None
        if operation is None or tool is None or not isinstance(tool.write, RemoteWrite):
            return None
        session = context.session
        if (operation.tenant_id, operation.customer_id) != (
            session.tenant_id,
            session.authenticated_customer_id,
        ):
            return None
        return self._remote.reconcile(context, tool, tool.write, operation)

    def standing(self, context: Context) -> tuple[tuple[Proposal, ...], tuple[Operation, ...]]:
        """The proposals and the operations of this conversation, each oldest first."""
        with self.store.transaction() as tx:
            return confirmation.proposals_of(tx, context), operations.of_conversation(tx, context)

    def load(self, context: Context) -> tuple[int, str | None]:
        """The last turn's number and the desk's document of this conversation."""
        with self.store.transaction() as tx:
            return conversation.load(tx, context)

    def wording(self, context: Context, turn: int) -> str | None:
        """The customer's raw words in one turn, or None when they are not kept any more."""
        with self.store.transaction() as tx:
            return conversation.wording(tx, context, turn)

    def save(
        self,
        context: Context,
        turn: int,
        document: str,
        wording: str | None,
        shown: Iterable[str] = (),
    ) -> None:
        """Move the conversation on to `turn`, whose reply shows the proposals `shown`: from now on a phrase can mean one.

        Raises `BadInput` when another process moved it on first.
        """
        self.points("turn:before_save")
        with self.store.transaction() as tx:
            now = self.clock.now()
            conversation.save(tx, context, turn, document, wording, now)
            for proposal_id in shown:
                confirmation.show(tx, context, proposal_id, now)
        self.points("turn:after_save")

    def _ruling(self, context: Context, tool: str, arguments: Mapping[str, Any]) -> policy.Ruling:
        ruling = policy.decide(self.registry, context, tool, arguments, self.guards)
        self._witness.note(context, _name(tool), ruling.decision, ruling.code, ruling.guard)
        return ruling


_EXCHANGE_GUARDS = {
    "unknown_tool": "registry",
    "wrong_binding": "binding",
    "expired": "expiry",
    "audit_unavailable": "audit",
}


def _name(tool: str) -> str:
    """A tool's name as the trace may hold it: a name that a model made up may be anything."""
    return tool if re.fullmatch(r"[a-z][a-z0-9_]{0,63}", tool) else "unregistered"


def _why(error: Exception) -> str:
    """The code that a proposer refuses with. One that is made up may be anything, so that only a code gets on the trace."""
    code = error.code if isinstance(error, ProposerRefused) else None
    return (
        code if isinstance(code, str) and re.fullmatch(r"[a-z][a-z0-9_]{0,63}", code) else "proposer_failed"
    )


class _SessionReads:
    """The read-only tools as a step sees them: the customer is not a parameter."""

    def __init__(self, runtime: Runtime, context: Context) -> None:
        self._runtime, self._context = runtime, context

    def now(self) -> datetime:
        return self._runtime.clock.now()

    def read(self, tool: str, arguments: Mapping[str, Scalar], timeout_s: float) -> ReadAnswer:
        return self._runtime.read(self._context, tool, arguments, timeout_s)
