"""A desk with one of its guards removed: the only place that builds other guards, and only on a company in memory.

What stands here serves nobody and keeps nothing, so that a line of defence can be taken away and looked at.
"""

from dataclasses import fields, replace

from relay_lab.app.lab import Lab, Parts
from relay_lab.app.settings import opened
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.session import Session
from relay_lab.core.guards import STANDING, Guards
from relay_lab.world.data import Scenario

GUARDS = tuple(each.name for each in fields(Guards))
"""The guards that can be removed, by name."""


def guards_without(guard: str | None) -> Guards:
    """All guards but one; all of them for None. Raises `BadInput` for a guard that there is not."""
    if guard is None:
        return STANDING
    if guard not in GUARDS:
        raise BadInput(f"there is no guard {guard!r}; there is {', '.join(GUARDS)}.")
    return replace(STANDING, **{guard: False})


def lab_without(guard: str, world: str | int | Scenario | None = None, parts: Parts | None = None) -> Lab:
    """A lab like any other but for one guard, on a fresh company in memory. Raises `BadInput` for a guard that there is not."""
    files = opened(world, None, None)
    parts = replace(parts or Parts(), guards=guards_without(guard))
    return Lab(files, files.scenario.session, "C-1", parts)


class Bench:
    """A fresh company and fresh tables in memory, over which one desk after another can be put together."""

    def __init__(self, scenario: Scenario, guards: Guards) -> None:
        self._files, self.guards = opened(scenario, None, None), guards

    def lab(self, session: Session, parts: Parts) -> Lab:
        """A desk over the tables as they stand, as a restart would find them."""
        return Lab(self._files, session, "C-1", replace(parts, guards=self.guards))

    def close(self) -> None:
        """Let everything go."""
        self._files.close()
