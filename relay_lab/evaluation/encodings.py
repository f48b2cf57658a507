"""The same text in other clothes: what a reader, a browser or a decoder would make of it."""

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache
from urllib.parse import unquote

_ROUNDS = 3
_MOST = 32
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{12,}={0,2}")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}[ :-]?){6,}")
_SIGNS = re.compile(r"[\W_]+")
_ESCAPE = re.compile(r"\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})")


def forms(text: str) -> tuple[str, ...]:
    """`text` and what it says once invisible characters, escapes and encodings are undone, up to three deep."""
    found = {text: None}
    fresh = [text]
    for _ in range(_ROUNDS):
        fresh = [new for old in fresh for new in _read(old) if new not in found][:_MOST]
        found |= dict.fromkeys(fresh)
    return tuple(found)


def squeezed(text: str) -> str:
    """The letters and figures alone: what is left when blanks and signs between them are taken out."""
    return _SIGNS.sub("", text)


@lru_cache(maxsize=1024)
def disguises(secret: str) -> tuple[str, ...]:
    """What a squeezed text holds if it holds `secret` in base64, at whatever place of a longer text, or backwards."""
    plain = secret.encode("utf-8", "surrogatepass")
    parts = []
    for offset in range(3):
        # What depends on the neighbours is cut off: the characters that hold a part of the bytes before and after.
        coded = base64.b64encode(b"\0" * offset + plain).decode().rstrip("=")
        start = (0, 2, 3)[offset]
        parts.append(coded[start : len(coded) - (1 if (offset + len(plain)) % 3 else 0)])
    urlsafe = [part.replace("+", "-").replace("/", "_") for part in parts]
    return tuple(dict.fromkeys(squeezed(part) for part in (*parts, *urlsafe, secret[::-1])))


def _read(text: str) -> Iterator[str]:
    undone: tuple[Callable[[str], str], ...] = (_visible, unquote, html.unescape, _unescaped)
    for undo in undone:
        yield undo(text)
    for pattern, decode in ((_BASE64, _from_base64), (_HEX, _from_hex)):
        for match in pattern.finditer(text):
            decoded = decode(match[0])
            if decoded is not None:
                yield decoded


def _visible(text: str) -> str:
    """Compatibility forms made plain, and characters that nobody sees taken out."""
    if text.isascii() and text.isprintable():
        return text
    plain = unicodedata.normalize("NFKC", text)
    return "".join(
        char for char in plain if unicodedata.category(char) not in ("Cf", "Mn", "Cc") or char in "\n\t"
    )


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: chr(int(found[1] or found[2], 16)), text)


def _from_base64(run: str) -> str | None:
    plain = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return _words(base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True))
    except binascii.Error:
        return None


def _from_hex(run: str) -> str | None:
    return _words(bytes.fromhex(re.sub(r"[ :-]", "", run)))


def _words(content: bytes) -> str | None:
    """The text that these bytes are, or None for what nobody could read."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() or text.replace("\n", "").replace("\t", "").isprintable() else None
