"""Phrases: what a customer's words mean for a proposal that waits for them (003 "Confirmation is a state machine").

Only a message that is made of nothing but phrases of a bounded set approves or rejects. Model output never comes here.
"""

import re
from collections.abc import Iterable
from functools import cache
from typing import Literal

from relay_lab.contracts.proposals import Phrases

Meaning = Literal["approve", "reject", "ambiguous", "mixed", "none"]

# A question mark, a quotation, a crossed-out word or an emoji may turn a yes into anything else.
_PLAIN = re.compile(r"[\w\s'\u2019.,:;!\u00a1\u2026\u2013\u2014-]*")
_DECISIVE: tuple[Literal["approve"], Literal["reject"]] = ("approve", "reject")
_PAUSE = re.compile(r"[.,:;!\u00a1\u2026\u2013\u2014\n]+|\s-+\s")


def meaning(message: str, phrases: Phrases, named: Iterable[str] = ()) -> Meaning:
    """approve or reject: phrases of that kind only, courtesies aside · mixed: an assent with more beside it · ambiguous: a half
    yes · none: other.

    `named` are the ids that an answer may repeat (the quote that waits).
    """
    for name in named:
        message = re.sub(rf"(?i)(?:\b(?:the )?quote\s+)?(?<![\w-]){re.escape(name)}(?![\w-])", " ", message)
    whole = _normal(message)
    pieces = {_normal(part) for part in _PAUSE.split(message)} - {""}
    sets = _sets(phrases)
    answers = pieces - sets["courtesy"]
    for kind in _DECISIVE:
        if whole in sets[kind] or (answers and answers <= sets[kind]):
            return kind if _PLAIN.fullmatch(message) else "mixed"
    if whole in sets["ambiguous"]:
        return "ambiguous"
    assents = (
        word for word in sets["assent"] for piece in (*pieces, whole) if f" {piece} ".startswith(f" {word} ")
    )
    return "mixed" if any(assents) or any(whole.endswith(f" {word}") for word in sets["assent"]) else "none"


@cache
def _sets(phrases: Phrases) -> dict[str, frozenset[str]]:
    return {
        kind: frozenset(_normal(phrase) for phrase in getattr(phrases, kind)) for kind in Phrases.model_fields
    }


def _normal(message: str) -> str:
    return " ".join(re.findall(r"[\w']+", message.casefold().replace("\u2019", "'")))
