"""A small pattern language over marked tokens, so that what a language knows is data and how it is used is one algorithm.

A pattern is a row of elements: `word` (folded; `two_words` is a phrase), `Word` (with a capital: exactly so), `stem*`,
`@class`, `#` (a number), `,` (a comma), `a|@b` (either), `x?` (optional), `_3` (a gap of at most three tokens), `_3@class|#`
(a gap of at most three of these and nothing else), `!x` (the next token is not x), `<!x` (the token before is not x), `^` (the
first words of the region), `$` (its end).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Element:
    """One element: `kind` is take, gap, not, behind, head or tail."""

    kind: str
    classes: tuple[str, ...] = ()
    optional: bool = False
    width: int = 0


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled pattern of one signal."""

    signal: str
    elements: tuple[Element, ...]
    needs: tuple[frozenset[str], ...] = ()
    """What a text must hold besides for any match: of each of these sets one class."""

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


def compile_pattern(signal: str, source: str) -> Pattern:
    """The pattern written as `source`, for the signal of that name."""
    elements = tuple(_element(part) for part in source.split())
    needs = [frozenset(e.classes) for e in elements if e.kind == "take" and not e.optional]
    first = next((e for e in elements if e.kind == "take"), None)
    rest = needs if first is None or first.optional else needs[1:]
    return Pattern(signal, elements, tuple(need for need in rest if "=$" not in need))


def _element(part: str) -> Element:
    if part == "^":
        return Element("head")
    if part == "$":
        return Element("tail")
    width, of, inside = part[1:].partition("@")
    if part.startswith("_") and width.isdigit():
        return Element("gap", _classes(f"@{inside}") if of else (), width=int(width))
    if part.startswith("<!"):
        return Element("behind", _classes(part[2:]))
    if part.startswith("!") and len(part) > 1:
        return Element("not", _classes(part[1:]))
    optional = part.endswith("?") and len(part) > 1
    return Element("take", _classes(part[:-1] if optional else part), optional)


def _classes(part: str) -> tuple[str, ...]:
    return tuple(name[1:] if name.startswith("@") else f"={name}" for name in part.split("|"))
