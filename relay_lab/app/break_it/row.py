"""One row of the failure matrix, run with some guards, and what is shown of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from relay_lab.app.matrix import RowResult, run_row
from relay_lab.app.settings import DEFAULT_WORLD
from relay_lab.contracts.record import TraceRow
from relay_lab.core.guards import Guards


@dataclass(frozen=True)
class RowRun:
    """One run of a row without the guard `without`, null for none missing.

    `points`: (checkpoint, changes so far, states), one for each step · `replies`: (checkpoint, text) · `stops`: the decisions
    that name a guard, in order.
    """

    result: RowResult
    without: str | None
    world: str
    points: tuple[tuple[str, int, Mapping[str, str]], ...] = ()
    replies: tuple[tuple[str, str], ...] = ()
    stops: tuple[TraceRow, ...] = ()


def row_run(row_id: str, world: str | int | None, without: str | None, guards: Guards) -> RowRun:
    """Run one row; `without` is the name of what is missing in `guards`. Raises `BadInput` as `run_matrix` does."""
    result, seen = run_row(row_id, world, guards=guards)
    name = DEFAULT_WORLD if world is None else str(world)
    if seen is None:  # it broke off, and the result says why
        return RowRun(result, without, name)
    changes = {point.at: point.mutations for point in seen.standings}
    return RowRun(
        result,
        without,
        name,
        points=tuple((point.at, changes.get(point.at, 0), point.states) for point in seen.checkpoints),
        replies=seen.replies,
        stops=tuple(row for row in seen.trace if row.guard),
    )
