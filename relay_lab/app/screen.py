"""What a conversation on the command line shows while it runs."""

import sys
from itertools import pairwise

from rich.console import Console

from relay_lab.app import display
from relay_lab.app.run import Run


def console() -> Console:
    """A console that leaves it to its caller what a broken pipe means."""

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would end the process; whoever called us decides that

    return Screen(highlight=False)


class Quiet:
    """Notices alone, on standard error."""

    def __call__(self, stage: str, run: Run, what: str) -> None:
        if stage == "no_pick":
            sys.stderr.write(f"No question about a plan is open, so {what} was not picked.\n")
        elif stage == "no_confirm":
            sys.stderr.write("No quote waits for a confirmation, so nothing was confirmed.\n")
        elif stage == "said":
            for row, after in pairwise(run.trace):
                if row.tool == after.tool and after.outcome == "empty" and row.guard:
                    # Its own row says why; the one behind it is about the empty answer that was read instead.
                    sys.stderr.write(f"The proposer gave no answer to {row.tool}: {row.outcome}.\n")

    def end(self, run: Run) -> None:
        """Nothing more."""


class Screen(Quiet):
    """The conversation as a person reads it."""

    def __init__(self) -> None:
        self._console = console()
        self._shown = False

    def __call__(self, stage: str, run: Run, what: str) -> None:
        super().__call__(stage, run, what)
        if run.record is None or stage.startswith("no_"):
            return
        self._shown = True
        out = self._console.print
        if stage == "said":
            out(display.said("Customer", what, "blue"))
            if run.record.issues:
                out(display.issues(run.record))
                out(display.ledger(run.record))
        elif stage == "picked":
            out(display.said("Customer picks", what, "blue"))
            for view in run.record.quotes[-1:]:
                out(display.quote(view.quote, run.record))
        elif stage == "confirmed":
            out(display.said("Customer clicks", "Confirm", "blue"))
            for operation in run.record.operations[-1:]:
                out(display.outcome(operation, run.mutations))
        out(display.said("Desk", run.reply, "green"))

    def end(self, run: Run) -> None:
        if run.record is not None:
            if not self._shown:
                self._console.print(*display.renderables(run.record, run.trace, run.mutations), sep="\n")
                return
            self._console.print(display.standing(run.record))
        if run.trace:
            self._console.print(display.trace(run.trace))
