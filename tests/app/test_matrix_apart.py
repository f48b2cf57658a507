"""Somebody else's bot in a process of its own: whatever it does there is its own row's failure, and never a green run."""

import json
import sys

import pytest

from relay_lab import cli
from relay_lab.app.matrix import run_matrix
from relay_lab.app.matrix_apart import run_matrix_apart
from relay_lab.contracts.errors import BadInput

BOTS = """
import os, time
from relay_lab.contracts.workflow import Turn

print("loaded")
os.write(1, b"written\\n")

class Bot:
    def __init__(self, company): print("made")
    def say(self, message): return Turn(reply="Thank you.")
    def click(self, click): return None
    def states(self): return None

class Ends(Bot):
    said = 0
    def say(self, message):
        Ends.said += 1
        if Ends.said == 2:
            os._exit(0)
        return Turn(reply="Thank you.")

class Leaves(Bot):
    def say(self, message):
        if os.fork() == 0:  # what it leaves behind holds every pipe open
            time.sleep(20)
        os._exit(0)

class Interrupts(Bot):
    def say(self, message): raise KeyboardInterrupt

class Hangs(Bot):
    def say(self, message): time.sleep(600)

def ends(company): os._exit(0)
"""


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    (tmp_path / "odd_bot.py").write_text(BOTS)
    (tmp_path / "gone_bot.py").write_text("import os\nos._exit(0)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_what_a_bot_prints_or_writes_is_no_part_of_the_document(capfd):
    """Standard output holds one JSON document; a bot's own words go to standard error, also past Python's own."""
    assert cli.status_of(["matrix", "--only", "F21", "--workflow", "odd_bot:Bot", "--json"]) == 0
    out, err = capfd.readouterr()
    assert json.loads(out)["rows"][0]["passed"]
    assert all(words in err for words in ("loaded", "written", "made"))


def test_the_rows_of_a_bot_come_out_as_they_do_in_this_process():
    """Another process changes nothing of what is seen."""
    rows = ["F6", "F13", "F21", "N2"]
    assert run_matrix_apart("odd_bot:Bot", rows) == run_matrix(rows, workflow="odd_bot:Bot")
    sys.modules.pop("odd_bot")


def test_a_process_that_ends_early_is_a_red_row_and_the_next_one_runs(capfd):
    """Status 0 of a bot is not the status of the command."""
    names = [word for row in ("F1", "F2", "F21") for word in ("--only", row)]
    assert cli.status_of(["matrix", *names, "--workflow", "odd_bot:Ends", "--json"]) == 1
    rows = json.loads(capfd.readouterr().out)["rows"]
    assert [row["passed"] for row in rows] == [True, False, True]
    assert rows[1]["failures"] == ["the run broke off: its process ended (exit code 0)"]


@pytest.mark.parametrize("bot", ["Leaves", "Interrupts"])
def test_a_process_that_leaves_another_behind_or_interrupts_itself_is_red_too(bot):
    """Neither an open pipe nor an exception of the person's holds the bench up."""
    [row] = run_matrix_apart(f"odd_bot:{bot}", ["F21"])
    assert not row.passed and row.failures[0].startswith("the run broke off: its process ended (exit code ")


def test_a_bot_that_never_answers_is_ended_after_the_limit():
    """The row says how long it was waited for."""
    [row] = run_matrix_apart("odd_bot:Hangs", ["F21"], limit_s=0.5)
    assert row.failures == ("the run broke off: it took longer than 0.5 s, and its process was ended",)


@pytest.mark.parametrize("name", ["odd_bot:ends", "gone_bot:Bot"])
def test_a_process_that_ends_before_the_first_row_is_one_sentence_and_status_2(name, capfd):
    """When the module is loaded, or when the workflow is made."""
    assert cli.status_of(["matrix", "--only", "F1", "--workflow", name]) == 2
    out, err = capfd.readouterr()
    said = f"relay-lab: {name} made no workflow (its process ended (exit code 0)); mend it, or name another."
    assert out == "" and said in err


@pytest.mark.parametrize("limit_s", [0, -1, float("inf"), float("nan")])
def test_a_limit_that_is_no_time_is_refused(limit_s):
    """Nothing is started for it."""
    with pytest.raises(BadInput, match="a row cannot be given"):
        run_matrix_apart("odd_bot:Bot", ["F1"], limit_s=limit_s)


def test_trials_in_one_process_are_not_ended_by_a_bot(capfd):
    """Also where one process would do, somebody else's bot gets another one."""
    from relay_lab.app.trials import run_trials

    for name in ("odd_bot:Leaves", "gone_bot:Bot"):
        with pytest.raises(BadInput, match="a process ended in the middle of an attempt, 0 of 1 attempts"):
            run_trials("rules", 1, jobs=1, workflow=name, only=lambda row: row == "F21")
    report = run_trials("rules", 1, jobs=1, workflow="odd_bot:Bot", only=lambda row: row == "F21")
    assert [attempt.passed for attempt in report.attempts] == [True]
    assert capfd.readouterr().out == ""
    assert "odd_bot" not in sys.modules
