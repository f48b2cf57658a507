"""Whether every word of a sentence is one that a reply may use, and whether it is English at all."""

from collections.abc import Iterator
from itertools import pairwise

from relay_lab.desks.support.reply.checks.hostile import ENGLISH, FOREIGN, code_of
from relay_lab.desks.support.reply.checks.lexicon import (
    ADJECTIVES,
    ADVERBS,
    AUXILIARY,
    COURTESY,
    FREE,
    LINKS,
    NARROW,
    NEGATORS,
    NOUNS,
)
from relay_lab.desks.support.reply.checks.licences import forms
from relay_lab.desks.support.reply.checks.tokens import Token
from relay_lab.desks.support.reply.material import RefusalCode

KNOWN = FREE | ADVERBS | AUXILIARY | NEGATORS | LINKS | frozenset(ADJECTIVES) | frozenset(NOUNS)
PAUSES = frozenset(",;:")
MARKS = frozenset(".,;:?!()'\"\u2019\u2018\u201c\u201d\u2013\u2014-")


def refused_words(tokens: list[Token]) -> Iterator[RefusalCode]:
    """Why the sentence is refused for its words and pieces, before anything is asked about what it says.

    A word that is in no list of the lexicon is refused: nobody could say what it claims.
    """
    words = [token.text for token in tokens if token.kind == "word"]
    unknown = [word for word in words if word not in KNOWN and word not in forms() and not courteous(words)]
    if _foreign(words, unknown):
        yield "not_english"
    for token in tokens:
        if token.code is not None:
            yield token.code
        if token.kind == "mark" and token.text not in MARKS:
            yield "forbidden_content"
    for word in unknown:
        yield code_of(word) or "unsupported_fact"
    for token, after in pairwise((*tokens, Token("mark", ""))):
        if (
            token.text in NARROW
            and token.kind == "word"
            and after.kind != "mark"
            and after.text not in NARROW[token.text]
        ):
            yield "unsupported_fact"
        if token.kind == after.kind == "mark" and {token.text, after.text} <= PAUSES:
            yield "unsupported_fact"


def courteous(words: list[str]) -> bool:
    """Whether the words are those of a courtesy alone."""
    return all(word in COURTESY for word in words)


def _foreign(words: list[str], unknown: list[str]) -> bool:
    strange = [word for word in unknown if word not in ENGLISH]
    return any(word in FOREIGN for word in strange) or 2 * len(strange) > len(words) > 0
