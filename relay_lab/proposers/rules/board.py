"""Where patterns match: the marks of a text as bit sets, one bit a place, so that a pattern is tried everywhere at once.

A place stands before a token; every region (a sentence or a clause) has one place more than tokens. A step of a pattern is
a few operations on whole numbers, whatever the text holds, so no input makes matching slower than its length.
"""

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass

from relay_lab.proposers.rules.patterns import Element, Pattern

Marks = Sequence[dict[str, tuple[int, ...]]]
"""For each token: the classes that a phrase starting there belongs to, and the lengths of those phrases."""

_MOST = 256


@dataclass(frozen=True, slots=True)
class Region:
    """Tokens `start` to `end` (exclusive); `head` is the last place that counts as its beginning, `tail` the first that
    counts as its end (fillers before and courtesies after do not count)."""

    start: int
    end: int
    head: int
    tail: int


class Board:
    """The regions of one text, ready to be searched."""

    def __init__(self, marks: Marks, regions: Sequence[Region]) -> None:
        self._tokens: list[int] = []
        self._masks: dict[str, dict[int, int]] = {}
        first: list[int] = []
        heads: list[int] = []
        tails: list[int] = []
        bits: dict[tuple[str, int], list[int]] = {}
        for region in regions:
            base = len(self._tokens) - region.start
            first.append(len(self._tokens))
            heads.append(region.head + base)
            tails += range(region.tail + base, region.end + base + 1)
            for token in range(region.start, region.end):
                for name, sizes in marks[token].items():
                    for size in sizes:
                        if token + size <= region.end:
                            bits.setdefault((name, size), []).append(token + base)
            self._tokens += [*range(region.start, region.end), region.end]
        size = len(self._tokens)
        self._first, self._heads, self._tails = (_mask(bits_, size) for bits_ in (first, heads, tails))
        self._all = (1 << size) - 1
        for (name, length), places in bits.items():
            self._masks.setdefault(name, {})[length] = _mask(places, size)

    @property
    def classes(self) -> Set[str]:
        """The classes that stand anywhere on the board."""
        return self._masks.keys()

    def starts(self, pattern: Pattern) -> list[int]:
        """The tokens at which a match of the pattern begins, in order."""
        return [self._tokens[place] for place in self._places(pattern)]

    def find(self, pattern: Pattern) -> list[tuple[int, int]]:
        """The matches of the pattern as (start, end) tokens, end exclusive: for each start the nearest end."""
        found = []
        for place in self._places(pattern):
            reached = self._run(pattern.elements, 1 << place)
            found.append((self._tokens[place], self._tokens[(reached & -reached).bit_length() - 1]))
        return found

    def _places(self, pattern: Pattern) -> list[int]:
        if not self._run(pattern.elements, self._all):
            return []
        headed = pattern.elements[0].kind == "head"
        places = _bits(self._heads if headed else self._starting(pattern.first))
        return [place for place in places if self._run(pattern.elements, 1 << place)][:_MOST]

    def _starting(self, names: Iterable[str]) -> int:
        found = 0
        for name in names:
            for mask in self._masks.get(name, {}).values():
                found |= mask
        return found

    def _run(self, elements: tuple[Element, ...], places: int) -> int:
        for element in elements:
            places = self._step(element, places)
            if not places:
                return 0
        return places

    def _step(self, element: Element, places: int) -> int:
        kind = element.kind
        if kind == "take":
            reached = places if element.optional else 0
            if "=$" in element.classes:
                reached |= places & self._tails
            return reached | self._taken(element.classes, places)
        if kind == "gap":
            for _ in range(element.width):
                if element.classes:
                    places |= self._taken(element.classes, places)
                else:
                    places |= (places << 1) & self._all & ~self._first
            return places
        if kind == "not":
            return places & ~self._starting(element.classes)
        if kind == "behind":
            return places & (self._first | ~(self._starting(element.classes) << 1))
        return places & (self._heads if kind == "head" else self._tails)

    def _taken(self, names: Iterable[str], places: int) -> int:
        """The places after a phrase of one of the classes that stands at one of these."""
        reached = 0
        for name in names:
            for length, mask in self._masks.get(name, {}).items():
                reached |= (places & mask) << length
        return reached


def _mask(places: Iterable[int], size: int) -> int:
    bits = bytearray(size // 8 + 1)
    for place in places:
        bits[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(bits, "little")


def _bits(mask: int) -> list[int]:
    digits = bin(mask)[:1:-1]
    found, at = [], digits.find("1")
    while at >= 0:
        found.append(at)
        at = digits.find("1", at + 1)
    return found
