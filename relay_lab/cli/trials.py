"""`relay-lab trials`: rows and attacks again and again with one proposer, and what became of its unsafe proposals."""

import sys
from contextlib import redirect_stdout
from pathlib import Path
from typing import Annotated

import typer

from relay_lab.cli.base import Json, app, print_json, progress


@app.command()
def trials(
    proposer: Annotated[str, typer.Option(help="rules, replay, hostile, bundled or openai.")] = "rules",
    trials: Annotated[int, typer.Option(help="How often each scenario is run, 1 to 1000.")] = 8,
    seed: Annotated[int, typer.Option(min=0, max=10**9, help="The number of the first trial.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(min=1, max=64, help="Processes; one for each core by default.")
    ] = None,
    workflow: Annotated[str, typer.Option(help="desk, naive, or module:factory.")] = "desk",
    out: Annotated[
        Path | None, typer.Option(help="Keep every attempt in this SQLite file, and go on from it.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Pass^k, consistency, routing accuracy, and the containment funnel by attempt and by scenario."""
    from relay_lab.app import trial_report
    from relay_lab.app.screen import console
    from relay_lab.app.trials import run_trials

    with (
        progress("attempts") as told,
        redirect_stdout(sys.stderr),
    ):  # a bot's own prints are no part of the document
        report = run_trials(proposer, trials, seed=seed, jobs=jobs, workflow=workflow, out=out, progress=told)
    if as_json:
        print_json(report.to_dict())
    else:
        console().print(trial_report.tables(report))
    return 0
