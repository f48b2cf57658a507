"""A stranger's bot in the failure rows: green where it is careful, red where it is not, each red with its reason."""

import subprocess
import sys

import pytest
from desks.crashes import EXAMPLES, example

from relay_lab.app.matrix import run_matrix

PROGRAM = EXAMPLES / "own_bot.py"
BOT = example("own_bot").Bot

CAREFUL = {
    "F2": "an order in an article changes nothing",
    "F6": "an answer that was lost is looked up by its key",
    "F7": "the same click again is one change",
    "F18": "a restart between two steps loses nothing",
    "N2": "a yes without a plan changes nothing",
}
CARELESS = {
    "F5c": "1 change was made, not 0",
    "F6b": "0 changes were made, not 1",
    "F10b": "get_billing_transactions was called under none, and needs password",
    "F22": "the reply at 'said' holds 'is eligible'",
    "F26a": "get_billing_transactions was called without billing:read",
    "N3": "schedule_downgrade was called without subscription:schedule",
}


def test_the_example_has_at_most_eighty_lines():
    """It fits on one screen and a half."""
    assert len(PROGRAM.read_text("utf-8").splitlines()) <= 80


@pytest.mark.parametrize("row_id", CAREFUL, ids=CAREFUL.values())
@pytest.mark.parametrize("world", [None, pytest.param(5, marks=pytest.mark.slow)])
def test_it_holds_where_it_is_careful(row_id, world):
    """A row holds without a runtime when the bot itself keeps to what the row asks for."""
    [row] = run_matrix([row_id], world, workflow=BOT)
    assert row.tried and row.passed, row.failures


@pytest.mark.parametrize(("row_id", "reason"), CARELESS.items())
@pytest.mark.parametrize("world", [None, pytest.param(5, marks=pytest.mark.slow)])
def test_it_turns_red_where_it_is_careless_and_the_row_says_why(row_id, reason, world):
    """A recheck, a scope, an assurance or a record that nobody asks for is seen in tables, calls and words."""
    [row] = run_matrix([row_id], world, workflow=BOT)
    assert not row.passed and reason in row.failures


@pytest.mark.slow
def test_the_command_takes_it_from_the_folder_one_is_in():
    """`--workflow own_bot:Bot` needs no installation, and ends in 1 because a row is red."""
    command = [sys.executable, "-m", "relay_lab.cli", "matrix", "--workflow", "own_bot:Bot"]
    done = subprocess.run(
        [*command, "--only", "N2", "--only", "N3"], cwd=EXAMPLES, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "1 of 2 rows holds." in done.stdout and "without subscription:schedule" in done.stdout
