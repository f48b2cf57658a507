"""Workflows for the bench: the desk behind the protocol, the bare company that another bot is given, and finding one by name."""

import importlib
import os
import sys
from collections.abc import Callable, Mapping, MutableMapping
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from relay_lab.app.lab import Lab
from relay_lab.app.run import Run
from relay_lab.contracts.base import Scalar
from relay_lab.contracts.change import Envelope
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.proposals import Propose
from relay_lab.contracts.session import Session
from relay_lab.contracts.workflow import Click, Factory, ToolText, Turn
from relay_lab.world.clock import VirtualClock
from relay_lab.world.faults import READ_TOOLS
from relay_lab.world.receipts import is_ident
from relay_lab.world.transport import RemoteService, Transport

DESK, NAIVE = "desk", "naive"
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
        self.session, self.propose, self.memory = session, propose, memory
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
        return _plain(self._transport.read(tool, self.session.tenant_id, customer, rest, READ_TIMEOUT_S))

    def _looked_up(self, service: RemoteService, tool: str, key: str) -> dict[str, Any]:
        return _plain(service.find(key) if tool.startswith("find") else service.close(key))


def _plain(answer: BaseModel) -> dict[str, Any]:
    return answer.model_dump(mode="json")


def _error(tool: str, code: str) -> dict[str, Any]:
    return {"kind": "error", "tool": str(tool), "code": code}


class DeskWorkflow:
    """The support desk as one workflow among others. Its offer is the id of the quote that waits."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._challenges: dict[str, str] = {}

    def say(self, message: str) -> Turn:
        """The customer writes."""
        return self._turn(self.lab.say(message))

    def click(self, click: Click) -> Turn | None:
        """The customer clicks; None where no question is open and no quote waits."""
        run = self._clicked(click)
        return self._turn(run) if run else None

    def states(self) -> Mapping[str, str] | None:
        """Where each issue stands, by the tables."""
        return self.lab.run().states

    def _clicked(self, click: Click) -> Run | None:
        match click.do:
            case "pick":
                return self.lab.choose(click.value)
            case "confirm":
                return (
                    self.lab.confirm_with(click.value, self._challenge(click.value)) if click.value else None
                )
            case "reject":
                return self.lab.reject() if self.lab.waiting else None
            case "transfer":
                return self.lab.transfer(click.value)
            case "reconcile":
                return self.lab.reconcile()

    def _challenge(self, quote_id: str) -> str:
        """What the page holds beside the quote: a click that is sent again sends the same."""
        if quote_id not in self._challenges:
            self._challenges[quote_id] = self.lab.runtime.show(self.lab.context, quote_id) or ""
        return self._challenges[quote_id]

    def _turn(self, run: Run) -> Turn:
        return Turn(reply=run.reply, offer=next(reversed(self.lab.waiting), None))


def workflow_named(name: str) -> Factory | None:
    """The factory that a name stands for: None for `desk`, which is built by the bench itself; `naive`; `module:factory`.

    A module is looked for in the folder one is in, and then where Python looks. Raises `BadInput`, naming what cannot be
    found, imported or called.
    """
    if name == DESK:
        return None
    if name == NAIVE:
        from relay_lab.app.naive import naive

        return naive
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise BadInput(f"there is no workflow {name!r}; give {DESK}, {NAIVE}, or module:factory.")
    factory = getattr(_module(module), attribute, None)
    if not callable(factory):
        raise BadInput(f"{module} has no function {attribute!r}; name the one that makes the workflow.")
    return _checked(factory, name)


def _module(name: str) -> Any:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except (Exception, SystemExit) as error:  # a stranger's module may do anything
        raise BadInput(
            f"the module {name!r} cannot be imported ({type(error).__name__}: {error}); mend it, or name another."
        ) from error


def _checked(factory: Callable[..., Any], name: str) -> Factory:
    """The factory, with what it makes looked at: three functions, or one sentence."""

    def make(company: Any) -> Any:
        try:
            made = factory(company)
        except (Exception, SystemExit) as error:
            raise BadInput(
                f"{name} made no workflow ({type(error).__name__}: {error}); it is called with a company."
            ) from error
        missing = [part for part in ("say", "click", "states") if not callable(getattr(made, part, None))]
        if missing:
            raise BadInput(
                f"what {name} made has no function {' and no '.join(missing)}; see docs/workflow.md."
            )
        return made

    return make
