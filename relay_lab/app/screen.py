"""What a conversation on the command line shows while it runs."""

import sys
from itertools import pairwise

from rich.console import Console

from relay_lab.app import display
from relay_lab.app.run import Run
from relay_lab.contracts.enums import IssueState
from relay_lab.contracts.issues import SubscriptionChange


def console() -> Console:
    """A console that leaves it to its caller what a broken pipe means."""

    class Screen(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # rich would end the process; whoever called us decides that

    return Screen(highlight=False)


class Quiet:
    """Notices alone, on standard error. `status` is that of the command: 2 when a click had nothing to confirm."""

    status = 0

    def __call__(self, stage: str, run: Run, what: str) -> None:
        if stage == "no_pick":
            sys.stderr.write(f"No question about a plan is open, so {what} was not picked.\n")
        elif stage == "no_confirm":
            self.status = 2
            sys.stderr.write(
                f"No quote waits for a confirmation, so nothing was confirmed: {_why_none(run)}.\n"
            )
        elif stage == "said":
            for row, after in pairwise(run.trace):
                if row.tool == after.tool and after.outcome == "empty" and row.guard:
                    # Its own row says why; the one behind it is about the empty answer that was read instead.
                    sys.stderr.write(f"The proposer gave no answer to {row.tool}: {row.outcome}.\n")

    def end(self, run: Run) -> None:
        """Nothing more."""


def _why_none(run: Run) -> str:
    """Why there is nothing to confirm, from how the last change that was spoken of stands."""
    issues = run.record.issues if run.record else ()
    change = next((each for each in reversed(issues) if isinstance(each.issue, SubscriptionChange)), None)
    if change is None:
        return "nobody has asked for a change of plan"
    match change.state:
        case IssueState.NEEDS_INPUT:
            return f"no plan is picked for {change.issue.id}; give --plan as well"
        case IssueState.SCHEDULED:
            return f"{change.issue.id} is scheduled already"
        case IssueState.UNKNOWN:
            return f"whether {change.issue.id} was made is not known; run relay-lab reconcile"
        case IssueState.HANDED_OFF | IssueState.HANDOFF_PENDING:
            return f"{change.issue.id} is with a person ({change.reason})"
        case _:
            return f"{change.issue.id} is {change.state} ({change.reason})"


class Screen(Quiet):
    """The conversation as a person reads it."""

    def __init__(self) -> None:
        super().__init__()
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
