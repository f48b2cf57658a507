"""Whether a clause is put together like one: a subject, a verb group, an object and phrases, each word where it belongs.

Words that are allowed one by one could still be strung into anything; what cannot be read as a sentence is not shown.
"""

import re
from collections.abc import Container

from relay_lab.desks.support.reply.checks.grammar import Reading
from relay_lab.desks.support.reply.checks.lexicon import (
    ADJECTIVES,
    ADVERBS,
    AUXILIARY,
    BE,
    DO,
    HAVE,
    MODAL,
    NEGATORS,
    NOUN_PAIRS,
    NOUNS,
)
from relay_lab.desks.support.reply.checks.tokens import Token
from relay_lab.desks.support.reply.checks.wordlist import words

DETERMINERS = words("a an the your my our its their this those these that no another other each which more")
PERSONS = words("i you we it they me us them this that these those there nothing then")
PREPOSITIONS = words("of in on at to for from with by through under against about per as until before after")
LOOSE = ADVERBS | words("yourself please then here well earlier previously instead reliably so far yet more")
STAYS = words("stay stays remain remains")
PARTICLES = words("on about with")
CHUNKS = r"""
    [rP|]*                      # adverbs and phrases in front: "Until then", "Under refund policy RP-7"
    (?:{subject}P*(?:\|N)*r*)?  # the subject
    [rP|]*
    V                           # one verb group
    r*(?:{objects})
    r*o?                        # "pass it on"
    (?:r|P|\|N?|TN?)*           # phrases, more of a list, an infinitive
    o?                          # "what I can help with"
"""
SUBJECT = {True: "(?:NAN|AN|NN?)", False: "(?:AN|N)"}
"""Whether the clause asks (`which plan you would like`, `Do you still want`) -> what stands in front of the verb."""

OBJECTS = {True: "N?N?", False: "N?"}
"""Whether the verb takes two objects ("show you its price") -> what stands after it."""

TWO_OBJECTS = words("know show")
PASSIVE = words("charged reversed refunded settled scheduled recorded eligible")
"""Verbs of which only the passive is said: they need an auxiliary."""

ORDER = re.compile(r"M?H?B?|DM?|M")
"""Auxiliaries in order: modal, have, be. `do` stands alone."""


def shaped(reading: Reading) -> bool:
    """Whether the clause's words stand in the order of an English clause."""
    chunks = _Chunker(reading).chunks()
    asks = reading.clause.lead in ("which", "what")
    two = any(head.name in TWO_OBJECTS for head in reading.heads)
    pattern = CHUNKS.format(subject=SUBJECT[asks], objects=OBJECTS[two])
    return chunks is not None and re.fullmatch(pattern, chunks, re.VERBOSE) is not None and _in_order(reading)


