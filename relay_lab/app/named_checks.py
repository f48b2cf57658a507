"""Every check that a mutant of a guard can be caught by, by name: the rows of the failure matrix and the guard checks."""

from relay_lab.app.guard_checks.every import CHECKS, run_check
from relay_lab.app.matrix import run_matrix
from relay_lab.app.matrix_rows import rows


def names() -> tuple[str, ...]:
    """The names, the rows of the matrix first."""
    return (*(row.id for row in rows()), *CHECKS)


def failures_of(name: str) -> tuple[str, ...]:
    """What is not as it should be; empty when the boundary stands. Raises `BadInput` for a check that there is not."""
    if name in CHECKS:
        return run_check(name)
    [result] = run_matrix([name])
    return result.failures
