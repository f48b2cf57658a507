"""Witness: every decision leaves a trace row, every protected action its audit rows. Neither is read by anything that decides."""

from collections.abc import Callable
from dataclasses import dataclass

from relay_lab.contracts.base import digest
from relay_lab.contracts.enums import Decision
from relay_lab.contracts.errors import AuditUnavailable, DatabaseError
from relay_lab.contracts.operations import Proposal, Stopped
from relay_lab.contracts.ports import Clock, Store, Trace, Tx
from relay_lab.contracts.record import TraceRow
from relay_lab.contracts.session import Context
from relay_lab.core.audit import AuditCode, AuditEvent, Stage, append
from relay_lab.core.policy import Tool

_DECISIONS: dict[int, AuditCode] = {0: "allow", 1: "allow", 2: "require_confirmation", 3: "require_human"}

_GUARDS = {
    "binding": "binding",
    "change_hash": "binding",
    "envelope_mismatch": "binding",
    "other_tool": "registry",
    "not_revalidatable": "registry",
    "not_confirmed": "confirmation",
    "already_used": "confirmation",
    "wrong_token": "confirmation",
    "expired": "expiry",
    "key_reused": "receipt",
    "audit_unavailable": "audit",
}


@dataclass(frozen=True)
class Witness:
    """Writes trace and audit. `append` raises `AuditUnavailable`, or its store a `DatabaseError`, when it cannot."""

    store: Store
    clock: Clock
    trace: Trace
    append: Callable[[Tx, AuditEvent], None] = append

    def note(
        self,
        context: Context,
        tool: str,
        decision: Decision,
        outcome: str,
        guard: str | None = None,
        key: str | None = None,
        place: str | None = None,
    ) -> None:
        """Add a decision row to the trace."""
        self.trace.add(
            lambda seq: TraceRow(
                seq=seq,
                at=self.clock.now(),
                kind="decision",
                tool=tool,
                decision=decision,
                outcome=outcome,
                guard=guard,
                customer_id=context.session.authenticated_customer_id,
                idempotency_key=key,
                place=place,
            )
        )

    def stop(self, context: Context, tool: Tool, failures: tuple[str, ...], key: str) -> Stopped:
        """A call that is not run: the trace names the guard that the first failure belongs to."""
        guard = _GUARDS.get(failures[0], "rechecks")
        self.note(context, tool.name, Decision.DENY, failures[0], guard, key)
        if failures != ("audit_unavailable",):
            self.after(context, tool, key, "revalidation", "stopped")
        return Stopped(failures=failures, guard=guard)

    def before(
        self, tx: Tx, context: Context, tool: Tool, action: str, change_hash: str | None = None
    ) -> None:
        """The audit rows that must stand before a protected write, in the caller's transaction. Raises `AuditUnavailable`."""
        self.append(tx, self._event(context, tool, action, "policy", _DECISIONS[tool.risk]))
        self.append(tx, self._event(context, tool, action, "attempt", "submitted", change_hash))

    def passed(self, tx: Tx, context: Context, tool: Tool, action: str, proposal: Proposal) -> None:
        """The audit row of rechecks that all passed, in the transaction of what they allow. Raises `AuditUnavailable`."""
        change = proposal.change_hash
        self.append(tx, self._event(context, tool, action, "revalidation", "passed", change))

    def confirmation(
        self, tx: Tx, context: Context, tool: Tool, proposal: Proposal, outcome: AuditCode
    ) -> None:
        """The audit row of an exchange, in the caller's transaction. Raises `AuditUnavailable`."""
        action, change = proposal.proposal_id, proposal.change_hash
        self.append(tx, self._event(context, tool, action, "confirmation", outcome, change))

    def after(self, context: Context, tool: Tool, action: str, stage: Stage, outcome: AuditCode) -> bool:
        """One audit row in a transaction of its own; False when there is none: to be surfaced, undoing nothing."""
        try:
            with self.store.transaction() as tx:
                self.append(tx, self._event(context, tool, action, stage, outcome))
        except (AuditUnavailable, DatabaseError):
            return False
        return True

    def _event(
        self,
        context: Context,
        tool: Tool,
        action: str,
        stage: Stage,
        outcome: AuditCode,
        change_hash: str | None = None,
    ) -> AuditEvent:
        customer = context.session.authenticated_customer_id
        return AuditEvent(
            at=self.clock.now(),
            run_hash=digest(context.run_id),
            action_hash=digest(action),
            stage=stage,
            outcome=outcome,
            tool=tool.name,
            risk=tool.risk,
            tenant_hash=digest(context.session.tenant_id),
            customer_hash=digest(customer) if customer else None,
            change_hash=change_hash,
        )
