"""The rules proposer on messages as people write them, labelled by hand (`messages_en.json`; kinds as in the file)."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from relay_lab.contracts.issues import ProposedIssues
from relay_lab.contracts.proposals import ContextBlock, ProposalRequest
from relay_lab.proposers.rules import rules_proposer

MESSAGES: list[dict[str, Any]] = json.loads((Path(__file__).parent / "messages_en.json").read_text("utf-8"))
AIM = 0.95


def decompose(row: dict[str, Any]) -> list[dict[str, Any]]:
    blocks = ()
    if "question" in row:
        text = json.dumps([{"id": "I1", "type": "any", "state": "needs_input", "question": row["question"]}])
        blocks = (ContextBlock(name="open_issues", trusted=True, text=text),)
    answer = rules_proposer()(ProposalRequest(task="decompose", message=row["message"], blocks=blocks))
    return [issue.model_dump() for issue in ProposedIssues.model_validate_json(answer).issues]


@cache
def proposed() -> list[list[dict[str, Any]]]:
    """The issues of every message, read once."""
    return [decompose(row) for row in MESSAGES]


def facts(issue: dict[str, Any]) -> tuple[Any, ...]:
    """What is compared: type and slots; `about_account` null counts as true (scenarios)."""
    about = "about_account" in issue and issue["about_account"] is not False
    slots = ("refund_requested", "feature", "target_plan", "deadline")
    return (issue["type"], about, *(issue.get(slot) for slot in slots))


def test_the_messages_are_read_as_labelled() -> None:
    """Exact match of the types, in order, and of every slot."""
    pairs = zip(MESSAGES, proposed(), strict=True)
    wrong = [row for row, got in pairs if [facts(i) for i in got] != [facts(i) for i in row["issues"]]]
    exact = 1 - len(wrong) / len(MESSAGES)
    print(f"{len(MESSAGES)} messages, exact {exact:.3f}")
    assert exact >= AIM, [row["message"] for row in wrong]


def test_no_plan_is_ever_invented_and_every_span_is_exact() -> None:
    """Whatever else is wrong, a target plan is the labelled one or null, and a span is a slice of the message."""
    for row, got in zip(MESSAGES, proposed(), strict=True):
        labelled = {issue.get("target_plan") for issue in row["issues"]} | {None}
        for issue in got:
            place = issue["span"]
            assert issue.get("target_plan") in labelled, row["message"]
            assert row["message"][place["start"] : place["end"]] == place["text"], row["message"]
