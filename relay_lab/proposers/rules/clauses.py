"""Sentences, clauses and pieces: where one statement ends and the next begins, with or without punctuation."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from relay_lab.proposers.rules.board import Board, Marks, Region
from relay_lab.proposers.rules.language import Language
from relay_lab.proposers.rules.patterns import Pattern
from relay_lab.proposers.rules.spoken import Sentence, spoken
from relay_lab.proposers.rules.tokens import ASK, COLON, COMMA, ITEM, LINE, STOP, WORD, Token

_WRAP = 45
_NAMES = ("i", "plan", "feature", "month", "weekday")
_OPENERS = (
    "conj",
    "thanks",
    "hello",
    "starter",
    "filler",
    "adds",
    "qword",
    "aux",
    "please",
    "imperative",
    "det",
    "my",
)
_BULLET = re.compile(r"[-*•·–—>]")
_MARKS = (ASK, COLON, COMMA, ITEM, LINE, STOP)


class Match(NamedTuple):
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
    language: Language
    asks: bool = False
    opens: bool = False
    signals: dict[str, list[Match]] = field(default_factory=dict)

    def has(self, *names: str) -> bool:
        """Whether any of the signals is there."""
        return not self.signals.keys().isdisjoint(names)

    def first(self, name: str) -> Match | None:
        """The first match of the signal."""
        return min(self.signals[name], key=lambda m: (m.start, m.end)) if name in self.signals else None


@dataclass(slots=True)
class Text:
    """A message as the algorithm reads it; `said` holds every signal that stands anywhere in it."""

    message: str
    tokens: list[Token]
    marks: Marks
    clauses: list[Clause]
    said: set[str] = field(default_factory=set)

    def classes(self, name: str, start: int, end: int) -> list[int]:
        """Token indexes in the range at which a phrase of the class begins."""
        return [i for i in range(start, end) if name in self.marks[i]]


def read(
    message: str,
    tokens: list[Token],
    languages: Sequence[Language],
    screen: tuple[tuple[int, int], ...] = (),
) -> Text:
    """The clauses of a tokenised message with their signals; `screen`: the ranges that are quoted from a screen."""
    tokens, quoted = _join_quotes(tokens, screen)
    sentences = spoken(_sentences(message, tokens), tokens, languages)
    marks: list[dict[str, tuple[int, ...]]] = [{} for _ in tokens]
    for sentence in sentences:
        marks[sentence.start : sentence.end] = sentence.language.lexicon.mark(
            tokens[sentence.start : sentence.end]
        )
    for index in quoted:
        marks[index] = {name: sizes for name, sizes in marks[index].items() if name.startswith("feature")}
    for index in quoted - {place + 1 for place in quoted}:
        marks[index]["=quoted"] = (1,)
    text = Text(message, tokens, marks, [])
    cuts = _cuts(text, sentences)
    for number, (start, end, mark, language) in enumerate(sentences):
        inner = sorted(cut for cut in cuts.get(number, ()) if start < cut < end)
        ranges = [_trim(text, first, last) for first, last in pairwise([start, *inner, end])]
        for first, last in _filled(text, ranges):
            if first < last:
                asks = mark == ASK and last == end
                clause = Clause(len(text.clauses), number, first, last, language, asks)
                clause.opens = last < len(tokens) and tokens[last].text.startswith(":")
                text.clauses.append(clause)
    _find_signals(text)
    return text


def _join_quotes(tokens: list[Token], screen: tuple[tuple[int, int], ...]) -> tuple[list[Token], set[int]]:
    """The tokens without the marks inside the quoted ranges, and the indexes of the words in them."""
    kept: list[Token] = []
    quoted: set[int] = set()
    number = 0
    for token in tokens:
        while number < len(screen) and screen[number][1] <= token.start:
            number += 1
        if number < len(screen) and screen[number][0] <= token.start:
            if token.kind != WORD:
                continue
            quoted.add(len(kept))
        kept.append(token)
    return kept, quoted


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


def _cuts(text: Text, sentences: list[Sentence]) -> dict[int, set[int]]:
    """For each sentence the tokens at which a clause begins."""
    found = {i for i, token in enumerate(text.tokens) if token.kind == COLON}
    for language in _in_use(sentences):
        regions = [Region(s.start, s.end, s.start, s.end) for s in sentences if s.language is language]
        board = Board(text.marks, regions)
        for pattern in _candidates(board, language.boundaries):
            found.update(board.starts(pattern))
    found.update(_capitals(text, sentences))
    number, cuts = 0, dict[int, set[int]]()
    for place in sorted(found):
        while number < len(sentences) and sentences[number].end <= place:
            number += 1
        cuts.setdefault(number, set()).add(place)
    return cuts


def _capitals(text: Text, sentences: list[Sentence]) -> list[int]:
    """Words with a capital that only the beginning of a sentence explains, where the full stop was left out."""
    words = [token for token in text.tokens if token.kind == WORD and len(token.surface) > 1]
    capital = [token for token in words if token.surface.istitle()]
    if len(capital) * 3 > len(words) or any(sentence.language.capital_nouns for sentence in sentences):
        return []
    return [
        index
        for index in range(1, len(text.tokens))
        if text.tokens[index].surface.istitle()
        and text.tokens[index - 1].surface.islower()
        and not text.marks[index].keys().isdisjoint(_OPENERS)
        and text.marks[index].keys().isdisjoint(_NAMES)
    ]


def _filled(text: Text, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The clauses, a lone `and` or `but` joined to what it introduces."""
    joined: list[tuple[int, int]] = []
    opening: int | None = None
    for first, last in ranges:
        start = first if opening is None else opening
        bare = all("conj" in text.marks[i] for i in range(first, last)) and (first, last) != ranges[-1]
        opening = start if bare and first < last else None
        if opening is None:
            joined.append((start, last))
    return joined


def _trim(text: Text, first: int, last: int) -> tuple[int, int]:
    while first < last and text.tokens[first].kind in _MARKS:
        first += 1
    while last > first and text.tokens[last - 1].kind in _MARKS:
        last -= 1
    return first, last


def _find_signals(text: Text) -> None:
    clause_at = {token: clause for clause in text.clauses for token in range(clause.start, clause.end)}
    for language in _in_use(text.clauses):
        board = Board(text.marks, [_region(text, c) for c in text.clauses if c.language is language])
        for pattern in _candidates(board, language.patterns):
            for start, end in board.find(pattern):
                text.said.add(pattern.signal)
                match = Match(pattern.signal, start, end)
                clause_at[start].signals.setdefault(pattern.signal, []).append(match)


def _in_use(spoken_in: Sequence[Clause] | Sequence[Sentence]) -> list[Language]:
    return list({id(part.language): part.language for part in spoken_in}.values())


def _candidates(board: Board, patterns: dict[str, tuple[Pattern, ...]]) -> list[Pattern]:
    """The patterns of which every needed class stands on the board, each once."""
    there = board.classes
    could = {id(p): p for name in there for p in patterns.get(name, ())}.values()
    return [p for p in could if not any(there.isdisjoint(need) for need in p.needs)]


def _region(text: Text, clause: Clause) -> Region:
    head, tail = clause.start, clause.end
    while head < clause.end - 1 and ("filler" in text.marks[head] or text.tokens[head].kind == COMMA):
        head += max(text.marks[head].get("filler", (1,)))
    while tail > clause.start + 1 and (
        "trailer" in text.marks[tail - 1] or text.tokens[tail - 1].kind != WORD
    ):
        tail -= 1
    return Region(clause.start, clause.end, min(head, clause.end - 1), tail)
