"""`relay-lab reconcile`: operations whose outcome is not known, settled by their keys."""

from typing import Annotated

import typer

from relay_lab.cli.base import Json, app, print_json


@app.command()
def reconcile(
    db: Annotated[str, typer.Option("--db", help="The file a demo was run with.")], as_json: Json = False
) -> None:
    """Settle operations whose outcome is unknown, each under its own key."""
    from relay_lab.app.reconcile import reconcile as run_reconcile

    document = run_reconcile(db).to_dict()
    if as_json:
        print_json(document)
        return
    for kind in ("settled", "open"):
        typer.echo(f"{kind}: {len(document[kind])}")
        for row in document[kind]:
            typer.echo(
                f"  {row['idempotency_key']}  {row['state']}  {row['receipt_id'] or row['error'] or ''}"
            )
