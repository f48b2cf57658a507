"""One browser and one JupyterLab for all tests of a process; where either is missing the tests say so and are skipped."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from browser.jupyterlab import BROWSER_OPTIONS, Lab, Notebook, Server, running

NAMES = ("chromium", "chromium-browser", "google-chrome")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Where tests are spread over processes, these stay in one (`--dist loadgroup`): one JupyterLab is load enough."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("browser"))


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


@pytest.fixture(scope="session")
def jupyter(browser: Any, server: Server) -> Lab:
    """JupyterLab in a page. It is loaded once: that takes longer than everything that a test does in it."""
    return Lab(browser.new_page(viewport={"width": 1280, "height": 1000}), server)


@pytest.fixture
def opened(jupyter: Lab) -> Iterator[Callable[[str], Notebook]]:
    """Opens a notebook of the server's folder; at the end no error may stand in the console and nothing have left."""
    jupyter.taken()
    with ExitStack() as stack:
        yield lambda name: stack.enter_context(jupyter.opened(name))
    errors, outside = jupyter.taken()
    assert errors == []
    assert outside == []
