"""`relay-lab attacks`: a corpus of injections put through the desk, ours or somebody else's."""

from pathlib import Path
from typing import Annotated

import typer

from relay_lab.cli.base import Json, World, app, print_json, progress


@app.command()
def attacks(
    corpus: Annotated[
        Path | None,
        typer.Option(
            help="Texts of your own: .txt, one a line; .csv or .jsonl with text, prompt or message."
        ),
    ] = None,
    world: World = None,
    only: Annotated[list[str] | None, typer.Option(help="Run this attack alone; may be given again.")] = None,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=64, help="Processes; one for each core by default.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Attacks in messages, notes, articles and tool texts: what got through, and whether the real issues were answered."""
    from relay_lab.app import attack_report
    from relay_lab.app.attacks import run_attacks
    from relay_lab.app.screen import console

    with progress("conversations") as told:
        report = run_attacks(corpus, world, only=only, jobs=jobs, progress=told)
    if as_json:
        print_json(report.to_dict())
    else:
        console().print(attack_report.table(report))
    return 0 if report.passed else 1
