"""The runtime as one turn uses it: what stands in the tables is read once, and again after each act."""

from collections.abc import Iterable

from relay_lab.contracts.base import Contract, fingerprint
from relay_lab.contracts.change import Envelope, Quote
from relay_lab.contracts.enums import ProposalState
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.operations import (
    CallResult,
    Denied,
    Exchange,
    Operation,
    Performed,
    Proposal,
    Stopped,
)
from relay_lab.contracts.session import Context
from relay_lab.core.confirmation import Grant
from relay_lab.core.runtime import Runtime
from relay_lab.desks.support.packet_guard import secret_in
from relay_lab.desks.support.terms import quote_of


class Door:
    """One conversation's proposals and operations, and the acts that change them."""

    def __init__(self, runtime: Runtime, context: Context) -> None:
        self.runtime, self.context = runtime, context
        self._stands: tuple[tuple[Proposal, ...], tuple[Operation, ...]] | None = None

    @property
    def proposals(self) -> tuple[Proposal, ...]:
        """Every proposal of this conversation, oldest first."""
        return self._read()[0]

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Every operation of this conversation, oldest first."""
        return self._read()[1]

    def operation(self, issue_id: str, tool: str) -> Operation | None:
        """The last operation of one tool on one issue."""
        mine = (op for op in reversed(self.operations) if op.subject_id == issue_id and op.tool == tool)
        return next(mine, None)

    def proposal(self, issue_id: str) -> Proposal | None:
        """The open proposal on an issue."""
        mine = (p for p in reversed(self.proposals) if p.subject_id == issue_id and p.waiting)
        return next(mine, None)

    def quotes(self, issue_ids: Iterable[str]) -> tuple[Quote, ...]:
        """The quotes that wait for a confirmation, of some issues."""
        waiting = (self.proposal(issue_id) for issue_id in issue_ids)
        return tuple(quote_of(proposal) for proposal in waiting if proposal)

    def call(self, tool: str, arguments: Contract, key: str, grant: Grant | None = None) -> CallResult:
        """One write under one key."""
        self._stands = None
        return self.runtime.call(self.context, tool, arguments, key, grant)

    def reconcile(self, key: str) -> Operation | None:
        """Settle an operation by its key."""
        self._stands = None
        return self.runtime.reconcile(self.context, key)

    def withdraw(self, issue_id: str, state: ProposalState, reason: str) -> bool:
        """End the proposal that waits on an issue; whether there was one to end."""
        if self.proposal(issue_id) is None:
            return False
        self._stands = None
        return self.runtime.withdraw(self.context, issue_id, state, reason) > 0

    def exchange(self, quote_id: str, challenge: str) -> Exchange:
        """Trade a click's challenge for a token."""
        self._stands = None
        return self.runtime.exchange(self.context, quote_id, challenge)

    def exchange_by_phrase(self) -> tuple[str, Exchange] | None:
        """The exchange for an approving phrase."""
        self._stands = None
        return self.runtime.exchange_by_phrase(self.context)

    def _read(self) -> tuple[tuple[Proposal, ...], tuple[Operation, ...]]:
        if self._stands is None:
            self._stands = self.runtime.standing(self.context)
        return self._stands


class Writes:
    """What step 7 may use: one submission, under the grant that the customer's confirmation gave."""

    def __init__(self, door: Door, grant: Grant) -> None:
        self._door, self._grant = door, grant
        self.failures: tuple[str, ...] = ()

    def schedule_downgrade(self, envelope: Envelope) -> Operation | tuple[str, ...]:
        """Submit once. The operation as far as it is known, or the names of the checks that stopped it."""
        result = self._door.call("schedule_downgrade", envelope, envelope.idempotency_key, self._grant)
        if isinstance(result, Performed):
            return result.operation
        self.failures = _why(result)
        return self.failures


class Handoffs:
    """What step 8 may use, for the one issue that is handed off. The packet guard stands here, whichever step made the packet."""

    def __init__(self, door: Door, issue_id: str) -> None:
        self._door, self._issue_id = door, issue_id

    def hand_off(self, packet: HandoffPacket) -> Operation | tuple[str, ...]:
        """Send a packet under the key of its own content. The operation, or the names of the checks that stopped it."""
        runtime, context = self._door.runtime, self._door.context
        if packet.conversation_id != context.conversation_id:
            return ("foreign_conversation",)
        if packet.issue_id != self._issue_id:
            return ("foreign_issue",)
        secret = secret_in(packet)
        if secret is not None and runtime.guards.packet:
            runtime.refuse(context, "hand_off", "secret_in_packet", "packet", secret)
            return ("secret_in_packet",)
        session = context.session
        customer = session.authenticated_customer_id
        key = f"{session.tenant_id}:{customer}:{packet.issue_id}:{fingerprint(packet)[:32]}"
        result = self._door.call("hand_off", packet, key)
        return result.operation if isinstance(result, Performed) else _why(result)


def _why(result: CallResult) -> tuple[str, ...]:
    match result:
        case Stopped(failures=failures):
            return failures
        case Denied(code=code):
            return (code,)
        case _:
            return ("not_confirmed",)
