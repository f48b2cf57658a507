"""The boundaries between the parts, as import contracts that hold on the tree and turn red on a planted import."""

import json
import os
import re
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

# For each contract, who must not import what. A target inside the package is a planted empty module of that part, so that
# a canary never depends on what the real modules import.
CANARIES = {
    "rings": [
        ("contracts", "relay_lab.store.leaf"),
        ("store", "relay_lab.core.leaf"),
        ("core", "relay_lab.world.leaf"),
        ("world", "relay_lab.desks.leaf"),
        ("world", "relay_lab.proposers.leaf"),
        ("desks.support", "relay_lab.proposers.leaf"),
        ("proposers", "relay_lab.desks.leaf"),
        ("app", "relay_lab.cli"),
        ("app", "relay_lab.notebook.leaf"),
        ("notebook", "relay_lab.cli"),
        ("evaluation", "relay_lab.desks.leaf"),
        ("evaluation", "relay_lab.proposers.leaf"),
    ],
    "proposers": [
        ("proposers", "relay_lab.core.leaf"),
        ("proposers", "relay_lab.store.leaf"),
        ("proposers", "relay_lab.world.leaf"),
        ("proposers", "sqlite3"),
        ("proposers", "time"),
    ],
    "world": [("world", "relay_lab.core.leaf")],
    "core": [("core", "relay_lab.store.leaf"), ("core", "sqlite3"), ("core", "psycopg")],
    "pure": [("contracts", "pathlib"), ("core", "random"), ("core", "socket")],
    "desks": [
        ("desks.support", "relay_lab.world.leaf"),
        ("desks.support", "relay_lab.store.leaf"),
        ("desks.support", "sqlite3"),
    ],
    "evaluation": [
        ("evaluation", "relay_lab.core.leaf"),
        ("evaluation", "relay_lab.store.leaf"),
        ("evaluation", "relay_lab.world.leaf"),
        ("evaluation", "sqlite3"),
    ],
    "judging": [("evaluation", "pathlib"), ("evaluation", "os"), ("evaluation", "random")],
    "ablation": [("app", "relay_lab.app.ablation")],
    "raw": [("app", "relay_lab.app.raw_company")],
    "patched": [("app", "relay_lab.app.patched"), ("app", "relay_lab.app.patched_run")],
    "notebook": [
        ("notebook", "relay_lab.core.leaf"),
        ("notebook", "relay_lab.world.leaf"),
        ("notebook", "relay_lab.desks.leaf"),
        ("notebook", "relay_lab.store.leaf"),
        ("notebook", "sqlite3"),
    ],
    "cycles": [("core", "relay_lab.core.leaf")],
}


def copy_of_the_package(to: Path) -> Path:
    shutil.copytree(ROOT / "relay_lab", to / "relay_lab", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", to)
    return to / "relay_lab"


def lint(at: Path) -> tuple[list[str], str]:
    """The names of the broken contracts, and the report."""
    command = [str(LINT), "--no-logo", "--no-cache"]
    done = subprocess.run(command, cwd=at, capture_output=True, text=True, timeout=60)
    lines = done.stdout.splitlines()
    verdicts = {
        name: word for name in CONTRACTS.values() for word in ("KEPT", "BROKEN") if f"{name} {word}" in lines
    }
    assert verdicts.keys() == set(CONTRACTS.values()), done.stdout + done.stderr
    broken = [name for name, word in verdicts.items() if word == "BROKEN"]
    assert (done.returncode != 0) == bool(broken)
    return broken, done.stdout


def run_python(script: str, at: Path) -> list[str]:
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, cwd=at, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    answer: list[str] = json.loads(done.stdout)
    return answer


@pytest.mark.slow
def test_every_import_contract_holds_on_the_tree() -> None:
    broken, report = lint(ROOT)
    assert broken == [], report


@pytest.mark.slow
@pytest.mark.parametrize("contract", CANARIES)
def test_a_planted_import_turns_exactly_its_contract_red(contract: str, tmp_path: Path) -> None:
    package = copy_of_the_package(tmp_path)
    for number, (part, target) in enumerate(CANARIES[contract]):
        planted = package.joinpath(*part.split("."), f"planted_{number}.py")
        planted.write_text(f"import {target}\n", "utf-8")
        if target.endswith(".leaf"):
            back = f"import relay_lab.{part}.planted_{number}\n" if contract == "cycles" else ""
            tmp_path.joinpath(*target.split(".")).with_suffix(".py").write_text(back, "utf-8")
    broken, report = lint(tmp_path)
    assert broken == [CONTRACTS[contract]], report
    if contract != "cycles":
        for number, (part, target) in enumerate(CANARIES[contract]):
            assert f"relay_lab.{part}.planted_{number} -> {target} (l.1)" in report, report


@pytest.mark.slow
def test_a_new_part_must_be_given_its_ring(tmp_path: Path) -> None:
    copy_of_the_package(tmp_path).joinpath("planted.py").write_text("", "utf-8")
    broken, report = lint(tmp_path)
    assert broken == [CONTRACTS["rings"]], report


def test_every_import_contract_has_a_canary() -> None:
    assert set(CANARIES) == set(CONTRACTS)


def test_guards_are_built_in_one_place_besides_their_own() -> None:
    building = re.compile(r"\bGuards\(\w|\breplace\(\s*(?:STANDING|[\w.]*guards)\b")
    sources = ROOT.joinpath("relay_lab").rglob("*.py")
    found = {path.name for path in sources if building.search(path.read_text("utf-8"))}
    assert found == {"ablation.py"}
    assert building.search("Guards(audit=False)") and building.search("replace(parts.guards, echo=False)")


LOADED = f"""
import json, sys
import relay_lab
print(json.dumps(sorted(set({HEAVY}) & set(sys.modules))))
"""


def test_importing_relay_lab_is_light() -> None:
    assert run_python(LOADED, ROOT) == []


@pytest.mark.slow
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


@pytest.mark.slow
def test_importing_any_module_has_no_effect() -> None:
    assert run_python(EFFECTS, ROOT) == []


ACTING = """
import pathlib, socket, sqlite3, subprocess, sys
sqlite3.connect(":memory:").close()
open("left_behind", "w").close()
open("pyproject.toml").close()
socket.socket().close()
pathlib.Path("made").mkdir()
subprocess.run([sys.executable, "-c", ""])
"""


@pytest.mark.slow
def test_an_effect_at_import_is_noticed(tmp_path: Path) -> None:
    copy_of_the_package(tmp_path).joinpath("store", "planted.py").write_text(ACTING, "utf-8")
    assert set(run_python(EFFECTS, tmp_path)) >= {
        "sqlite3.connect",
        "open left_behind w",
        "open pyproject.toml r",
        "socket.__new__",
        "os.mkdir",
        "subprocess.Popen",
    }
