"""`relay-lab lab`: opens the course in JupyterLab."""

import signal
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from relay_lab.cli.base import app


@app.command()
def lab(
    no_browser: Annotated[
        bool, typer.Option("--no-browser", help="Print the address, and open nothing.")
    ] = False,
) -> None:
    """The course in JupyterLab, on this machine alone. Ctrl-C ends it; what was saved is kept."""
    import webbrowser

    from relay_lab.app.course import course_folder, run_course
    from relay_lab.app.doctor import can_open_a_browser

    opens = not no_browser and can_open_a_browser()

    def shown(address: str) -> None:
        typer.echo(f"The course: {address}\nCtrl-C here ends it.")
        if opens:
            webbrowser.open(address)

    # A closed terminal and a polite kill end the server as Ctrl-C does, instead of leaving it behind.
    for name in ("SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), _interrupt)
    folder = course_folder(Path.cwd())
    typer.echo(f"The notebooks are in {folder}; JupyterLab starts.", err=True)
    run_course(folder, shown)


def _interrupt(_: int, __: FrameType | None) -> None:
    raise KeyboardInterrupt
