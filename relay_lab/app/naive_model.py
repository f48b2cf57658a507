"""A scripted stand-in for the model of a naive agent: no model at all, and not to be taken for the recorded answers of one.

It does what a capable and obedient model would do with the tools it is given: it looks up what the message is about, does what
the customer and every text it reads tell it to, and says so. It is the same every time, so that the naive baseline can be run
offline; what a real model does instead is recorded and shown apart.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from relay_lab.contracts.enums import Feature, Plan
from relay_lab.contracts.proposals import ProposalRequest, Propose

Answer = Mapping[str, Any]

_ORDER = re.compile(r"\bcall (\w+)(?: with (\w+)\s*=\s*(\w+))?", re.IGNORECASE)
_REFUND_ORDER = re.compile(r"\brefund every charge\b|\bissue (?:a|the) refund\b", re.IGNORECASE)
_ACCOUNT = re.compile(r"\baccount is ([A-Za-z0-9][\w.:-]*\w)", re.IGNORECASE)
_CHARGE = re.compile(
    r"\b(?:charge[ds]?|bill(?:ed|s)?|payments?|paid|debited|invoiced?|took)\b", re.IGNORECASE
)
_CHANGE = re.compile(
    r"\b(?:smaller|cheaper|lower|downgrade|less expensive)\b|\b(?:switch|move) (?:me )?to\b|\bpick the\b",
    re.IGNORECASE,
)
_YES = re.compile(r"^\W*(?:yes|i confirm|confirm|go ahead)\b", re.IGNORECASE)
_PERSON = re.compile(
    r"\b(?:human|a person|real person|someone|specialist|agent|representative)\b", re.IGNORECASE
)


def tutorial_model() -> Propose:
    """The stand-in as a proposer: it answers `act`, and "" to every other task."""

    def propose(request: ProposalRequest) -> str:
        if request.task != "act":
            return ""
        blocks = {block.name: json.loads(block.text) for block in request.blocks}
        return json.dumps(_next(request.message, blocks.get("history", []), blocks.get("tools", [])))

    return propose


def with_tutorial(propose: Propose) -> Propose:
    """A proposer that leaves `act` to the stand-in and answers everything else itself."""
    acting = tutorial_model()

    def both(request: ProposalRequest) -> str:
        return acting(request) if request.task == "act" else propose(request)

    return both


def _next(message: str, history: list[dict[str, Any]], tools: list[dict[str, Any]]) -> Answer:
    """The first call that is called for and was not made in this turn; the reply when there is none."""
    done: list[dict[str, Any]] = []
    for entry in reversed(history):
        if entry["role"] != "tool":
            break
        done.insert(0, entry)
    earlier = " ".join(entry["text"] for entry in history if entry["role"] == "customer")
    offered = {tool["name"] for tool in tools}
    made = {entry["tool"] for entry in done}
    for call in _wanted(message, earlier, done):
        if call["tool"] in offered and call["tool"] not in made:
            return call
    return {"reply": _said(message, done)}


def _wanted(message: str, earlier: str, done: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    account = _ACCOUNT.search(message)
    whose = {"customer_id": account[1].rstrip(".")} if account else {}

    def call(tool: str, **arguments: str) -> dict[str, Any]:
        return {"tool": tool, "arguments": {**arguments, **whose}}

    yes = bool(_YES.search(message))
    if _CHARGE.search(message):
        yield call("get_billing_transactions")
        yield call("search_articles", query="payment charged twice refund")
    feature = _feature(message)
    if feature:
        yield call("get_plan_and_entitlements")
        yield call("get_active_incidents", feature=feature)
    plan = _plan(message)
    if _CHANGE.search(message) or yes:
        yield call("get_plan_and_entitlements")
        if plan or yes:
            yield call("schedule_downgrade", target_plan=plan or _plan(earlier) or Plan.INDIVIDUAL.value)
    if _PERSON.search(message):
        yield call("hand_off", summary=message[:200])
    for text in (message, *(json.dumps(entry["result"], ensure_ascii=False) for entry in done)):
        for tool, name, value in _ORDER.findall(text):
            yield call(tool, **({name: value} if name else {}))


def _plan(text: str) -> str | None:
    """The smaller plan that a text asks for: Team is what people have, and Individual what is left."""
    return Plan.INDIVIDUAL.value if re.search(r"\bindividual\b", text, re.IGNORECASE) else None


def _feature(message: str) -> str | None:
    words = {feature.value.split("_")[0]: feature.value for feature in Feature}
    return next(
        (value for word, value in words.items() if re.search(rf"\b{word}", message, re.IGNORECASE)), None
    )


def _said(message: str, done: list[dict[str, Any]]) -> str:
    said = [text for entry in done for text in [_TELL.get(entry["tool"], _nothing)(entry["result"])] if text]
    if any(_REFUND_ORDER.search(json.dumps(entry["result"])) for entry in done) or _REFUND_ORDER.search(
        message
    ):
        said.append("I have issued your refund.")
    if _CHANGE.search(message) and not any(entry["tool"] == "schedule_downgrade" for entry in done):
        said.append("Which plan would you like to move to?")
    return " ".join(said) or "Thank you, I have noted that. Is there anything else?"


def _nothing(_: Answer) -> str:
    return ""


def _values(result: Answer, kind: str) -> list[dict[str, Any]]:
    return [record for record in result.get("records", []) if record["kind"] == kind]


def _charges(result: Answer) -> str:
    if result.get("kind") != "success":
        return "I could not look at your charges just now."
    seen: dict[tuple[int, str], int] = {}
    for charge in _values(result, "transaction"):
        known = charge["amount_cents"], charge["charged_at"][:7]
        seen[known] = seen.get(known, 0) + 1
    twice = next((cents for (cents, _), count in seen.items() if count > 1), None)
    if twice is None:
        return "I see no duplicate charge."
    return f"You were charged {twice / 100:.2f} twice, and the second charge is eligible for a refund."


def _incidents(result: Answer) -> str:
    if result.get("kind") != "success":
        return "I could not look for incidents just now."
    active = [each for report in _values(result, "incident_report") for each in report["active"]]
    return (
        "There is an active incident with it."
        if active
        else "There is no active incident, so please try again."
    )


def _scheduled(result: Answer) -> str:
    if result.get("kind") in ("accepted", "lost"):
        return "I have scheduled your move to the Individual plan."  # silence sounds like success to it
    return f"I could not change your plan ({result.get('code')})."


def _ticket(result: Answer) -> str:
    return "I have passed this on to a specialist." if result.get("kind") in ("accepted", "lost") else ""


_TELL: Mapping[str, Callable[[Answer], str]] = {
    "get_billing_transactions": _charges,
    "get_active_incidents": _incidents,
    "schedule_downgrade": _scheduled,
    "hand_off": _ticket,
}
