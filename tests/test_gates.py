"""The gates of `make test`, each shown to bite: one broken input a gate, and the gate turns red."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SCRIPTS = Path(sysconfig.get_path("scripts"))


def run(
    *command: str | Path, at: Path, text: str = "", environment: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=at, env=environment, input=text, capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize(
    ("rule", "source"),
    [
        ("BLE001", "try:\n    work()\nexcept Exception:\n    pass\n"),
        ("DTZ006", "from datetime import datetime\n\nlate = datetime.fromtimestamp(0)\n"),
        ("S101", "assert 1 + 1 == 2\n"),
        ("T201", 'print("hello")\n'),
        ("TID251", "import time\n\ntime.sleep(1)\n"),
        ("TID251", "from datetime import UTC, datetime\n\nnow = datetime.now(UTC)\n"),
        ("TID251", "import uuid\n\nmade = uuid.uuid4()\n"),
        ("E501", f"# {'x' * 140}\n"),
    ],
)
def test_the_linter_refuses_what_the_house_style_forbids(rule: str, source: str) -> None:
    planted = "relay_lab/core/planted.py"
    done = run(
        SCRIPTS / "ruff", "check", "--no-cache", "--stdin-filename", planted, "-", at=ROOT, text=source
    )
    assert done.returncode == 1
    assert rule in done.stdout


def test_the_formatter_refuses_another_layout() -> None:
    command = (
        SCRIPTS / "ruff",
        "format",
        "--check",
        "--no-cache",
        "--stdin-filename",
        "relay_lab/planted.py",
        "-",
    )
    assert run(*command, at=ROOT, text="x = 1\n").returncode == 0
    assert run(*command, at=ROOT, text="x   =   1\n").returncode == 1


# Small on purpose: the plugin, strictness and exhaustiveness each in one line.
UNTYPED = """
from enum import StrEnum

class Answer(StrEnum):
    YES = "yes"
    NO = "no"

def untyped(x):
    return x

def partial(answer: Answer) -> int:
    match answer:
        case Answer.YES:
            value = 1
    return value
"""


def test_the_type_checker_refuses_an_untyped_function_and_a_forgotten_variant(tmp_path: Path) -> None:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    package = tmp_path / "relay_lab"
    package.mkdir()
    package.joinpath("__init__.py").write_text(UNTYPED, "utf-8")
    done = run(SCRIPTS / "mypy", "--cache-dir", tmp_path / "cache", at=tmp_path)
    assert done.returncode == 1
    assert {"[no-untyped-def]", "[exhaustive-match]"} <= set(done.stdout.split())


def pytest_on(tests: str, core: str, at: Path, *options: str) -> subprocess.CompletedProcess[str]:
    shutil.copy(ROOT / "pyproject.toml", at)
    for path, text in {
        "relay_lab/__init__.py": "",
        "relay_lab/core/__init__.py": core,
        "tests/test_it.py": tests,
    }.items():
        at.joinpath(path).parent.mkdir(parents=True, exist_ok=True)
        at.joinpath(path).write_text(text, "utf-8")
    # Only the plugin under test: loading the others takes longer than the whole run.
    command = (sys.executable, "-m", "pytest", "-p", "pytest_cov.plugin", "-p", "no:cacheprovider", *options)
    return run(*command, at=at, environment={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})


BRANCH = "def decide(x: int) -> int:\n    if x:\n        x += 1\n    return x\n"


@pytest.mark.parametrize(("calls", "status"), [("decide(0), decide(1)", 0), ("decide(1)", 1)])
def test_one_branch_of_core_that_no_test_takes_turns_the_suite_red(
    calls: str, status: int, tmp_path: Path
) -> None:
    tests = f"from relay_lab.core import decide\n\ndef test_it():\n    {calls}\n"
    done = pytest_on(tests, BRANCH, tmp_path, "--cov")
    assert "1 passed" in done.stdout
    assert done.returncode == status, done.stdout


BAD_TESTS = """
import warnings, pytest

def test_warns():
    warnings.warn("old")

@pytest.mark.xfail
def test_passes_after_all():
    pass
"""


def test_a_warning_and_an_expected_failure_that_passes_are_both_red(tmp_path: Path) -> None:
    assert "2 failed" in pytest_on(BAD_TESTS, "", tmp_path).stdout


def test_a_misspelt_marker_is_red(tmp_path: Path) -> None:
    tests = "import pytest\n\n@pytest.mark.slwo\ndef test_it():\n    pass\n"
    assert "'slwo' not found in `markers`" in pytest_on(tests, "", tmp_path).stdout
