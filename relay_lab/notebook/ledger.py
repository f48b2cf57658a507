"""The ledger explorer: from a claim to the records it rests on, and to why it may be said or not."""

from typing import Any

from relay_lab.app.run import Run
from relay_lab.contracts.enums import ClaimStatus
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import RunRecord
from relay_lab.notebook.claims import TONES, claim_words, evidence_rows, said, why
from relay_lab.notebook.html import Html, mark, page, part, plain_table, table, text, visible, words
from relay_lab.notebook.widgets import WHOLE_LABEL, bundle, button, widget_library

ALL = ""
NOTHING = "Nothing has been claimed yet: let the customer say something first."


def ledger_explorer(run: Run) -> "LedgerExplorer":
    """The claims of a run, by issue and by status. Raises `BadInput` when the widget library is not installed."""
    return LedgerExplorer(run)


class LedgerExplorer:
    """See `ledger_explorer`. `rows` are the claims that the two filters let through."""

    def __init__(self, run: Run) -> None:
        self._record = run.record
        w = widget_library()
        self.issue = w.Dropdown(description="Issue", options=self._issues(), style=WHOLE_LABEL)
        self.status = w.Dropdown(description="Status", options=self._statuses(), style=WHOLE_LABEL)
        self.claim = w.Select(
            description="Claim", style=WHOLE_LABEL, layout={"width": "calc(100% - 8px)", "max_width": "62rem"}
        )
        self._head, self.detail = w.HTML(value=page()), w.HTML()
        # JupyterLab takes the arrow keys from a list, so that a keyboard needs buttons.
        self.previous = button("Previous claim", "The claim before this one", lambda: self._go(-1))
        self.next = button("Next claim", "The claim after this one", lambda: self._go(1))
        steps = w.HBox([self.previous, self.next])
        filters = w.HBox([self.issue, self.status], layout={"flex_flow": "row wrap"})
        self.widget = w.VBox([self._head, filters, self.claim, steps, self.detail])
        self.widget.add_class("relay-controls")
        self.issue.observe(self._filter, "value")
        self.status.observe(self._filter, "value")
        self.claim.observe(self._show, "value")
        self._filter()

    @property
    def rows(self) -> tuple[LedgerRow, ...]:
        """The claims that are listed now, in the ledger's order."""
        rows = self._record.ledger.rows if self._record else ()
        return tuple(
            row
            for row in rows
            if self.issue.value in (ALL, row.issue_id) and self.status.value in (ALL, row.status)
        )

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        return bundle(self.widget, static_ledger(self._record), plain_ledger(self._record))

    def _issues(self) -> list[tuple[str, str]]:
        views = self._record.issues if self._record else ()
        return [
            ("all", ALL),
            *((f"{view.issue.id} {words(view.issue.type)}", view.issue.id) for view in views),
        ]

    def _statuses(self) -> list[tuple[str, str]]:
        rows = self._record.ledger.rows if self._record else ()
        counts = [(status, sum(row.status is status for row in rows)) for status in ClaimStatus]
        return [("all", ALL), *((f"{status} ({count})", status.value) for status, count in counts if count)]

    def _filter(self, _: object = None) -> None:
        options = [(visible(f"{row.claim_id}  {claim_words(row)}"), row.claim_id) for row in self.rows]
        self.claim.options = options
        self.claim.rows = min(max(len(options), 2), 10)
        self.claim.value = options[0][1] if options else None
        self.claim.disabled = not options
        self._show()

    def _go(self, by: int) -> None:
        shown = [row.claim_id for row in self.rows]
        if shown:
            self.claim.value = shown[(shown.index(self.claim.value) + by) % len(shown)]

    def _show(self, _: object = None) -> None:
        row = next((each for each in self.rows if each.claim_id == self.claim.value), None)
        if self._record is None or row is None:
            word = "No claim of this issue has this status." if self._record else NOTHING
            self.detail.value = part(text(word))
            return
        self.detail.value = part(*_detail(row, self._record))


def _detail(row: LedgerRow, record: RunRecord) -> list[Html]:
    view = next(each for each in record.issues if each.issue.id == row.issue_id)
    facts: list[tuple[str, object]] = [
        ("claim", claim_words(row)),
        ("status", mark(row.status, TONES[row.status])),
        ("why", why(row, record)),
        ("in the replies", said(row, record)),
        (f"{row.issue_id} rests on the words", view.issue.span.text),
    ]
    if row.policy_version:
        facts.insert(3, ("policy in force", row.policy_version))
    parts = [table(row.claim_id, (), facts, "relay-claim")]
    evidence = evidence_rows(row, record)
    if evidence:
        head = ("record", "owner", "last read as of", "says")
        parts.append(table("Evidence", head, evidence, "relay-evidence"))
    else:
        parts.append(text("It rests on no record."))
    return parts


HEAD = ("claim", "says", "rests on", "status", "why")


def _rows(record: RunRecord) -> list[tuple[object, ...]]:
    return [
        (
            row.claim_id,
            claim_words(row),
            ", ".join(row.evidence_ids) or "nothing",
            mark(row.status, TONES[row.status]),
            why(row, record),
        )
        for row in record.ledger.rows
    ]


def static_ledger(record: RunRecord | None) -> Html:
    """The whole ledger as one table."""
    if record is None or not record.ledger.rows:
        return page(text(NOTHING))
    return page(table("Ledger", HEAD, _rows(record), "relay-ledger"))


def plain_ledger(record: RunRecord | None) -> str:
    """The whole ledger as text."""
    if record is None or not record.ledger.rows:
        return NOTHING
    rows = [
        (row.claim_id, claim_words(row), ", ".join(row.evidence_ids) or "nothing", row.status.value)
        for row in record.ledger.rows
    ]
    return plain_table(HEAD[:4], rows)
