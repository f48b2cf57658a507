"""The workflow file for a public CI: its summary names what is broken."""

import subprocess
from pathlib import Path

import pytest
import yaml

from relay_lab.cli import status_of

pytestmark = pytest.mark.checkout

FILE = Path(__file__).parents[1] / ".github" / "workflows" / "boundaries.yml"
if not FILE.is_file():
    pytest.skip("the workflow file is in a checkout and in no wheel", allow_module_level=True)
STEPS = {
    step.get("name"): step for step in yaml.safe_load(FILE.read_text("utf-8"))["jobs"]["boundaries"]["steps"]
}


def summary(folder: Path) -> str:
    written = folder / "summary.md"
    subprocess.run(
        ["bash", "-e", "-c", STEPS["What is broken"]["run"]],
        cwd=folder,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "GITHUB_STEP_SUMMARY": str(written)},
        check=True,
        timeout=30,
    )
    return written.read_text("utf-8")


def test_a_broken_boundary_stands_by_name_on_the_summary_of_a_run(tmp_path: Path) -> None:
    """The canary: a matrix run without one guard, whose row the page has to name with its reason."""
    report = str(tmp_path / "matrix.xml")
    assert status_of(["matrix", "--only", "F20a", "--without", "echo", "--junit", report]) == 1
    page = summary(tmp_path)
    assert "- **matrix**: 1 of 1 broken" in page
    assert "F20a" in page
    assert "I3 scheduled" in page


def test_what_did_not_run_is_said_and_what_holds_is_counted(tmp_path: Path) -> None:
    """A report that is missing is never taken for one without a failure."""
    assert status_of(["matrix", "--only", "F20a", "--junit", str(tmp_path / "matrix.xml")]) == 0
    assert summary(tmp_path).splitlines() == [
        "- **matrix**: 0 of 1 broken",
        "- **mutants** did not run",
    ]


def test_every_command_that_it_runs_is_one_that_there_is() -> None:
    """A command that was renamed would be noticed only by a stranger otherwise."""
    from relay_lab.cli import COMMANDS

    run = " ".join(step.get("run", "") for step in STEPS.values())
    named = [part.split()[0] for part in run.split("relay-lab ")[1:]]
    assert set(named) == {"matrix", "mutants"}
    assert set(named) <= set(COMMANDS)
