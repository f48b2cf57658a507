"""`relay-lab check`: seven measures, a document, an exit status."""

import json
from types import SimpleNamespace

import pytest

from relay_lab.app import check as module
from relay_lab.app.check import check
from relay_lab.app.check_report import document, table
from relay_lab.app.screen import console
from relay_lab.cli import status_of
from relay_lab.contracts.errors import BadInput
from relay_lab.evaluation.measure import Measure

SEVEN = [f"F{number}" for number in range(1, 8)]


def rows(only: list[str], **failed: str):
    """Rows of the matrix, of which some did not hold."""
    return [
        SimpleNamespace(id=n, passed=n not in failed, failures=tuple(filter(None, [failed.get(n)])))
        for n in only
    ]


@pytest.fixture
def matrix(monkeypatch):
    """The matrix replaced by rows that hold: it has tests of its own."""
    monkeypatch.setattr(module, "matrix_rows", lambda: [SimpleNamespace(id=name) for name in SEVEN])
    monkeypatch.setattr(module, "run_matrix", rows)
    return monkeypatch


def test_the_reference_workflow_holds_by_all_seven(matrix):
    """In the order of the specification, over the fixture and the worlds asked for."""
    results = check(worlds=2, seed=5)
    assert [result.name for result in results] == list(Measure)
    assert all(result.passed for result in results), results
    assert results[0].detail == "3 conversations"


def test_progress_is_told_row_by_row_and_world_by_world(matrix):
    """From the first row to the last world, of the same whole."""
    told = []
    check(worlds=2, seed=5, progress=lambda done, of: told.append((done, of)))
    assert told == [(done, 10) for done in range(1, 11)]


def test_the_same_seed_measures_the_same(matrix):
    """Nothing of it depends on the day or the machine."""
    assert check(worlds=2, seed=9) == check(worlds=2, seed=9)


def test_the_document_has_the_keys_of_the_interface(matrix, capsys):
    """`measures` with name, value, target, passed and failures."""
    assert status_of(["check", "--worlds", "0", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["passed"] is True
    assert len(printed["measures"]) == 7
    keys = {"name", "value", "target", "passed", "failures", "detail"}
    assert all(set(each) == keys for each in printed["measures"])


def test_one_broken_measure_is_status_1_and_is_named(matrix, capsys):
    """The canary: a row that ends elsewhere."""
    matrix.setattr(module, "run_matrix", lambda only: rows(only, F4="at 'said' the issues stood elsewhere"))
    assert status_of(["check", "--worlds", "0"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "broken" in out
    assert "F4: at 'said' the issues stood elsewhere" in out


def test_bad_numbers_are_one_sentence_and_status_2(capsys):
    """Fewer worlds than none are refused before anything runs."""
    assert status_of(["check", "--worlds", "-1"]) == 2
    assert capsys.readouterr().err == (
        "relay-lab: worlds and seed are whole numbers from 0 up; -1 and 1 were given.\n"
    )
    with pytest.raises(BadInput):
        check(seed=-3)


def test_the_table_lists_no_more_failures_than_a_person_reads(matrix):
    """Five of a measure; the document has all."""
    failed = {f"F{number}": f"fault {number}" for number in range(1, 8)}
    matrix.setattr(module, "run_matrix", lambda only: rows(only, **failed))
    results = check(worlds=0)
    screen = console()
    with screen.capture() as shown:
        screen.print(table(results))
    assert "and 2 more; --json lists all" in " ".join(shown.get().split())
    assert len(document(results)["measures"][6]["failures"]) == 7
