"""The gate bites: what must turn a browser test red is put before it, one thing at a time."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from browser.drawing import faint_words
from browser.jupyterlab import Lab, Notebook, Server

pytestmark = pytest.mark.slow

RUNS = Callable[[str], Notebook]


@pytest.fixture
def runs(jupyter: Lab, server: Server, request: pytest.FixtureRequest) -> Iterator[RUNS]:
    """Runs a cell in a notebook, and what comes of it is for the test to find."""
    name = request.node.name.removeprefix("test_") + ".ipynb"
    jupyter.taken()
    with ExitStack() as stack:

        def run(cell: str) -> Notebook:
            server.put(name, cell)
            book = stack.enter_context(jupyter.opened(name))
            book.run()
            return book

        yield run
    jupyter.taken()


def test_an_error_in_the_console_is_noticed(jupyter: Lab, runs: RUNS) -> None:
    with jupyter.page.expect_console_message(lambda said: "planted" in said.text):
        runs("from IPython.display import Javascript\nJavascript(\"console.error('planted')\")")
    assert any("planted" in error for error in jupyter.taken()[0])


def test_a_request_that_would_leave_the_machine_is_noticed(jupyter: Lab, runs: RUNS) -> None:
    with jupyter.page.expect_request("http://elsewhere.invalid/**"):
        runs("from IPython.display import HTML\nHTML('<img src=\"http://elsewhere.invalid/a.png\">')")
    assert jupyter.taken()[1] == ["http://elsewhere.invalid/a.png"]


def test_a_cell_that_fails_is_noticed(runs: RUNS) -> None:
    [cell] = runs("1 / 0").cells()
    assert cell["error"] == "ZeroDivisionError: division by zero"


def test_words_that_do_not_stand_out_are_noticed(runs: RUNS) -> None:
    faint = '<div class="relay-lab"><p style="color: #aaaaaa">hardly</p><p>well</p></div>'
    book = runs(f"from IPython.display import HTML\nHTML({faint!r})")
    book.area.get_by_text("hardly", exact=True).wait_for()
    assert [word.partition(":")[0] for word in faint_words(book)] == ["hardly"]
