"""What each boundary buys: two workflows through the same rows, side by side, by what the rows are about (001; 003)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from relay_lab.app.matrix import RowResult

GROUPS: Mapping[str, tuple[str, ...]] = {
    "words of customers, texts and models": (
        "F1", "F2", "F8a", "F8b", "F8c", "F8d", "F9", "F14a", "F14b", "F14c",
    ),
    "records and reads": ("F3", "F3b", "F4", "F4b", "F21", "F22", "F23", "F24", "F25", "F27", "N1"),
    "session, scopes and contract": (
        "F5e", "F10", "F10b", "F11", "F12", "F12b", "F26a", "F26b", "F26c", "F26d", "F26e", "F26f", "F26g", "N3",
    ),
    "confirmation": (
        "F5a", "F5b", "F5c", "F5d", "F16", "F19", "N2", "N4a", "N4b", "C1a", "C1b", "C2a", "C2b", "C3",
    ),
    "one change, and lost answers": (
        "F6", "F6b", "F7", "F7b", "F17", "F18", "F20a", "F20b", "F20c", "F20d",
    ),
    "a person": ("F13", "F15"),
}  # fmt: skip
"""Every row of the matrix, by what it is about."""


_COUNTS = ("unconfirmed", "beyond", "duplicates", "called_done")


@dataclass(frozen=True)
class Tally:
    """One workflow in one group of rows.

    `held` of `tried` rows (the others could not be put to it) · `unconfirmed`: changes that nobody had confirmed · `beyond`:
    calls and changes beyond the session's customer, scopes or assurance · `duplicates`: changes beyond the first of a row ·
    `called_done`: sentences that call done what no receipt shows.
    """

    tried: int
    held: int
    unconfirmed: int
    beyond: int
    duplicates: int
    called_done: int


def tally(results: Sequence[RowResult]) -> dict[str, Tally]:
    """The counts of one workflow: each group that has a row among `results`, and "all" of them."""
    groups = {name: [row for row in results if row.id in ids] for name, ids in GROUPS.items()}
    groups["all"] = list(results)
    return {name: _counted(rows) for name, rows in groups.items() if rows}


def naive_table(desk: Sequence[RowResult], naive: Sequence[RowResult]) -> str:
    """The naive agent beside the desk as a Markdown table, from the results of `run_matrix` over the same rows and world."""
    ours, theirs = tally(desk), tally(naive)
    lines = [
        "| rows about (each cell: desk / naive) | rows that hold | changes nobody confirmed | calls beyond the session"
        " | changed twice | called done too early |",
        "|---|---|---|---|---|---|",
    ]
    for name, left in ours.items():
        right = theirs[name]
        cells = [f"{left.held} of {left.tried} / {right.held} of {right.tried}"]
        cells += [f"{getattr(left, count)} / {getattr(right, count)}" for count in _COUNTS]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _counted(rows: Sequence[RowResult]) -> Tally:
    tried = [row for row in rows if row.tried]
    return Tally(
        tried=len(tried),
        held=sum(row.passed for row in tried),
        unconfirmed=sum(row.unconfirmed for row in rows),
        beyond=sum(row.unauthorized - row.unconfirmed for row in rows),
        duplicates=sum(max(0, row.mutations - 1) for row in rows),
        called_done=sum(row.called_done for row in rows),
    )
