"""The command line: thin over `relay_lab.app`, one clear sentence for what was wrong, an exit status for what happened.

0 done · 1 a check failed or drift was found · 2 bad usage or input, or the machine cannot · 70 a bug · 130 interrupted.
One file a command; a module that is named here registers its command.
"""

import os
import sys
from importlib import import_module
from typing import Annotated

import typer
from typer.exceptions import TyperException

from relay_lab.cli.base import app
from relay_lab.contracts.errors import RelayLabError

_INTERRUPTED = 130

COMMANDS = (
    "demo",
    "lab",
    "reconcile",
    "purge",
    "check",
    "matrix",
    "attacks",
    "mutants",
    "trials",
    "record",
    "evidence",
    "doctor",
)
"""In the order in which the help lists them."""


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


for _name in COMMANDS:
    import_module(f"relay_lab.cli.{_name}")


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
        said = error.format_message()  # of a value, its option too
        hint = "Put quotes around the message." if "extra argument" in str(error) else "See relay-lab --help."
        return _complain(f"{said.rstrip('.')}. {hint}", 2)
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
