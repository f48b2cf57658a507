"""The wheel stands alone: built from here, installed away from here, and tried there with the source out of reach."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[1]
SCRIPTS = Path(sysconfig.get_path("scripts"))
# What these tests are about lies in a checkout and in no wheel: the gates' settings, README.md, docs/, examples/. Single
# tests of that kind in other files carry the marker `checkout`.
OF_THE_CHECKOUT = (
    "benchmarks",
    "examples",
    "notebooks",
    "proposers/test_rules_properties.py",  # reads the data files of the package beside tests/
    "test_boundaries.py",
    "test_gates.py",
    "test_proposer_page.py",
    "test_readme.py",
    "test_requirements.py",
    "test_wheel.py",
)
# Settings of the process that runs this test, which must not reach the one that runs the wheel.
OURS = ("PYTHON", "PYTEST", "COV", "VIRTUAL_ENV", "UV_", "HATCH")


def run(*command: str | Path, at: Path) -> str:
    """Standard output of a command that must succeed, started without anything of this process's settings."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    done = subprocess.run(command, cwd=at, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built by the pinned backend itself, in this environment: no network and no environment of its own."""
    out = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", out, at=ROOT)
    [built] = out.iterdir()
    return built


@pytest.fixture(scope="module")
def away(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an environment that holds this wheel, and beside it the tests and their settings; nothing else of here."""
    folder = tmp_path_factory.mktemp("away")
    run(sys.executable, "-m", "venv", "--without-pip", "env", at=folder)
    installer = (SCRIPTS / "uv", "pip", "install", "--quiet", "--offline", "--no-deps")
    run(*installer, "--python", folder / "env/bin/python", wheel, at=folder)
    # The pinned packages are lent by the environment of the checkout. A folder that is named in a .pth file has its own
    # .pth files passed over, so the link to the checkout that lies there does not work here.
    [packages] = folder.glob("env/lib/python*/site-packages")
    packages.joinpath("lent.pth").write_text(sysconfig.get_path("purelib") + "\n", "utf-8")
    shutil.copytree(ROOT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def names(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def files_below(*folders: str) -> dict[str, Path]:
    """Every file of the checkout that must be in a wheel, by its path there."""
    found = {}
    for folder in folders:
        for path in ROOT.joinpath(folder).rglob("*"):
            if path.is_file() and path.suffix != ".pyc" and ".ipynb_checkpoints" not in path.parts:
                inside = {"fixtures": "relay_lab/_fixtures", "notebooks": "relay_lab/_notebooks"}.get(
                    folder, folder
                )
                found[f"{inside}/{path.relative_to(ROOT / folder).as_posix()}"] = path
    return found


def test_it_holds_the_package_with_its_data_the_fixtures_the_course_and_its_own_description_and_nothing_else(
    wheel: Path,
) -> None:
    wanted = files_below("relay_lab", "fixtures", "notebooks")
    for name in (
        "relay_lab/py.typed",
        "relay_lab/store/schema.sql",
        "relay_lab/_fixtures/relay/scenario.json",
        "relay_lab/_notebooks/00_start_here.ipynb",
    ):
        assert name in wanted
    inside = {name for name in names(wheel) if ".dist-info/" not in name}
    assert inside == set(wanted)
    with zipfile.ZipFile(wheel) as archive:
        assert [name for name, path in wanted.items() if archive.read(name) != path.read_bytes()] == []


WHERE = """
import importlib.util, json, os, sys
import relay_lab
from relay_lab.world.data import fixtures_folder
roots = [os.path.realpath(part or os.getcwd()) for part in sys.path]
print(json.dumps([relay_lab.__file__, str(fixtures_folder()), roots]))
"""


def test_it_is_found_in_its_own_place_and_so_are_its_fixtures(away: Path) -> None:
    package, fixtures, roots = json.loads(run(away / "env/bin/python", "-c", WHERE, at=away))
    assert Path(package).is_relative_to(away / "env")
    assert Path(fixtures) == Path(package).parent / "_fixtures"
    assert str(ROOT.resolve()) not in roots


def test_its_command_runs_the_whole_conversation(away: Path) -> None:
    command = (away / "env/bin/relay-lab", "demo", "--plan", "individual", "--confirm", "--json")
    document = json.loads(run(*command, at=away))
    assert [issue["state"] for issue in document["issues"]][2] == "scheduled"
    assert document["operation"]["schedule_id"] == "SCH-000001"
    assert document["mutations"] == 1


COPIED = """
import json
from pathlib import Path
from relay_lab.app.course import course_folder
print(json.dumps(sorted(str(path.relative_to(Path.cwd())) for path in course_folder(Path.cwd()).iterdir())))
"""


def test_its_course_is_copied_to_where_the_reader_is(away: Path) -> None:
    names = [path.name for path in sorted(ROOT.joinpath("notebooks").glob("*.ipynb"))]
    copied = json.loads(run(away / "env/bin/python", "-c", COPIED, at=away))
    assert copied == [f"relay-lab-course/{name}" for name in names]


def test_the_unit_tests_pass_against_it(away: Path) -> None:
    left_out = [f"--ignore=tests/{name}" for name in OF_THE_CHECKOUT]
    selected = ("-m", "not slow and not checkout", *left_out)
    options = ("-p", "no:nbval", "-p", "no:cacheprovider", "--numprocesses=auto", "--maxprocesses=8", "-q")
    said = run(away / "env/bin/python", "-P", "-m", "pytest", *options, *selected, at=away)
    passed = int(said.rpartition(" passed")[0].split()[-1])
    assert passed > 1000, said
