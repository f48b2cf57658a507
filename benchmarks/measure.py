"""Timing: pieces taken in turn, so that a busy machine strikes all of them alike; medians; ratios round by round."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import median
from time import perf_counter, process_time

Piece = Callable[[], float]
"""Does its own preparation, times what counts, and gives the seconds."""


@dataclass(frozen=True)
class Row:
    """One line of a table: what was timed, its figure, the figure it is held against, and their ratio."""

    what: str
    figure: str
    against: str
    ratio: str
    aim: str = ""


@dataclass(frozen=True)
class Answer:
    """One question with its table, what a row means, and what it does not say."""

    question: str
    rows: tuple[Row, ...]
    says: str
    does_not_say: str
    against: str = "plain code"
    """What the second column of figures is of."""


class Times:
    """The seconds of every piece, a list for each, one entry a round."""

    def __init__(self, seconds: Mapping[str, list[float]]) -> None:
        self._seconds = seconds

    def of(self, name: str) -> float:
        """The median of one piece."""
        return median(self._seconds[name])

    def ratio(self, name: str, other: str) -> float:
        """The median, over the rounds, of one piece's time over another's in the same round."""
        return median(a / b for a, b in zip(self._seconds[name], self._seconds[other], strict=True))


def timed(act: Callable[[], object]) -> float:
    """The seconds that one call takes."""
    start = perf_counter()
    act()
    return perf_counter() - start


def worked(act: Callable[[], object]) -> float:
    """The seconds of processor time of one call: for what waits for nothing, so that a busy machine counts for less."""
    start = process_time()
    act()
    return process_time() - start


def interleaved(pieces: Mapping[str, Piece], rounds: int, warm_up: int = 1) -> Times:
    """Run every piece once a round, starting with another one each time; the first `warm_up` rounds do not count."""
    names = list(pieces)
    seconds: dict[str, list[float]] = {name: [] for name in names}
    for number in range(warm_up + rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            took = pieces[name]()
            if number >= warm_up:
                seconds[name].append(took)
    return Times(seconds)


def ms(seconds: float) -> str:
    """Milliseconds, with as many places as mean something."""
    value = seconds * 1e3
    return f"{value:.0f} ms" if value >= 100 else f"{value:.1f} ms" if value >= 1 else f"{value:.3f} ms"


def times(ratio: float) -> str:
    """A ratio as it stands in a table."""
    return f"{ratio:.0f} ×" if ratio >= 20 else f"{ratio:.1f} ×" if ratio >= 2 else f"{ratio:.2f} ×"


def aim(words: str, met: bool) -> str:
    """An aim, and in words whether this run met it."""
    return f"{words}: {'met' if met else '**missed**'}"
