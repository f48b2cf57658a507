"""Remote execution: an effect in another system, submitted once under one key and reconciled when its answer is lost (001 §7).

The operation is committed as submitted before the call, the call is made with no transaction open, and what came back is
settled afterwards. Whatever is lost in between is looked up by its key: silence is neither success nor failure.
"""

import json
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import assert_never

from relay_lab.contracts.base import Contract, canonical_json, digest
from relay_lab.contracts.enums import Decision, OperationState, ProposalState
from relay_lab.contracts.errors import AuditUnavailable, DatabaseError
from relay_lab.contracts.operations import (
    UNKNOWN_WRITE_OUTCOME,
    Absent,
    Accepted,
    LookupAnswer,
    Lost,
    Operation,
    Performed,
    Proposal,
    Refused,
    Stopped,
    WriteAnswer,
)
from relay_lab.contracts.ports import Points, ReadTools, Tx
from relay_lab.contracts.session import Context
from relay_lab.core import confirmation, operations
from relay_lab.core.audit import AuditCode, Stage
from relay_lab.core.confirmation import Grant
from relay_lab.core.guards import Guards
from relay_lab.core.policy import Facts, RemoteWrite, Tool, standing
from relay_lab.core.witness import Witness

TRIES = 3
"""Look-ups by key, or readings of the facts, before a system of record counts as unreachable."""
UNREADABLE = "facts_unreadable"


