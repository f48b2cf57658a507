"""The course in JupyterLab: where its notebooks lie, and the server that shows them."""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from relay_lab.contracts.errors import BadInput

FIRST = "00_start_here.ipynb"
COPY = "relay-lab-course"
PORTS = range(8888, 8988)
ENDING_S = 15.0
# Neither the page nor its server asks anybody for news or updates.
QUIET = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False}}


def course_folder(here: Path) -> Path:
    """The folder of the notebooks.

    A checkout opens its own `notebooks/`: git shows what a reader changed, and takes it back. An installed package lies where
    nobody should write, so its notebooks are copied into `here`/relay-lab-course; a file that is there already stays.
    """
    package = Path(__file__).resolve().parents[1]
    beside, inside = package.parent / "notebooks", package / "_notebooks"
    if not inside.is_dir():
        if not beside.joinpath(FIRST).is_file():
            raise BadInput(f"the notebooks of the course are missing: looked in {beside} and {inside}.")
        return beside
    try:
        copy = here / COPY
        copy.mkdir(exist_ok=True)
        for notebook in sorted(inside.glob("*.ipynb")):
            if not copy.joinpath(notebook.name).exists():
                shutil.copy(notebook, copy)
    except OSError as error:
        raise BadInput(
            f"the course cannot be copied to {here / COPY} ({error.strerror}); change to another folder."
        ) from error
    return copy


def run_course(folder: Path, shown: Callable[[str], None]) -> None:
    """Serve the folder on this machine alone until the server ends; `shown` is told the address once it answers.

    Raises `BadInput` when JupyterLab is not installed or does not start. Whatever interrupts it ends the server too.
    """
    if find_spec("jupyterlab") is None:
        raise BadInput(
            'the course needs JupyterLab, of the extra `lab`: `make setup` in a checkout, elsewhere pip install "PATH[lab]".'
        )
    token, port = secrets.token_hex(24), _free_port()
    with tempfile.TemporaryDirectory(prefix="relay-lab-") as settings:
        Path(settings, "overrides.json").write_text(json.dumps(QUIET), "utf-8")
        log = Path(settings, "log")
        with log.open("wb") as said:
            # In a session of its own: an interrupt from the terminal reaches us alone, and we end it in good order.
            server = subprocess.Popen(
                _command(folder, port, settings),
                env={**os.environ, "JUPYTER_TOKEN": token},
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
            try:
                _wait(server, port, log)
                shown(f"http://127.0.0.1:{port}/lab/tree/{FIRST}?token={token}")
                server.wait()
            finally:
                _end(server)


def _command(folder: Path, port: int, settings: str) -> list[str]:
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [
        sys.executable,
        *("-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}"),
        "--ServerApp.port_retries=0",
        f"--ServerApp.root_dir={folder}",
        f"--LabApp.app_settings_dir={settings}",
        "--LabApp.extension_manager=readonly",
        "--LabApp.news_url=None",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        *(["--allow-root"] if root else []),  # it listens to this machine alone, and asks for the token
    ]


def _free_port() -> int:
    for port in PORTS:
        with socket.socket() as tried:
            if (
                os.name == "posix"
            ):  # there it lets a port be taken that was closed just now, and none that is in use
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                tried.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise BadInput(
        f"no port from {PORTS[0]} to {PORTS[-1]} is free; close a notebook server that you no longer need."
    )


def _wait(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    """Until the server answers."""
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            pass
        try:
            status = server.wait(timeout=0.1)
        except subprocess.TimeoutExpired:
            continue
        words = log.read_text("utf-8", "replace").strip() or "nothing"
        raise BadInput(
            f"JupyterLab ended with status {status} before it answered; its last words: {words.splitlines()[-1]}"
        )


def _end(server: subprocess.Popen[bytes]) -> None:
    """Ask it to end, kernels and all; and no longer ask when it does not."""
    server.terminate()
    try:
        server.wait(ENDING_S)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
