"""What a message says only as the answer to what is open: a plan, a feature, a refund, a transfer (001 §6)."""

import json
from collections.abc import Iterable
from typing import Any

from relay_lab.contracts.proposals import ContextBlock
from relay_lab.proposers.rules.clauses import Text
from relay_lab.proposers.rules.features import mentions
from relay_lab.proposers.rules.findings import Finding, overlap
from relay_lab.proposers.rules.plain import earnest
from relay_lab.proposers.rules.plans import named
from relay_lab.proposers.rules.tokens import WORD
from relay_lab.proposers.rules.unread import topics_of

_SHORT = 16
OFFERED = "offered"
"""A duplicate charge is confirmed, and a refund or a transfer offered; with a feature: `offered:calendar_view`."""
_MONEY = {"charge", "invoice"}


def open_questions(blocks: Iterable[ContextBlock]) -> set[str]:
    """What is open by the trusted block `open_issues`: questions, and the issues of which a way was offered.

    A block that is not trusted is never read.
    """
    questions: set[str] = set()
    for block in blocks:
        if block.trusted and block.name == "open_issues":
            try:
                issues = json.loads(block.text)
            except ValueError:
                continue
            rows = issues if isinstance(issues, list) else []
            questions.update(said for row in rows if isinstance(row, dict) for said in _open(row))
    return questions


def _open(row: dict[str, Any]) -> list[str]:
    said = [str(row["question"])] if row.get("question") else []
    if row.get("type") == "billing_duplicate" and row.get("state") == "evidence_ready":
        said.append(OFFERED)
    if row.get("type") == "feature_access" and row.get("feature"):
        said.append(f"{OFFERED}:{row['feature']}")
    return said


def answers(text: Text, questions: set[str], found: list[Finding]) -> list[Finding]:
    """The findings that the message makes only as the answer to what was asked."""
    types = {finding.type for finding in found}
    given: list[Finding] = []
    if "subscription_change" not in types:
        given += _plan(text, "which_plan" in questions)
    if "which_feature" in questions and "feature_access" not in types:
        given += _feature(text)
    if OFFERED in questions and "billing_duplicate" not in types:
        given += _refund(text) or _transferred(text, found)
    person = {index for finding in found if finding.type == "human_request" for index in finding.clauses}
    if person and "feature_access" not in types:
        given += [f for f in _feature(text) if f"{OFFERED}:{f.slots['feature']}" in questions]
    return given


def _refund(text: Text) -> list[Finding]:
    """The refund of the duplicate that is open, asked for or declined."""
    for clause in text.clauses:
        asks, declines = clause.first("refund_ask"), clause.first("refund_decline")
        match = declines or asks
        if match is not None and not clause.has("refund_info", "refund_other", "resolved"):
            finding = Finding(
                "billing_duplicate", match.start, [], {"refund_requested": declines is None}, {"charge"}
            )
            finding.add(clause, match.start, match.end)
            return [finding]
    return []


def _transferred(text: Text, found: list[Finding]) -> list[Finding]:
    """The duplicate that is open, where the customer asks that a person who deals with money takes it."""
    for person in found:
        for index in sorted(person.clauses) if person.type == "human_request" else ():
            clause = text.clauses[index]
            if topics_of(text, clause) & _MONEY:
                finding = Finding(
                    "billing_duplicate", clause.start, [], {"refund_requested": None}, {"charge"}
                )
                finding.add(clause, clause.start, clause.end)
                return [finding]
    return []


def _plan(text: Text, asked: bool) -> list[Finding]:
    for clause in text.clauses:
        plans = dict(named(text, clause))
        words = sum(token.kind == WORD for token in text.tokens[clause.start : clause.end])
        if asked and not plans and words <= _SHORT and not clause.has("howto", "not_change"):
            pick = clause.first("cancel_pick")
            if pick is not None or clause.has("undecided"):
                return [_picked(text, clause.index, "cancel" if pick else None)]
        if not plans or not (clause.has("plan_alone") or (asked and words <= _SHORT)):
            continue
        if not earnest(text, clause):
            continue
        unsure_question = clause.asks and not clause.has("request", "plan_alone")
        if unsure_question or clause.has("howto", "hypothetical", "question", "plan_not"):
            continue
        present = clause.signals.get("plan_current", [])
        wanted = [plan for plan, match in plans.items() if not any(overlap(match, m) for m in present)]
        if not (wanted or asked):
            continue
        certain = len(wanted) == 1 and not clause.has("undecided")
        return [_picked(text, clause.index, wanted[0] if certain else None)]
    return []


def _picked(text: Text, index: int, plan: str | None) -> Finding:
    clause = text.clauses[index]
    finding = Finding(
        "subscription_change", clause.start, [], {"target_plan": plan, "deadline": None}, {"plan"}
    )
    finding.add(clause, clause.start, clause.end)
    return finding


def _feature(text: Text) -> list[Finding]:
    given: dict[str, Finding] = {}
    for clause in text.clauses:
        for mention in mentions(text, clause):
            if not clause.has("works", "misbehaves", "prebuy", "usage"):
                finding = Finding(
                    "feature_access",
                    mention.at,
                    [],
                    {"feature": mention.feature},
                    {f"feature:{mention.feature}"},
                )
                finding.add(clause, mention.at, mention.at + mention.size)
                given.setdefault(mention.feature, finding)
    return list(given.values())