@dataclass(frozen=True)
class RemoteExecutor:
    """Runs and reconciles remote writes that policy did not deny. It keeps no state of its own."""

    witness: Witness
    guards: Guards
    points: Points
    tools: Callable[[Context], ReadTools]

    def run(
        self,
        context: Context,
        tool: Tool,
        write: RemoteWrite,
        envelope: Contract,
        key: str,
        grant: Grant | None,
    ) -> Performed | Stopped:
        """Cause the effect once under `key`.

        A key that is known answers what is known of it; another envelope under it is refused; an operation that is not
        settled is reconciled, never replaced.
        """
        proposal = self._proposal(context, grant.proposal_id if grant else None)
        operation = _submitted(context, tool, envelope, key, proposal)
        # Other systems are read before the transaction: none may be open during a call.
        facts = self._facts(context, write, operation, proposal)
        self.points("submit:before_audit")
        try:
            with self.witness.store.transaction() as tx:
                known = operations.find(tx, key) if self.guards.receipt else None
                failures = () if known else self._failures(tx, context, tool, write, operation, facts, grant)
                if not known and not failures:
                    self._submit(tx, context, tool, operation, proposal)
                self.points("submit:before_commit")
        except AuditUnavailable:
            failures, known = ("audit_unavailable",), None
        if known and _request(known) != _request(operation):
            failures = ("key_reused",)
        if failures:
            return self.witness.stop(context, tool, failures, key)
        if known:
            self.witness.note(context, tool.name, Decision.ALLOW, "replayed", "receipt", key)
            return Performed(operation=self.reconcile(context, tool, write, known))
        self.points("submit:after_commit")
        self.witness.note(context, tool.name, Decision.ALLOW, "submitted", key=key)
        return Performed(operation=self._deliver(context, tool, write, operation))

    def reconcile(self, context: Context, tool: Tool, write: RemoteWrite, operation: Operation) -> Operation:
        """Find out by its key what became of an operation that is not settled.

        A receipt whose echo matches completes it. None, and every recheck passes: the same key is delivered once. None, and
        a recheck fails: the key is closed, so that a late arrival is refused. Nothing can be learned in three tries, of the
        receipt or of the facts that the rechecks need: it stays, for what cannot be read has not changed.
        """
        if operation.state not in operations.UNSETTLED:
            return operation
        # Its confirmation is bound to the conversation it was given in, wherever the question is asked from.
        context = context.model_copy(update={"conversation_id": operation.conversation_id})
        key = operation.idempotency_key
        found = self._tries(lambda: write.port.find(key))
        if isinstance(found, Absent):
            failures = self._failing_now(context, tool, write, operation)
            if not failures:
                return self._deliver(context, tool, write, operation)
            self.witness.stop(context, tool, failures, key)
            if failures == (UNREADABLE,):
                return self._record(context, tool, _unknown(operation, "unreachable"))
            found = self._tries(lambda: write.port.close(key))
            if isinstance(found, Refused):
                found = Refused(code=failures[0])
        if isinstance(found, Lost | Absent):
            return self._record(context, tool, _unknown(operation, "unreachable"))
        return self._record(context, tool, self._judged(context, tool, write, operation, found))

    def _failing_now(
        self, context: Context, tool: Tool, write: RemoteWrite, operation: Operation
    ) -> tuple[str, ...]:
        failures: tuple[str, ...] = ()
        for _ in range(TRIES):
            proposal = self._proposal(context, operation.proposal_id)
            facts = self._facts(context, write, operation, proposal)
            with self.witness.store.transaction() as tx:
                failures = self._failures(tx, context, tool, write, operation, facts, None)
            if failures != (UNREADABLE,):
                break
        return failures

    def _proposal(self, context: Context, proposal_id: str | None) -> Proposal | None:
        if proposal_id is None:
            return None
        with self.witness.store.transaction() as tx:
            return confirmation.find_proposal(tx, context, proposal_id)

    def _facts(
        self, context: Context, write: RemoteWrite, operation: Operation, proposal: Proposal | None
    ) -> Facts | None:
        if write.facts is None or proposal is None or proposal.tool != operation.tool:
            return None
        return write.facts(self.tools(context), proposal)

    def _failures(
        self,
        tx: Tx,
        context: Context,
        tool: Tool,
        write: RemoteWrite,
        operation: Operation,
        facts: Facts | None,
        grant: Grant | None,
    ) -> tuple[str, ...]:
        """Every check that fails, the desk's rechecks first: a changed cycle says more than the expiry it brings along.

        Without a grant the operation is being reconciled: its confirmation was consumed when it was submitted.
        """
        if tool.risk != 2:
            return ()
        proposal = (
            confirmation.find_proposal(tx, context, operation.proposal_id) if operation.proposal_id else None
        )
        if proposal is None:
            return ("not_confirmed",)
        if proposal.tool != tool.name:
            return ("other_tool",)  # and its payload is not one that these checks can read
        failures = list(standing(tool, write, proposal, operation.envelope, self.guards))
        if self.guards.rechecks and facts is None:
            failures.append(UNREADABLE)
        elif self.guards.rechecks and facts is not None:
            failures += [name for name, holds in (write.rechecks or {}).items() if not holds(proposal, facts)]
        token = grant.token if grant else None
        now = self.witness.clock.now()
        failures += confirmation.failed_bindings(tx, context, proposal.proposal_id, token, now, self.guards)
        return tuple(failures)

    def _submit(
        self, tx: Tx, context: Context, tool: Tool, operation: Operation, proposal: Proposal | None
    ) -> None:
        if self.guards.audit:
            change_hash = proposal.change_hash if proposal else None
            self.witness.before(tx, context, tool, operation.idempotency_key, change_hash)
            if proposal:
                self.witness.passed(tx, context, tool, operation.idempotency_key, proposal)
        now = self.witness.clock.now()
        if operation.proposal_id:
            confirmation.consume(tx, context, operation.proposal_id, now)
        if not self.guards.receipt:
            operations.forget(tx, operation.idempotency_key)
        operations.insert(tx, operation, now)

    def _deliver(self, context: Context, tool: Tool, write: RemoteWrite, operation: Operation) -> Operation:
        answer = write.port.deliver(operation.idempotency_key, json.loads(operation.envelope))
        return self._record(context, tool, self._judged(context, tool, write, operation, answer))

    def _judged(
        self, context: Context, tool: Tool, write: RemoteWrite, operation: Operation, answer: WriteAnswer
    ) -> Operation:
        """What an answer makes of an operation. A success is believed only if it repeats what was asked for."""
        match answer:
            case Accepted(receipt=receipt):
                asked = json.loads(operation.envelope)
                odd = [name for name in write.echo if receipt.echo.get(name) != asked.get(name)]
                if odd and self.guards.echo:
                    key = operation.idempotency_key
                    self.witness.note(context, tool.name, Decision.DENY, "echo_mismatch", "echo", key, odd[0])
                    return _unknown(operation, "echo_mismatch")
                return _ended(operation, OperationState.COMPLETED, receipt=receipt, error=None)
            case Refused(code=code):
                return _ended(operation, OperationState.REJECTED, receipt=None, error=code)
            case Lost():
                return _unknown(operation, "lost")
            case _:
                assert_never(answer)

    def _record(self, context: Context, tool: Tool, settled: Operation) -> Operation:
        self.points("settle:before_commit")
        with self.witness.store.transaction() as tx:
            if operations.settle(tx, settled, self.witness.clock.now()) == 0:
                # Another process settled it meanwhile: theirs stands.
                return operations.find(tx, settled.idempotency_key) or settled
            if settled.proposal_id and settled.state in _ENDS:
                confirmation.finish(tx, context, settled.proposal_id, _ENDS[settled.state], settled.error)
        self.points("settle:after_commit")
        stage: Stage = "escalation" if tool.risk == 3 else "outcome"
        if not self.witness.after(context, tool, settled.idempotency_key, stage, _OUTCOMES[settled.state]):
            settled = settled.model_copy(update={"audit_failed": True})
            # The same database may be what failed; the effect stands and is answered all the same.
            with suppress(DatabaseError), self.witness.store.transaction() as tx:
                operations.mark_unaudited(tx, settled.idempotency_key)
        self.points("settle:after_audit")
        return settled

    def _tries(self, ask: Callable[[], LookupAnswer]) -> LookupAnswer:
        answer = ask()
        for _ in range(TRIES - 1):
            if not isinstance(answer, Lost):
                break
            answer = ask()
        return answer


