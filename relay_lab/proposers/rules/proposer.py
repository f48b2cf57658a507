"""The offline default proposer: rules over language data, no model, no network, the same answer every time (001 §2)."""

import json
from typing import Any

from relay_lab.contracts.proposals import ProposalRequest, Propose
from relay_lab.proposers.rules.answers import answers, open_questions
from relay_lab.proposers.rules.billing import duplicates
from relay_lab.proposers.rules.changes import changes
from relay_lab.proposers.rules.classifier import classifier
from relay_lab.proposers.rules.clauses import Text, read
from relay_lab.proposers.rules.cues import Reading
from relay_lab.proposers.rules.features import features
from relay_lab.proposers.rules.findings import Finding
from relay_lab.proposers.rules.judged import judged
from relay_lab.proposers.rules.language import foreign_words, languages
from relay_lab.proposers.rules.others import others
from relay_lab.proposers.rules.own_words import own_words
from relay_lab.proposers.rules.people import people
from relay_lab.proposers.rules.spans import span
from relay_lab.proposers.rules.tokens import tokenise

_MOST = 20


def rules_proposer() -> Propose:
    """A proposer that reads the message by rules.

    `decompose` gives JSON text that is valid against `ProposedIssues`, whatever the message: issues in order of first
    mention, each span an exact slice, each slot value named in the customer's own words or null. Every other task gives
    "": no proposal. Trusted blocks are read for open questions; a block that is not trusted is never read. Never raises.
    """
    return _propose


def _propose(request: ProposalRequest) -> str:
    if request.task != "decompose":
        return ""
    return json.dumps(
        {"issues": decompose(request.message, open_questions(request.blocks))}, ensure_ascii=False
    )


def decompose(message: str, questions: set[str]) -> list[dict[str, Any]]:
    """The issues of a message as plain data, given the questions that are open (`which_plan`, `which_feature`)."""
    text = text_of(message)
    ruled = by_rules(text, questions)
    trained = None if questions else classifier()
    # What a message says to an open question was not among what was learned: the rules alone read it.
    return numbered(text, judged(text, ruled, trained) if trained else ruled.found)


def by_rules(text: Text, questions: set[str]) -> Reading:
    """What the rules find in the text."""
    found = [*duplicates(text), *people(text)]
    accesses, elsewhere = features(text)
    wishes, voided = changes(text)
    found += [*accesses, *wishes]
    found += answers(text, questions, found)
    found += others(text, found, voided, elsewhere)
    return Reading(found, voided, elsewhere)


def text_of(message: str) -> Text:
    """The customer's own words of the message, in clauses."""
    own = own_words(message, foreign_words())
    return read(message, tokenise(own.text), languages(), own.screen)


def numbered(text: Text, found: list[Finding]) -> list[dict[str, Any]]:
    """The findings as issues, in order of first mention."""
    rows = [(span(text, finding, found), finding) for finding in found]
    # However much else is complained about, what a type exists for is never the part that is cut off.
    rows = sorted(rows, key=lambda row: (row[1].type == "other", row[0]["start"]))[:_MOST]
    rows.sort(key=lambda row: (row[0]["start"], row[1].at, row[1].type))
    return [
        {"id": f"I{number}", "type": finding.type, "span": place, **finding.slots}
        for number, (place, finding) in enumerate(rows, start=1)
    ]
