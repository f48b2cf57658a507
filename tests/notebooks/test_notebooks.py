"""The gate of the notebooks: every committed one keeps the rules, and one broken copy for each rule does not."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from notebooks.execute import NOTEBOOKS, WIDGET, cleaned, executed
from notebooks.rules import must_show, problems

from relay_lab.notebook.standings import LESSONS

ROOT = Path(__file__).parents[2]
COMMITTED = sorted(NOTEBOOKS.glob("*.ipynb"))
v4: Any = nbformat.v4


def small() -> Any:
    """A notebook that keeps every rule, as it is after a run."""
    cells = [
        v4.new_markdown_cell("# A title"),
        v4.new_code_cell("x = 1", execution_count=1),
        v4.new_code_cell(
            "print(x)", execution_count=2, outputs=[v4.new_output("stream", name="stdout", text="1\n")]
        ),
        v4.new_markdown_cell("Then."),
        v4.new_code_cell("def show():\n    print(x)", execution_count=3),
    ]
    for number, cell in enumerate(cells):
        cell["id"] = f"small-{number:03d}"
    return v4.new_notebook(cells=cells)


def written(notebook: Any, folder: Path, name: str = "small") -> Path:
    path = folder / f"{name}.ipynb"
    path.write_text(cleaned(notebook), "utf-8")
    return path


@pytest.mark.parametrize("path", COMMITTED, ids=[path.stem for path in COMMITTED])
def test_every_committed_notebook_keeps_the_rules(path: Path) -> None:
    assert problems(path) == []


def test_the_notebooks_are_the_lessons_of_the_course_in_its_order() -> None:
    assert [path.stem for path in COMMITTED] == list(LESSONS)


def test_a_notebook_as_it_should_be_has_no_problem(tmp_path: Path) -> None:
    assert problems(written(small(), tmp_path)) == []


def stripped(notebook: Any) -> None:
    notebook.cells[2].outputs = []


def never_run(notebook: Any) -> None:
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []


def out_of_order(notebook: Any) -> None:
    notebook.cells[1].execution_count, notebook.cells[2].execution_count = 2, 1


def run_twice(notebook: Any) -> None:
    notebook.cells[4].execution_count = 4


def too_long(notebook: Any) -> None:
    notebook.cells[1].source = "\n".join(f"x = {number}" for number in range(13))


def three_in_a_row(notebook: Any) -> None:
    del notebook.cells[3]
    notebook.cells[3].id = "small-003"


def another_id(notebook: Any) -> None:
    notebook.cells[1].id = "f3a9"


def a_path(notebook: Any) -> None:
    notebook.cells[2].outputs[0].text = f"{ROOT}/relay_lab\n"


def an_address(notebook: Any) -> None:
    notebook.cells[2].outputs[0].text = "<object object at 0x7fbbdb8428e0>\n"


def a_tag_that_skips(notebook: Any) -> None:
    notebook.cells[2].metadata["tags"] = ["nbval-skip"]


def a_comment_that_skips(notebook: Any) -> None:
    notebook.cells[2].source += "  # NBVAL_IGNORE_OUTPUT"


def no_heading(notebook: Any) -> None:
    notebook.cells[0].source = "A title"


def a_magic(notebook: Any) -> None:
    notebook.cells[1].source = "%time x = 1"


CANARIES: list[tuple[Callable[[Any], None], str]] = [
    (stripped, "small-002: it shows something, and its output is gone"),
    (never_run, "the code cells did not run from top to bottom once: [None, None, None]"),
    (out_of_order, "the code cells did not run from top to bottom once: [2, 1, 3]"),
    (run_twice, "the code cells did not run from top to bottom once: [1, 2, 4]"),
    (too_long, "small-001: more than 12 lines"),
    (three_in_a_row, "small-003: more than 2 code cells in a row"),
    (another_id, "the ids of the cells are not small-000, small-001, …"),
    (a_path, f"small-002: the path of one machine: {ROOT}"),
    (an_address, "small-002: an address in memory: 0x7fbbdb8428e0"),
    (a_tag_that_skips, "small-002: metadata that does not belong there: {'tags': ['nbval-skip']}"),
    (a_comment_that_skips, "small-002: a comment that makes nbval compare less"),
    (no_heading, "the first cell is no heading"),
    (a_magic, "small-001: this is not plain Python"),
]


@pytest.mark.parametrize(("break_it", "says"), CANARIES, ids=[each[0].__name__ for each in CANARIES])
def test_a_broken_notebook_is_red_and_says_where(
    break_it: Callable[[Any], None], says: str, tmp_path: Path
) -> None:
    notebook = small()
    break_it(notebook)
    assert says in problems(written(notebook, tmp_path))


def test_metadata_that_a_run_or_an_editor_leaves_is_red(tmp_path: Path) -> None:
    path = written(small(), tmp_path)
    document = json.loads(path.read_text("utf-8"))
    document["metadata"]["language_info"]["version"] = "3.11.7"
    document["cells"][1]["metadata"] = {"execution": {"iopub.status.busy": "2026-01-01T00:00:00Z"}}
    path.write_text(json.dumps(document), "utf-8")
    first, second = problems(path)
    assert "not what `make notebooks` writes" in first and "small-001: metadata" in second


def test_a_file_that_is_no_notebook_is_red(tmp_path: Path) -> None:
    path = tmp_path / "small.ipynb"
    path.write_text('{"cells": [', "utf-8")
    assert ["no notebook" in problem for problem in problems(path)] == [True]


@pytest.mark.parametrize(
    ("source", "shows"),
    [
        ("x", True),
        ("x;", False),
        ("f(x)", False),
        ("for y in x:\n    print(y)", True),
        ("def f():\n    print(1)", False),
        ("f(lambda: print(1))", False),
        ("with lab:\n    display(lab)", True),
        ("", False),
    ],
)
def test_what_a_cell_shows_can_be_told_from_its_source(source: str, shows: bool) -> None:
    assert must_show(source) is shows


def test_what_is_kept_of_a_widget_is_its_table() -> None:
    notebook = small()
    data = {WIDGET: {"model_id": "8f2c"}, "text/plain": "a table"}
    notebook.cells[4].outputs = [v4.new_output("display_data", data=data)]
    assert json.loads(cleaned(notebook))["cells"][4]["outputs"][0]["data"] == {"text/plain": ["a table"]}


@pytest.mark.slow
def test_running_a_notebook_again_changes_no_byte(tmp_path: Path) -> None:
    notebook = small()
    notebook.cells[4].source = "raise ValueError('no')"
    notebook.cells[4].metadata["tags"] = ["raises-exception"]
    path = written(notebook, tmp_path)
    path.write_text(executed(path), "utf-8")
    assert problems(path) == []
    assert executed(path) == path.read_text("utf-8")
    assert json.loads(path.read_text("utf-8"))["cells"][4]["outputs"][0]["traceback"] == ["ValueError: no"]


@pytest.mark.slow
def test_a_changed_and_a_stripped_output_are_red_when_the_notebooks_run_again(tmp_path: Path) -> None:
    for setting in ("nbval.toml", "nbval_sanitize.cfg"):
        copy = tmp_path / "tests" / "notebooks" / setting
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "tests" / "notebooks" / setting, copy)
    changed, emptied, styled = small(), small(), small()
    changed.cells[2].outputs[0].text = "2\n"
    stripped(emptied)
    sheet = "<style>\\np { color: red }\\n</style>"  # shown, not kept, and not compared
    styled.cells[4].source = f"from IPython.display import HTML\n\nHTML('{sheet}<p>1</p>')"
    shown = {"text/html": f"{sheet}<p>1</p>", "text/plain": "<IPython.core.display.HTML object>"}
    styled.cells[4].outputs = [v4.new_output("execute_result", data=shown, execution_count=3)]
    for name, notebook in (
        ("right", small()),
        ("changed", changed),
        ("emptied", emptied),
        ("styled", styled),
    ):
        written(notebook, tmp_path, name)
    # Only the plugins of the gate, and as `make notebooks-check` starts them: away from the settings of this run.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = (sys.executable, "-m", "pytest", "-c", "tests/notebooks/nbval.toml")
    command += ("-p", "no:cov", "-n", "2", "-q", ".")
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    red = [
        line.split(" - ")[0].split("/")[-1] for line in done.stdout.splitlines() if line.startswith("FAILED")
    ]
    assert sorted(red) == ["changed.ipynb::Cell 1", "emptied.ipynb::Cell 1"], done.stdout
    assert "10 passed" in done.stdout and done.returncode == 1


@pytest.mark.slow
@pytest.mark.parametrize(("source", "rule"), [("import os\nx = 1", "F401"), ("x = unknown", "F821")])
def test_the_linter_reads_the_code_of_a_notebook(source: str, rule: str) -> None:
    notebook = small()
    notebook.cells[1].source = source
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--no-cache",
        "--stdin-filename",
        "notebooks/a.ipynb",
        "-",
    ]
    done = subprocess.run(
        command, cwd=ROOT, input=cleaned(notebook), capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 1 and rule in done.stdout


@pytest.mark.slow
def test_the_formatter_reads_the_code_of_a_notebook() -> None:
    notebook = small()
    command = [sys.executable, "-m", "ruff", "format", "--check", "--no-cache"]
    command += ["--stdin-filename", "notebooks/a.ipynb", "-"]
    statuses = []
    for source in ("x = 1", "x   =   1"):
        notebook.cells[1].source = source
        done = subprocess.run(command, cwd=ROOT, input=cleaned(notebook), capture_output=True, text=True)
        statuses.append(done.returncode)
    assert statuses == [0, 1]
