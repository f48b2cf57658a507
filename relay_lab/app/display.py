"""How a run looks to a person: rich tables in a terminal, the same as HTML in a notebook."""

import io
import re
from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from relay_lab.contracts.base import iso
from relay_lab.contracts.change import Quote
from relay_lab.contracts.enums import ClaimStatus, IssueState, OperationState, Plan
from relay_lab.contracts.evidence import PlanPrice, Subscription
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.record import RunRecord, TraceRow

_STATE_STYLE = {
    IssueState.NEEDS_INPUT: "yellow",
    IssueState.EVIDENCE_READY: "green",
    IssueState.AWAITING_CONFIRMATION: "yellow",
    IssueState.SCHEDULED: "bold green",
    IssueState.HANDOFF_PENDING: "magenta",
    IssueState.HANDED_OFF: "magenta",
    IssueState.UNKNOWN: "bold red",
}
_STATUS_STYLE = {ClaimStatus.SUPPORTED: "green"}
HTML_WIDTH = 104


def renderables(
    record: RunRecord | None, rows: tuple[TraceRow, ...], mutations: int
) -> Iterator[RenderableType]:
    """A whole run, part by part."""
    if record is None:
        yield Text("Nothing has been said yet.")
        return
    if record.issues:
        yield issues(record)
        yield ledger(record)
    for view in record.quotes[-1:]:
        yield quote(view.quote, record)
    for operation in record.operations[-1:]:
        yield outcome(operation, mutations)
    for reply in record.replies:
        yield said("Desk", reply.text, "green")
    yield trace(rows)


def as_html(record: RunRecord | None, rows: tuple[TraceRow, ...], mutations: int) -> str:
    """The same for a notebook."""
    console = Console(record=True, width=HTML_WIDTH, file=io.StringIO(), force_jupyter=False)
    for part in renderables(record, rows, mutations):
        console.print(part)
    return console.export_html(
        inline_styles=True,
        code_format="<pre style='line-height:1.2;white-space:pre;overflow-x:auto'>{code}</pre>",
    )


def said(who: str, text: str, style: str) -> RenderableType:
    """Somebody's words in a frame. They are text whatever they hold, never markup."""
    return Panel(Text(text), title=who, title_align="left", border_style=style, padding=(0, 1))


def issues(record: RunRecord) -> RenderableType:
    """Issues with what they rest on, outcome and state."""
    table = _table("Issues", "id", "what is asked", "the customer's words", "outcome", "state")
    for view in record.issues:
        plain = view.issue.model_dump(mode="json", exclude={"id", "span", "type", "needs_clarification"})
        slots = ", ".join(
            f"{name} {_word(value)}" for name, value in plain.items() if value not in (None, False)
        )
        table.add_row(
            view.issue.id,
            Text.assemble((_word(view.issue.type), "bold"), "\n" + slots if slots else ""),
            Text(_short(view.issue.span.text)),
            _word(view.outcome),
            Text(view.state, style=_STATE_STYLE[view.state]),
        )
    return table


def standing(record: RunRecord) -> RenderableType:
    """Where each issue stands at the end, on one line."""
    line = Text("Issues now: ")
    for view in record.issues:
        line.append(f"{view.issue.id} ", style="bold").append(
            view.state, style=_STATE_STYLE[view.state]
        ).append("  ")
    return line if record.issues else Text("Issues now: none")


def ledger(record: RunRecord) -> RenderableType:
    """Each claim with its evidence and whether it may be said."""
    table = _table("Ledger", "claim", "says", "rests on", "as of", "status")
    for row in record.ledger.rows:
        table.add_row(
            row.claim_id,
            Text(_shown(_claim(row))),
            Text(", ".join(row.evidence_ids) or "nothing"),
            f"{row.source_at:%d %b %H:%M:%S}" if row.source_at else "",
            Text(
                row.status if not row.qualifier else f"{row.status}: {_word(row.qualifier)}",
                style=_STATUS_STYLE.get(row.status, "bold red"),
            ),
        )
    return table


def _shown(text: str) -> str:
    """A record's free text as a screen may show it: on one line, nothing in it that moves, colours or reorders."""
    # The two joiners are a part of emoji and of some scripts.
    return "".join(mark if mark.isprintable() or mark in "\u200c\u200d" else "\u00b7" for mark in text)


