"""The packet guard: nothing that opens a door leaves with a packet, whichever step made it (001 §8).

It goes by the look of a text, and by what the text says once it is decoded. The judges have a scan of their own
(`relay_lab.evaluation.leaks`), which shares nothing with this.
"""

import base64
import binascii
import html
import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import unquote

from relay_lab.contracts.handoff import HandoffPacket

_MADE_BY_A_MACHINE = r"(?=\S*(?:\d|[a-z][A-Z]))"
"""Words are neither capital inside nor hold figures: "a basic subscription" is no header."""

_LOOKS = re.compile(
    rf"""
    \b(?i:bearer|basic|digest|negotiate)\s+{_MADE_BY_A_MACHINE}[A-Za-z0-9+/=._~-]{{8,}}  # an authorization header
  | \beyJ[A-Za-z0-9_-]{{8,}}\.[A-Za-z0-9_-]{{4,}}                                       # a signed token
  | -----\s*BEGIN | PuTTY-User-Key | AGE-SECRET-KEY                                    # a private key
  | (?<![A-Za-z0-9])(?:                                                                # a provider's key
      (?:AKIA|ASIA)[0-9A-Z]{{12,}} | AIza[\w-]{{20,}} | ya29\.[\w-]{{12,}} | SG\.[\w-]{{12,}}\.
    | (?:sk|pk|rk)[-_][A-Za-z0-9_-]{{12,}} | (?:gh[a-z]|hf|npm|whsec|shpat|dop_v1|github_pat)_[A-Za-z0-9_]{{16,}}
    | (?:xox[a-z]|glpat|pypi)-[A-Za-z0-9_-]{{10,}} )
  | (?i:hooks\.slack\.com/services/\S)                                                 # an address that is one
  | (?i:[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/@]+@)                                       # an address with a password
  | (?i:[?&\#](?:\w*token|\w*key|\w*secret|pass\w*|sig(?:nature)?|sid|session)=[^\s&]{{4,}})
  | (?i:\bset-cookie\b | \b(?:j?sess\w*|phpsessid|sid)\s*=\s*[\w%.+/-]{{8,}})            # a cookie
  | (?<![\w-])(?![0-9a-f]{{32,64}}(?![\w-]))[A-Za-z0-9_-]{{40,}}(?![\w-])                 # a challenge or token of ours
    """,
    re.VERBOSE,
)
_NAMES = r"""(?:pass(?:word|phrase|code|wd)?|pwd|secret|(?:(?:api|access|private|secret)[-_\ ]?)key|client[-_\ ]secret
    |[a-z]*[-_\ ]?token|session[-_\ ]?id|credentials?|otp|(?:one[-\ ]time|verification|security|login)[-\ ](?:code|password)
    |pin|cv[vc]2?|challenge|contraseña|clave|passwort|kennwort|şifrem?|parola)"""
_NAMED = re.compile(
    rf"""(?<![^\W_]){_NAMES}["']?\s*
    (?: [:=]\s*["'“]?[^\s"']{{3,}} | (?:is|was|ist|lautet|es)\s+["'“]?(?=\S*[\d!@\#$%^&*_+=])\S{{3,}} )""",
    re.VERBOSE | re.IGNORECASE,
)
"""A secret under its name. After a colon anything is one; after a verb only what is no plain word ("no token is needed")."""

_FIELD = re.compile(rf"{_NAMES}|authorization|cookie|sid", re.VERBOSE | re.IGNORECASE)
_CARD = re.compile(
    r"(?<![\w.-])[3-6]\d{3}(?:[ .-]?\d){9,15}(?![\w-])|(?<![\w.-])2[2-7]\d{2}(?:[ .-]?\d){12}(?![\w-])"
)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,}={0,2}")
_HEX = re.compile(r"(?:[0-9a-fA-F]{2}[ :]?){8,}")
_ESCAPE = re.compile(r"\\[ux]((?<=u)[0-9a-fA-F]{4}|(?<=x)[0-9a-fA-F]{2})")
_ADDRESS = {"conversation_id", "customer_id"}
"""Held against the session before; an id may look like anything."""


def secret_in(packet: HandoffPacket) -> str | None:
    """The path of the first field that holds what looks like a secret, or None."""
    for path, text in _texts(packet.model_dump(mode="json", exclude=_ADDRESS), "packet"):
        if any(_opens_a_door(reading) for reading in _readings(text)):
            return path
    return None


def _opens_a_door(text: str) -> bool:
    named = _LOOKS.search(text) or _NAMED.search(text)
    return named is not None or any(_checked(found[0]) for found in _CARD.finditer(text))


def _checked(number: str) -> bool:
    """Whether a number has the check digit of a card: an id of ours that is as long has it by chance, one in ten."""
    total = 0
    for place, char in enumerate(reversed([char for char in number if char.isdigit()])):
        total += sum(map(int, str(int(char) * (1 + place % 2))))
    return total % 10 == 0


def _readings(text: str) -> Iterator[str]:
    """A text as it stands, as a reader sees it, and as a browser or a decoder would read that, twice over."""
    yield text
    seen = "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")
    for _ in range(2):
        yield seen
        for pattern in (_BASE64, _HEX):
            yield from filter(None, (_decoded(found[0], pattern) for found in pattern.finditer(seen)))
        seen = _ESCAPE.sub(lambda found: chr(int(found[1], 16)), html.unescape(unquote(seen)))
    yield seen


def _decoded(run: str, pattern: re.Pattern[str]) -> str | None:
    try:
        if pattern is _HEX:
            return bytes.fromhex(run.replace(":", "").replace(" ", "")).decode()
        plain = run.rstrip("=").replace("-", "+").replace("_", "/")
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def _texts(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, part in value.items():
            # A field of such a name holds what it says, whatever it looks like.
            yield path, "secret: given" if _FIELD.fullmatch(name) and part else name
            yield from _texts(part, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _texts(part, f"{path}[{index}]")
