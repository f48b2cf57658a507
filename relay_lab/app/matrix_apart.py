"""Somebody else's bot, run through the rows in a process of its own: what ends or stops there is a failure and no success."""

import os
import signal
import sys
import time
from collections.abc import Iterable
from multiprocessing import get_context
from multiprocessing.connection import Connection

from relay_lab.app.matrix import RowResult, broken_off, runs_rows
from relay_lab.app.matrix_rows import chosen
from relay_lab.contracts.errors import BadInput

LIMIT_S = 600.0
"""Seconds that a row may take, unless the caller says otherwise: long enough for a slow model, and not for ever."""

_STARTS_S = 60.0
"""Seconds that a process has at least to start and to make its workflow."""

_LOOKS_EVERY_S, _ENDS_S = 0.2, 10.0


def run_matrix_apart(
    workflow: str,
    only: Iterable[str] | None = None,
    world: str | int | None = None,
    limit_s: float = LIMIT_S,
) -> list[RowResult]:
    """Run the rows as `run_matrix` does, with the workflow `module:factory` in a child process.

    A row in which the child ends, or does not end within `limit_s`, has failed and says so; the next one gets another child.
    What the child writes to standard output arrives on standard error. Raises `BadInput` as `run_matrix` does, for a limit
    that is no time, and when the workflow cannot be made because its process ends or does not answer.
    """
    if not 0 < limit_s < float("inf"):
        raise BadInput(f"a row cannot be given {limit_s} seconds; give a number above 0.")
    rows, child, results = chosen(tuple(only or ())), None, []
    try:
        for row in rows:
            if child is None:
                child = _Child(workflow, world, limit_s)
            told = child.asked(row.id)
            if isinstance(told, RowResult) and told.id == row.id:
                results.append(told)
                continue
            child.end()
            child = None
            results.append(broken_off(row, told if isinstance(told, str) else "its process sent no result"))
    finally:
        if child is not None:
            child.end()
    return results


class _Child:
    """A process with the workflow in it, which runs one row at a time."""

    def __init__(self, workflow: str, world: str | int | None, limit_s: float) -> None:
        context = get_context("spawn")  # nothing of this process is there, not even its standard output
        self._pipe, theirs = context.Pipe()
        self._limit_s = limit_s
        self._process = context.Process(target=_serve, args=(theirs, workflow, world))
        self._process.start()
        theirs.close()
        try:
            told = self._told(max(limit_s, _STARTS_S))
            if isinstance(told, BadInput):
                raise told
            if told is not True:
                raise BadInput(f"{workflow} made no workflow ({told}); mend it, or name another.")
        except BaseException:
            self.end()
            raise

    def asked(self, row_id: str) -> object:
        """The result of a row, or a sentence that says why there is none."""
        try:
            self._pipe.send(row_id)
        except OSError:
            return self._ended()
        return self._told(self._limit_s)

    def end(self) -> None:
        """Nothing of it runs on."""
        self._process.kill()
        self._process.join()
        self._pipe.close()

    def _told(self, limit_s: float) -> object:
        """What the process says next. Whether it lives is asked besides: what it started may hold the pipe open."""
        until = time.monotonic() + limit_s
        while not self._pipe.poll(_LOOKS_EVERY_S):
            if not self._process.is_alive() and not self._pipe.poll(0):
                return self._ended()
            if time.monotonic() > until:
                return f"it took longer than {limit_s:g} s, and its process was ended"
        try:
            return self._pipe.recv()
        except Exception:  # noqa: BLE001 - it ended, or sent what is no answer
            return self._ended()

    def _ended(self) -> str:
        self._process.join(_ENDS_S)
        return f"its process ended (exit code {self._process.exitcode})"


def _serve(pipe: Connection, workflow: str, world: str | int | None) -> None:
    """The child: says whether the workflow can be made, and then runs the rows that it is asked for."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # an interrupt is for whoever waits: the parent ends this process
    os.dup2(2, 1)  # whatever writes to standard output, in whatever way, is no part of a document
    sys.stdout = (
        sys.stderr
    )  # which is written line by line: this process is killed in the end, with what it still holds
    try:
        run = runs_rows(world, workflow=workflow)
    except BadInput as error:
        pipe.send(BadInput(str(error)))
        return
    pipe.send(True)
    while True:
        try:
            [row] = chosen((pipe.recv(),))
        except EOFError:  # nobody asks any more
            return
        pipe.send(run(row))