def quote(offer: Quote, record: RunRecord) -> RenderableType:
    """The exact change, before and after, with everything that ends."""
    terms = offer.terms
    seats = next((r.value.seats for r in record.evidence if isinstance(r.value, Subscription)), None)
    names = {seat.seat_id: f"{seat.seat_id} ({_shown(seat.holder)})" for seat in seats or ()}
    table = Table(box=SIMPLE_HEAD, show_header=True, pad_edge=False)
    table.add_column("")
    table.add_column("now")
    table.add_column(f"from {_instant(iso(terms.effective_at))}", style="bold")
    price = f"{terms.currency} {terms.price_cents / 100:.2f} a month ({_shown(terms.tax_terms)})"
    prices = {r.value.plan: r.value for r in record.evidence if isinstance(r.value, PlanPrice)}
    current = prices.get(terms.current_plan)
    before = ", ".join((*terms.seats_kept, *terms.seats_ended))
    table.add_row("plan", _plan(terms.current_plan), _plan(terms.target_plan))
    table.add_row(
        "price", f"{current.currency} {current.price_cents / 100:.2f} a month" if current else "", Text(price)
    )
    kept, ended = (
        Text(", ".join(names.get(seat, seat) for seat in seats_of))
        for seats_of in (terms.seats_kept, terms.seats_ended)
    )
    table.add_row("seats", before, kept)
    table.add_row("access ends for", "", ended or "nobody")
    table.add_row("features lost", "", ", ".join(map(_word, terms.features_lost)) or "none")
    table.add_row("project data", "", "kept" if terms.data_retained else "not kept")
    table.add_row("refund now", "", terms.immediate_refund)
    foot = f"valid until {_instant(iso(offer.expires_at))} · policy {terms.policy_version} · hash {offer.change_hash[:12]}…"
    return Panel(
        table, title=f"Quote {offer.quote_id}", subtitle=foot, title_align="left", border_style="yellow"
    )


def outcome(operation: Operation, mutations: int) -> RenderableType:
    """What the system of record says became of the change."""
    done = operation.state is OperationState.COMPLETED
    grid = Table.grid(padding=(0, 2))
    grid.add_row("operation", Text(operation.state, style="bold green" if done else "bold red"))
    grid.add_row("schedule id", operation.receipt.receipt_id if operation.receipt else "none")
    grid.add_row("idempotency key", operation.idempotency_key)
    if operation.error:
        grid.add_row("error", f"{operation.error} ({operation.detail or 'refused'})")
    grid.add_row("changes made", str(mutations))
    return Panel(
        grid, title="Subscription service", title_align="left", border_style="green" if done else "red"
    )


def trace(rows: tuple[TraceRow, ...]) -> RenderableType:
    """Every decision of the runtime and every call as the systems of record saw it."""
    table = _table("Trace", "#", "tool", "decided", "call", "stopped by")
    for row in rows:
        calls = row.kind == "call"
        table.add_row(
            str(row.seq),
            row.tool,
            "" if calls else Text(row.outcome, style="red" if row.guard else ""),
            row.outcome if calls else "",
            row.guard or "",
        )
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        whole = column in ("id", "claim", "state", "#", "tool", "as of")
        table.add_column(column, no_wrap=whole, overflow="fold")
    return table


def _claim(row: LedgerRow) -> str:
    value = row.claim.value
    shown = (
        "not known"
        if value is None
        else {True: "yes", False: "no"}.get(value, value)
        if isinstance(value, bool)
        else value
    )
    if isinstance(value, int) and row.claim.predicate.endswith("_cents"):
        shown = f"{value / 100:.2f}"
    predicate = row.claim.predicate.removesuffix("_cents")
    return f"{row.claim.subject}: {_word(predicate)} = {_instant(str(shown))}"


def _instant(text: str) -> str:
    instant = re.fullmatch(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d)\S*Z", text)
    return f"{instant[1]} {instant[2]} UTC" if instant else text


def _plan(plan: Plan) -> str:
    return plan.capitalize()


def _word(code: object) -> str:
    return str(code).replace("_", " ")


def _short(text: str, limit: int = 160) -> str:
    one_line = _shown(" ".join(text.split()))
    return one_line if len(one_line) <= limit else one_line[: limit - 1] + "…"
