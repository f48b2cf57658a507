"""The sources of every figure that README.md and docs/ publish."""

from collections.abc import Mapping

from relay_lab.app.evidence import Source


def sources() -> Mapping[str, Source]:
    """Each source by the first word of its figures' names."""
    return {"matrix": Source(("fixtures/**/*.json",), "rules", _matrix)}


def _matrix() -> dict[str, str]:
    from relay_lab.app.matrix import run_matrix

    results = run_matrix()
    return {
        "matrix.rows": str(len(results)),
        "matrix.held": str(sum(result.passed for result in results)),
    }
