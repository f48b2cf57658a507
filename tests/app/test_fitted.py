"""Tables on a narrow screen: a line breaks between words alone, or there are fewer columns."""

from io import StringIO

import pytest
from rich.console import Console
from rich.text import Text

from relay_lab.app.fitted import Fitted, Grid

LONG = "I3 awaiting_confirmation"
WIDE = Grid(
    ("row", "what is injected", "expected", "observed", ""),
    [
        [Text("F5a"), Text("the subscription moves on"), Text(LONG), Text(LONG), Text("✓")],
        [Text("F6"), Text("an answer is lost"), Text("baseline"), Text("the same"), Text("✗")],
    ],
)
NARROW = Grid(("row", "expected"), [[Text("F5a"), Text(LONG)], [Text("F6"), Text("baseline")]])


def drawn(width: int, *grids: Grid) -> str:
    console = Console(file=StringIO(), width=width, highlight=False)
    console.print(Fitted(*grids))
    return console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize("width", range(12, 140, 4))
def test_no_word_is_ever_broken_and_no_line_is_too_long(width: int) -> None:
    """From a screen that holds hardly one word to one that holds everything in a line."""
    text = drawn(width, WIDE, NARROW)
    if width >= len("awaiting_confirmation"):
        assert "awaiting_confirmation" in text
    assert max(map(len, text.splitlines())) <= width


def test_what_does_not_fit_is_shown_with_fewer_columns_and_then_as_paragraphs() -> None:
    """The first grid that fits; of the last one each cell on a line of its own, with the name of its column."""
    assert "observed" in drawn(100, WIDE, NARROW)
    assert "observed" not in drawn(40, WIDE, NARROW) and "row: " not in drawn(40, WIDE, NARROW)
    assert f"\nexpected: {LONG}\nobserved: {LONG}\n" in drawn(50, WIDE)
    assert "✓" in drawn(50, WIDE)
