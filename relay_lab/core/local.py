"""Local execution: an effect in the runtime's own tables, as one transaction: receipt, rechecks, effect (003)."""

import json
from dataclasses import dataclass

from relay_lab.contracts.base import Contract, canonical_json, fingerprint, stamp
from relay_lab.contracts.enums import Decision, ProposalState
from relay_lab.contracts.errors import AuditUnavailable
from relay_lab.contracts.operations import Answered, Proposal, Stopped
from relay_lab.contracts.ports import Points, Tx
from relay_lab.contracts.session import Context
from relay_lab.core import confirmation
from relay_lab.core.confirmation import Grant
from relay_lab.core.guards import Guards
from relay_lab.core.policy import LocalWrite, Tool, standing
from relay_lab.core.witness import Witness


@dataclass(frozen=True)
class LocalExecutor:
    """Runs local writes that policy did not deny. It keeps no state of its own."""

    witness: Witness
    guards: Guards
    points: Points

    def run(
        self,
        context: Context,
        tool: Tool,
        write: LocalWrite,
        arguments: Contract,
        key: str,
        grant: Grant | None,
    ) -> Answered | Stopped:
        """Cause the effect once under `key`, which is scoped to tenant, customer and tool.

        Gives the answer of its receipt; the same key with other arguments, a failed recheck or an unavailable audit store
        stops it with nothing changed.
        """
        session = context.session
        scoped = f"{session.tenant_id}:{session.authenticated_customer_id}:{tool.name}:{key}"
        try:
            if self.guards.audit:
                with self.witness.store.transaction() as tx:
                    self.witness.before(tx, context, tool, scoped)
            with self.witness.store.transaction() as tx:
                result = self._within(tx, context, tool, write, arguments, scoped, grant)
                self.points("local:before_commit")
        except AuditUnavailable:
            return self.witness.stop(context, tool, ("audit_unavailable",), scoped)
        self.points("local:after_commit")
        if isinstance(result, tuple):
            return self.witness.stop(context, tool, result, scoped)
        if result.replayed:
            self.witness.note(context, tool.name, Decision.ALLOW, "replayed", "receipt", scoped)
            return result
        audited = self.witness.after(context, tool, scoped, "outcome", "completed")
        return result if audited else result.model_copy(update={"audit_failed": True})

    def _within(
        self,
        tx: Tx,
        context: Context,
        tool: Tool,
        write: LocalWrite,
        arguments: Contract,
        scoped: str,
        grant: Grant | None,
    ) -> Answered | tuple[str, ...]:
        asked = fingerprint(arguments)
        found = tx.one("SELECT fingerprint, answer FROM receipt WHERE idempotency_key = ?", scoped)
        if found and self.guards.receipt:
            if found["fingerprint"] != asked:
                return ("key_reused",)
            return Answered(answer=json.loads(found["answer"]), replayed=True)
        proposal = confirmation.find_proposal(tx, context, grant.proposal_id) if grant else None
        failures = self._failures(tx, context, tool, write, arguments, proposal, grant)
        if failures:
            return failures
        if proposal is not None:
            if self.guards.audit:
                self.witness.passed(tx, context, tool, scoped, proposal)
            confirmation.consume(tx, context, proposal.proposal_id, self.witness.clock.now())
            confirmation.finish(tx, context, proposal.proposal_id, ProposalState.EXECUTED, None)
        answer = write.effect(tx, context, arguments)
        if not self.guards.receipt:
            tx.run("DELETE FROM receipt WHERE idempotency_key = ?", scoped)
        tx.run(
            "INSERT INTO receipt (idempotency_key, fingerprint, answer, recorded_at) VALUES (?, ?, ?, ?)",
            scoped,
            asked,
            json.dumps(answer, sort_keys=True),
            stamp(self.witness.clock.now()),
        )
        return Answered(answer=answer, replayed=False)

    def _failures(
        self,
        tx: Tx,
        context: Context,
        tool: Tool,
        write: LocalWrite,
        arguments: Contract,
        proposal: Proposal | None,
        grant: Grant | None,
    ) -> tuple[str, ...]:
        if tool.risk != 2:
            return ()
        if proposal is None or grant is None:
            return ("not_confirmed",)
        if proposal.tool != tool.name:
            return ("other_tool",)  # and its payload is not one that these checks can read
        failed = [name for name, holds in (write.rechecks or {}).items() if not holds(tx, proposal)]
        return (
            *standing(tool, write, proposal, canonical_json(arguments), self.guards),
            *(failed if self.guards.rechecks else ()),
            *confirmation.failed_bindings(
                tx, context, grant.proposal_id, grant.token, self.witness.clock.now(), self.guards
            ),
        )
