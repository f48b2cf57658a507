"""`relay-lab check`: the seven measures on the reference workflow."""

from typing import Annotated

import typer

from relay_lab.cli.base import Json, app, print_json, progress


@app.command()
def check(
    worlds: Annotated[int, typer.Option(help="Generated worlds to measure on, besides the fixture.")] = 10,
    seed: Annotated[int, typer.Option(help="The seed of the first of them.")] = 1,
    as_json: Json = False,
) -> int:
    """The seven measures of the workflow: on the fixture, on generated worlds and on every row of the failure matrix."""
    from relay_lab.app import check_report
    from relay_lab.app.check import check as run_check
    from relay_lab.app.screen import console

    with progress("measuring") as told:
        results = run_check(worlds, seed, told)
    if as_json:
        print_json(check_report.document(results))
    else:
        console().print(check_report.table(results))
    return 0 if all(result.passed for result in results) else 1
