"""Where patched code runs: in a fork of a process that has the package ready, which imports anew what the patch reaches.

`python -m relay_lab.app.patched_run` takes one order a line on standard input and answers with lines of JSON.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import IO

from relay_lab.app.patched import Patch, forget, graph, install
from relay_lab.contracts.base import Contract
from relay_lab.contracts.errors import BadInput

BROKE = ""
"""The name of the line that says what ended an order early."""


class Order(Contract):
    """Run these checks (rows of the matrix, guard checks) one by one; `rest` only if the last of them failed nothing.

    `scenes` are those of the table of lines, each with the name of the guard to remove or with null.
    """

    patches: tuple[Patch, ...] = ()
    checks: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    scenes: tuple[tuple[str, str | None], ...] = ()
    timeout_s: int = 60


class Line(Contract):
    """One result: what failed of a check, or what was seen in a scene, in words."""

    name: str
    words: tuple[str, ...]


class End(Contract):
    """How an order ended: null when it was carried out, else a sentence."""

    ended: str | None


class Ran(Contract):
    """What came of an order: the results in order, and the sentence of what ended it early, if something did."""

    lines: tuple[Line, ...]
    ended: str | None

    def words(self, name: str) -> tuple[str, ...]:
        """What one check or scene came to; empty for one that was not reached."""
        return next((line.words for line in self.lines if line.name == name), ())


class Worker:
    """A process that carries out one order after another, each in a fork of its own. Close it."""

    def __init__(self) -> None:
        if not hasattr(os, "fork"):
            raise BadInput("mutants run in forked processes, and this system has none; use Linux or macOS.")
        self._process = subprocess.Popen(
            [sys.executable, "-m", "relay_lab.app.patched_run"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def run(self, order: Order) -> Ran:
        """Carry out an order; it is stopped after its time, so that an endless loop has an end."""
        sending, receiving = self._pipes()
        sending.write(order.model_dump_json() + "\n")
        sending.flush()
        lines: dict[str, Line] = {}
        for text in receiving:
            if text.startswith('{"ended"'):
                broke = lines.pop(BROKE, None)
                ended = broke.words[0] if broke else End.model_validate_json(text).ended
                return Ran(lines=tuple(lines.values()), ended=ended)
            line = Line.model_validate_json(text)
            lines[line.name] = line
        raise RuntimeError("the process in which mutants run has ended")

    def close(self) -> None:
        """End the process."""
        for pipe in self._pipes():
            pipe.close()
        self._process.wait()

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the process was started without pipes")
        return self._process.stdin, self._process.stdout


def _carried_out(order: Order) -> Iterator[Line]:
    # Imported here: what the patch reaches is imported only now.
    from relay_lab.app.guard_scenes.every import shown
    from relay_lab.app.named_checks import failures_of

    caught = False
    for name in order.checks:
        words = failures_of(name)
        caught = bool(words)
        yield Line(name=name, words=words)
    for name in () if caught else order.rest:
        yield Line(name=name, words=failures_of(name))
    for scene, without in order.scenes:
        yield Line(name=f"{scene} without {without}", words=shown(scene, without))


def _say(line: Line | End) -> None:
    os.write(1, (line.model_dump_json() + "\n").encode())


def _forked(order: Order) -> None:
    """In the fork: whatever happens, it ends here."""
    try:
        signal.alarm(order.timeout_s)  # the system ends it, whatever it is doing
        forget(order.patches)
        install(order.patches)
        for line in _carried_out(order):
            _say(line)
    except BaseException as error:  # noqa: BLE001 - a mutant may fail in any way
        _say(Line(name=BROKE, words=(f"{type(error).__name__}: {error}",)))
    finally:
        os._exit(0)


def main() -> None:
    """Have everything ready, then carry out orders until there are no more."""
    from relay_lab.app.guard_checks.ordinary import ORDINARY

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who sends the orders is interrupted, and closes this one
    tuple(_carried_out(Order(checks=(ORDINARY,))))
    graph()
    for text in sys.stdin:
        order = Order.model_validate_json(text)
        child = os.fork()
        if child == 0:
            _forked(order)
        _, status = os.waitpid(child, 0)
        late = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM
        stopped = f"it ran for more than {order.timeout_s} s and was stopped" if late else None
        _say(End(ended=stopped or (None if status == 0 else f"it ended with status {status}")))


if __name__ == "__main__":
    main()
