"""How the seven measures are shown: a table for people, a document for programs."""

from collections.abc import Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from relay_lab.evaluation.measures import MeasureResult

SHOWN = 5
"""Failures of one measure that the table lists."""


def document(results: Sequence[MeasureResult]) -> dict[str, Any]:
    """What `relay-lab check --json` prints (docs/json.md)."""
    return {
        "passed": all(result.passed for result in results),
        "measures": [
            {
                "name": result.name.value,
                "value": result.value,
                "target": result.target,
                "passed": result.passed,
                "failures": list(result.failures),
                "detail": result.detail,
            }
            for result in results
        ],
    }


def table(results: Sequence[MeasureResult]) -> RenderableType:
    """Each measure in one line, and below the table what is not as it should be."""
    grid = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("measure", "value", "target", "", "over"):
        grid.add_column(column, justify="right" if column in ("value", "target") else "left")
    notes: list[Text] = []
    for result in results:
        mark = Text("holds", "green") if result.passed else Text("broken", "bold red")
        name = result.name.value.replace("_", " ")
        grid.add_row(Text(name), str(result.value), str(result.target), mark, Text(result.detail))
        notes += [Text(f"{name}: {failure}") for failure in result.failures[:SHOWN]]
        if len(result.failures) > SHOWN:
            notes.append(Text(f"{name}: and {len(result.failures) - SHOWN} more; --json lists all."))
    return Group(grid, *notes)
