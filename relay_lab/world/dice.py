"""Random choices that a seed fixes on every version of Python: only `random()` itself is promised to stay the same."""

import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Dice:
    """A stream of choices that follows from a seed alone."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed).random

    def chance(self, probability: float) -> bool:
        """True with this probability (0 to 1)."""
        return self._random() < probability

    def between(self, least: int, most: int) -> int:
        """A whole number from `least` to `most`, both included."""
        return least + int(self._random() * (most - least + 1))

    def one_of(self, things: Sequence[T]) -> T:
        """One of a sequence that is not empty."""
        return things[int(self._random() * len(things))]

    def weighted(self, things: Sequence[tuple[T, float]]) -> T:
        """One of (thing, weight) pairs; weights are positive and need no particular sum."""
        left = self._random() * sum(weight for _, weight in things)
        for thing, weight in things:
            left -= weight
            if left < 0:
                return thing
        return things[-1][0]

    def shuffled(self, things: Sequence[T]) -> list[T]:
        """All of a sequence, in another order."""
        keyed = [(self._random(), position) for position in range(len(things))]
        return [things[position] for _, position in sorted(keyed)]

    def some_of(self, things: Sequence[T], count: int) -> list[T]:
        """`count` different ones, in any order."""
        return self.shuffled(things)[:count]

    def text(self, alphabet: str, length: int) -> str:
        """`length` characters of an alphabet."""
        return "".join(self.one_of(alphabet) for _ in range(length))
