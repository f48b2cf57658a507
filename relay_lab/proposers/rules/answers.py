"""A short answer to an open question of ours: which plan, or which feature (001 §6, clarify)."""

import json
from collections.abc import Iterable

from relay_lab.contracts.proposals import ContextBlock
from relay_lab.proposers.rules.clauses import Text
from relay_lab.proposers.rules.features import mentions
from relay_lab.proposers.rules.findings import Finding, overlap
from relay_lab.proposers.rules.plans import named
from relay_lab.proposers.rules.tokens import WORD

_SHORT = 16


def open_questions(blocks: Iterable[ContextBlock]) -> set[str]:
    """The questions that are open by the trusted block `open_issues`; a block that is not trusted is never read."""
    questions: set[str] = set()
    for block in blocks:
        if block.trusted and block.name == "open_issues":
            try:
                issues = json.loads(block.text)
            except ValueError:
                continue
            rows = issues if isinstance(issues, list) else []
            questions.update(
                str(row["question"]) for row in rows if isinstance(row, dict) and row.get("question")
            )
    return questions


def answers(text: Text, questions: set[str], found: list[Finding]) -> list[Finding]:
    """The findings that the message makes only as the answer to what was asked."""
    types = {finding.type for finding in found}
    given: list[Finding] = []
    if "subscription_change" not in types:
        given += _plan(text, "which_plan" in questions)
    if "which_feature" in questions and "feature_access" not in types:
        given += _feature(text)
    return given


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
        unsure_question = clause.asks and not clause.has("request", "plan_alone")
        if unsure_question or clause.has("howto", "hypothetical", "question", "plan_not"):
            continue
        present = clause.signals.get("plan_current", [])
        wanted = [plan for plan, match in plans.items() if not any(overlap(match, m) for m in present)]
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
