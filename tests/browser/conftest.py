"""One browser and one JupyterLab for all tests of a process; where either is missing the tests say so and are skipped."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browser.jupyterlab import BROWSER_OPTIONS, Notebook, Server, running

NAMES = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="no playwright: browser tests left out")
    found = next((path for path in map(shutil.which, NAMES) if path), None)
    if found is None:
        pytest.skip("no chromium: browser tests left out")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=found, args=BROWSER_OPTIONS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with running(tmp_path_factory.mktemp("jupyter")) as found:
        yield found


@pytest.fixture
def opened(browser: Any, server: Server) -> Iterator[Callable[..., Notebook]]:
    """Opens a notebook of the server's folder in a page of its own; at the end nothing may have gone wrong or out."""
    books: list[Notebook] = []
    context = browser.new_context(viewport={"width": 1280, "height": 1000})

    def open_it(name: str, theme: str | None = None) -> Notebook:
        books.append(Notebook.opened(context.new_page(), server, name, theme))
        return books[-1]

    yield open_it
    context.close()
    assert [error for book in books for error in book.errors] == []
    assert [url for book in books for url in book.outside] == []


@pytest.fixture
def shots() -> Path | None:
    """Where screenshots go when RELAY_LAB_SHOTS names a folder."""
    import os

    named = os.environ.get("RELAY_LAB_SHOTS")
    return Path(named) if named else None
