"""The timeline: where each issue, quote and operation stood after every turn, and what was stopped on the way there."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from relay_lab.app.lab import Lab
from relay_lab.app.run import Moment, Run
from relay_lab.contracts.enums import IssueState
from relay_lab.contracts.errors import RelayLabError
from relay_lab.contracts.record import RunRecord, TraceRow
from relay_lab.notebook.html import Html, Tone, html, mark, page, part, plain_table, table, text, words
from relay_lab.notebook.widgets import WHOLE_LABEL, bundle, button, widget_library

NOTHING = "Nothing has been said yet."
NOT_KEPT = "not kept"
"""Of a turn that an earlier process made: its reply is left, where things stood after it is not."""

_TONES: dict[str, Tone] = {
    IssueState.NEEDS_INPUT: "wait",
    IssueState.EVIDENCE_READY: "good",
    IssueState.AWAITING_CONFIRMATION: "wait",
    IssueState.SCHEDULED: "good",
    IssueState.HANDOFF_PENDING: "wait",
    IssueState.HANDED_OFF: "plain",
    IssueState.UNKNOWN: "bad",
}


def timeline(of: Run | Lab) -> "Timeline":
    """The turns of a run, or of a lab as it goes on. Raises `BadInput` when the widget library is not installed."""
    return Timeline(of)


@dataclass(frozen=True)
class Turn:
    """One turn: when it ended, the states after it, the rows of the trace that belong to it, and its reply."""

    number: int
    at: datetime | None
    states: dict[str, str]
    quote: str
    operation: str
    mutations: int | None
    trace: tuple[TraceRow, ...]
    reply: str

    @property
    def stopped(self) -> tuple[TraceRow, ...]:
        """What a line of defence stopped."""
        return tuple(row for row in self.trace if row.guard is not None)


def turns_of(run: Run) -> tuple[Turn, ...]:
    """Every turn of the conversation, oldest first. Rows of the trace after the last turn belong to the last one."""
    if run.record is None:
        return ()
    moments = {moment.turn: moment for moment in run.moments}
    found, start = [], 0
    for reply in run.record.replies:
        moment = moments.get(reply.turn)
        if moment is None:
            found.append(Turn(reply.turn, None, {}, NOT_KEPT, NOT_KEPT, None, (), reply.text))
            continue
        end = len(run.trace) if moment is run.moments[-1] else moment.rows
        found.append(_turn(moment, run.trace[start:end], reply.text))
        start = end
    return tuple(found)


def _turn(moment: Moment, trace: tuple[TraceRow, ...], reply: str) -> Turn:
    record = moment.record
    return Turn(
        number=moment.turn,
        at=record.at,
        states={view.issue.id: view.state.value for view in record.issues},
        quote=f"{record.quotes[-1].quote.quote_id}\n{record.quotes[-1].state}" if record.quotes else "",
        operation=record.operations[-1].state.value if record.operations else "",
        mutations=moment.mutations,
        trace=trace,
        reply=reply,
    )


class Timeline:
    """See `timeline`. `turns` are those shown; a timeline of a lab reads it anew when it is shown."""

    def __init__(self, of: Run | Lab) -> None:
        self._of = of
        w = widget_library()
        self.turn = w.Dropdown(description="Turn", style=WHOLE_LABEL, layout={"width": "max-content"})
        self.only_stopped = w.Checkbox(
            description="only what was stopped", indent=False, layout={"width": "auto"}
        )
        self.read = button("Read again", "Show the turns made since", self.refresh)
        self._head, self.detail = w.HTML(), w.HTML()
        controls = [self.turn, self.only_stopped, *([self.read] if isinstance(of, Lab) else [])]
        self.widget = w.VBox([self._head, w.HBox(controls, layout={"flex_flow": "row wrap"}), self.detail])
        self.widget.add_class("relay-controls")
        self._record: RunRecord | None = None
        self.turns: tuple[Turn, ...] = ()
        self.refresh()
        self.turn.observe(self._show, "value")
        self.only_stopped.observe(self._show, "value")

    def refresh(self) -> None:
        """Show the turns as they are now."""
        run = self._of if isinstance(self._of, Run) else _looked_at(self._of)
        if run is not None:
            self._record, self.turns = run.record, turns_of(run)
        numbers = [turn.number for turn in self.turns]
        if tuple(numbers) != tuple(self.turn.options):
            self.turn.options = numbers
            self.turn.value = numbers[-1] if numbers else None
        self.turn.disabled = not numbers
        self._head.value = page(*self._table())
        self._show()

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        self.refresh()
        stopped = [_trace("Stopped", [row for turn in self.turns for row in turn.stopped])]
        return bundle(self.widget, page(*self._table(), *stopped), self._plain())

    def _show(self, _: object = None) -> None:
        turn = next((each for each in self.turns if each.number == self.turn.value), None)
        if turn is None:
            self.detail.value = part()
            return
        rows = turn.stopped if self.only_stopped.value else turn.trace
        self.detail.value = part(
            text(f"The desk in turn {turn.number}: {turn.reply}"),
            _trace(f"Trace of turn {turn.number}", rows),
        )

    def _columns(self) -> list[tuple[str, str]]:
        views = self._record.issues if self._record else ()
        return [(view.issue.id, f"{view.issue.id} {words(view.issue.type)}") for view in views]

    def _table(self) -> list[Html]:
        if not self.turns:
            return [text(NOTHING)]
        columns = self._columns()
        head = _head(name for _, name in columns)
        before: dict[str, str] = {}
        rows = []
        for turn in self.turns:
            states = [_state(turn, issue_id, before) for issue_id, _ in columns]
            rows.append((turn.number, *_when(turn), *states, *_rest(turn)))
            before = turn.states
        return [
            table("Timeline", head, rows, "relay-timeline"),
            text("Underlined: another state than after the turn before."),
        ]

    def _plain(self) -> str:
        if not self.turns:
            return NOTHING
        columns = self._columns()
        head = _head(issue_id for issue_id, _ in columns)
        rows = [
            (
                turn.number,
                *_when(turn),
                *(turn.states.get(issue_id, "" if turn.at else NOT_KEPT) for issue_id, _ in columns),
                *_rest(turn),
            )
            for turn in self.turns
        ]
        return plain_table(head, rows)


def _head(issues: Iterable[str]) -> tuple[str, ...]:
    return "turn", "desk's clock", *issues, "quote", "operation", "company's changes", "stopped"


def _looked_at(lab: Lab) -> Run | None:
    """The run of a lab; None when it cannot be read any more: what was shown of it stays."""
    try:
        return lab.look()
    except RelayLabError:
        return None


def _when(turn: Turn) -> tuple[str]:
    return (f"{turn.at:%d %b %H:%M:%S}" if turn.at else NOT_KEPT,)


def _state(turn: Turn, issue_id: str, before: dict[str, str]) -> Html:
    state = turn.states.get(issue_id)
    if state is None:
        return html("" if turn.at else NOT_KEPT)
    word = html(words(state))
    changed = state != before.get(issue_id)
    return mark(Html(f"<ins>{word}</ins>") if changed else word, _TONES[state])


def _rest(turn: Turn) -> tuple[str, str, str, str]:
    stopped = "\n".join(
        f"{words(row.tool)}: {words(row.outcome)} ({words(row.guard)})" for row in turn.stopped
    )
    changed = NOT_KEPT if turn.mutations is None else str(turn.mutations)
    return turn.quote, words(turn.operation), changed, stopped


def _trace(caption: str, rows: "list[TraceRow] | tuple[TraceRow, ...]") -> Html:
    if not rows:
        return text(f"{caption}: nothing.")
    head = ("#", "desk's clock", "tool", "decided", "call", "stopped by")
    return table(
        caption,
        head,
        [
            (
                row.seq,
                f"{row.at:%d %b %H:%M:%S}",
                words(row.tool),
                words(row.outcome) if row.kind == "decision" else "",
                words(row.outcome) if row.kind == "call" else "",
                mark(words(row.guard), "bad") if row.guard else "",
            )
            for row in rows
        ],
        "relay-trace",
    )
