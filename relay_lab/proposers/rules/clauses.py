"""Sentences, clauses and pieces: where one statement ends and the next begins, with or without punctuation."""

import re
from dataclasses import dataclass, field
from itertools import pairwise

from relay_lab.proposers.rules.language import Language
from relay_lab.proposers.rules.patterns import Bounds, Marks, Pattern
from relay_lab.proposers.rules.tokens import ASK, COLON, COMMA, ITEM, LINE, STOP, WORD, Token

_WRAP = 45
_BULLET = re.compile(r"[-*•·–—>]")
_MARKS = (ASK, COLON, COMMA, ITEM, LINE, STOP)


@dataclass(frozen=True, slots=True)
class Match:
    """A signal that stands at tokens `start` to `end` (exclusive)."""

    signal: str
    start: int
    end: int


@dataclass(slots=True)
class Clause:
    """Tokens `start` to `end` (exclusive) that state one thing, and the signals in them."""

    index: int
    sentence: int
    start: int
    end: int
    asks: bool = False
    opens: bool = False
    signals: dict[str, list[Match]] = field(default_factory=dict)

    def has(self, *names: str) -> bool:
        """Whether any of the signals is there."""
        return any(name in self.signals for name in names)

    def first(self, name: str) -> Match | None:
        """The first match of the signal."""
        return min(self.signals.get(name, ()), key=lambda m: (m.start, m.end), default=None)


@dataclass(slots=True)
class Text:
    """A message as the algorithm reads it."""

    message: str
    tokens: list[Token]
    marks: Marks
    clauses: list[Clause]
    language: Language

    def classes(self, name: str, start: int, end: int) -> list[int]:
        """Token indexes in the range at which a phrase of the class begins."""
        return [i for i in range(start, end) if name in self.marks[i]]


def read(message: str, tokens: list[Token], language: Language) -> Text:
    """The clauses of a tokenised message with their signals."""
    marks = language.lexicon.mark(tokens)
    text = Text(message, tokens, marks, [], language)
    for number, (start, end, mark) in enumerate(_sentences(message, tokens)):
        pieces = _split(text, start, end)
        for first, last in pieces:
            clause = Clause(len(text.clauses), number, first, last, asks=mark == ASK and last == end)
            clause.opens = last < len(tokens) and tokens[last].text.startswith(":")
            clause.signals = _signals(text, first, last)
            text.clauses.append(clause)
    return text


def _sentences(message: str, tokens: list[Token]) -> list[tuple[int, int, str]]:
    found, start = [], 0
    for index, token in enumerate(tokens):
        ends = token.kind in (STOP, ASK, ITEM) or (token.kind == LINE and _breaks(message, tokens, index))
        if ends:
            if start < index:
                found.append((start, index, token.kind))
            start = index + 1
    if start < len(tokens):
        found.append((start, len(tokens), ""))
    return found


def _breaks(message: str, tokens: list[Token], index: int) -> bool:
    """Whether a line end ends the sentence: not where a mail program wrapped a long line in the middle of it."""
    token = tokens[index]
    if token.text.count("\n") > 1 or _BULLET.search(token.text) or not 0 < index < len(tokens) - 1:
        return True
    line_start = message.rfind("\n", 0, token.start) + 1
    wrapped = token.start - line_start >= _WRAP and tokens[index - 1].kind not in (COLON, STOP, ASK)
    return not (wrapped and tokens[index + 1].surface[:1].islower()) and tokens[index - 1].kind != COMMA


def _split(text: Text, start: int, end: int) -> list[tuple[int, int]]:
    """The clauses of one sentence, as token ranges without the marks between them."""
    bounds = Bounds(start, end, start, end)
    cuts = {start}
    for index in range(start, end):
        if text.tokens[index].kind == COLON or _at(text, index, bounds, text.language.boundaries):
            cuts.add(index)
    ranges = [_trim(text, first, last) for first, last in pairwise([*sorted(cuts), end])]
    return [(first, last) for first, last in ranges if first < last]


def _trim(text: Text, first: int, last: int) -> tuple[int, int]:
    while first < last and text.tokens[first].kind in _MARKS:
        first += 1
    while last > first and text.tokens[last - 1].kind in _MARKS:
        last -= 1
    return first, last


def _at(text: Text, index: int, bounds: Bounds, patterns: dict[str, tuple[Pattern, ...]]) -> list[Match]:
    """The patterns that match from the token on, each once."""
    found = []
    tried: set[int] = set()
    for name in text.marks[index]:
        for pattern in patterns.get(name, ()):
            if id(pattern) not in tried:
                tried.add(id(pattern))
                stop = pattern.match(text.marks, index, bounds)
                if stop is not None:
                    found.append(Match(pattern.signal, index, stop))
    return found


def _signals(text: Text, start: int, end: int) -> dict[str, list[Match]]:
    head, tail = start, end
    while head < end - 1 and "filler" in text.marks[head]:
        head += max(text.marks[head]["filler"])
    while tail > start + 1 and ("trailer" in text.marks[tail - 1] or text.tokens[tail - 1].kind != WORD):
        tail -= 1
    bounds = Bounds(start, end, min(head, end - 1), tail)
    signals: dict[str, list[Match]] = {}
    for index in range(start, end):
        for match in _at(text, index, bounds, text.language.patterns):
            signals.setdefault(match.signal, []).append(match)
    return signals
