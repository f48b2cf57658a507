"""A desk with one guard missing, to be looked at and attacked: always a fresh company in memory."""

from relay_lab.app.ablation import lab_without
from relay_lab.app.lab import Lab, Parts


def desk_without(guard: str, world: str | int | None = None, parts: Parts | None = None) -> Lab:
    """A lab in which one guard is missing; everything else stands, the systems of record among it.

    `guard` is a field of `core.guards.Guards`, such as "grounding"; `world` and `parts` are those of `open_lab`. Nothing that
    it does outlives it. Raises `BadInput` for a guard that there is not.
    """
    return lab_without(guard, world, parts)
