"""Words of a message with their places in it: everything later speaks of token indexes, and spans come back from here."""

import re
import unicodedata
from typing import NamedTuple

WORD, NUMBER, COMMA, COLON, STOP, ASK, LINE, ITEM, LINK = (
    "word", "number", "comma", "colon", "stop", "ask", "line", "item", "link",
)  # fmt: skip

# Every alternative is bounded or a single character class, so the scan is linear in the length of the text.
_SCAN = re.compile(
    r"""(?P<line>\n\s*(?:[-*•·–—>]{1,3}(?=\s)\s*)?)
      | (?P<space>[^\S\n]+)
      | (?P<link>https?://[^\s<>"]{1,2000}|[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64})
      | (?P<item>(?<!\w)(?:\d{1,2}|[a-e])(?:\)|\.(?=\s\S))|(?<!\w)\#\d{1,2}(?=\s))
      | (?P<number>[$€£]\s?\d+(?:[.,:]\d+)*|\d+(?:[.,:]\d+)+(?:\.(?=\s[^\W\dA-Z_]))?)
      | (?P<word>\w+(?:['’`´]\w+)*)
      | (?P<ask>[.!…]*\?[?!.]*)
      | (?P<stop>[.!…]+)
      | (?P<and>[+&](?=\s))
      | (?P<joint>(?<=\w)/(?=\w))
      | (?P<comma>[,()/\[\]])
      | (?P<colon>[;:—–•·|{}]+|(?:(?<=\s)|^)-{1,3}(?=\s)|[\U0001F300-\U0001FAFF☀-➿]+)
      | (?P<skip>.)""",
    re.VERBOSE | re.DOTALL,
)
_APOSTROPHES = str.maketrans("’`´", "'''", "\u0307")
"""The mark that is left over when the Turkish capital `İ` becomes small goes too."""


class Token(NamedTuple):
    """One word or mark: `message[start:end]` (code points, end exclusive) and its folded text."""

    start: int
    end: int
    kind: str
    text: str
    surface: str


def fold(word: str) -> str:
    """A word as it is compared: case and the shape of an apostrophe do not count (the grounding rule folds no more)."""
    return word.lower() if word.isascii() else word.casefold().translate(_APOSTROPHES)


def plain(word: str) -> str:
    """A folded word as hurried hands write it: without accents, the dotless `ı` as `i`."""
    if word.isascii():
        return word
    letters = unicodedata.normalize("NFKD", word).replace("ı", "i")
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def tokenise(message: str) -> list[Token]:
    """The tokens of the message in order; blanks are left out."""
    tokens: list[Token] = []
    for found in _SCAN.finditer(message):
        kind = found.lastgroup or "skip"
        if kind in ("space", "joint", "skip"):
            continue
        surface = found.group()
        if kind == "and":
            tokens.append(Token(found.start(), found.end(), WORD, "and", surface))
        elif kind == WORD:
            kind = NUMBER if surface.isdecimal() else WORD
            tokens.append(Token(found.start(), found.end(), kind, fold(surface), surface))
        else:
            text = surface.lstrip("$€£ ")
            tokens.append(Token(found.start(), found.end(), kind, text, surface))
    return _counted(tokens)


def _counted(tokens: list[Token]) -> list[Token]:
    """The tokens with `3.` inside a line as a number, where the items do not count from one up (`am 1. und am 3.`)."""
    items = [index for index, token in enumerate(tokens) if token.kind == ITEM and token.text[0].isdecimal()]
    numbers = [int(tokens[index].text.strip(").")) for index in items]
    opens = bool(items) and (items[0] == 0 or tokens[items[0] - 1].kind != WORD)
    if opens and len(items) > 1 and numbers == [*range(1, len(items) + 1)]:
        return tokens
    for index in items:
        if index and tokens[index - 1].kind != LINE and tokens[index].text.endswith("."):
            tokens[index] = tokens[index]._replace(kind=NUMBER)
    return tokens
