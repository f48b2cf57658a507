"""A sentence as tokens: words in lower case, figures, known ids, marks. Nothing is skipped."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from relay_lab.desks.support.reply.ids import printable
from relay_lab.desks.support.reply.material import RefusalCode

SCAN = re.compile(
    r"(?P<grouped>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w-]))"
    r"|(?P<apostrophe>[A-Za-z]+['\u2019][A-Za-z]+)(?![\w'\u2019-])"
    r"|(?P<run>[A-Za-z0-9](?:[A-Za-z0-9_.:/-]*[A-Za-z0-9])?)"
    r"|(?P<mark>\S)"
)
CONTRACTED = {"m": "am", "re": "are", "ve": "have", "ll": "will", "s": "is", "d": "would"}
IRREGULAR = {"can't": ("can", "not"), "won't": ("will", "not"), "shan't": ("shall", "not")}
NUMBER = re.compile(r"(?:0|[1-9]\d*)(?:\.\d{1,2})?")
ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?Z?)?")
CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?|\d{1,2}(?::\d{2})?(?:am|pm|AM|PM)")
ORDINAL = re.compile(r"\d{1,2}(?:st|nd|rd|th)")
WORDS = re.compile(r"[A-Za-z]+(?:-[A-Za-z]+)*")
SHORT_DATE = re.compile(r"\d{1,4}([/.-])\d{1,2}(?:\1\d{2,4})?")
PHONE = re.compile(r"[\d-]{7,}")
ADDRESS = re.compile(r"[A-Za-z][\w-]*[.:/]+[A-Za-z].*")


@dataclass(frozen=True, slots=True)
class Token:
    """One token. `kind`: word, number, iso, clock, ordinal, id, zone, mark, or later amount, date, plan, feature, bad.

    `text` is in lower case for a word and as written otherwise; `value` is what a reader made of it; `code` is why a bad one
    is refused.
    """

    kind: str
    text: str
    value: object = None
    code: RefusalCode | None = None


def tokenize(text: str, ids: Collection[str], zone: str) -> Iterator[Token]:
    """The tokens of one sentence. `ids` are the ids that exist anywhere in the material; `zone` is the display zone's name."""
    for match in SCAN.finditer(text):
        found = match[0]
        match match.lastgroup:
            case "grouped":
                yield Token("number", found.replace(",", ""))
            case "apostrophe":
                yield from _apart(found.lower().replace("\u2019", "'"))
            case "run":
                yield from _run(found, ids, zone)
            case _:
                yield Token("mark", found)


def _apart(word: str) -> Iterator[Token]:
    if word in IRREGULAR:
        parts: tuple[str, ...] = IRREGULAR[word]
    elif word.endswith("n't"):
        parts = (word[:-3], "not")
    else:
        stem, _, tail = word.partition("'")
        parts = (stem, CONTRACTED.get(tail, f"'{tail}"))
    yield from (Token("word", part) for part in parts)


def _run(run: str, ids: Collection[str], zone: str) -> Iterator[Token]:
    if run == zone and "/" in run:
        yield Token("zone", run)
    elif run in ids and printable(run):
        yield Token("id", run)
    elif WORDS.fullmatch(run):
        yield from (Token("word", part.lower()) for part in run.split("-"))
    else:
        yield _figures(run)


def _figures(run: str) -> Token:
    for kind, pattern in (("number", NUMBER), ("iso", ISO), ("clock", CLOCK), ("ordinal", ORDINAL)):
        if pattern.fullmatch(run):
            return Token(kind, run)
    return Token("bad", run, code=_why(run))


def _why(run: str) -> RefusalCode:
    if SHORT_DATE.fullmatch(run):
        return "ungrounded_date"
    if PHONE.fullmatch(run) or "_" in run or ADDRESS.fullmatch(run):
        return "forbidden_content"
    return "ungrounded_id"
