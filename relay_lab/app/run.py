"""A run: the record of a conversation with its trace and counts, and the ways to look at it."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from relay_lab.contracts.record import RunRecord, TraceRow

if TYPE_CHECKING:
    import pandas
    from rich.console import Console, ConsoleOptions, RenderResult

Table = Literal["issues", "ledger", "trace", "replies"]


@dataclass(frozen=True)
class Moment:
    """How things stood after one turn: the record, how many rows the trace had, and the changes made so far."""

    turn: int
    record: RunRecord
    rows: int
    mutations: int


@dataclass(frozen=True, repr=False)
class Run:
    """What a conversation has come to.

    `record` is None before the first turn. `mutations` counts changes of the company's business records on request,
    `tickets` the handoff tickets opened: a message to a person changes no record. `moments` has an entry for each turn that
    the lab saw, oldest first; of turns made by an earlier process only the replies are left, in the record.
    """

    record: RunRecord | None
    trace: tuple[TraceRow, ...]
    mutations: int
    tickets: int
    moments: tuple[Moment, ...] = ()

    @property
    def reply(self) -> str:
        """The text of the last reply; empty before the first turn."""
        return self.record.replies[-1].text if self.record else ""

    @property
    def states(self) -> dict[str, str]:
        """Issue id -> state."""
        return {view.issue.id: view.state.value for view in self.record.issues} if self.record else {}

    def __repr__(self) -> str:
        states = ", ".join(f"{issue_id} {state}" for issue_id, state in self.states.items())
        return f"<Run: {states or 'nothing said yet'}; mutations {self.mutations}>"

    def to_dict(self) -> dict[str, Any]:
        """The document of `relay-lab demo --json`, as a dict (docs/json.md)."""
        from relay_lab.app.document import document

        return document(self.record, self.trace, self.mutations)

    def to_frame(self, table: Table = "issues") -> "pandas.DataFrame":
        """One table of the run as a DataFrame: issues, ledger, trace or replies, a row each."""
        import pandas

        rows = self.to_dict()[table]
        return pandas.DataFrame(rows)

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "RenderResult":
        from relay_lab.app.display import renderables

        yield from renderables(self.record, self.trace, self.mutations)

    def _repr_html_(self) -> str:
        from relay_lab.app.display import as_html

        return as_html(self.record, self.trace, self.mutations)
