"""A JupyterLab on loopback in a home of its own, and a notebook opened in it by a real browser."""

import json
import os
import secrets
import socket
import subprocess
import sys
import sysconfig
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

START_S = 60
RUN_S = 240
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

    def url(self, name: str) -> str:
        """Where a notebook of the folder is opened, with nothing remembered of earlier ones."""
        return f"{self.address}/lab/tree/{name}?token={self.token}&reset"

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


@dataclass
class Notebook:
    """A notebook in a browser page, with all that went wrong or left the machine since it was opened."""

    page: Any
    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)

    @classmethod
    def opened(cls, page: Any, server: Server, name: str, theme: str | None = None) -> "Notebook":
        """Open it, and wait until its kernel answers."""
        book = cls(page)
        page.on("console", lambda said: book.errors.append(said.text[:500]) if said.type == "error" else None)
        page.on("pageerror", lambda error: book.errors.append(str(error)[:500]))
        page.on("request", lambda sent: book._sent(sent.url, server))
        page.goto(server.url(name))
        page.wait_for_selector(".jp-Notebook .jp-Cell", timeout=START_S * 1000)
        page.evaluate(
            """async theme => {
                await window.jupyterapp.restored;
                const panel = window.jupyterapp.shell.currentWidget;
                await panel.context.ready;
                await panel.sessionContext.ready;
                await panel.sessionContext.session.kernel.info;
                if (theme) await window.jupyterapp.commands.execute('apputils:change-theme', {theme});
            }""",
            theme,
        )
        return book

    def _sent(self, url: str, server: Server) -> None:
        local = (server.address, server.address.replace("http", "ws", 1), "data:", "blob:")
        if not url.startswith(local):
            self.outside.append(url[:200])

    def run(self) -> None:
        """Run every cell and wait for the end of the last one."""
        self.page.evaluate(
            """() => {
                window.ranToTheEnd = false;
                window.jupyterapp.commands.execute('notebook:run-all-cells').then(() => { window.ranToTheEnd = true; });
            }"""
        )
        self.page.wait_for_function("window.ranToTheEnd", timeout=RUN_S * 1000)

    def cells(self) -> list[dict[str, Any]]:
        """Each code cell as it stands: its `execution_count` and the `error` it ended in, if any."""
        found: list[dict[str, Any]] = self.page.evaluate(
            """() => window.jupyterapp.shell.currentWidget.content.model.toJSON().cells
                .filter(cell => cell.cell_type === 'code')
                .map(cell => ({
                    execution_count: cell.execution_count,
                    error: cell.outputs.filter(each => each.output_type === 'error')
                        .map(each => `${each.ename}: ${each.evalue}`)[0] ?? null,
                }))"""
        )
        return found

    def kernel(self, expression: str) -> str:
        """What an expression is in the notebook's own kernel, as its repr."""
        found: str = self.page.evaluate(
            """async expression => {
                const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                const asked = {code: '', silent: true, store_history: false, user_expressions: {it: expression}};
                const reply = await kernel.requestExecute(asked).done;
                const it = reply.content.user_expressions.it;
                return it.status === 'ok' ? it.data['text/plain'] : `${it.ename}: ${it.evalue}`;
            }""",
            expression,
        )
        return found

    def restart_kernel(self) -> None:
        """A new kernel under the same notebook, as from the menu."""
        self.page.evaluate(
            """async () => {
                const context = window.jupyterapp.shell.currentWidget.sessionContext;
                await context.restartKernel();
                await context.session.kernel.info;
            }"""
        )
