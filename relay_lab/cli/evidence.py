"""`relay-lab evidence`: every published figure, what it is bound to, and whether it still holds."""

from typing import Annotated

import typer

from relay_lab.cli.base import Json, app, print_json


@app.command()
def evidence(
    verify: Annotated[bool, typer.Option("--verify", help="Compute again what can be, and compare.")] = False,
    write: Annotated[
        list[str] | None, typer.Option(help="Compute this source's figures and write them; `all` for all.")
    ] = None,
    as_json: Json = False,
) -> int:
    """Every figure that README.md and docs/ publish, with its binding; with --verify, whether it still holds."""
    from relay_lab.app.evidence import Pages
    from relay_lab.app.published import sources

    pages = Pages(sources())
    if write:
        pages.write(() if "all" in write else write)
    found = pages.evidence(verify, lambda source: typer.echo(f"computing {source} again", err=True))
    if as_json:
        print_json(found.to_dict())
    else:
        for figure in found.figures:
            mark = {True: "holds", False: "STALE", None: ""}[figure.holds]
            typer.echo(f"{figure.id:<32} {figure.value[:40]:<40} {mark:<6} {figure.detail}")
        typer.echo(f"{len(found.figures)} figures, {len(found.stale)} stale.")
    return 1 if found.stale else 0
