"""What a committed notebook must be, beyond giving its outputs again: each broken rule as a sentence with its cell."""

import ast
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from notebooks.execute import KEPT_OF_A_CELL, METADATA, WIDGET

LONGEST_CELL = 12
CELLS_IN_A_ROW = 2
TAGS = {"raises-exception"}
"""Tags that may stand: those of nbval that make it compare less are none of them."""
LESS = re.compile(r"#\s*(NBVAL_|PYTEST_VALIDATE_)")
ROOT = Path(__file__).parents[2]
PLACES = {str(ROOT), str(Path.home()), tempfile.gettempdir(), sys.prefix, "/home/", "/Users/", "C:\\Users\\"}
ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{5,}")


def problems(path: Path) -> list[str]:
    """Every broken rule of one notebook."""
    try:
        notebook: Any = nbformat.read(path, as_version=4)
        nbformat.validate(notebook)
    except (ValueError, nbformat.ValidationError) as error:
        return [f"{path.name} is no notebook: {error}"]
    found = [*_of_the_whole(notebook, path.stem), *_in_a_row(notebook)]
    for cell in notebook.cells:
        found += [f"{cell.id}: {problem}" for problem in _of_a_cell(cell)]
    return found


def _of_the_whole(notebook: Any, stem: str) -> Iterator[str]:
    if notebook.metadata != METADATA:
        yield "the metadata of the notebook is not what `make notebooks` writes"
    ids = [cell.id for cell in notebook.cells]
    if ids != [f"{stem}-{number:03d}" for number in range(len(ids))]:
        yield f"the ids of the cells are not {stem}-000, {stem}-001, …"
    if not notebook.cells or not notebook.cells[0].source.startswith("# "):
        yield "the first cell is no heading"
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    if counts != list(range(1, len(counts) + 1)):
        yield f"the code cells did not run from top to bottom once: {counts}"


def _in_a_row(notebook: Any) -> Iterator[str]:
    row = 0
    for cell in notebook.cells:
        row = row + 1 if cell.cell_type == "code" else 0
        if row == CELLS_IN_A_ROW + 1:
            yield f"{cell.id}: more than {CELLS_IN_A_ROW} code cells in a row"


def _of_a_cell(cell: Any) -> Iterator[str]:
    if set(cell.metadata) - set(KEPT_OF_A_CELL) or set(cell.metadata.get("tags", ())) - TAGS:
        yield f"metadata that does not belong there: {dict(cell.metadata)}"
    yield from _of_one_machine(cell.source)
    if cell.cell_type != "code":
        return
    if len(cell.source.splitlines()) > LONGEST_CELL:
        yield f"more than {LONGEST_CELL} lines"
    if LESS.search(cell.source):
        yield "a comment that makes nbval compare less"
    try:
        shows = must_show(cell.source)
    except SyntaxError:
        yield "this is not plain Python"
        return
    if shows and not cell.outputs:
        yield "it shows something, and its output is gone"
    for output in cell.outputs:
        if WIDGET in output.get("data", {}):
            yield "a widget without its kernel: only its table is kept"
        for text in texts(output):
            yield from _of_one_machine(text)


def _of_one_machine(text: str) -> Iterator[str]:
    yield from (
        f"the path of one machine: {place}" for place in sorted(PLACES) if place != "/" and place in text
    )
    yield from (f"an address in memory: {address}" for address in ADDRESS.findall(text)[:1])


def must_show(source: str) -> bool:
    """Whether a cell prints, displays, or ends in a value. Of a call at its end that cannot be told, so it counts as no."""
    statements = ast.parse(source).body
    if not statements:
        return False
    last = statements[-1]
    ends_in_a_value = isinstance(last, ast.Expr) and not isinstance(last.value, ast.Call | ast.Await)
    if ends_in_a_value and not source.rstrip().endswith(";"):
        return True
    return any(
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("print", "display")
        for statement in statements
        for node in _run(statement)
    )


def _run(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, but for what is only defined there."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _run(child)


def texts(value: Any) -> Iterator[str]:
    """Every text in a piece of JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from texts(part)
    elif isinstance(value, list):
        for part in value:
            yield from texts(part)
