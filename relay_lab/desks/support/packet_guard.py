"""The packet guard: nothing that opens a door leaves with a packet, whichever step made it (001 §8)."""

import re
from collections.abc import Iterator

from relay_lab.contracts.handoff import HandoffPacket

_SECRET = re.compile(
    r"""
    (?:bearer|basic)\s+[A-Za-z0-9+/=._~-]{8,}             # an authorization header
  | eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.             # a signed token
  | (?:sk|pk|ghp|gho|xox[abp]|AKIA)[-_]?[A-Za-z0-9_-]{16,}  # a provider's key
  | -----BEGIN                                            # a private key
  | (?:pass(?:word|phrase)?|pwd|secret|token|api[-_ ]?key|otp|pin|cvv|cvc)\s*(?:is|[:=])\s*\S+
  | (?<![\w-])[A-Za-z0-9_-]{40,}(?![\w-])                 # what our own challenges and tokens look like
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CARD = re.compile(r"(?<![\w-])(?:\d[ -]?){13,19}(?![\w-])")
_ADDRESS = {"conversation_id", "customer_id"}
"""Held against the session before; an id may look like anything."""


def secret_in(packet: HandoffPacket) -> str | None:
    """The path of the first field that holds what looks like a secret, or None. A card number is looked for in sentences."""
    texts = _texts(packet.model_dump(mode="json", exclude=_ADDRESS), "packet")
    return next(
        (path for path, text in texts if _SECRET.search(text) or (" " in text and _CARD.search(text))), None
    )


def _texts(value: object, path: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _texts(name, path)
            yield from _texts(part, f"{path}.{name}")
    elif isinstance(value, list | tuple):
        for index, part in enumerate(value):
            yield from _texts(part, f"{path}[{index}]")
