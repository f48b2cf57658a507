"""`relay-lab record`: a model's answers, kept for replay."""

from pathlib import Path
from typing import Annotated

import typer

from relay_lab.cli.base import Json, app, print_json, progress


@app.command()
def record(
    proposer: Annotated[str, typer.Option(help="Whose answers: bundled or openai.")] = "bundled",
    workflow: Annotated[
        str, typer.Option(help="What the model works for: desk, naive, module:factory.")
    ] = "desk",
    out: Annotated[
        Path | None, typer.Option(help="The file; by default PROPOSER-WORKFLOW.jsonl here.")
    ] = None,
    trials: Annotated[int, typer.Option(min=1, max=100, help="How often everything is asked.")] = 8,
    as_json: Json = False,
) -> None:
    """Record a model's answers over the rows of the matrix and 40 attacks; the same command goes on where it stopped."""
    from relay_lab.app.record import record as run_record

    with progress("recording") as told:

        def show(done: int, of: int, answers: int) -> None:
            told(done, of, f"{answers} answers")

        recorded = run_record(proposer, workflow, out, trials=trials, progress=show)
    if as_json:
        print_json(recorded.to_dict())
        return
    typer.echo(
        f"{recorded.recorded} answers, {recorded.new} of them new, of {recorded.trials} trials in {recorded.out}"
    )
