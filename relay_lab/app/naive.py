"""The naive agent: one loop, the model's calls executed as they come, its reply sent as it is: what most tutorials teach.

It stands here to be compared with the desk: what each boundary buys is what this one lets through. The tools are wrapped as a
tutorial wraps them, so that a model needs to name a plan and not an envelope; nothing else is made harder for it or easier.
"""

import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from relay_lab.contracts.base import iso
from relay_lab.contracts.errors import ProposerRefused
from relay_lab.contracts.proposals import ContextBlock, ProposalRequest
from relay_lab.contracts.workflow import Click, Company, ToolText, Turn

CALLS_A_TURN = 8
GAVE_UP = "I am sorry, I could not finish that."
WRITTEN = {
    "pick": "I pick the {} plan.",
    "confirm": "Yes, I confirm.",
    "reject": "No, I do not want that.",
    "transfer": "Please pass {} on to a specialist.",
}
"""A click reaches this bot as a sentence: it has no buttons, and whoever talks to it writes."""

_CUSTOMER = ("customer_id", "the account; leave it out for the customer who is signed in")
_TOOLS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "search_articles": ("Search the help centre.", {"query": "words to look for"}),
    "get_billing_transactions": ("Recent charges and invoices.", {}),
    "get_plan_and_entitlements": ("The account, its plan, seats and features.", {}),
    "get_active_incidents": ("Active incidents of a feature.", {"feature": "such as gantt_chart"}),
    "get_policy": ("The policy in force now.", {"policy_id": "refund or subscription"}),
    "schedule_downgrade": ("Move the account to a smaller plan.", {"target_plan": "such as individual"}),
    "hand_off": ("Open a ticket for a specialist.", {"summary": "what the customer needs"}),
}


def naive_tools() -> tuple[ToolText, ...]:
    """The tools as the model is told of them."""
    return tuple(
        ToolText(
            name=name,
            description=about,
            arguments={
                "type": "object",
                "properties": {
                    each: {"type": "string", "description": text}
                    for each, text in (*named.items(), _CUSTOMER)
                },
                "required": list(named),
            },
        )
        for name, (about, named) in _TOOLS.items()
    )


