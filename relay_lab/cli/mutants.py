"""`relay-lab mutants`: every broken version of a guard or a step, against the check that names its boundary."""

from pathlib import Path
from typing import Annotated

import typer

from relay_lab.cli.base import Json, app, print_json, progress


@app.command()
def mutants(
    only: Annotated[
        list[str] | None,
        typer.Option(help="Run this mutant, or those of this guard or step, alone; may be given again."),
    ] = None,
    jobs: Annotated[int, typer.Option(help="How many processes run the guards' mutants.")] = 2,
    junit: Annotated[
        Path | None, typer.Option(help="Also write the mutants to this file as JUnit XML.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Every broken version of a guard or a step, which check catches it, and which line stands behind each guard."""
    from relay_lab.app import mutants_report
    from relay_lab.app.junit import write
    from relay_lab.app.mutants import run_mutants
    from relay_lab.app.screen import console

    if junit is not None:
        write(junit, None)
    with progress("mutants") as told:
        report = run_mutants(only, jobs, told)
    if junit is not None:
        write(junit, mutants_report.junit(report))
    if as_json:
        print_json(report.to_dict())
    else:
        console().print(mutants_report.tables(report))
    return 0 if report.passed else 1
