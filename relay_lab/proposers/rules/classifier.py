"""The trained part: log-linear weights of cues, read from a data file when they are first used (001 §2).

`python -m benchmarks.learn` writes the file. Without it the rules read alone.
"""

import base64
import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from math import exp
from struct import unpack

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

    outputs: tuple[str, ...]
    bias: tuple[int, ...]
    rows: dict[int, tuple[int, ...]]

    def scores(self, cues: Iterable[str]) -> tuple[float, ...]:
        """How likely each output is, between 0 and 1."""
        held = self.rows
        # Cues with one hash count once: in training they were one as well.
        sums = [row for key in {hashed(cue) for cue in cues} if (row := held.get(key))]
        return tuple(_share(sum(column)) for column in zip(self.bias, *sums, strict=True))


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
        _weights(CLAUSE, held["clause"]),
        _weights(MESSAGE, held["message"]),
        held["limits"],
        tuple(held["languages"]),
    )


def _weights(outputs: tuple[str, ...], held: dict[str, str | list[int]]) -> Weights:
    """The weights as `packed` by the training: rows of a hash (three bytes) and one signed byte for each output."""
    raw = zlib.decompress(base64.b85decode(str(held["rows"])))
    size = 3 + len(outputs)
    rows = {
        int.from_bytes(raw[at : at + 3], "big"): unpack(f"{len(outputs)}b", raw[at + 3 : at + size])
        for at in range(0, len(raw), size)
    }
    return Weights(outputs, tuple(int(value) for value in held["bias"]), rows)


def _share(total: int) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, total / UNIT))))
