"""Whether every word of a sentence is one that a reply may use, and whether it is English at all."""

from relay_lab.desks.support.reply.checks.hostile import ENGLISH, FOREIGN, code_of
from relay_lab.desks.support.reply.checks.lexicon import (
    ADJECTIVES,
    ADVERBS,
    AUXILIARY,
    COURTESY,
    FREE,
    LINKS,
    NEGATORS,
    NOUNS,
)
from relay_lab.desks.support.reply.checks.licences import forms
from relay_lab.desks.support.reply.checks.tokens import Token
from relay_lab.desks.support.reply.material import RefusalCode

KNOWN = FREE | ADVERBS | AUXILIARY | NEGATORS | LINKS | ADJECTIVES | frozenset(NOUNS)
MARKS = frozenset(".,;:?!()'\"\u2019\u2018\u201c\u201d\u2013\u2014-")


def refused_word(tokens: list[Token]) -> RefusalCode | None:
    """Why the sentence is refused for one of its words or pieces, before anything is asked about what it says.

    A word that is in no list of the lexicon is refused: nobody could say what it claims.
    """
    words = [token.text for token in tokens if token.kind == "word"]
    unknown = [word for word in words if word not in KNOWN and word not in forms() and not courteous(words)]
    if _foreign(words, unknown):
        return "not_english"
    for token in tokens:
        if token.code is not None:
            return token.code
        if token.kind == "mark" and token.text not in MARKS:
            return "forbidden_content"
    for word in unknown:
        code = code_of(word)
        if code is not None:
            return code
    return "unsupported_fact" if unknown else None


def courteous(words: list[str]) -> bool:
    """Whether the words are those of a courtesy alone."""
    return all(word in COURTESY for word in words)


def _foreign(words: list[str], unknown: list[str]) -> bool:
    strange = [word for word in unknown if word not in ENGLISH]
    return any(word in FOREIGN for word in strange) or 2 * len(strange) > len(words) > 0
