"""Break it: a desk with one guard missing, level by level, and `capture`, which says whether an attack took the flag.

The flag of every level is a row in the company's journal that nobody had the right to: judged from the journal, the receipts,
the session and the customer's own words and clicks, never from what an attack says of itself.
"""

from dataclasses import dataclass
from typing import Literal

from relay_lab.app.break_it.seen import Seen, changed, honest_envelope, honest_packet, seen_of
from relay_lab.app.break_it.visit import described
from relay_lab.app.settings import DEFAULT_WORLD, scenario_named
from relay_lab.contracts.errors import BadInput
from relay_lab.notebook import level_page
from relay_lab.notebook.broken import opens_without
from relay_lab.notebook.level_list import LEVELS, Level

__all__ = [
    "capture",
    "changed",
    "customer_message",
    "honest_envelope",
    "honest_packet",
    "level",
    "levels",
    "scoreboard",
]


@dataclass(frozen=True, repr=False)
class Capture:
    """What came of one attempt. `flag`: a row that nobody had the right to, where the guard is missing and only there.

    `problem` says why nothing was run; `broken` is the desk with a guard missing, `whole` the same attack against all guards,
    which is shown with the guard's name once the flag is taken.
    """

    level: Level | None
    problem: str = ""
    broken: Seen | None = None
    whole: Seen | None = None

    @property
    def flag(self) -> bool:
        """Whether the flag is taken."""
        return self.verdict == "flag"

    @property
    def verdict(self) -> Literal["not run", "no flag", "flag", "whole desk broken"]:
        """What it comes to. The last one is a bug of this project, and we would like to hear of it (SECURITY.md)."""
        if self.broken is None or self.whole is None:
            return "not run"
        if self.whole.flags:
            return "whole desk broken"
        return "flag" if self.broken.flags else "no flag"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return level_page.capture(self.level, self.verdict, self.problem, self.broken, self.whole)

    def __repr__(self) -> str:
        return self._repr_mimebundle_()["text/plain"]


class _Page:
    """A static display."""

    def __init__(self, bundle: dict[str, str]) -> None:
        self._bundle = bundle

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return self._bundle

    def __repr__(self) -> str:
        return self._bundle["text/plain"]


def levels() -> _Page:
    """Every level: its title, and where you stand."""
    return _Page(level_page.overview(LEVELS))


def level(number: int) -> _Page:
    """What one level is about: who you are, what you get, what happens. Raises `BadInput` for a level that there is not."""
    return _Page(level_page.briefing(_numbered(number)))


def capture(number: int, attack: object) -> Capture:
    """Run an attack twice, each time on a fresh company in memory: on the desk with a guard missing, then on the whole one.

    Nothing that is handed in makes it raise, but for an interrupt: what cannot be run is said in words.
    """
    chosen: Level | None = None
    try:
        chosen = _numbered(number)
        broken = seen_of(chosen.place, opens_without(chosen.guard), attack)
        return Capture(chosen, "", broken, seen_of(chosen.place, opens_without(None), attack))
    except KeyboardInterrupt:
        raise
    except BaseException as problem:  # noqa: BLE001 - a number or an attack may raise as soon as it is looked at
        return Capture(chosen, described(problem))


def scoreboard(*captures: Capture) -> _Page:
    """The attempts that are handed in: for each level the best of them, and the guard of those whose flag is taken."""
    taken = {each.level.number for each in captures if each.flag and each.level}
    tried = {each.level.number for each in captures if each.level}
    return _Page(level_page.scores(LEVELS, tried, taken))


def customer_message() -> str:
    """What the customer writes in every level."""
    return scenario_named(DEFAULT_WORLD).message


def _numbered(number: int) -> Level:
    for each in LEVELS:
        if each.number == number:
            return each
    raise BadInput(f"there is no level {number!r}; there are 1 to {len(LEVELS)}.")
