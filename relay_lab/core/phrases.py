"""Phrases: what a customer's words mean for a proposal that waits for them (003 "Confirmation is a state machine").

Only a message that is nothing but one of a bounded set of phrases approves or rejects. Model output never comes here.
"""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Literal

Meaning = Literal["approve", "reject", "ambiguous", "mixed", "none"]

# A question mark, a quotation, a crossed-out word or an emoji may turn a yes into anything else.
_PLAIN = re.compile(r"[\w\s'\u2019.,:;!\u00a1\u2026\u2013\u2014-]*")


def meaning(message: str) -> Meaning:
    """approve or reject: exactly a phrase · mixed: a phrase with more beside it · ambiguous: a half yes · none: other."""
    text = _normal(message)
    phrases = _phrases()
    if text in phrases["approve"]:
        return "approve" if _PLAIN.fullmatch(message) else "mixed"
    if text in phrases["reject"]:
        return "reject" if _PLAIN.fullmatch(message) else "mixed"
    if text in phrases["ambiguous"]:
        return "ambiguous"
    if any(text.startswith(f"{word} ") or text.endswith(f" {word}") for word in phrases["assent"]):
        return "mixed"
    return "none"


def _normal(message: str) -> str:
    return " ".join(re.findall(r"[\w']+", message.casefold().replace("\u2019", "'")))


@cache
def _phrases() -> dict[str, frozenset[str]]:
    sets: dict[str, frozenset[str]] = dict.fromkeys(("approve", "reject", "ambiguous", "assent"), frozenset())
    for file in files("relay_lab.core").joinpath("phrases_data").iterdir():
        for kind, words in json.loads(file.read_text(encoding="utf-8")).items():
            sets[kind] |= {_normal(word) for word in words}
    return sets
