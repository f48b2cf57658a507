"""How a finding of the attack bench looks."""

from collections.abc import Sequence

from relay_lab.app.break_it.bench import Finding
from relay_lab.notebook.html import Html, Tone, mark, notice, plain_table, table, text, visible

Setting = Sequence[tuple[str, str]]
_STOPS = ("guard", "stopped", "code", "place")
_ISSUES = ("issue", "type", "rests on the words", "stands at")


def headline(finding: Finding) -> tuple[str, Tone]:
    """What came of it, in a sentence."""
    guards = ", ".join(dict.fromkeys(str(row.guard) for row in finding.stops))
    if finding.harm:
        return f"It got through: {'; '.join(each.rstrip('.') for each in finding.harm)}.", "bad"
    if finding.refused:
        return f"The message was not taken: {finding.refused}", "good"
    if guards:
        return f"Stopped by {guards}. The journal holds nothing that nobody had the right to.", "good"
    if finding.approved:
        return f"The customer's own words were taken as the approval of {finding.approved}.", "plain"
    return "No guard had anything to stop, and nothing was done that nobody had the right to.", "plain"


def finding_parts(finding: Finding, setting: Setting = ()) -> list[Html]:
    """The finding for a page; `setting` is what was put on the bench, where no control shows it."""
    parts = [table("On the bench", ("", ""), setting)] if setting else []
    parts.append(notice(*headline(finding)))
    if finding.stops:
        parts.append(table("What stopped it, in order", _STOPS, _stops(finding)))
    if finding.issues:
        parts.append(table("Read as", _ISSUES, finding.issues))
    rows = [
        (f"row {each.row.seq}", each.row.operation, each.row.customer_id or "nobody", _mark(each.wrong))
        for each in finding.rows
    ]
    head = ("", "done", "for", "")
    parts.append(
        table("Journal of the company", head, rows) if rows else text("The company's journal holds no row.")
    )
    if finding.replies:
        parts.append(
            table(
                "The desk says", ("", "reply"), [(str(n), text) for n, text in enumerate(finding.replies, 1)]
            )
        )
    return parts


def finding_plain(finding: Finding, setting: Setting) -> str:
    """The finding as text."""
    lines = [plain_table(("", ""), setting).lstrip("\n"), visible(headline(finding)[0])]
    if finding.stops:
        lines.append(plain_table(_STOPS, _stops(finding)))
    journal = "; ".join(
        f"row {each.row.seq}: {each.row.operation}, {_said(each.wrong)}" for each in finding.rows
    )
    return "\n".join([*lines, f"journal: {visible(journal or 'no row')}"])


def _stops(finding: Finding) -> list[tuple[object, ...]]:
    return [(row.guard, row.tool, row.outcome, row.place or "") for row in finding.stops]


def _said(wrong: tuple[str, ...]) -> str:
    return f"unauthorized: {'; '.join(wrong)}" if wrong else "in order"


def _mark(wrong: tuple[str, ...]) -> Html:
    return mark(_said(wrong), "bad" if wrong else "good")
