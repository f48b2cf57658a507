"""A desk with one guard missing, to be looked at and attacked: always a fresh company in memory."""

from typing import Any

from relay_lab.app.ablation import GUARDS, guards_without, lab_without
from relay_lab.app.break_it.row import RowRun, row_run
from relay_lab.app.break_it.visit import Opens
from relay_lab.app.lab import Lab, Parts, open_lab
from relay_lab.app.settings import DEFAULT_WORLD, scenario_named

__all__ = ["GUARDS", "desk_without", "opens_without", "row_without"]


def desk_without(guard: str, world: str | int | None = None, parts: Parts | None = None) -> Lab:
    """A lab in which one guard is missing; everything else stands, the systems of record among it.

    `guard` is a field of `core.guards.Guards`, such as "grounding"; `world` and `parts` are those of `open_lab`. Nothing that
    it does outlives it. Raises `BadInput` for a guard that there is not.
    """
    return lab_without(guard, world, parts)


def row_without(row_id: str, guard: str | None, world: str | int | None = None) -> RowRun:
    """Run one row of the failure matrix on the desk without `guard`, or whole for None.

    Raises `BadInput` for a row, a guard or a world that there is not.
    """
    return row_run(row_id, world, guard, guards_without(guard))


def opens_without(guard: str | None) -> Opens:
    """What opens one desk after another, each on a fresh company: without `guard`, or whole for None.

    What is given takes the parts of a desk, the fields of the usual session that are otherwise, and perhaps a company of its
    own; without one it is the fixture's. Raises `BadInput`, when it opens one, for a guard that there is not.
    """

    def opens(parts: Parts, session: dict[str, Any], scenario: Any = None) -> Lab:
        usual = scenario or scenario_named(DEFAULT_WORLD)
        changed = usual.model_copy(update={"session": usual.session.model_copy(update=session)})
        return open_lab(changed, parts=parts) if guard is None else lab_without(guard, changed, parts)

    return opens
