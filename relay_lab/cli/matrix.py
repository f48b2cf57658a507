"""`relay-lab matrix`: every row of the failure matrix, run and judged."""

from pathlib import Path
from typing import Annotated

import typer

from relay_lab.cli.base import Json, World, app, print_json


@app.command()
def matrix(
    only: Annotated[list[str] | None, typer.Option(help="Run this row alone; may be given again.")] = None,
    workflow: Annotated[
        str, typer.Option(help="Who goes through the rows: desk, naive, or module:factory.")
    ] = "desk",
    without: Annotated[str | None, typer.Option(help="Remove this guard, and see what it stops.")] = None,
    limit: Annotated[float, typer.Option(help="Seconds that a row may take with module:factory.")] = 600,
    world: World = None,
    junit: Annotated[Path | None, typer.Option(help="Also write the rows to this file as JUnit XML.")] = None,
    as_json: Json = False,
) -> int:
    """Every row of the failure matrix: what is injected, where it should end, where it did, and what stopped it."""
    from relay_lab.app import matrix_report
    from relay_lab.app.junit import write
    from relay_lab.app.matrix import run_matrix
    from relay_lab.app.matrix_apart import run_matrix_apart
    from relay_lab.app.screen import console

    if junit is not None:
        write(junit, None)
    if ":" in workflow and without is None:  # a bot that ends its process must not end this one
        results = run_matrix_apart(workflow, only, world, limit)
    else:
        results = run_matrix(only, world, without, workflow=workflow)
    if junit is not None:
        write(junit, matrix_report.junit(results))
    if as_json:
        print_json(matrix_report.document(results, world, without, workflow))
    else:
        console().print(matrix_report.table(results, world, without, workflow))
    return 0 if all(result.passed for result in results) else 1
