"""Proposals awaiting a person, operations, receipts, and what a system of record answers to a write (001 §7; 003)."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from relay_lab.contracts.base import Code, Contract, Ident, Scalar, Sha256, Utc
from relay_lab.contracts.enums import ActorType, OperationState, ProposalState

UNKNOWN_WRITE_OUTCOME = "UNKNOWN_WRITE_OUTCOME"
"""Error code of an operation in failed_unknown; its recovery action is no_replay (003)."""


class Receipt(Contract):
    """A system of record's durable word that an effect exists. `echo` repeats what was done, to be compared."""

    receipt_id: Ident
    recorded_at: Utc
    echo: dict[str, Scalar]


class Accepted(Contract):
    """The write is committed, now or by an earlier delivery of the same key."""

    kind: Literal["accepted"] = "accepted"
    receipt: Receipt


class Refused(Contract):
    """The system of record refused; nothing was changed by this call."""

    kind: Literal["refused"] = "refused"
    code: Code


class Lost(Contract):
    """No usable answer. Whether the write was committed is not known."""

    kind: Literal["lost"] = "lost"
    code: Code


WriteAnswer = Annotated[Accepted | Refused | Lost, Field(discriminator="kind")]


class Absent(Contract):
    """The system of record has no receipt under this key."""

    kind: Literal["absent"] = "absent"


LookupAnswer = Annotated[Accepted | Absent | Refused | Lost, Field(discriminator="kind")]
"""Of a look-up by key: the receipt, nothing, closed (refused with code `key_closed`), or unreachable."""


class Proposal(Contract):
    """An exact change that waits for a person: a quote, a case update, a pending action. Never altered, only moved on.

    `payload` is the canonical JSON that was shown; `change_hash` is what a confirmation is bound to.
    """

    proposal_id: Ident
    tool: Code
    tenant_id: Ident
    customer_id: Ident
    actor: Ident
    actor_type: ActorType
    conversation_id: Ident
    subject_id: Ident
    payload: str
    change_hash: Sha256
    state: ProposalState
    created_at: Utc
    expires_at: Utc
    confirmation_id: Ident
    reason: Code | None = None
    consumed: bool = False

    @property
    def waiting(self) -> bool:
        """Whether a person can still confirm or reject it: open, and its confirmation not used by an operation yet."""
        return self.state in (ProposalState.PENDING, ProposalState.CONFIRMED) and not self.consumed


class Operation(Contract):
    """One effect under one key, as far as it is known. `envelope` is the canonical JSON that was, or will be, sent.

    In failed_unknown `error` is UNKNOWN_WRITE_OUTCOME and `detail` says why (lost, unreachable, echo_mismatch); in rejected
    `error` is the code of the refusal. `audit_failed`: the effect stands and its audit row is missing.
    """

    idempotency_key: Ident
    tool: Code
    tenant_id: Ident
    customer_id: Ident
    conversation_id: Ident
    subject_id: Ident
    proposal_id: Ident | None
    fingerprint: Sha256
    envelope: str
    state: OperationState
    receipt: Receipt | None = None
    error: str | None = None
    detail: Code | None = None
    recovery_action: Literal["no_replay"] | None = None
    audit_failed: bool = False

    def settled_late(self, now: datetime) -> bool:
        """Whether what was scheduled lies behind `now`, by the time that the receipt echoes."""
        due = self.receipt.echo.get("effective_at") if self.receipt else None
        return isinstance(due, str) and datetime.fromisoformat(due) <= now


class Denied(Contract):
    """Policy said no before anything was read or written. `guard` is the line of defence that stopped it."""

    kind: Literal["denied"] = "denied"
    code: Code
    guard: Code


class NeedsConfirmation(Contract):
    """The call needs the grant of a proposal that a person has confirmed; nothing was changed."""

    kind: Literal["needs_confirmation"] = "needs_confirmation"


class Stopped(Contract):
    """A confirmed call that the rechecks stopped. `failures` names every check that failed, in order; nothing was changed."""

    kind: Literal["stopped"] = "stopped"
    failures: tuple[Code, ...]
    guard: Code


class Performed(Contract):
    """A write that ran under its key: read `operation.state` for what is known of it."""

    kind: Literal["performed"] = "performed"
    operation: Operation


class Answered(Contract):
    """A write in the runtime's own tables, with the answer of its receipt. `replayed`: it had run before."""

    kind: Literal["answered"] = "answered"
    answer: dict[str, Scalar]
    replayed: bool
    audit_failed: bool = False


CallResult = Denied | NeedsConfirmation | Stopped | Performed | Answered


class Confirmed(Contract):
    """A challenge was traded: the one-use token (its digest alone is kept) and the id it is recorded under."""

    kind: Literal["confirmed"] = "confirmed"
    confirmation_id: Ident
    token: str


class NotConfirmed(Contract):
    """The trade was refused: `code` is unknown_proposal, unknown_tool, wrong_challenge, wrong_binding, expired, not_pending or
    audit_unavailable."""

    kind: Literal["not_confirmed"] = "not_confirmed"
    code: Code


Exchange = Confirmed | NotConfirmed
