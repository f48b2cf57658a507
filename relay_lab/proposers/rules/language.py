"""What is known of a language: one data file, read once. Adding a language is adding a file to `languages/`."""

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from relay_lab.contracts.errors import BadInput
from relay_lab.proposers.rules.language_file import parsed, refuse_unknown
from relay_lab.proposers.rules.lexicon import Lexicon
from relay_lab.proposers.rules.own_words import Marks
from relay_lab.proposers.rules.patterns import Pattern, compile_pattern
from relay_lab.proposers.rules.tokens import Token

_MARKS = ("=#", "=,", "=$")
"""What a pattern may name that is not a word: a number, a comma, the end."""


@dataclass(frozen=True)
class Language:
    """One language: its words in classes, its patterns by the class they begin with, and the marks of foreign text."""

    name: str
    lexicon: Lexicon
    patterns: dict[str, tuple[Pattern, ...]]
    boundaries: dict[str, tuple[Pattern, ...]]
    own_words: dict[str, Any]
    capital_nouns: bool = False

    def known(self, tokens: list[Token]) -> int:
        """How many of the words belong to this language, exactly or nearly."""
        return sum(self.lexicon.knows(token) for token in tokens)


@cache
def languages() -> tuple[Language, ...]:
    """Every language there is a file for, English first."""
    folder = resources.files("relay_lab.proposers.rules") / "languages"
    files = sorted(
        (f for f in folder.iterdir() if f.name.endswith(".json")), key=lambda f: (f.name != "en.json", f.name)
    )
    texts = {file.name.removesuffix(".json"): file.read_text("utf-8") for file in files}
    return tuple(build(name, parsed(name, text)) for name, text in texts.items())


def build(name: str, known: dict[str, Any]) -> Language:
    """The language that the parsed data file describes; what it names and nobody knows is a `BadInput` with the place.

    The file has: `words`, class -> forms between commas (`@other` takes in a class, `stem*` is a prefix, `*end` an ending;
    `plan:…`, `feature:…` and `topic:…` carry a value); `signals`, name -> patterns, whose names the algorithm asks for in
    every language; `boundaries`, patterns at whose start a clause begins; `real_words`, words that are one slip away from
    a form and no slip; `own_words`, regular expressions without open repetition for what is not the customer's (each language
    adds to those of the others). It may have: `apostrophes`, endings that an apostrophe sets apart from a word;
    `compounds`, the classes that a compound takes over from its last part; `capital_nouns`, when a capital is no sign of a
    new sentence. Accents in it matter only where a real word has none. The signals, the keys of `own_words` and the classes
    with a value are those that `en.json` has; any of them may be left out, and then never matches.
    """
    refuse_unknown(name, known)
    signals = [
        compile_pattern(signal, source) for signal, rows in known["signals"].items() for source in rows
    ]
    boundaries = [compile_pattern("boundary", source) for source in known["boundaries"]]
    literals = {c for p in signals + boundaries for e in p.elements for c in e.classes}
    words = {key: [form.strip() for form in forms.split(",")] for key, forms in known["words"].items()}
    classes = words.keys() | {key.partition(":")[0] for key in words}
    for missing in sorted({c for c in literals if not c.startswith("=")} - classes):
        raise BadInput(f"languages/{name}.json: a pattern names @{missing}, and `words` has no such class.")
    return Language(
        name=name,
        lexicon=Lexicon(
            words,
            sorted(c[1:] for c in literals if c.startswith("=") and c not in _MARKS),
            known["real_words"].split(),
            known.get("apostrophes", "").split(),
            [name.strip() for name in known.get("compounds", "").split(",")],
        ),
        patterns=_by_first(signals),
        boundaries=_by_first(boundaries),
        own_words=known["own_words"],
        capital_nouns=known.get("capital_nouns", False),
    )


@cache
def foreign_words() -> Marks:
    """What gives away words that are not the customer's, in every language at once: a quoted reply may be in another."""
    sources: dict[str, list[Any]] = {}
    for language in languages():
        for key, source in language.own_words.items():
            sources.setdefault(key, []).append(source)
    headers = frozenset(word for words in sources.pop("headers") for word in words)
    return Marks(headers=headers, **{key: _regex(key, rows) for key, rows in sources.items()})


def _regex(key: str, sources: list[str]) -> re.Pattern[str]:
    joined = "|".join(f"(?:{source})" for source in sources)
    return re.compile(joined, 0 if key == "inline_role" else re.IGNORECASE)


def _by_first(patterns: list[Pattern]) -> dict[str, tuple[Pattern, ...]]:
    index: dict[str, list[Pattern]] = {}
    for pattern in patterns:
        for name in dict.fromkeys(pattern.first):
            index.setdefault(name, []).append(pattern)
    return {name: tuple(rows) for name, rows in index.items()}
