"""The files of the failure matrix: what is written wrong there is refused with its place, before a row runs."""

import json
from pathlib import Path
from typing import Any

import pytest

from relay_lab.app import matrix_rows
from relay_lab.app.injection import facts_of
from relay_lab.app.matrix_kinds import Step
from relay_lab.app.matrix_names import CHECKPOINTS, FACTS
from relay_lab.app.settings import scenario_named
from relay_lab.cli import status_of
from relay_lab.world.data import fixtures_folder

ROW: dict[str, Any] = {
    "id": "F99",
    "words": "a row of this test",
    "inject": [{"kind": "change", "table": "accounts", "fields": {"contract_terms": "negotiated"}}],
    "script": [{"do": "say", "text": "{message}"}, {"do": "say", "text": "yes"}],
}
EXPECTED: dict[str, Any] = {
    "id": "F99",
    "checkpoints": [{"at": "said 2", "states": {"I3": "needs_input"}}],
    "mutations": 0,
    "stopped_by": "scope",
    "must": {"never": ["schedule_downgrade"]},
}


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """What the command says of these two rows, put behind those that there are."""

    def of(row: dict[str, Any] | None, expected: dict[str, Any] | None) -> str:
        folder = tmp_path / "matrix"
        folder.mkdir()
        for name, added in (("rows.json", row), ("expected.json", expected)):
            document = json.loads((fixtures_folder() / "matrix" / name).read_text("utf-8"))
            document["rows"] += [] if added is None else [added]
            (folder / name).write_text(json.dumps(document), "utf-8")
        monkeypatch.setattr(matrix_rows, "fixtures_folder", lambda: tmp_path)
        matrix_rows._files.cache_clear()
        assert status_of(["matrix", "--only", "F99"]) in (1, 2)
        return "".join(capsys.readouterr().err)

    yield of
    matrix_rows._files.cache_clear()


def test_two_entries_in_order_are_run(said) -> None:
    """The canary of what follows: nothing is refused, and the row is red by its own expectations."""
    assert said(ROW, EXPECTED) == ""


@pytest.mark.parametrize(
    ("row", "expected", "sentence"),
    [
        (None, {}, "row 'F99' is in expected.json and not in rows.json; write there what is injected."),
        ({}, None, "row 'F99' is in rows.json and not in expected.json; write there what should come of it."),
        ({"id": "F1"}, None, "row 'F1' stands twice in rows.json."),
        ({"script": [{"do": "says", "text": "x"}]}, {}, "rows.json, F99, script.0: Input tag 'says'"),
        ({"script": [{"do": "say", "text": "{mesage}"}]}, {}, "rows.json, F99: {mesage} stands for nothing;"),
        (
            {"inject": [{"kind": "change", "table": "accounts", "fields": {"contract": "x"}}]},
            {},
            "rows.json, F99: accounts has no field 'contract'; it has",
        ),
        (
            {},
            {"checkpoints": [{"at": "say", "states": {}}]},
            "expected.json, F99: there is no checkpoint 'say'; this script has said, said 2.",
        ),
        ({}, {"checkpoints": [{"at": "said", "states": {"I3": "done"}}]}, "there is no state 'done'; there is"),
        ({}, {"stopped_by": "replies"}, "expected.json, F99: there is no guard 'replies'; there is strict_json"),
        ({}, {"must": {"never": ["downgrade"]}}, "expected.json, F99: there is no call of 'downgrade';"),
        ({}, {"must": {"refusd": True}}, "expected.json, F99, must.refusd: Extra inputs are not permitted."),
    ],
)  # fmt: skip
def test_what_is_written_wrong_is_refused_with_its_place(said, row, expected, sentence) -> None:
    """File, row and key, and what there is instead: a row with a wrong name would hold because nothing was tried."""
    given = said(None if row is None else ROW | row, None if expected is None else EXPECTED | expected)
    assert given.startswith("relay-lab: fixtures/matrix") and given.count("\n") == 1
    assert sentence in given


def test_a_file_that_is_no_json_is_refused_with_the_line(said, tmp_path, capsys) -> None:
    """A comma too many."""
    said(ROW, EXPECTED)
    (tmp_path / "matrix" / "rows.json").write_text('{\n"rows": [,]}', "utf-8")
    matrix_rows._files.cache_clear()
    assert status_of(["matrix"]) == 2
    assert "fixtures/matrix/rows.json cannot be read: Expecting value: line 2" in capsys.readouterr().err


def test_the_names_of_facts_and_checkpoints_are_those_that_there_are() -> None:
    """Both lists stand beside what they name, and are held to it."""
    assert tuple(facts_of(scenario_named("relay"))) == FACTS
    kinds = Step.__origin__.__args__  # type: ignore[attr-defined]
    assert {do for kind in kinds for do in kind.model_fields["do"].annotation.__args__} == set(CHECKPOINTS)
