"""A JupyterLab on loopback in a home of its own, and a notebook opened in it by a real browser."""

import json
import os
import secrets
import socket
import subprocess
import sys
import sysconfig
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

START_S = 240
STEP_S = 60
RUN_S = 300
"""Bounds, not waits: generous, because a test machine may be busy with other things."""
OVERRIDES = {
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension:notification": {
        "fetchNews": "false",
        "checkForUpdates": False,
        "doNotDisturbMode": True,
    },
}
BROWSER_OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # Whatever would leave the machine is not even resolved, and is reported as a request all the same.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]


@dataclass(frozen=True)
class Server:
    """A running JupyterLab. `root` is the folder that it shows."""

    root: Path
    address: str
    token: str

    def put(self, name: str, *cells: str) -> None:
        """A notebook of these code cells."""
        book = nbformat.v4.new_notebook(
            metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
            cells=[nbformat.v4.new_code_cell(cell, id=f"cell-{number}") for number, cell in enumerate(cells)],
        )
        nbformat.write(book, self.root / name)


@contextmanager
def running(home: Path) -> Iterator[Server]:
    """JupyterLab with its settings, its data and its home below `home`, stopped at the end of the block."""
    root, overrides = home / "work", home / "overrides"
    root.mkdir()
    overrides.mkdir()
    (overrides / "overrides.json").write_text(json.dumps(OVERRIDES), "utf-8")
    port, token = _free_port(), secrets.token_hex(16)
    command = [
        str(Path(sysconfig.get_path("scripts")) / "jupyter-lab"),
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={root}",
        f"--IdentityProvider.token={token}",
        f"--LabApp.app_settings_dir={overrides}",
        "--LabApp.expose_app_in_browser=True",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
    ]
    log = home / "server.log"
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=out, env=_environment(home), cwd=home)
        try:
            found = Server(root, f"http://127.0.0.1:{port}", token)
            _wait(server, found, log)
            yield found
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _environment(home: Path) -> dict[str, str]:
    # The kernels belong to a reader, not to a test: what pytest puts into the environment stays out.
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "JUPYTER_"))}
    folders = {
        "HOME": home,
        "XDG_STATE_HOME": home / "state",
        "XDG_CACHE_HOME": home / "cache",
        "XDG_CONFIG_HOME": home / "config",
        "JUPYTER_CONFIG_DIR": home / "jupyter-config",
        "JUPYTER_DATA_DIR": home / "jupyter-data",
        "JUPYTER_RUNTIME_DIR": home / "jupyter-runtime",
        "IPYTHONDIR": home / "ipython",
        "JUPYTERLAB_SETTINGS_DIR": home / "lab-settings",
        "JUPYTERLAB_WORKSPACES_DIR": home / "lab-workspaces",
    }
    bin_folder = str(Path(sys.executable).parent)
    return {
        **kept,
        **{name: str(folder) for name, folder in folders.items()},
        "PATH": bin_folder + os.pathsep + kept.get("PATH", ""),
    }


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait(server: "subprocess.Popen[bytes]", found: Server, log: Path) -> None:
    for _ in range(START_S * 4):
        try:
            with urllib.request.urlopen(f"{found.address}/api/status?token={found.token}", timeout=5):
                return
        except OSError:
            try:
                server.wait(0.25)
            except subprocess.TimeoutExpired:
                continue
            raise AssertionError(f"JupyterLab ended: {log.read_text('utf-8', 'replace')[-2000:]}") from None
    raise AssertionError(f"JupyterLab does not answer: {log.read_text('utf-8', 'replace')[-2000:]}")


