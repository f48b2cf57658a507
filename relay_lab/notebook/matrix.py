"""The matrix explorer: a row, a guard to leave out and a company; what the row does step by step, and the map of all rows."""

from collections.abc import Callable
from typing import Any

from relay_lab.app.break_it.row import RowRun
from relay_lab.app.matrix_rows import rows
from relay_lab.contracts.errors import RelayLabError
from relay_lab.notebook.broken import GUARDS, row_without
from relay_lab.notebook.heat import HeatMap, heat_map
from relay_lab.notebook.html import Html, notice, page, part, visible
from relay_lab.notebook.matrix_row import row_parts, row_plain
from relay_lab.notebook.widgets import WHOLE_LABEL, bundle, button, widget_library

__all__ = ["MatrixExplorer", "heat_map", "matrix_explorer"]

NOTHING = ""
"""The guard that is left out when every one stands."""


def matrix_explorer(
    row: str = "F5b", without: str | None = None, world: str | int | None = None, *, with_map: bool = False
) -> "MatrixExplorer":
    """A row of the failure matrix, run on the desk without one guard or on the whole one, and run again as it is picked.

    `world`: "relay" or the seed of a generated company. `with_map` draws the heat map at once, which takes some seconds.
    Raises `BadInput` for a row, a guard or a world that there is not, and when the widget library is not installed.
    """
    explorer = MatrixExplorer(row_without(row, without, world))
    if with_map:
        explorer.draw_map()
    return explorer


class MatrixExplorer:
    """See `matrix_explorer`. `run` is the row that is shown, `map` the heat map once it was drawn."""

    def __init__(self, run: RowRun) -> None:
        self.run, self.map, self._problem = run, None, ""
        w = widget_library()
        wide = {"width": "98%", "max_width": "62rem"}
        self.row = w.Dropdown(
            description="Row",
            options=[(visible(f"{each.id}: {each.words}"), each.id) for each in rows()],
            value=run.result.id, style=WHOLE_LABEL, layout=wide,
        )  # fmt: skip
        self.without = w.Dropdown(
            description="Guard left out",
            options=[("none, all stand", NOTHING), *((name, name) for name in GUARDS)],
            value=run.without or NOTHING, style=WHOLE_LABEL,
        )  # fmt: skip
        self.world = w.Text(
            description="World (relay, or a number)",
            value=run.world,
            continuous_update=False,
            style=WHOLE_LABEL,
        )
        self.draw = button(
            "Draw the map", "Run each row without the guard that stops it; some seconds", self.draw_map
        )
        self._shown, self._map = w.HTML(), w.HTML()
        controls = w.HBox([self.without, self.world, self.draw], layout={"flex_flow": "row wrap"})
        self.widget = w.VBox([self.row, controls, self._shown, self._map])
        self.widget.add_class("relay-controls")
        for control in (self.row, self.without, self.world):
            control.observe(lambda _: self._run_again(), "value")
        self._show()

    map: HeatMap | None

    def draw_map(self) -> None:
        """Run what the heat map shows, in the world that is set, and show it."""

        def drawn() -> None:
            self.map = heat_map(world=self.world.value.strip())

        self._try(drawn)

    def _run_again(self) -> None:
        def ran() -> None:
            self.run = row_without(self.row.value, self.without.value or None, self.world.value.strip())

        self._try(ran)

    def _try(self, act: Callable[[], None]) -> None:
        """What cannot be run is said in its sentence, above what was shown before."""
        self._problem = ""
        try:
            act()
        except RelayLabError as problem:
            self._problem = str(problem)
        self._show()

    def _parts(self) -> list[Html]:
        above = [notice(self._problem, "bad")] if self._problem else []
        return [*above, *row_parts(self.run)]

    def _show(self) -> None:
        self._shown.value = page(*self._parts())
        self._map.value = part(self.map.markup()) if self.map else ""

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        drawn = [self.map.markup()] if self.map else []
        plain = "\n\n".join([row_plain(self.run), *([self.map.plain()] if self.map else [])])
        return bundle(self.widget, page(*self._parts(), *drawn), plain)
