"""`relay-lab demo`: one conversation, from the options of a command line."""

import codecs
import sys
from pathlib import Path
from typing import Annotated

import typer

from relay_lab.cli.base import Json, app, instant, print_json
from relay_lab.contracts.errors import BadInput

_LONGEST_INPUT = 1_000_000
"""Bytes read of a message: more than any message may have, so that a device without end is refused as too long."""

MessageOption = Annotated[str | None, typer.Option("--message", help="What the customer writes.")]
FileOption = Annotated[
    Path | None, typer.Option("--message-file", help="Read the message from a file (UTF-8).")
]
Stdin = Annotated[str | None, typer.Argument(help="- reads the message from standard input.", metavar="[-]")]
Db = Annotated[
    str | None, typer.Option("--db", help="Keep everything in FILE (and FILE.world); go on with it.")
]


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
    proposer: Annotated[
        str, typer.Option(help="Who reads the message: rules, replay, hostile, openai or bundled.")
    ] = "rules",
    world: Annotated[str | None, typer.Option(help="relay, or the seed of a generated world.")] = None,
    at: Annotated[
        str | None, typer.Option(help="Move the desk's clock on to this instant (ISO 8601, with zone).")
    ] = None,
    db: Db = None,
    conversation: Annotated[str, typer.Option(help="Which conversation of the database.")] = "C-1",
    as_json: Json = False,
) -> int:
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
        at=instant(at),
        db=db,
        conversation_id=conversation,
        show=show,
    )
    if as_json:
        print_json(run.to_dict())
    else:
        show.end(run)
    return show.status


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
