"""`relay-lab purge`: what has outlived its time is removed."""

from typing import Annotated

import typer

from relay_lab.cli.base import Json, app, instant, print_json


@app.command()
def purge(
    db: Annotated[str, typer.Option("--db", help="The file a demo was run with.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count only; change nothing.")] = False,
    at: Annotated[
        str | None, typer.Option(help="Move the desk's clock on to this instant (ISO 8601, with zone).")
    ] = None,
    as_json: Json = False,
) -> None:
    """Remove what has outlived its time: wording, tokens, conversations, confirmations, operations, receipts, audit."""
    from relay_lab.app.purge import purge as run_purge

    report = run_purge(db, dry_run=dry_run, at=instant(at))
    if as_json:
        print_json(report.to_dict())
        return
    for kind, count in report.removed.items():
        typer.echo(f"{kind}: {count} {'to remove' if dry_run else 'removed'}, {report.kept[kind]} kept")
