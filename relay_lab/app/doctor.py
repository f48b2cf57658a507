"""What this machine has, and what each missing thing costs: `relay-lab doctor`."""

import os
import platform
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from relay_lab.app.proposers import recorded_trials
from relay_lab.app.state_folder import state_folder
from relay_lab.contracts.errors import RelayLabError
from relay_lab.proposers.bundled import model_file
from relay_lab.world.data import load_fixture

OLDEST_PYTHON = (3, 11)
CHROMIUMS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
NEW_USER_NAMESPACE = "import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare(0x10000000) != 0)"


@dataclass(frozen=True)
class Finding:
    """One thing that was looked for. `costs` says what does without it not work; `required`: nothing works without."""

    name: str
    ok: bool
    detail: str
    costs: str
    required: bool = False


@dataclass(frozen=True)
class Diagnosis:
    """All that was looked for, in order."""

    findings: tuple[Finding, ...]

    @property
    def passed(self) -> bool:
        """Whether everything is there that is required."""
        return all(finding.ok for finding in self.findings if finding.required)

    def to_dict(self) -> dict[str, Any]:
        """What `relay-lab doctor --json` prints (docs/json.md)."""
        shown = ("name", "ok", "required", "detail", "costs")
        checks = [{key: getattr(finding, key) for key in shown} for finding in self.findings]
        return {"passed": self.passed, "checks": checks}


def doctor() -> Diagnosis:
    """Look at this machine. Changes nothing on it, asks no network, and raises nothing for what is missing."""
    return Diagnosis(tuple(_findings()))


def can_open_a_browser() -> bool:
    """Whether a browser that shows JupyterLab can be opened from here; one in a terminal does not count."""
    if sys.platform in ("darwin", "win32") or os.environ.get("BROWSER"):
        return True
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return False
    import webbrowser

    try:
        webbrowser.get()
    except webbrowser.Error:
        return False
    return True


def _findings() -> Iterator[Finding]:
    python = sys.version_info >= OLDEST_PYTHON
    wanted = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}"
    yield Finding("python", python, wanted, "everything: Python 3.11 or newer is needed", required=True)
    yield _packages("packages", "", "everything that uses them", required=True)
    yield _readable("fixtures", lambda: f"the world {load_fixture().name}", "everything", required=True)
    replay = "`--proposer replay`, and the lessons that show a real model's answers"
    yield _readable("recordings", lambda: f"{_trials()} trials of the bundled model", replay)
    yield _packages("extra lab", "lab", "the course (`relay-lab lab`), its widgets, charts")
    yield _readable(
        "bundled model",
        lambda: model_file().name,
        "`--proposer bundled`; what it answered once can be replayed",
    )
    browser = can_open_a_browser()
    seen = "one can be opened" if browser else "none that can be opened from here"
    yield Finding("browser", browser, seen, "`relay-lab lab` prints its address instead of opening it")
    yield _state()
    yield _program("chromium", CHROMIUMS, "the tests that drive the course in a browser are skipped")
    yield _package("playwright", "the tests that drive the course in a browser are skipped")
    jail = "nothing yet; what will grade the code of others needs it to lock that code in"
    yield _program("bubblewrap", ("bwrap",), jail)
    yield _library("libseccomp2", "libseccomp.so.2", jail)
    yield _user_namespaces(jail)
    yield _postgresql("nothing yet: every command keeps its data in SQLite")


def _trials() -> int:
    return recorded_trials("desk")


def _packages(name: str, extra: str, costs: str, required: bool = False) -> Finding:
    """The packages that the installed description of this one names: its own, or those of an extra."""
    try:
        lines = metadata.requires("relay-lab") or []
    except metadata.PackageNotFoundError:
        return Finding(
            name, False, "relay-lab is not installed, so what it needs cannot be told", costs, required
        )
    wanted = []
    for line in lines:
        package, _, condition = line.partition(";")
        named = re.search(r"extra == ['\"]([^'\"]+)", condition)
        if (named[1] if named else "") == extra:
            wanted.append(re.split(r"[^A-Za-z0-9._-]", package.strip())[0])
    missing = [package for package in wanted if _version(package) is None]
    detail = f"missing: {', '.join(missing)}" if missing else ", ".join(f"{p} {_version(p)}" for p in wanted)
    return Finding(name, not missing, detail, costs, required)


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _package(name: str, costs: str) -> Finding:
    version = _version(name)
    return Finding(name, version is not None, version or "not installed", costs)


def _readable(name: str, read: Callable[[], str], costs: str, required: bool = False) -> Finding:
    try:
        return Finding(name, True, read(), costs, required)
    except (RelayLabError, OSError) as error:
        return Finding(name, False, str(error), costs, required)


def _program(name: str, commands: tuple[str, ...], costs: str) -> Finding:
    found = next(filter(None, map(shutil.which, commands)), None)
    return Finding(name, found is not None, found or f"no {' or '.join(commands)} on the path", costs)


def _library(name: str, file: str, costs: str) -> Finding:
    import ctypes

    try:
        ctypes.CDLL(file)
    except OSError:
        return Finding(name, False, f"no {file}", costs)
    return Finding(name, True, file, costs)


def _user_namespaces(costs: str) -> Finding:
    """Tried in a process of its own: settings in several places can forbid it, and only the kernel knows them all."""
    name, given = "user namespaces", False
    if sys.platform == "linux":
        command = [sys.executable, "-I", "-S", "-c", NEW_USER_NAMESPACE]
        given = subprocess.run(command, capture_output=True, timeout=30).returncode == 0
    return Finding(name, given, "the kernel gives one" if given else "the kernel gives none", costs)


def _postgresql(costs: str) -> Finding:
    """On the path, or where Debian keeps those that are not on it."""
    kept = sorted(str(folder) for folder in Path("/usr/lib/postgresql").glob("*/bin"))
    found = shutil.which("initdb", path=os.pathsep.join([os.environ.get("PATH", ""), *kept]))
    return Finding("PostgreSQL", found is not None, found or "no initdb", costs)


def _state() -> Finding:
    name, costs = "progress", "points in the course are forgotten with each kernel"
    folder = state_folder()
    if folder is None:
        return Finding(name, True, "not kept here: RELAY_LAB_STATE is off, or pytest runs", costs)
    nearest = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=nearest):
            return Finding(name, True, f"kept in {folder}", costs)
    except OSError as error:
        return Finding(
            name,
            False,
            f"{nearest} cannot be written ({error.strerror}); RELAY_LAB_STATE names another",
            costs,
        )