class Lab:
    """The one page that shows JupyterLab, with all that went wrong in it or left the machine since it was last asked."""

    def __init__(self, page: Any, server: Server) -> None:
        self.page, self.server = page, server
        self._errors: list[str] = []
        self._outside: list[str] = []
        page.on(
            "console", lambda said: self._errors.append(said.text[:500]) if said.type == "error" else None
        )
        page.on("pageerror", lambda error: self._errors.append(f"{error}\n{error.stack}"[:1500]))
        page.on("request", self._sent)
        page.set_default_timeout(STEP_S * 1000)
        page.goto(f"{server.address}/lab?token={server.token}&reset", timeout=START_S * 1000)
        page.wait_for_function("window.jupyterapp", timeout=START_S * 1000)
        page.evaluate("() => window.jupyterapp.restored")

    def _sent(self, request: Any) -> None:
        local = (self.server.address, self.server.address.replace("http", "ws", 1), "data:", "blob:")
        if not request.url.startswith(local):
            self._outside.append(request.url[:200])

    def taken(self) -> tuple[list[str], list[str]]:
        """The errors and the addresses since the last time."""
        found = self._errors, self._outside
        self._errors, self._outside = [], []
        return found

    def theme(self, name: str) -> None:
        """Change the theme."""
        self.page.evaluate(
            "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})", name
        )

    @contextmanager
    def opened(self, name: str) -> Iterator["Notebook"]:
        """A notebook of the server's folder with a kernel that answers; closed, and its kernel ended, at the end."""
        panel_id = self.page.evaluate(
            """async path => {
                const panel = await window.jupyterapp.commands.execute('docmanager:open', {path, factory: 'Notebook'});
                await panel.context.ready;
                await panel.sessionContext.ready;
                await panel.sessionContext.session.kernel.info;
                await panel.revealed;
                return panel.id;
            }""",
            name,
        )
        try:
            yield Notebook(self.page, panel_id)
        finally:
            self._close(panel_id)

    def _close(self, panel_id: str) -> None:
        self.page.evaluate(
            """async id => {
                const panel = [...window.jupyterapp.shell.widgets('main')].find(each => each.id === id);
                await panel.sessionContext.shutdown();
                panel.dispose();
            }""",
            panel_id,
        )


class Notebook:
    """One open notebook."""

    def __init__(self, page: Any, panel_id: str) -> None:
        self.page, self._id = page, panel_id
        self.area = page.locator(f"[id='{panel_id}']")

    def _evaluate(self, script: str, argument: object = None) -> Any:
        """Evaluate `async (panel, argument) => …` in the page."""
        return self.page.evaluate(
            f"""async ([id, argument]) => {{
                const panel = [...window.jupyterapp.shell.widgets('main')].find(each => each.id === id);
                return await ({script})(panel, argument);
            }}""",
            [self._id, argument],
        )

    def run(self) -> None:
        """Run every cell and wait for the end of the last one."""
        self._evaluate(
            """async panel => {
                window.ranToTheEnd = false;
                const all = window.jupyterapp.commands.execute('notebook:run-all-cells');
                all.then(() => { window.ranToTheEnd = true; });
            }"""
        )
        self.page.wait_for_function("window.ranToTheEnd", timeout=RUN_S * 1000)

    def cells(self) -> list[dict[str, Any]]:
        """Each code cell with code, as it stands: its `execution_count` and the `error` it ended in, if that was not meant."""
        found: list[dict[str, Any]] = self._evaluate(
            """async panel => panel.content.model.toJSON().cells
                .filter(cell => cell.cell_type === 'code' && cell.source.length && String(cell.source).trim())
                .map(cell => ({
                    execution_count: cell.execution_count,
                    error: cell.outputs.filter(each => each.output_type === 'error')
                        .filter(() => !(cell.metadata.tags ?? []).includes('raises-exception'))
                        .map(each => `${each.ename}: ${each.evalue}`)[0] ?? null,
                }))"""
        )
        return found

    def kernel(self, expression: str) -> str:
        """What an expression is in the notebook's own kernel, as its repr; an error as its name and sentence."""
        found: str = self._evaluate(
            """async (panel, expression) => {
                const kernel = panel.sessionContext.session.kernel;
                const asked = {code: '', silent: true, store_history: false, user_expressions: {it: expression}};
                const it = (await kernel.requestExecute(asked).done).content.user_expressions.it;
                return it.status === 'ok' ? it.data['text/plain'] : `${it.ename}: ${it.evalue}`;
            }""",
            expression,
        )
        return found

    def restart_kernel(self) -> None:
        """A new kernel under the same notebook, as from the menu."""
        self._evaluate(
            """async panel => {
                await panel.sessionContext.restartKernel();
                await panel.sessionContext.session.kernel.info;
            }"""
        )