class NaiveAgent:
    """Implements `contracts.workflow.Workflow`. `acts` are the tools by name, each a function of the model's arguments."""

    def __init__(self, company: Company) -> None:
        self._company = company
        self._history: list[dict[str, Any]] = json.loads(company.memory.get("history", "[]"))
        texts = [tool.model_dump() for tool in naive_tools()]
        self._tools = ContextBlock(name="tools", trusted=True, text=json.dumps(texts))

    def say(self, message: str) -> Turn:
        """Ask, execute, tell the result, ask again; whatever is no call is the reply."""
        earlier = self._text()  # of earlier turns: the message of this one stands in the request itself
        self._keep({"role": "customer", "text": message})
        calls: list[dict[str, Any]] = []
        for _ in range(CALLS_A_TURN):
            try:
                answer = self._company.propose(self._request(message, earlier, calls))
            except ProposerRefused:  # the model is not there, or was cut off
                return self._reply(GAVE_UP)
            asked = _object(answer)
            if "tool" not in asked:
                return self._reply(str(asked.get("reply", answer)))
            calls.append(self._executed(asked))
            self._keep(calls[-1])
        return self._reply(GAVE_UP)

    def click(self, click: Click) -> Turn | None:
        """What a person would write in its place; None for reconciling, of which this bot knows nothing."""
        text = WRITTEN.get(click.do)
        return self.say(text.format(click.value.capitalize())) if text else None

    def states(self) -> None:
        """It keeps no books."""
        return

    def _request(self, message: str, earlier: str, calls: list[dict[str, Any]]) -> ProposalRequest:
        text = json.dumps([*json.loads(earlier), *calls], ensure_ascii=False)
        history = ContextBlock(name="history", trusted=False, text=text)
        return ProposalRequest(task="act", message=message, blocks=(self._tools, history))

    def _executed(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        tool, given = str(asked["tool"]), asked.get("arguments")
        arguments = {str(name): value for name, value in given.items()} if isinstance(given, dict) else {}
        act = _ACTS.get(tool)
        result = act(self._company, arguments) if act else self._company.call(tool, arguments)
        return {"role": "tool", "tool": tool, "arguments": arguments, "result": _rows(result)}

    def _reply(self, text: str) -> Turn:
        self._keep({"role": "assistant", "text": text})
        return Turn(reply=text)

    def _text(self) -> str:
        return json.dumps(self._history, ensure_ascii=False)

    def _keep(self, entry: dict[str, Any]) -> None:
        self._history.append(entry)
        self._company.memory["history"] = self._text()


def naive(company: Company) -> NaiveAgent:
    """A naive agent over a company: `--workflow naive`."""
    return NaiveAgent(company)


def _object(answer: object) -> dict[str, Any]:
    """The one JSON object of an answer, or nothing: then the answer is sent as it is."""
    try:
        asked = json.loads(answer) if isinstance(answer, str) else None
    except (ValueError, RecursionError):
        return {}
    return asked if isinstance(asked, dict) else {}


def _rows(result: Mapping[str, Any]) -> dict[str, Any]:
    """A result as a tutorial shows it to its model: the rows, without when and by whom each was known."""
    if "records" not in result:
        return dict(result)
    rows = [{"id": record["evidence_id"], **record["value"]} for record in result["records"]]
    return {"kind": result["kind"], "records": rows}


def _customer(company: Company, given: Mapping[str, Any]) -> Any:
    return given.get("customer_id") or company.session.authenticated_customer_id


def _reading(tool: str, fill: Callable[[Company], dict[str, str]]) -> Callable[..., dict[str, Any]]:
    def act(company: Company, given: Mapping[str, Any]) -> dict[str, Any]:
        known = {name: given[name] for name in _TOOLS[tool][1] if name in given}
        return company.call(tool, {"customer_id": _customer(company, given), **known, **fill(company)})

    return act


def _window(company: Company) -> dict[str, str]:
    now = company.now()
    return {"from_at": iso(now - timedelta(days=92)), "until_at": iso(now)}


def _schedule(company: Company, given: Mapping[str, Any]) -> dict[str, Any]:
    """A tutorial's tool: it looks up what the service wants to hear, makes up the rest, and asks."""
    customer = _customer(company, given)
    answer = company.call("get_plan_and_entitlements", {"customer_id": customer})
    values = {record["value"]["kind"]: record["value"] for record in answer.get("records", [])}
    account, subscription = values.get("account"), values.get("subscription")
    if not account or not subscription:
        return {"kind": "error", "code": answer.get("code", "no_subscription")}
    policy = company.call("get_policy", _now(company, customer))
    versions = [record["evidence_id"] for record in policy.get("records", [])]
    number = int(company.memory.get("quotes", "0")) + 1
    company.memory["quotes"] = str(number)
    seats = [seat["seat_id"] for seat in subscription["seats"] or ()]
    tenant, cycle, quote = company.session.tenant_id, subscription["cycle_id"], f"Q-{number}"
    return company.call(
        "schedule_downgrade",
        {
            "tool": "schedule_downgrade",
            "tenant_id": tenant,
            "runtime_customer_id": customer,
            "target_plan": given.get("target_plan"),
            "designated_seat_id": account["owner_seat_id"] or next(iter(seats), None),
            "effective_at": subscription["renews_at"],
            "renewal_cycle_id": cycle,
            "expected_subscription_version": subscription["subscription_version"],
            "quote_id": quote,
            "confirmation_id": f"CNF-{number}",
            "policy_version": versions[0] if versions else "none",
            "idempotency_key": f"{tenant}:{customer}:{cycle}:I3:{quote}",
        },
    )


def _now(company: Company, customer: Any) -> dict[str, Any]:
    return {"customer_id": customer, "policy_id": "subscription", "effective_at": iso(company.now())}


def _hand_off(company: Company, given: Mapping[str, Any]) -> dict[str, Any]:
    number = int(company.memory.get("tickets", "0")) + 1
    company.memory["tickets"] = str(number)
    packet = {
        "conversation_id": "C-1",
        "issue_id": f"I{number}",
        "reason": "customer_asked",
        "customer_id": _customer(company, given),
        "assurance": company.session.session_assurance.value,
        "scopes": [],
        "issues": [],
        "evidence": [],
        "completed_calls": [],
        "proposed_action": None,
        "conflicts": [],
        "commitments": [str(given.get("summary", ""))],
    }
    return company.call("hand_off", {"idempotency_key": f"ticket-{number}", "packet": packet})


_ACTS: dict[str, Callable[[Company, Mapping[str, Any]], dict[str, Any]]] = {
    "search_articles": _reading("search_articles", lambda _: {}),
    "get_billing_transactions": _reading("get_billing_transactions", _window),
    "get_plan_and_entitlements": _reading("get_plan_and_entitlements", lambda _: {}),
    "get_active_incidents": _reading("get_active_incidents", lambda _: {}),
    "get_policy": _reading("get_policy", lambda company: {"effective_at": iso(company.now())}),
    "schedule_downgrade": _schedule,
    "hand_off": _hand_off,
}
