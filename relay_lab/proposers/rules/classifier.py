"""The trained part: log-linear weights of cues, read from a data file when they are first used (001 §2).

`python -m benchmarks.learn` writes the file. Without it the rules read alone.
"""

import base64
import json
import zlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import exp
from typing import Any

FILE = "weights.json"
CLAUSE = (
    "billing_duplicate",
    "feature_access",
    "subscription_change",
    "human_request",
    "begins",
    "goes_on",
    "outside",
)
"""What a clause is scored for: the four types, the beginning of an `other` or its continuation, and whether that is outside."""
MESSAGE = (
    "billing_duplicate", "feature_access", "subscription_change", "human_request", "nothing", "other", "other_2", "other_3",
    "refund", "refund_declined", "before_renewal", "stated",
)  # fmt: skip
"""What a message is scored for: each type, `nothing`, so many of `other`, and the slots."""
UNIT = 64
"""Weights are whole numbers of this part of one."""


@dataclass(frozen=True)
class Weights:
    """The weights of one set of outputs by the hash of a cue, and the outputs' own."""

    bias: tuple[int, ...]
    rows: dict[int, tuple[int, ...]]

    def scores(self, cues: Iterable[str]) -> tuple[float, ...]:
        """How likely each output is, between 0 and 1."""
        # Cues with one hash count once: in training they were one as well.
        known = filter(None, map(self.rows.get, {hashed(cue) for cue in cues}))
        return tuple(_share(sum(column)) for column in zip(self.bias, *known, strict=True))


@dataclass(frozen=True)
class Classifier:
    """Both sets of weights, from which score on each output of a message counts, and the languages that it has seen."""

    clause: Weights
    message: Weights
    limits: dict[str, float]
    languages: tuple[str, ...]


def hashed(cue: str) -> int:
    """The number that a cue is kept under: 24 bits."""
    return zlib.crc32(cue.encode()) & 0xFFFFFF


@cache
def classifier() -> Classifier | None:
    """The trained part that comes with the package; None when there is no file of weights."""
    file = resources.files("relay_lab.proposers.rules") / FILE
    if not file.is_file():
        return None
    held = json.loads(file.read_text("utf-8"))
    return Classifier(
        _weights(held["clause"]),
        _weights(held["message"]),
        held["limits"],
        tuple(held["languages"]),
    )


def _weights(held: dict[str, Any]) -> Weights:
    """The weights as the training keeps them: column after column, three of the bytes of a hash and one for each output."""
    raw, bias = zlib.decompress(base64.b64decode(held["rows"])), tuple(held["bias"])
    size = len(raw) // (3 + len(bias))
    high, middle, low, *columns = (raw[at : at + size] for at in range(0, len(raw), size))
    keys = (a << 16 | b << 8 | c for a, b, c in zip(high, middle, low, strict=True))
    rows = zip(*(array("b", column) for column in columns), strict=True)
    return Weights(bias, dict(zip(keys, rows, strict=True)))


def _share(total: int) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, total / UNIT))))
