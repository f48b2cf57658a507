"""The heat map of the failure matrix: which row turns red without which guard."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial

from relay_lab.app.matrix_rows import expectations, rows
from relay_lab.app.processes import spread
from relay_lab.contracts.errors import BadInput
from relay_lab.notebook.broken import GUARDS, row_without
from relay_lab.notebook.html import Html, html, page, plain_table, text

WHOLE = "every guard"
"""The column in which nothing is missing."""
_FEW = 150
"""So few rows are run before other processes have started."""
_TOLD = 12
"""With so few rows there is room to say what each one injects."""
_SIGNS = {True: ("holds", "✓"), False: ("red", "✗"), None: ("not run", " ")}


@dataclass(frozen=True)
class HeatMap:
    """`cells`: (row, guard or `WHOLE`) -> whether the row held; a cell that is missing was not run."""

    world: str
    rows: tuple[str, ...]
    guards: tuple[str, ...]
    words: Mapping[str, str] = field(repr=False)
    cells: Mapping[tuple[str, str], bool] = field(repr=False)

    @property
    def red(self) -> dict[str, tuple[str, ...]]:
        """Guard -> the rows that turn red without it, in the matrix's order."""
        return {
            guard: tuple(row for row in self.rows if self.cells.get((row, guard)) is False)
            for guard in (WHOLE, *self.guards)
        }

    def markup(self) -> Html:
        """The map without the style sheet."""
        columns, told = (WHOLE, *self.guards), len(self.rows) <= _TOLD
        names = "".join(f'<th scope="col" style="{_UPRIGHT}">{html(name)}</th>' for name in columns)
        injected = '<th scope="col">what is injected</th>' if told else ""
        body = "".join(
            f'<tr><th scope="row" title="{html(self.words.get(row, ""))}">{html(row)}</th>'
            + "".join(_cell(self.cells.get((row, guard)), row, guard) for guard in columns)
            + (f"<td>{html(self.words.get(row, ''))}</td>" if told else "")
            + "</tr>"
            for row in self.rows
        )
        legend = text(
            f"✗ red: the row does not hold without this guard · ✓ it holds · empty: not run · world {self.world}"
        )
        return Html(
            '<table class="relay-table relay-heat"><caption>Red without which guard?</caption>'
            f'<thead><tr><th scope="col">row</th>{names}{injected}</tr></thead><tbody>{body}</tbody></table>{legend}'
        )

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/html": str(page(self.markup())), "text/plain": self.plain()}

    def __repr__(self) -> str:
        return self.plain()

    def plain(self) -> str:
        """The map as text: each guard with the rows that turn red without it."""
        shown = [(guard, " ".join(ids) or "none") for guard, ids in self.red.items()]
        return plain_table(("missing", "rows that turn red"), [("nothing", shown[0][1]), *shown[1:]])


def heat_map(
    only: Iterable[str] | None = None,
    guards: Iterable[str] | None = None,
    world: str | int | None = None,
    *,
    everything: bool = False,
) -> HeatMap:
    """Run rows with every guard standing and with one missing, and hold each run against what is expected of its row.

    `only`: ids of rows; without it, those in which a guard has something to stop. `guards`: their names, all without it. Each
    row is run without the guard that stops it; `everything` runs every row without every guard, which takes a minute or more.
    Raises `BadInput` for a row, a guard or a world that there is not.
    """
    stops = {row_id: expected.stopped_by for row_id, expected in expectations().items()}
    wanted = tuple(only) if only is not None else tuple(row for row, stop in stops.items() if stop)
    names = tuple(guards) if guards is not None else GUARDS
    for row_id in wanted:
        if row_id not in stops:
            raise BadInput(f"there is no row {row_id!r}; there is {', '.join(stops)}.")
    for name in names:
        if name not in GUARDS:
            raise BadInput(f"there is no guard {name!r}; there is {', '.join(GUARDS)}.")
    work = [
        (row_id, guard)
        for row_id in wanted
        for guard in (WHOLE, *names)
        if everything or guard in (WHOLE, stops[row_id])
    ]
    with spread(1 if len(work) <= _FEW else None, len(work)) as each:
        held = list(each(partial(_held, world), work))
    words = {row.id: row.words for row in rows()}
    return HeatMap(
        "relay" if world is None else str(world), wanted, names, words, dict(zip(work, held, strict=True))
    )


def _held(world: str | int | None, cell: tuple[str, str]) -> bool:
    row_id, guard = cell
    return row_without(row_id, None if guard == WHOLE else guard, world).result.passed


_UPRIGHT = "writing-mode: vertical-rl; transform: rotate(180deg); text-align: left; padding: 0.35rem 0.2rem"
_CELL = "text-align: center; padding: 0.1rem 0.3rem; min-width: 1.4rem; border: 1px solid var(--jp-border-color2, GrayText)"
_RED = "background: var(--jp-error-color1, #c62828); color: var(--jp-ui-inverse-font-color0, #fff); font-weight: 700"


def _cell(held: bool | None, row: str, guard: str) -> str:
    word, sign = _SIGNS[held]
    missing = "with every guard" if guard == WHOLE else f"without {guard}"
    label = html(f"{row} {missing}: {word}")
    style = f"{_CELL}; {_RED}" if held is False else _CELL
    return f'<td style="{style}" aria-label="{label}" title="{label}">{sign}</td>'
