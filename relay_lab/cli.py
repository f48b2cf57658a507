"""The command line: thin over `relay_lab.app`, one clear sentence for what was wrong, an exit status for what happened.

0 done · 1 a check failed or drift was found · 2 bad usage or input, or the machine cannot · 70 a bug · 130 interrupted.
"""

import codecs
import json
import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from relay_lab.contracts.errors import BadInput, RelayLabError

app = typer.Typer(
    name="relay-lab",
    help="A language model proposes, trusted code decides, a person confirms: a support desk to learn from.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

_LONGEST_INPUT = 1_000_000
"""Bytes read of a message: more than any message may have, so that a device without end is refused as too long."""

_INTERRUPTED = 130

MessageOption = Annotated[str | None, typer.Option("--message", help="What the customer writes.")]
FileOption = Annotated[
    Path | None, typer.Option("--message-file", help="Read the message from a file (UTF-8).")
]
Stdin = Annotated[str | None, typer.Argument(help="- reads the message from standard input.", metavar="[-]")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]
Db = Annotated[
    str | None, typer.Option("--db", help="Keep everything in FILE (and FILE.world); go on with it.")
]


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        typer.echo(version("relay-lab"))
        raise typer.Exit


@app.callback()
def _commands(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """A language model proposes, trusted code decides, a person confirms: a support desk to learn from."""


@app.command()
def demo(
    stdin: Stdin = None,
    message: MessageOption = None,
    message_file: FileOption = None,
    plan: Annotated[str | None, typer.Option(help="Pick this plan when a change is open.")] = None,
    seat: Annotated[str | None, typer.Option(help="Pick the seat that stays.")] = None,
    confirm: Annotated[
        bool, typer.Option("--confirm", help="Click Confirm on the quote that waits.")
    ] = False,
    proposer: Annotated[str, typer.Option(help="Who reads the message: rules.")] = "rules",
    world: Annotated[str | None, typer.Option(help="relay, or the seed of a generated world.")] = None,
    at: Annotated[
        str | None, typer.Option(help="Move the desk's clock on to this instant (ISO 8601, with zone).")
    ] = None,
    db: Db = None,
    conversation: Annotated[str, typer.Option(help="Which conversation of the database.")] = "C-1",
    as_json: Json = False,
) -> None:
    """One conversation: a message in, a truthful reply and perhaps one confirmed change out."""
    from relay_lab.app.demo import demo as run_demo
    from relay_lab.app.screen import Quiet, Screen

    text = _message(stdin, message, message_file)
    show = Quiet() if as_json else Screen()
    run = run_demo(
        text,
        plan=plan,
        seat=seat,
        confirm=confirm,
        proposer=proposer,
        world=world,
        at=_instant(at),
        db=db,
        conversation_id=conversation,
        show=show,
    )
    if as_json:
        _print_json(run.to_dict())
    else:
        show.end(run)


@app.command()
def reconcile(
    db: Annotated[str, typer.Option("--db", help="The file a demo was run with.")], as_json: Json = False
) -> None:
    """Settle operations whose outcome is unknown, each under its own key."""
    from relay_lab.app.reconcile import reconcile as run_reconcile

    document = run_reconcile(db).to_dict()
    if as_json:
        _print_json(document)
        return
    for kind in ("settled", "open"):
        typer.echo(f"{kind}: {len(document[kind])}")
        for row in document[kind]:
            typer.echo(
                f"  {row['idempotency_key']}  {row['state']}  {row['receipt_id'] or row['error'] or ''}"
            )


@app.command()
def matrix(
    only: Annotated[list[str] | None, typer.Option(help="Run this row alone; may be given again.")] = None,
    without: Annotated[str | None, typer.Option(help="Remove this guard, and see what it stops.")] = None,
    world: Annotated[
        str | None, typer.Option(help="relay, or the seed of another world with the same three concerns.")
    ] = None,
    junit: Annotated[Path | None, typer.Option(help="Also write the rows to this file as JUnit XML.")] = None,
    as_json: Json = False,
) -> int:
    """Every row of the failure matrix: what is injected, where it should end, where it did, and what stopped it."""
    from relay_lab.app import matrix_report
    from relay_lab.app.matrix import run_matrix
    from relay_lab.app.screen import console

    if junit is not None:
        matrix_report.write(junit, None)
    results = run_matrix(only, world, without)
    if junit is not None:
        matrix_report.write(junit, matrix_report.junit(results))
    if as_json:
        _print_json(matrix_report.document(results, world, without))
    else:
        console().print(matrix_report.table(results, world, without))
    return 0 if all(result.passed for result in results) else 1


def _message(stdin: str | None, message: str | None, file: Path | None) -> str | None:
    """The message from the one place that was named. Raises `BadInput` for two places, no file, or bytes that are no text."""
    if sum(source is not None for source in (stdin, message, file)) > 1:
        raise BadInput("give the message once: as --message, as --message-file, or - for standard input.")
    if message is not None:
        return _text(message.encode("utf-8", "surrogateescape"), "--message")
    if file is not None:
        try:
            with file.open("rb") as opened:
                return _text(opened.read(_LONGEST_INPUT), str(file))
        except OSError as error:
            raise BadInput(f"{file} cannot be read ({error.strerror}); name a text file.") from error
    if stdin is not None:
        if stdin != "-":
            raise BadInput(
                f"{stdin!r} is not an option; write --message before the text, or - for standard input."
            )
        return _text(sys.stdin.buffer.read(_LONGEST_INPUT), "standard input")
    return None


def _text(content: bytes, place: str) -> str:
    try:
        # A message that was cut off at the limit may end inside a character: it is too long, not broken.
        return codecs.getincrementaldecoder("utf-8")().decode(content, final=len(content) < _LONGEST_INPUT)
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{place} is not UTF-8 text: byte {error.start} fits nothing; save it as UTF-8."
        ) from error


def _instant(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise BadInput(f"--at {text!r} is not an instant; write it as 2026-09-10T12:00:00Z.") from None
    if instant.tzinfo is None:
        raise BadInput(f"--at {text!r} names no zone; write Z or an offset behind it.")
    return instant


def _print_json(document: object) -> None:
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def main() -> None:
    """Run a command and exit with its status."""
    sys.exit(status_of(sys.argv[1:]))


def status_of(arguments: list[str]) -> int:
    """Run a command; its exit status. What a person did wrong is one sentence on standard error, without a traceback."""
    try:
        status = app(arguments, standalone_mode=False)
        sys.stdout.flush()
        if status == _INTERRUPTED:  # typer turns the interrupt of a command into this
            raise KeyboardInterrupt
        return status if isinstance(status, int) else 0
    except RelayLabError as error:
        return _complain(str(error), 2)
    except TyperException as error:
        if not str(error):  # no command was given, and the help has been printed
            return 2
        hint = "Put quotes around the message." if "extra argument" in str(error) else "See relay-lab --help."
        return _complain(f"{str(error).rstrip('.')}. {hint}", 2)
    except (typer.Abort, KeyboardInterrupt):
        return _complain(
            "interrupted; what was committed is kept, run the same command again to go on.", _INTERRUPTED
        )
    except OSError as error:
        if not isinstance(error, BrokenPipeError):
            return _complain(
                f"standard output cannot be written ({error.strerror}); what was done is kept.", 2
            )
        # The reader went away. What is still in the buffer goes nowhere, or the interpreter would complain at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:  # noqa: BLE001 - the outermost edge: a bug gets its traceback and its own status
        import traceback

        traceback.print_exc()
        return 70


def _complain(sentence: str, status: int) -> int:
    sys.stderr.write(f"relay-lab: {sentence}\n")
    return status


if __name__ == "__main__":
    main()
