"""A small pattern language over marked tokens, so that what a language knows is data and how it is used is one algorithm.

A pattern is a row of elements: `word` (folded), `Word` (with a capital: exactly so), `stem*`, `@class`, `#` (a number),
`a|@b` (either), `x?` (optional), `_3` (a gap of at most three tokens), `!x` (the next token is not x), `<!x` (the token
before is not x), `^` (start of the clause), `$` (its end). Positions are kept as a set, so no pattern can backtrack.
"""

from collections.abc import Sequence
from dataclasses import dataclass

Marks = Sequence[dict[str, tuple[int, ...]]]
"""For each token: the classes that a phrase starting there belongs to, and the lengths of those phrases."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element: `kind` is take, gap, not, behind, head or tail."""

    kind: str
    classes: tuple[str, ...] = ()
    optional: bool = False
    width: int = 0


@dataclass(frozen=True, slots=True)
class Bounds:
    """Where a clause may be searched: tokens `start` to `end` (exclusive); `head` is its first word that is not a filler."""

    start: int
    end: int
    head: int
    tail: int


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern of one signal."""

    signal: str
    elements: tuple[Element, ...]

    @property
    def first(self) -> tuple[str, ...]:
        """The classes with which a match may begin."""
        taken: list[str] = []
        for element in self.elements:
            if element.kind == "take":
                taken += element.classes
                if not element.optional:
                    break
        return tuple(taken)

    def match(self, marks: Marks, at: int, bounds: Bounds) -> int | None:
        """The nearest end (exclusive) of a match that begins at token `at`, or None."""
        places = {at}
        for element in self.elements:
            places = _step(element, marks, places, bounds)
            if not places:
                return None
        return min(places)


def _step(element: Element, marks: Marks, places: set[int], bounds: Bounds) -> set[int]:
    end = bounds.end
    if element.kind == "gap":
        return {p for place in places for p in range(place, min(place + element.width, end) + 1)}
    if element.kind == "not":
        return {p for p in places if p >= end or not any(c in marks[p] for c in element.classes)}
    if element.kind == "behind":
        return {p for p in places if p <= bounds.start or not any(c in marks[p - 1] for c in element.classes)}
    if element.kind == "head":
        return {p for p in places if p <= bounds.head}
    if element.kind == "tail":
        return {p for p in places if p >= bounds.tail}
    reached = set(places) if element.optional else set()
    for place in places:
        if place < end:
            here = marks[place]
            for name in element.classes:
                for length in here.get(name, ()):
                    if place + length <= end:
                        reached.add(place + length)
    return reached


def compile_pattern(signal: str, source: str) -> Pattern:
    """The pattern written as `source`, for the signal of that name."""
    return Pattern(signal, tuple(_element(part) for part in source.split()))


def _element(part: str) -> Element:
    if part == "^":
        return Element("head")
    if part == "$":
        return Element("tail")
    if part.startswith("_") and part[1:].isdigit():
        return Element("gap", width=int(part[1:]))
    if part.startswith("<!"):
        return Element("behind", _classes(part[2:]))
    if part.startswith("!") and len(part) > 1:
        return Element("not", _classes(part[1:]))
    optional = part.endswith("?") and len(part) > 1
    return Element("take", _classes(part[:-1] if optional else part), optional)


def _classes(part: str) -> tuple[str, ...]:
    return tuple(name[1:] if name.startswith("@") else f"={name}" for name in part.split("|"))
