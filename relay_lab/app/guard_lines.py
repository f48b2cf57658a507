"""The table of lines: a guard removed, what still stops its attempt; that removed too, what follows. All of it seen, not said."""

import tomllib
from dataclasses import dataclass
from functools import cache
from typing import Any

from relay_lab.app.guard_scenes.every import SCENES
from relay_lab.app.patched import Patch
from relay_lab.app.patched_run import Order, Worker
from relay_lab.contracts.base import Contract
from relay_lab.world.data import fixtures_folder

NONE = "none"


class SecondLine(Contract):
    """An attempt, the guard that stops it, and the line behind that guard with the patch that takes it away, if there is one."""

    guard: str
    scene: str
    second_line: str | None = None
    patch: tuple[Patch, ...] = ()

    @property
    def orders(self) -> tuple[Order, Order]:
        """The attempt with everything standing and with the guard gone; then with the second line gone as well."""
        first = Order(scenes=((self.scene, None), (self.scene, self.guard)))
        return first, Order(patches=self.patch, scenes=((self.scene, self.guard),))


@dataclass(frozen=True)
class LineResult:
    """One row of the table.

    `stopped_by` is what stopped the attempt with everything standing, `then_stopped_by` with its guard gone (empty when
    nothing did), `effect_without_both` what followed when the second line, if there is one, was gone too.
    """

    guard: str
    scene: str
    attempt: str
    second_line: str
    stopped_by: str
    then_stopped_by: str
    effect_without_both: str

    @property
    def has_second_line(self) -> bool:
        """Whether a line is said to stand behind the guard."""
        return self.second_line != NONE

    def to_dict(self) -> dict[str, Any]:
        """The row as `relay-lab mutants --json` prints it."""
        return dict(vars(self))


class _Lines(Contract):
    line: tuple[SecondLine, ...]


@cache
def second_lines() -> tuple[SecondLine, ...]:
    """Every row of the table, as it is to be run."""
    text = (fixtures_folder() / "mutants" / "lines" / "second_lines.toml").read_text("utf-8")
    return _Lines.model_validate(tomllib.loads(text), strict=False).line


def run_line(line: SecondLine, worker: Worker) -> LineResult:
    """Run one row of the table: with everything, without the guard, without both."""
    first, last = line.orders
    ran, without_both = worker.run(first), worker.run(last)
    standing = ran.words(f"{line.scene} without None")
    alone = ran.words(f"{line.scene} without {line.guard}")
    both = without_both.words(f"{line.scene} without {line.guard}")
    return LineResult(
        guard=line.guard,
        scene=line.scene,
        attempt=str(SCENES[line.scene].__doc__),
        second_line=line.second_line or NONE,
        stopped_by=_words(standing, ran.ended),
        then_stopped_by=_words(alone[:1], ran.ended),
        effect_without_both=_words(both[1:], without_both.ended) or f"nothing: {'; '.join(both)}",
    )


def _words(seen: tuple[str, ...], ended: str | None) -> str:
    return ended or "; ".join(filter(None, seen))
