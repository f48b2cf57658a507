"""Audit: what happened to an action, as codes, ids, hashes and versions (003 "Audit the lifecycle"). Never an authority.

An event's id follows from run, action, stage and outcome, so that a replay adds nothing. No field can hold a sentence: codes
come from a closed set, and an id has no blank and has a figure in it. Nothing in this package reads these rows to decide.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from relay_lab.contracts.base import Contract, Sha256, Utc, digest, iso
from relay_lab.contracts.ports import Tx

AuditId = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.:/-]{0,80}[0-9][A-Za-z0-9_.:/-]{0,80}$")]

Stage = Literal["policy", "attempt", "confirmation", "revalidation", "outcome", "escalation"]

AuditCode = Literal[
    "allow",
    "deny",
    "require_confirmation",
    "require_human",
    "submitted",
    "completed",
    "rejected",
    "failed_unknown",
    "stopped",
    "passed",
    "confirmed",
    "not_confirmed",
    "withdrawn",
]


class AuditEvent(Contract):
    """One row. `run_id` and `action_id` are SHA-256 of the run's id and of the idempotency key or proposal id.

    `tool` is a registered name; times are the desk's clock.
    """

    at: Utc
    run_id: Sha256
    action_id: Sha256
    stage: Stage
    outcome: AuditCode
    tool: Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,40}$")]
    risk: int = Field(ge=0, le=3)
    tenant_id: Annotated[str, StringConstraints(pattern=r"^[a-z0-9-]{1,40}$")]
    customer_id: AuditId | None = None
    change_hash: Sha256 | None = None
    policy_version: AuditId | None = None

    @property
    def event_id(self) -> str:
        """The same for the same run, action, stage and outcome."""
        return "AUD-" + digest(f"{self.run_id}|{self.action_id}|{self.stage}|{self.outcome}")[:32]


def append(tx: Tx, event: AuditEvent) -> None:
    """Add a row; one that is there already stays as it is. Raises `AuditUnavailable` when the table cannot be written."""
    tx.run(
        "INSERT INTO audit (event_id, at, run_id, action_id, stage, outcome, tool, risk, tenant_id, customer_id,"
        " change_hash, policy_version) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (event_id) DO NOTHING",
        event.event_id,
        iso(event.at),
        event.run_id,
        event.action_id,
        event.stage,
        event.outcome,
        event.tool,
        event.risk,
        event.tenant_id,
        event.customer_id,
        event.change_hash,
        event.policy_version,
    )
