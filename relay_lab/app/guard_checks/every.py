"""Every guard check there is, by name."""

import traceback

from relay_lab.app.guard_checks import (
    clicks,
    effects,
    ordinary,
    packets,
    readings,
    records,
    replies,
    rights,
    systems,
)
from relay_lab.app.guard_checks.base import REGISTERED
from relay_lab.contracts.errors import BadInput

MODULES = (ordinary, readings, rights, clicks, effects, systems, records, replies, packets)
CHECKS = REGISTERED


def run_check(name: str) -> tuple[str, ...]:
    """What is not as it should be; empty when the boundary stands. Raises `BadInput` for a check that there is not.

    What goes wrong inside a check is its failure, as it is for a row of the matrix.
    """
    if name not in CHECKS:
        raise BadInput(f"there is no guard check {name!r}; there is {', '.join(CHECKS)}.")
    try:
        return tuple(CHECKS[name]())
    except Exception as error:  # noqa: BLE001 - whatever a broken guard provokes is a failure of its check
        place = traceback.extract_tb(error.__traceback__)[-1]
        return (f"the run broke off: {type(error).__name__} in {place.name}: {error}",)
