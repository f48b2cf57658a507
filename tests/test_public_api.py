"""The public names, the code that the README shows, and the ways to look at a run."""

import io
import json
import re
import subprocess
import sys
from contextlib import redirect_stdout
from pathlib import Path

import pytest
from rich.console import Console

import relay_lab

ROOT = Path(__file__).parents[1]


def shown() -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), flags=re.DOTALL)


@pytest.mark.checkout
@pytest.mark.parametrize("number", range(3))
def test_the_code_in_the_readme_runs_and_prints_what_it_says(number):
    code = shown()[number]
    said = re.findall(r"print\(.*\)  # (.+)", code)
    out = io.StringIO()
    with redirect_stdout(out):
        exec(compile(code, "README.md", "exec"), {})
    for line in said:
        assert line in out.getvalue().splitlines()


@pytest.mark.checkout
def test_the_readme_shows_three_pieces_of_code():
    assert len(shown()) == 3


@pytest.mark.checkout
def test_every_public_name_is_there_and_described_in_the_readme():
    text = (ROOT / "README.md").read_text("utf-8")
    for name in relay_lab.__all__:
        assert getattr(relay_lab, name) is not None
    undescribed = [n for n in relay_lab.__all__ if f"`{n}" not in text and f"{n}`" not in text]
    assert undescribed == ["Reconciled"]  # what `reconcile` gives
    assert set(relay_lab.__all__) == set(dir(relay_lab))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        relay_lab.nonsense  # noqa: B018


def test_a_conversation_loads_no_heavy_library():
    code = (
        "import sys, relay_lab\n"
        "with relay_lab.open_lab() as lab:\n    lab.say(lab.scenario.message)\n"
        "print(sorted({'pandas', 'openai', 'sqlite_utils', 'IPython', 'ipywidgets', 'rich', 'typer'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def run():
    with relay_lab.open_lab() as lab:
        lab.say(lab.scenario.message)
        lab.choose("individual")
        yield lab.confirm()


@pytest.mark.parametrize(
    ("table", "column"), [("issues", "state"), ("ledger", "status"), ("trace", "tool"), ("replies", "text")]
)
def test_each_table_of_a_run_is_a_frame(run, table, column):
    frame = run.to_frame(table)
    assert column in frame.columns
    assert len(frame) == len(run.to_dict()[table]) > 0


def test_a_run_shows_itself_in_a_terminal_and_in_a_notebook(run):
    console = Console(file=io.StringIO(), width=120)
    console.print(run)
    text = console.file.getvalue()
    html = run._repr_html_()
    for part in ("DG-1042-v1", "SCH-000001", "I3", "Ledger"):
        assert part in text and part in html


def test_what_a_customer_writes_is_shown_as_text_and_never_as_markup():
    with relay_lab.open_lab() as lab:
        run = lab.say("I was [bold red]charged[/] twice <script>alert(1)</script> for my plan")
    assert "<script>" not in run._repr_html_()
    console = Console(file=io.StringIO(), width=200)
    console.print(run)
    assert "[bold red]" in console.file.getvalue()


def test_before_the_first_turn_a_run_is_empty_and_says_so():
    with relay_lab.open_lab() as lab:
        run = lab.run()
    assert (run.reply, run.states, run.to_dict()["issues"]) == ("", {}, [])
    assert "Nothing has been said" in run._repr_html_()


@pytest.mark.checkout
def test_the_json_of_a_run_is_documented_key_by_key(run):
    text = (ROOT / "docs" / "json.md").read_text("utf-8")
    document = json.loads(json.dumps(run.to_dict()))
    assert [key for key in document if f"`{key}`" not in text] == []
    for part in ("ledger", "replies", "trace"):
        assert [key for key in document[part][0] if f"`{key}`" not in text] == []
    assert [key for key in document["operation"] if f"`{key}`" not in text] == []


def test_a_desk_with_a_guard_removed_keeps_no_database(tmp_path):
    from dataclasses import replace

    from relay_lab.core.guards import STANDING

    with pytest.raises(ValueError, match="in memory only"):
        relay_lab.open_lab(db=tmp_path / "a.db", parts=relay_lab.Parts(guards=replace(STANDING, echo=False)))
