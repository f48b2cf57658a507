"""The boundaries between the parts, as import contracts that hold on the tree and turn red on a planted import."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LINT = Path(sysconfig.get_path("scripts")) / "lint-imports"
CONTRACTS = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
}
HEAVY = ["pandas", "openai", "sqlite_utils", "IPython", "ipywidgets", "jupyterlab", "rich", "typer"]

# Contract id, the part that must not, what it must not import. A target inside the package is a planted empty module of
# that part, so that a canary never depends on what the real modules import.
CANARIES = [
    ("rings", "contracts", "relay_lab.store.leaf"),
    ("rings", "store", "relay_lab.core.leaf"),
    ("rings", "core", "relay_lab.world.leaf"),
    ("rings", "world", "relay_lab.desks.leaf"),
    ("rings", "world", "relay_lab.proposers.leaf"),
    ("rings", "desks.support", "relay_lab.proposers.leaf"),
    ("rings", "proposers", "relay_lab.desks.leaf"),
    ("rings", "app", "relay_lab.cli"),
    ("proposers", "proposers", "relay_lab.core.leaf"),
    ("proposers", "proposers", "relay_lab.store.leaf"),
    ("proposers", "proposers", "relay_lab.world.leaf"),
    ("proposers", "proposers", "time"),
    ("world", "world", "relay_lab.core.leaf"),
    ("core", "core", "relay_lab.store.leaf"),
    ("core", "core", "sqlite3"),
    ("core", "core", "psycopg"),
    ("pure", "contracts", "pathlib"),
    ("pure", "core", "random"),
    ("desks", "desks.support", "relay_lab.world.leaf"),
    ("desks", "desks.support", "relay_lab.store.leaf"),
    ("desks", "desks.support", "sqlite3"),
    ("cycles", "core", "relay_lab.core.leaf"),
]


def copy_of_the_package(to: Path) -> Path:
    shutil.copytree(ROOT / "relay_lab", to / "relay_lab", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", to)
    return to / "relay_lab"


def broken_contracts(at: Path) -> list[str]:
    command = [str(LINT), "--no-logo", "--no-cache"]
    done = subprocess.run(command, cwd=at, capture_output=True, text=True, timeout=60)
    lines = done.stdout.splitlines()
    verdicts = {
        name: word for name in CONTRACTS.values() for word in ("KEPT", "BROKEN") if f"{name} {word}" in lines
    }
    assert verdicts.keys() == set(CONTRACTS.values()), done.stdout + done.stderr
    broken = [name for name, word in verdicts.items() if word == "BROKEN"]
    assert (done.returncode != 0) == bool(broken)
    return broken


def run_python(script: str, at: Path) -> list[str]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=at, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answer: list[str] = json.loads(done.stdout)
    return answer


def test_every_import_contract_holds_on_the_tree() -> None:
    assert broken_contracts(ROOT) == []


@pytest.mark.parametrize(("contract", "part", "target"), CANARIES)
def test_a_planted_import_turns_exactly_its_contract_red(
    contract: str, part: str, target: str, tmp_path: Path
) -> None:
    package = copy_of_the_package(tmp_path)
    where = package.joinpath(*part.split("."))
    where.joinpath("planted.py").write_text(f"import {target}\n", "utf-8")
    if target.endswith(".leaf"):
        leaf = tmp_path.joinpath(*target.split(".")).with_suffix(".py")
        leaf.write_text(f"import relay_lab.{part}.planted\n" if contract == "cycles" else "", "utf-8")
    assert broken_contracts(tmp_path) == [CONTRACTS[contract]]


def test_a_new_part_must_be_given_its_ring(tmp_path: Path) -> None:
    copy_of_the_package(tmp_path).joinpath("planted.py").write_text("", "utf-8")
    assert broken_contracts(tmp_path) == [CONTRACTS["rings"]]


def test_every_import_contract_has_a_canary() -> None:
    assert {contract for contract, _, _ in CANARIES} == set(CONTRACTS)


LOADED = f"""
import json, sys
import relay_lab
print(json.dumps(sorted(set({HEAVY}) & set(sys.modules))))
"""


def test_importing_relay_lab_is_light() -> None:
    assert run_python(LOADED, ROOT) == []


def test_a_heavy_import_in_the_package_is_noticed(tmp_path: Path) -> None:
    init = copy_of_the_package(tmp_path) / "__init__.py"
    init.write_text(init.read_text("utf-8") + "\nimport rich\n", "utf-8")
    assert run_python(LOADED, tmp_path) == ["rich"]


# What a module does while it is imported is told by the interpreter's audit events. Reading Python files is importing;
# reading any other file of the project, writing, connecting, listening, starting a process or a thread is an effect.
EFFECTS = """
import importlib, json, os, pkgutil, sys
here = os.path.realpath(os.getcwd()) + os.sep
effects = []
acting = ("sqlite3.connect", "socket.", "subprocess.Popen", "os.system", "os.fork", "os.posix_spawn", "os.mkdir",
          "os.remove", "os.rename", "os.rmdir", "os.chmod", "shutil.", "tempfile.", "_thread.start_new_thread")
def hook(event, args):
    if event == "open":
        path, mode, flags = args
        writes = (mode and set(str(mode)) & set("wax+")) or (flags and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        ours = os.path.realpath(str(path)).startswith(here) and os.sep + ".venv" + os.sep not in str(path)
        if writes or (ours and not str(path).endswith((".py", ".pyc"))):
            effects.append(f"open {path} {mode}")
    elif event.startswith(acting):
        effects.append(event)
sys.addaudithook(hook)
import relay_lab
for module in pkgutil.walk_packages(relay_lab.__path__, "relay_lab."):
    if not module.name.endswith(".__main__"):
        importlib.import_module(module.name)
print(json.dumps(effects))
"""


def test_importing_any_module_has_no_effect() -> None:
    assert run_python(EFFECTS, ROOT) == []


@pytest.mark.parametrize(
    ("source", "effect"),
    [
        ("import sqlite3\nsqlite3.connect(':memory:').close()", "sqlite3.connect"),
        ("open('left_behind', 'w').close()", "open left_behind w"),
        ("open('pyproject.toml').close()", "open pyproject.toml r"),
        ("import socket\nsocket.socket().close()", "socket.__new__"),
    ],
)
def test_an_effect_at_import_is_noticed(source: str, effect: str, tmp_path: Path) -> None:
    copy_of_the_package(tmp_path).joinpath("store", "planted.py").write_text(source, "utf-8")
    assert effect in run_python(EFFECTS, tmp_path)
