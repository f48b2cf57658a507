"""Every notebook of the course, opened by a real browser and run to its end."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from browser.jupyterlab import Notebook, Server

COURSE = Path(__file__).parents[2] / "notebooks"
NOTEBOOKS = sorted(path.name for path in COURSE.glob("*.ipynb"))

pytestmark = [pytest.mark.slow, pytest.mark.checkout]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_every_notebook_runs_in_the_browser(
    name: str, server: Server, opened: Callable[[str], Notebook]
) -> None:
    shutil.copy(COURSE / name, server.root / name)
    book = opened(name)
    book.run()
    cells = book.cells()
    assert [cell["error"] for cell in cells if cell["error"]] == []
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
