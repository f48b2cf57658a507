"""Policy: the registry of tools with their risk, and the decision on a call (003 "Put risk on the tool registry"; 001 §1)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import ValidationError

from relay_lab.contracts.base import Contract, Scalar, canonical_json
from relay_lab.contracts.enums import Assurance, Decision
from relay_lab.contracts.operations import Proposal
from relay_lab.contracts.ports import ReadTools, Remote, Tx
from relay_lab.contracts.session import Context
from relay_lab.core.guards import Guards

Facts = Mapping[str, Any]
"""What a desk read just before a recheck, by name of its own choosing."""
Recheck = Callable[[Proposal, Facts], bool]
LocalRecheck = Callable[[Tx, Proposal], bool]


@dataclass(frozen=True)
class RemoteWrite:
    """How a tool's effect is caused in another system, and what must hold at that moment.

    `echo` names the fields that a success must repeat as they stand in the envelope. A tool that needs a confirmation
    also says how its envelope follows from the confirmed proposal (`compile`; without it nothing is covered by one), which
    facts are read before the write (`facts`; None when they cannot be read) and the named `rechecks` on them, in the order
    in which they are reported.
    """

    port: Remote
    echo: tuple[str, ...]
    compile: Callable[[Proposal], Contract] | None = None
    facts: Callable[[ReadTools, Proposal], Facts | None] | None = None
    rechecks: Mapping[str, Recheck] | None = None


@dataclass(frozen=True)
class LocalWrite:
    """How a tool's effect is caused in the runtime's own tables: a function of the open transaction gives the answer.

    A tool that needs a confirmation also says how its arguments follow from the confirmed proposal (`compile`; without it
    nothing is covered by one); its `rechecks` run inside the same transaction.
    """

    effect: Callable[[Tx, Context, Contract], dict[str, Scalar]]
    compile: Callable[[Proposal], Contract] | None = None
    rechecks: Mapping[str, LocalRecheck] | None = None


@dataclass(frozen=True)
class Draft:
    """What a desk wants a person to confirm; the ids are made of the customer's next free number."""

    tool: str
    subject_id: str
    payload: Callable[[str, int], Contract]
    change_hash: str
    expires_at: datetime
    proposal_id: Callable[[int], str]
    confirmation_id: Callable[[int], str]


@dataclass(frozen=True)
class Preparation:
    """A tool whose whole effect is a proposal that waits for a person: `draft` makes it of the arguments."""

    draft: Callable[[Contract], Draft]


@dataclass(frozen=True)
class Tool:
    """One entry of a desk's registry. Risk: 0 read, 1 write, 2 write after confirmation, 3 a person (003).

    `scope` null means that the session needs none; `assurance` is the least that will do; `customer` names the argument
    that holds the customer, where there is one. `revalidatable`: a confirmed call may be checked again and run.
    """

    name: str
    risk: int
    arguments: type[Contract]
    scope: str | None = None
    assurance: Assurance = Assurance.PASSWORD
    customer: str | None = None
    tenant: str | None = None
    revalidatable: bool = False
    write: RemoteWrite | LocalWrite | Preparation | None = None


@dataclass(frozen=True)
class Ruling:
    """A decision with its reason; `guard` is set when the answer is deny, `arguments` when they passed their schema."""

    decision: Decision
    code: str
    guard: str | None = None
    tool: Tool | None = None
    arguments: Contract | None = None


_BY_RISK = {
    0: Decision.ALLOW,
    1: Decision.ALLOW,
    2: Decision.REQUIRE_CONFIRMATION,
    3: Decision.REQUIRE_HUMAN,
}


def decide(
    registry: Mapping[str, Tool], context: Context, name: str, arguments: Mapping[str, Any], guards: Guards
) -> Ruling:
    """Decide one call: allow, deny, require_confirmation or require_human.

    Denied: a tool that is not registered for this desk, no customer in the session, a customer or tenant in the arguments
    other than the session's, a scope or assurance that is missing, arguments outside the tool's schema, and whatever
    makes the evaluation itself fail. The model has no part in it.
    """
    try:
        return _decide(registry, context, name, arguments, guards)
    except Exception:  # noqa: BLE001 - a policy that cannot be evaluated must not allow (003)
        return Ruling(Decision.DENY, "policy_error", "registry")


def _decide(
    registry: Mapping[str, Tool], context: Context, name: str, arguments: Mapping[str, Any], guards: Guards
) -> Ruling:
    session = context.session
    tool = registry.get(name)
    if tool is None:
        return Ruling(Decision.DENY, "unknown_tool", "registry")
    if guards.ownership:
        if session.authenticated_customer_id is None:
            return Ruling(Decision.DENY, "no_customer", "ownership")
        if tool.customer and arguments.get(tool.customer) != session.authenticated_customer_id:
            return Ruling(Decision.DENY, "foreign_customer", "ownership")
        if tool.tenant and arguments.get(tool.tenant) != session.tenant_id:
            return Ruling(Decision.DENY, "foreign_tenant", "ownership")
    if guards.scope and tool.scope is not None and tool.scope not in session.allowed_scopes:
        return Ruling(Decision.DENY, "scope_missing", "scope")
    if guards.assurance and session.session_assurance.rank < tool.assurance.rank:
        return Ruling(Decision.DENY, "assurance_too_low", "assurance")
    try:
        accepted = tool.arguments.model_validate_json(canonical_json(arguments))
    except ValidationError:
        return Ruling(Decision.DENY, "bad_arguments", "arguments")
    decision = _BY_RISK[tool.risk]
    return Ruling(decision, decision.value, tool=tool, arguments=accepted)


def standing(
    tool: Tool, write: RemoteWrite | LocalWrite, proposal: Proposal, asked: str, guards: Guards
) -> tuple[str, ...]:
    """Checks on the stored action itself: its tool may be run from one, and it says exactly what is asked for.

    `asked` is the canonical JSON of the arguments.
    """
    failures = []
    if not tool.revalidatable:
        failures.append("not_revalidatable")
    if guards.binding and (write.compile is None or canonical_json(write.compile(proposal)) != asked):
        failures.append("envelope_mismatch")
    return tuple(failures)
