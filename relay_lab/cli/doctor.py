"""`relay-lab doctor`: what this machine has, and what each missing thing costs."""

from relay_lab.cli.base import Json, app, print_json


@app.command()
def doctor(as_json: Json = False) -> int:
    """What this machine has, and what each missing thing costs. Fails only when something required is missing."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    from relay_lab.app.doctor import doctor as run_doctor
    from relay_lab.app.screen import console

    diagnosis = run_doctor()
    if as_json:
        print_json(diagnosis.to_dict())
        return 0 if diagnosis.passed else 1
    grid = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("", "is", "what was found", "without it"):
        grid.add_column(column, overflow="fold")
    for finding in diagnosis.findings:
        missing = "missing, required" if finding.required else "missing"
        mark = (
            Text("there", "green")
            if finding.ok
            else Text(missing, "bold red" if finding.required else "yellow")
        )
        grid.add_row(finding.name, mark, Text(finding.detail), Text("" if finding.ok else finding.costs))
    console().print(grid)
    return 0 if diagnosis.passed else 1
