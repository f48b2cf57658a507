"""One browser and one JupyterLab for all tests of a process; where either is missing the tests say so and are skipped."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from importlib.util import find_spec
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


def _chromium() -> str | None:
    return next((path for path in map(shutil.which, NAMES) if path), None)


def pytest_runtest_setup() -> None:
    """Skipped here and not in a fixture, so that the summary says it in one line for all of them."""
    missing = [
        name
        for name, there in (("playwright", find_spec("playwright")), ("chromium", _chromium()))
        if there is None
    ]
    if missing:
        pytest.skip(f"no {' and no '.join(missing)} here: browser tests left out")


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=_chromium(), args=BROWSER_OPTIONS)
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