class _Chunker:
    """Cuts a clause into verb groups, noun phrases, phrases with a preposition and adverbs, from left to right."""

    def __init__(self, reading: Reading) -> None:
        self._tokens, self._verbal = reading.clause.tokens, reading.verbal
        self._heads = {head.at for head in reading.heads}
        self._at = 0

    def chunks(self) -> str | None:
        """One letter a chunk, or None for a word that belongs to none."""
        found = ""
        while self._at < len(self._tokens):
            letter = self._chunk()
            if letter is None:
                return None
            found += letter
        return found

    def _chunk(self) -> str | None:
        token = self._tokens[self._at]
        if token.kind == "mark":
            self._at += 1
            return "|"
        if self._at in self._verbal:
            return self._verb_group()
        if token.text == "active" and self._text(-1) in STAYS:
            self._at += 1
            return "r"
        if token.text == "to" and self._at + 1 in self._verbal:
            self._at += 1
            self._verb_group()
            return "T"
        if token.kind == "word" and token.text in PREPOSITIONS:
            return self._phrase()
        if token.kind == "date":
            self._at += 1
            return "P"
        if self._noun_phrase():
            return "N"
        if token.kind == "word" and token.text in LOOSE:
            self._at += 1
            return "r"
        return None

    def _verb_group(self) -> str:
        full = False
        while self._at < len(self._tokens) and self._at in self._verbal:
            full = full or self._at in self._heads
            self._at += 1
            if full and self._tokens[self._at - 1].text not in BE | HAVE and not self._shares():
                break
        return "V" if full else "A"

    def _shares(self) -> bool:
        """Whether the verb is the first of two that share their auxiliaries ("reversed or refunded")."""
        following = self._tokens[self._at : self._at + 2]
        if len(following) == 2 and following[0].text in ("and", "or") and self._at + 1 in self._verbal:
            self._at += 1
            return True
        return bool(following) and self._at in self._verbal

    def _phrase(self) -> str | None:
        text = self._tokens[self._at].text
        if (text, self._text(1)) in (("as", "well"), ("so", "far")):
            self._at += 2
            return "r"
        self._at += 1
        if self._at < len(self._tokens) and self._tokens[self._at].kind in ("date", "amount"):
            self._at += 1
            return "P"
        if self._noun_phrase():
            return "P"
        return "o" if text in PARTICLES else None

    def _text(self, ahead: int = 0) -> str:
        place = self._at + ahead
        return self._tokens[place].text if place < len(self._tokens) else ""

    def _noun_phrase(self) -> bool:
        start = self._at
        at = self._core(start)
        if at is None:
            return False
        self._at = at
        return True

    def _core(self, at: int) -> int | None:
        """Where the noun phrase that starts here ends: determiner, number, adjectives, nouns, id; or a pronoun."""
        start, before = at, ""
        at += self._is(at, DETERMINERS)
        at += self._kind(at, "number")
        if self._kind(at, "amount") and self._noun_at(at + 1):
            at += 1
        while self._adjective(at):
            before = self._tokens[at].text
            at += 1
        if self._kind(at, "amount") and self._noun_at(at + 1):
            at += 1
        first = at
        while self._noun_at(at) and (at == first or self._pair(at)):
            at += 1
        named = at > first
        while self._kind(at, "id"):
            named, at = True, at + 1
        if named:
            return at
        if before or at > start + 1:
            return None
        if self._kind(start, "amount", "number"):
            return start + 1
        return start + 1 if self._is(start, PERSONS) else None

    def _is(self, at: int, listed: Container[str]) -> bool:
        return at < len(self._tokens) and self._tokens[at].kind == "word" and self._tokens[at].text in listed

    def _kind(self, at: int, *kinds: str) -> bool:
        return at < len(self._tokens) and self._tokens[at].kind in kinds

    def _noun_at(self, at: int) -> bool:
        return self._kind(at, "plan", "feature") or (self._is(at, NOUNS) and at not in self._verbal)

    def _pair(self, at: int) -> bool:
        first, second = _class(self._tokens[at - 1]), _class(self._tokens[at])
        return (first, second) in NOUN_PAIRS

    def _adjective(self, at: int) -> bool:
        """An adjective that goes with the noun after it, over other adjectives and amounts."""
        if not self._is(at, ADJECTIVES) or at in self._verbal:
            return False
        place = at + 1
        while self._kind(place, "amount", "plan", "feature") or (
            self._is(place, ADJECTIVES) and not self._noun_at(place)
        ):
            place += 1
        return place < len(self._tokens) and _class(self._tokens[place]) in ADJECTIVES[self._tokens[at].text]


def _class(token: Token) -> str:
    return token.kind if token.kind in ("plan", "feature") else NOUNS.get(token.text, "")


def _in_order(reading: Reading) -> bool:
    """Whether each verb has its auxiliaries in order and the form that they ask for."""
    bare = [word for chain, word in reading.groups if not AUXILIARY & set(chain)]
    return (
        all(_agrees(chain, word) for chain, word in reading.groups)
        and not PASSIVE & set(bare)
        and "been" not in bare
    )


def _agrees(chain: tuple[str, ...], word: str) -> bool:
    helpers = [one for one in chain if one in AUXILIARY or one == "cannot"]
    letters = "".join(
        "D" if one in DO else "M" if one in MODAL or one == "cannot" else "H" if one in HAVE else "B"
        for one in helpers
    )
    negated = sum(one in NEGATORS for one in chain)
    if ORDER.fullmatch(letters) is None or negated > 1:
        return False
    return FORMS[letters[-1:]].fullmatch(word) is not None


IRREGULAR = "found|took|sent|chose|kept|paid|done|saw|is|are|was|were|has|had|been|am"
BASE = rf"(?!\w*ed$|(?:{IRREGULAR})$)(?:pass|process|\w*[^s])"
PARTICIPLE = r"\w+ed|found|taken|sent|chosen|kept|paid|done|seen|been|had|read"
STATE = r"eligible|due|open|valid|void|withdrawn|outdated|active|outside|settled"
FORMS = {
    "": re.compile(r"\w+"),
    "D": re.compile(BASE),
    "M": re.compile(BASE),
    "H": re.compile(PARTICIPLE),
    "B": re.compile(rf"{PARTICIPLE}|{STATE}"),
}
"""The last auxiliary -> the forms of the verb after it."""
