"""Audit: what happened to an action, as codes, ids, hashes and versions (003 "Audit the lifecycle"). Never an authority.

An event's id follows from run, action, stage and outcome, so that a replay adds nothing. No field can hold a word of anybody:
codes come from closed sets, ids stand as hashes. Nothing in this package reads these rows to decide.
"""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from relay_lab.contracts.base import Contract, Sha256, Utc, digest, stamp
from relay_lab.contracts.ports import Tx

Stage = Literal["policy", "attempt", "confirmation", "revalidation", "outcome", "escalation"]

AuditCode = Literal[
    "allow",
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
]


class AuditEvent(Contract):
    """One row. Run, action (its idempotency key or proposal id), tenant and customer are held as SHA-256 of their ids.

    Whoever has the id finds the rows; whoever has the rows learns no id. `tool` is a registered name.
    """

    at: Utc
    run_hash: Sha256
    action_hash: Sha256
    stage: Stage
    outcome: AuditCode
    tool: Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,40}$")]
    risk: int = Field(ge=0, le=3)
    tenant_hash: Sha256
    customer_hash: Sha256 | None = None
    change_hash: Sha256 | None = None

    @property
    def event_id(self) -> str:
        """The same for the same run and action of the same customer, stage and outcome."""
        whose = f"{self.tenant_hash}|{self.customer_hash}"
        return "AUD-" + digest(f"{whose}|{self.run_hash}|{self.action_hash}|{self.stage}|{self.outcome}")[:32]


def append(tx: Tx, event: AuditEvent) -> None:
    """Add a row; one that is there already stays as it is. A table that cannot be written fails the open transaction."""
    tx.run(
        "INSERT INTO audit (event_id, at, run_hash, action_hash, stage, outcome, tool, risk, tenant_hash,"
        " customer_hash, change_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (event_id) DO NOTHING",
        event.event_id,
        stamp(event.at),
        event.run_hash,
        event.action_hash,
        event.stage,
        event.outcome,
        event.tool,
        event.risk,
        event.tenant_hash,
        event.customer_hash,
        event.change_hash,
    )
