"""docs/requirements.md: one row for each requirement of 001, and every name in it resolves."""

import ast
import importlib
import importlib.util
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "requirements.md").read_text("utf-8")
COLUMNS = ["id", "where", "requirement", "modules", "tests"]


class Row(NamedTuple):
    id: str
    where: str
    requirement: str
    modules: list[str]
    tests: list[str]
    later: list[str]


def cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows_of(document: str) -> list[Row]:
    lines = [cells(line) for line in document.splitlines() if line.startswith("|")]
    table = [line for line in lines if line[0].startswith("R001-")]
    assert COLUMNS in lines
    assert all(len(line) == len(COLUMNS) for line in table)
    return [
        Row(id, where, text, named(modules), named(tests), re.findall(r"part [A-G]\b", tests))
        for id, where, text, modules, tests in table
    ]


def named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def declared(value: object) -> set[str]:
    """Names of the fields that a class or one of its bases declares."""
    return {name for base in getattr(value, "__mro__", ()) for name in vars(base).get("__annotations__", {})}


def module_resolves(name: str) -> bool:
    """`core.policy`, or an attribute of it such as `core.policy.decide`, below relay_lab; or a document such as `README.md`."""
    if name.endswith(".md"):
        return (ROOT / name).is_file()
    parts = name.split(".")
    for cut in range(len(parts), -1, -1):
        module_name = ".".join(["relay_lab", *parts[:cut]])
        try:
            found = importlib.util.find_spec(module_name)
        except ModuleNotFoundError:
            continue
        if found is None:
            continue
        value: object = importlib.import_module(module_name)
        for part in parts[cut:]:
            if part not in declared(value) and not hasattr(value, part):
                return False
            value = getattr(value, part, None)
        return True
    return False


@cache
def functions_of(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text("utf-8"))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))


def is_a_test(name: str) -> bool:
    """`core/test_policy.py::test_an_unknown_tool_is_denied`, below tests/."""
    path, _, function = name.partition("::")
    return function.startswith("test_") and function in functions_of(ROOT / "tests" / path)


ROWS = rows_of(DOCUMENT)


def test_the_rows_are_numbered_without_a_gap() -> None:
    assert [row.id for row in ROWS] == [f"R001-{number:02d}" for number in range(1, len(ROWS) + 1)]


def test_every_section_of_001_has_a_row() -> None:
    sections = ["opening", "fixture", "reply", "matrix", "exit check", "research", "limits", "outlook"]
    expected = {f"001, {name}" for name in sections} | {f"001 §{step}" for step in range(1, 9)}
    assert {row.where for row in ROWS} == expected


@pytest.mark.parametrize("row", ROWS, ids=[row.id for row in ROWS])
def test_every_requirement_names_real_modules_and_real_tests_or_the_part_that_brings_them(row: Row) -> None:
    assert row.requirement
    assert [name for name in row.modules if not module_resolves(name)] == []
    assert [name for name in row.tests if not is_a_test(name)] == []
    assert (row.modules and row.tests) or row.later, "neither proven now nor marked with a later part"


@pytest.mark.parametrize(
    "name",
    ["core.nothing_here", "contracts.enums.Plan.gold", "contracts.session.Session.mood", "nothing.at_all"],
)
def test_a_module_or_attribute_that_does_not_exist_is_noticed(name: str) -> None:
    assert not module_resolves(name)


def test_modules_attributes_and_fields_resolve() -> None:
    names = ["contracts.session", "contracts.enums.Plan.TEAM", "contracts.session.Session.tenant_id"]
    assert all(module_resolves(name) for name in names)


@pytest.mark.parametrize(
    "name", ["test_requirements.py::test_nothing", "nowhere.py::test_it", "test_gates.py"]
)
def test_a_test_that_does_not_exist_is_noticed(name: str) -> None:
    assert not is_a_test(name)
