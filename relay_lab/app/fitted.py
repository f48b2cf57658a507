"""A table that breaks its lines between words alone: where it is too wide, one with fewer columns is shown in its place."""

from collections.abc import Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

GAP = 2
"""Blanks between two columns."""


class Grid:
    """Columns and rows, not yet drawn."""

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[Text]]) -> None:
        self.columns, self.rows = columns, rows

    def widths(self, width: int) -> list[int] | None:
        """A width for each column, none less than its longest word; None when they do not fit into `width`."""
        cells = [[Text(name), *(row[place] for row in self.rows)] for place, name in enumerate(self.columns)]
        found = [_longest_word(column) for column in cells]
        wanted = [max(cell.cell_len for cell in column) for column in cells]
        left = width - sum(found) - GAP * (len(found) - 1)
        if left < 0:
            return None
        while left and any(have < want for have, want in zip(found, wanted, strict=True)):
            # Where most lines are still needed, one more character helps most.
            tallest = max(
                range(len(found)), key=lambda n: wanted[n] / found[n] if found[n] < wanted[n] else 0.0
            )
            found[tallest] += 1
            left -= 1
        return found

    def drawn(self, widths: Sequence[int]) -> Table:
        """The table at these widths."""
        table = Table(box=SIMPLE_HEAD, show_edge=False, padding=(0, GAP - 1, 0, 0), pad_edge=False)
        for name, width in zip(self.columns, widths, strict=True):
            table.add_column(name, width=width)
        for row in self.rows:
            table.add_row(*row)
        return table


class Fitted:
    """The first of these grids that fits the console. When none does, each row of the last one as a paragraph."""

    def __init__(self, *grids: Grid) -> None:
        self._grids = grids

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw it at the width that there is."""
        for grid in self._grids:
            widths = grid.widths(options.max_width)
            if widths is not None:
                yield Text()
                yield grid.drawn(widths)
                yield Text()
                return
        last = self._grids[-1]
        for row in last.rows:
            yield Text()
            for name, cell in zip(last.columns, row, strict=True):
                if cell.plain:
                    yield Text.assemble((f"{name}: ", "bold"), cell) if name else cell
        yield Text()


def _longest_word(cells: Sequence[Text]) -> int:
    return max((Text(word).cell_len for cell in cells for word in cell.plain.split()), default=1)