_ENDS = {
    OperationState.COMPLETED: ProposalState.EXECUTED,
    OperationState.REJECTED: ProposalState.REJECTED,
}


_OUTCOMES: dict[OperationState, AuditCode] = {
    OperationState.COMPLETED: "completed",
    OperationState.REJECTED: "rejected",
    OperationState.FAILED_UNKNOWN: "failed_unknown",
}


def _submitted(
    context: Context, tool: Tool, envelope: Contract, key: str, proposal: Proposal | None
) -> Operation:
    text = canonical_json(envelope)
    return Operation(
        idempotency_key=key,
        tool=tool.name,
        tenant_id=context.session.tenant_id,
        customer_id=str(context.session.authenticated_customer_id),
        conversation_id=context.conversation_id,
        subject_id=proposal.subject_id if proposal else str(getattr(envelope, "issue_id", tool.name)),
        proposal_id=proposal.proposal_id if proposal else None,
        fingerprint=digest(text),
        envelope=text,
        state=OperationState.SUBMITTED,
    )


def _request(operation: Operation) -> tuple[str, ...]:
    """What a key is bound to: it answers nobody else and nothing else (003)."""
    return operation.tenant_id, operation.customer_id, operation.tool, operation.fingerprint


def _ended(operation: Operation, state: OperationState, **known: object) -> Operation:
    return operation.model_copy(update={"state": state, "detail": None, "recovery_action": None, **known})


def _unknown(operation: Operation, detail: str) -> Operation:
    return operation.model_copy(
        update={
            "state": OperationState.FAILED_UNKNOWN,
            "error": UNKNOWN_WRITE_OUTCOME,
            "detail": detail,
            "recovery_action": "no_replay",
        }
    )
