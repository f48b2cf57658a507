"""The minimised packet that a specialist gets (001 §8): seven kinds of content and no other."""

from typing import Literal

from relay_lab.contracts.base import Code, Contract, Ident, Scalar, Utc
from relay_lab.contracts.enums import Assurance, ClaimStatus, OperationState
from relay_lab.contracts.session import Scopes


class PacketIssue(Contract):
    """A typed issue without the customer's words: its slots say what a specialist needs."""

    id: Ident
    type: Code
    slots: dict[str, Scalar]


class PacketEvidence(Contract):
    """Where a fact is to be looked up, not the fact itself."""

    evidence_id: Ident
    source_at: Utc
    version: Ident
    policy_version: Ident | None


class PacketCall(Contract):
    """A read-only call that was made, and how it ended (`success` or an error code)."""

    tool: Code
    outcome: Code


class PacketConflict(Contract):
    """A claim that could not be supported, or a required record that is missing."""

    subject: Ident
    about: Code
    status: ClaimStatus | Literal["missing"]
    code: Code
    evidence_ids: tuple[Ident, ...] = ()


class PacketAction(Contract):
    """An action that was proposed, and why it needs a specialist."""

    tool: Code
    proposal_id: Ident | None
    operation_state: OperationState | None
    reason: Code


class HandoffPacket(Contract):
    """One issue for one specialist. No session secret, no credential, no reasoning trace, no other history."""

    conversation_id: Ident
    issue_id: Ident
    reason: Code
    customer_id: Ident | None
    assurance: Assurance
    scopes: Scopes
    issues: tuple[PacketIssue, ...]
    evidence: tuple[PacketEvidence, ...]
    completed_calls: tuple[PacketCall, ...]
    proposed_action: PacketAction | None
    conflicts: tuple[PacketConflict, ...]
    commitments: tuple[str, ...]
    """Sentences already said to the customer that commit us to something."""
