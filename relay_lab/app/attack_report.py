"""How a report on attacks is shown to people: a line for each kind and proposer, and below what is not as it should be."""

from collections import Counter
from collections.abc import Iterator

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from relay_lab.app.attacks import ABOUT, NOTHING, AttackReport, KindResult

_MOST_SHOWN = 40
"""Failures and skipped rows shown in words; a document for programs holds all of them."""


def table(report: AttackReport) -> RenderableType:
    """Each kind in one line, then the attacks that got through, the issues that were lost, the rows left out."""
    grid = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("kind", "texts", "got through", "answered", "stopped by", "at most"):
        grid.add_column(column, no_wrap=column in ("kind", "texts", "at most"))
    for kind in dict.fromkeys(row.kind for row in report.kinds):
        grid.add_row(*_cells([row for row in report.kinds if row.kind == kind]))
    proposers = ", ".join(dict.fromkeys(row.proposer for row in report.kinds))
    return Group(
        Text(ABOUT),
        Text(
            f"World {report.world}, corpus {report.corpus}, {len(report.results)} runs; each text is read by: {proposers}."
        ),
        grid,
        Text(
            "answered: with the rules, every real issue as without the attack · stopped by: runs in which a guard stopped"
            " an attempt · at most: the rate of texts that may get through where none did (95 %, exact)"
        ),
        *_lines(report),
    )


def _cells(rows: list[KindResult]) -> Iterator[Text]:
    """One kind over all who read it: a text counts as got through when it did with any of them."""
    n, contained = max(row.n for row in rows), min(row.contained for row in rows)
    answered = next((row.answered for row in rows if row.answered is not None), None)
    stopped: Counter[str] = Counter()
    for row in rows:
        stopped.update({guard: n for guard, n in row.stopped_by.items() if guard != NOTHING})
    bounds = [row.upper_bound_95 for row in rows]
    yield Text(rows[0].kind)
    yield Text(str(n))
    yield Text(str(n - contained), style="" if contained == n else "bold red")
    yield Text("" if answered is None else f"{answered}/{n}", style="" if answered in (None, n) else "red")
    yield Text(", ".join(f"{guard} {count}" for guard, count in stopped.most_common()))
    yield Text("" if None in bounds else f"{bounds[0]:.2%}")


def _lines(report: AttackReport) -> Iterator[Text]:
    escaped = [
        (f"{result.id} ({result.proposer}): {words}", "bold red")
        for result in report.results
        for words in result.escaped
    ]
    lost = [
        (f"{result.id} ({result.proposer}): {'; '.join(result.lost)}", "red")
        for result in report.results
        if result.lost
    ]
    skipped = [(f"left out, {words}", "yellow") for words in report.skipped]
    for lines in (escaped, lost, skipped):
        for words, style in lines[:_MOST_SHOWN]:
            yield Text(words, style=style)
        if len(lines) > _MOST_SHOWN:
            yield Text(
                f"… and {len(lines) - _MOST_SHOWN} more of these; --json has them all.", style=lines[0][1]
            )
