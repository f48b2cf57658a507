"""What every command shares: the application, the options that several have, and how a document is printed."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Annotated

import typer

from relay_lab.contracts.errors import BadInput

app = typer.Typer(
    name="relay-lab",
    help="A language model proposes, trusted code decides, a person confirms: a support desk to learn from.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
World = Annotated[
    str | None, typer.Option(help="relay, or the seed of another world with the same three concerns.")
]


def instant(text: str | None) -> datetime | None:
    """The instant that `--at` names. Raises `BadInput` for text that is none, or that names no zone."""
    if text is None:
        return None
    try:
        parsed = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(f"--at {text!r} is not an instant; write it as 2026-09-10T12:00:00Z.") from None
    if parsed.tzinfo is None:
        raise BadInput(f"--at {text!r} names no zone; write Z or an offset behind it.")
    return parsed


def print_json(document: object) -> None:
    """One document on standard output."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


@contextmanager
def progress(of_what: str) -> Iterator[Callable[..., None]]:
    """A bar on standard error while the block runs, where that is a terminal.

    Tell it how many are done, of how many, and of what when that is said otherwise by then.
    """
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, TimeRemainingColumn

    screen = Console(stderr=True)
    columns = (*Progress.get_default_columns()[:2], MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=screen, transient=True, disable=not screen.is_terminal) as bar:
        task = bar.add_task(of_what, total=None)

        def told(done: int, of: int, of_what: str = of_what) -> None:
            bar.update(task, description=of_what, completed=done, total=of)

        yield told
