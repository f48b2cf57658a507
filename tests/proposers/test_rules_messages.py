"""The rules proposer on messages as people write them, labelled by hand: a file for each language, kinds as in the file."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from relay_lab.contracts.issues import ProposedIssues
from relay_lab.contracts.proposals import ContextBlock, ProposalRequest
from relay_lab.proposers.rules import rules_proposer
from relay_lab.proposers.rules.language import languages

FILES = sorted(Path(__file__).parent.glob("messages_*.json"))
LANGUAGES = [file.stem.removeprefix("messages_") for file in FILES]
AIM = {"en": 0.95}
"""Exact match of a file for developing on; the others: 0.9."""


def decompose(row: dict[str, Any]) -> list[dict[str, Any]]:
    blocks: tuple[ContextBlock, ...] = ()
    if "question" in row:
        text = json.dumps([{"id": "I1", "type": "any", "state": "needs_input", "question": row["question"]}])
        blocks = (ContextBlock(name="open_issues", trusted=True, text=text),)
    answer = rules_proposer()(ProposalRequest(task="decompose", message=row["message"], blocks=blocks))
    return [issue.model_dump() for issue in ProposedIssues.model_validate_json(answer).issues]


@cache
def proposed(language: str) -> list[tuple[dict[str, Any], list[dict[str, Any]]]]:
    """Every message of the language with what is read from it, once."""
    file = Path(__file__).parent / f"messages_{language}.json"
    return [(row, decompose(row)) for row in json.loads(file.read_text("utf-8"))]


def facts(issue: dict[str, Any]) -> tuple[Any, ...]:
    """What is compared: type and slots; `about_account` null counts as true (scenarios)."""
    about = "about_account" in issue and issue["about_account"] is not False
    slots = ("refund_requested", "feature", "target_plan", "deadline")
    return (issue["type"], about, *(issue.get(slot) for slot in slots))


@pytest.mark.slow
def test_every_language_has_its_messages() -> None:
    """A language that is added without labelled messages would be read by nobody."""
    assert sorted(language.name for language in languages()) == LANGUAGES
    assert all(len(proposed(language)) >= 40 for language in LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_messages_are_read_as_labelled(language: str) -> None:
    """Exact match of the types, in order, and of every slot."""
    rows = proposed(language)
    wrong = [row for row, got in rows if [facts(i) for i in got] != [facts(i) for i in row["issues"]]]
    exact = 1 - len(wrong) / len(rows)
    print(f"{language}: {len(rows)} messages, exact {exact:.3f}")
    assert exact >= AIM.get(language, 0.9), [row["message"] for row in wrong]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_plan_is_ever_invented_and_every_span_is_exact(language: str) -> None:
    """Whatever else is wrong, a target plan is the labelled one or null, and a span is a slice of the message."""
    for row, got in proposed(language):
        labelled = {issue.get("target_plan") for issue in row["issues"]} | {None}
        for issue in got:
            place = issue["span"]
            assert issue.get("target_plan") in labelled, row["message"]
            assert row["message"][place["start"] : place["end"]] == place["text"], row["message"]
