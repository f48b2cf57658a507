"""The bare company that another bot is given: its systems of record behind their transport, and no runtime before them.

What stands here reaches effects without a confirmation, so it is built on a company in memory only (docs/workflow.md).
"""

from collections.abc import Mapping, MutableMapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.change import Envelope
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.proposals import Propose
from relay_lab.contracts.session import Session
from relay_lab.contracts.workflow import ToolText
from relay_lab.world.clock import VirtualClock
from relay_lab.world.faults import READ_TOOLS
from relay_lab.world.receipts import is_ident
from relay_lab.world.transport import RemoteService, Transport

READ_TIMEOUT_S = 5.0

_READS = {
    "get_billing_transactions": ("Charges, invoices and billing's own findings.", "from_at", "until_at"),
    "get_plan_and_entitlements": ("Account, subscription, seats, plan map, entitlements, betas.",),
    "get_active_incidents": ("Active incidents of one feature, such as gantt_chart.", "feature"),
    "get_policy": (
        "The policy (refund or subscription) in force at an instant.",
        "policy_id",
        "effective_at",
    ),
    "search_articles": ("Articles of the help centre: prose.", "query"),
}
_LOOKUPS = {
    "find_schedule": "The receipt of a scheduled change under a key.",
    "close_schedule": "Refuse what arrives under this key later; the receipt, when there is one.",
    "find_handoff": "The ticket under a key.",
    "close_handoff": "Refuse what arrives under this key later; the ticket, when there is one.",
}


def _schema(*names: str) -> dict[str, Any]:
    properties = {name: {"type": "string"} for name in names}
    return {"type": "object", "properties": properties, "required": list(names)}


def _sending() -> dict[str, Any]:
    """The schema of a handoff: the packet beside its key."""
    packet = HandoffPacket.model_json_schema()
    definitions = packet.pop("$defs")
    properties = {"idempotency_key": {"type": "string"}, "packet": packet}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "$defs": definitions,
    }


def company_tools() -> tuple[ToolText, ...]:
    """Every call that the systems of record take, with its JSON schema; instants are ISO 8601 text with a zone."""
    reads = [
        ToolText(name=name, description=about, arguments=_schema("customer_id", *names))
        for name, (about, *names) in _READS.items()
    ]
    lookups = [
        ToolText(name=name, description=about, arguments=_schema("idempotency_key"))
        for name, about in _LOOKUPS.items()
    ]
    schedule = "Schedule a smaller plan for the renewal; the key is tenant:customer:cycle:issue:quote."
    hand_off = "Open a ticket for a specialist, once for each key."
    return (
        *reads,
        ToolText(name="schedule_downgrade", description=schedule, arguments=Envelope.model_json_schema()),
        ToolText(name="hand_off", description=hand_off, arguments=_sending()),
        *lookups,
    )


class RawCompany:
    """The systems of record as they are, behind their transport; implements `contracts.workflow.Company`.

    `sent` keeps every change that was asked for, as (key, envelope), so that a bench can deliver one again.
    """

    def __init__(
        self,
        session: Session,
        transport: Transport,
        clock: VirtualClock,
        propose: Propose,
        memory: MutableMapping[str, str],
    ) -> None:
        self.session = session.model_copy(
            deep=True
        )  # the bench goes on with its own, whatever a bot writes into this
        self.propose, self.memory = propose, memory
        self._tenant_id = session.tenant_id
        self.tools = company_tools()
        self.sent: list[tuple[str, dict[str, Any]]] = []
        self._transport, self._clock = transport, clock

    def now(self) -> datetime:
        """The present instant."""
        return self._clock.now()

    def call(self, tool: str, arguments: object) -> dict[str, Any]:
        """One call of one tool; see `contracts.workflow.Company`."""
        if not isinstance(arguments, Mapping):
            return _error(tool, "bad_request")
        if tool in READ_TOOLS:
            return self._read(tool, arguments)
        key = arguments.get("idempotency_key")
        if not isinstance(key, str):
            return _error(tool, "bad_request")
        match tool:
            case "schedule_downgrade":
                self.sent.append((key, dict(arguments)))
                return _plain(self._transport.subscriptions.deliver(key, arguments))
            case "hand_off":
                packet = arguments.get("packet")
                return _plain(
                    self._transport.handoff_queue.deliver(key, packet if isinstance(packet, dict) else {})
                )
            case "find_schedule" | "close_schedule":
                return self._looked_up(self._transport.subscriptions, tool, key)
            case "find_handoff" | "close_handoff":
                return self._looked_up(self._transport.handoff_queue, tool, key)
            case _:
                return _error(tool, "unknown_tool")

    def _read(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        customer = arguments.get("customer_id")
        rest: dict[str, Scalar] = {
            name: value
            for name, value in arguments.items()
            if name != "customer_id" and isinstance(value, str | int | bool | None)
        }
        if not isinstance(customer, str) or not is_ident(customer) or len(rest) != len(arguments) - 1:
            return _error(tool, "bad_request")
        return _plain(self._transport.read(tool, self._tenant_id, customer, rest, READ_TIMEOUT_S))

    def _looked_up(self, service: RemoteService, tool: str, key: str) -> dict[str, Any]:
        return _plain(service.find(key) if tool.startswith("find") else service.close(key))


def _plain(answer: BaseModel) -> dict[str, Any]:
    return answer.model_dump(mode="json")


def _error(tool: str, code: str) -> dict[str, Any]:
    return {"kind": "error", "tool": str(tool), "code": code}
