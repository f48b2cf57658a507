"""A desk with one guard missing, to be looked at and attacked: always a fresh company in memory."""

from collections.abc import Callable
from typing import Any

from relay_lab.app.ablation import GUARDS, lab_without
from relay_lab.app.lab import Lab, Parts, open_lab
from relay_lab.app.settings import DEFAULT_WORLD, scenario_named

__all__ = ["GUARDS", "desk_without", "opens_without"]


def desk_without(guard: str, world: str | int | None = None, parts: Parts | None = None) -> Lab:
    """A lab in which one guard is missing; everything else stands, the systems of record among it.

    `guard` is a field of `core.guards.Guards`, such as "grounding"; `world` and `parts` are those of `open_lab`. Nothing that
    it does outlives it. Raises `BadInput` for a guard that there is not.
    """
    return lab_without(guard, world, parts)


def opens_without(guard: str | None) -> Callable[[Parts, dict[str, Any]], Lab]:
    """What opens one desk after another, each on a fresh company of the fixture: without `guard`, or whole for None.

    What is given opens a desk with the parts it is handed, under the usual session with the fields it is handed changed.
    """
    usual = scenario_named(DEFAULT_WORLD)

    def opens(parts: Parts, session: dict[str, Any]) -> Lab:
        scenario = usual.model_copy(update={"session": usual.session.model_copy(update=session)})
        return open_lab(scenario, parts=parts) if guard is None else lab_without(guard, scenario, parts)

    return opens
