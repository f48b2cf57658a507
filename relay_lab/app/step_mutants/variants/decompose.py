"""Two right versions of step 2, written on their own."""

import json
from collections.abc import Iterator
from typing import Any

from pydantic import ValidationError

from relay_lab.contracts.issues import (
    Admission,
    AdmittedIssues,
    Issue,
    Other,
    ProposedIssues,
    Rejected,
    SubscriptionChange,
)
from relay_lab.contracts.session import Session

_ENDS = ("cancel", "end", "stop", "terminate", "close")


class _Fault(Exception):
    def __init__(self, code: str, place: str) -> None:
        super().__init__(code, place)
        self.rejected = Rejected(code=code, place=place, guard="admission")


def step_by_step(message: str, answer: str, session: Session) -> Admission:
    """Read, complete, validate, hold against the message, sort, number; the first fault ends it."""
    try:
        document = _read(answer)
        for index, issue in enumerate(document.get("issues", [])):
            _complete(issue, index, message)
        proposed = ProposedIssues.model_validate_json(json.dumps(document))
        for index, issue in enumerate(proposed.issues):
            _hold(issue, index, message)
        bodies = [
            each.model_dump_json(exclude={"id", "span"}) for each in proposed.issues if each.type != "other"
        ]
        if len(set(bodies)) < len(bodies):
            raise _Fault("repeated", "issues")
    except _Fault as fault:
        return fault.rejected
    except ValidationError as error:
        place = ".".join(str(part) for part in error.errors()[0]["loc"])
        return Rejected(code="not_the_contract", place=place or "$", guard="schema")
    found = sorted(proposed.issues, key=lambda each: each.span.start)
    said = {
        "authenticated_customer_id": (proposed.authenticated_customer_id, session.authenticated_customer_id),
        "session_assurance": (proposed.session_assurance, session.session_assurance.value),
        "tenant_id": (proposed.tenant_id, session.tenant_id),
        "allowed_scopes": (
            proposed.allowed_scopes and tuple(sorted(proposed.allowed_scopes)),
            session.allowed_scopes,
        ),
    }
    return AdmittedIssues(
        issues=tuple(each.model_copy(update={"id": f"I{n + 1}"}) for n, each in enumerate(found)),
        overreach=tuple(name for name, (given, true) in said.items() if given is not None and given != true),
    )


def _read(answer: str) -> dict[str, Any]:
    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({key for key, _ in found}) < len(found):
            raise _Fault("same_key_twice", "$")
        return dict(found)

    def constant(name: str) -> None:
        raise _Fault("no_json_number", name)

    try:
        document = json.loads(answer, object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise _Fault("no_json", f"character {error.pos}") from error
    if not isinstance(document, dict):
        raise _Fault("no_object", "$")
    return document


def _complete(issue: dict[str, Any], index: int, message: str) -> None:
    issue["id"] = f"I{index + 1}"
    span = issue.get("span") or {}
    if "start" not in span and "text" in span:
        at = message.find(span["text"])
        if at == -1:
            raise _Fault("never_written", f"issues[{index}].span")
        issue["span"] = {"start": at, "end": at + len(span["text"]), "text": span["text"]}


def _hold(issue: Issue, index: int, message: str) -> None:
    if message[issue.span.start : issue.span.end] != issue.span.text:
        raise _Fault("written_elsewhere", f"issues[{index}].span")
    if isinstance(issue, Other) and issue.refused_proposal:
        raise _Fault("not_for_a_model", f"issues[{index}].refused_proposal")
    if isinstance(issue, SubscriptionChange) and issue.target_plan is not None:
        forms = _ENDS if issue.target_plan == "cancel" else (issue.target_plan.value,)
        if not any(form in message.casefold() for form in forms):
            raise _Fault("plan_not_named", f"issues[{index}].target_plan")


def by_rules(message: str, answer: str, session: Session) -> Admission:
    """All faults are collected by small rules; one is enough for a refusal, and none admits."""
    parsed = _strict(answer)
    if parsed is None or not isinstance(parsed, dict):
        return Rejected(code="unreadable", place="$", guard="json")
    issues = [dict(each) for each in parsed.get("issues", []) if isinstance(each, dict)]
    for each in issues:
        text = each.get("span", {}).get("text", "")
        each["id"] = "I1"
        each["span"] = {
            "start": max(message.find(text), 0),
            "end": max(message.find(text), 0) + len(text),
        } | each["span"]
    faults = [fault for n, each in enumerate(issues) for fault in _faults(each, n, message)]
    bodies = [
        json.dumps({k: v for k, v in each.items() if k not in ("id", "span")}, sort_keys=True)
        for each in issues
    ]
    faults += [("again", f"issues[{n}]") for n, body in enumerate(bodies) if body in bodies[:n]]
    if faults:
        return Rejected(code=faults[0][0], place=faults[0][1], guard="rules")
    issues.sort(key=lambda each: int(each["span"]["start"]))
    issues = [{**each, "id": f"I{n}"} for n, each in enumerate(issues, start=1)]
    true = json.loads(session.model_dump_json())
    claims = {name: value for name, value in parsed.items() if name != "issues"}
    over = [name for name, value in claims.items() if value not in (None, true.get(name))]
    try:
        ProposedIssues.model_validate_json(json.dumps(claims | {"issues": issues}))
        return AdmittedIssues.model_validate_json(
            json.dumps({"kind": "admitted", "issues": issues, "overreach": over})
        )
    except ValidationError:
        return Rejected(code="invalid", place="issues", guard="contract")


def _strict(answer: str) -> Any:
    doubled: list[str] = []

    def pairs(found: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [name for name, _ in found]
        doubled.extend(name for name in names if names.count(name) > 1)
        return dict(found)

    try:
        document = json.loads(answer, object_pairs_hook=pairs)
        json.dumps(document, allow_nan=False)
    except ValueError:
        return None
    return None if doubled else document


def _faults(issue: dict[str, Any], index: int, message: str) -> Iterator[tuple[str, str]]:
    span, plan = issue["span"], issue.get("target_plan")
    if message[span["start"] : span["end"]] != span["text"]:
        yield "quote", f"issues[{index}].span.text"
    if (
        plan
        and plan not in message.lower()
        and not (plan == "cancel" and any(e in message.lower() for e in _ENDS))
    ):
        yield "plan", f"issues[{index}].target_plan"
    if issue.get("refused_proposal"):
        yield "reserved", f"issues[{index}].refused_proposal"
