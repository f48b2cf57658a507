"""What the reports say in a sentence is true of what was asked for."""

import pytest
from rich.console import Console

from relay_lab.app.attacks import ABOUT
from relay_lab.app.mutants import MutantsReport
from relay_lab.app.mutants_report import tables
from relay_lab.cli import status_of


def test_a_report_without_right_versions_does_not_count_them():
    """`mutants --only GUARD` runs no right version, so that no "0 of 0" stands in its last line."""
    console = Console(width=200)
    with console.capture() as shown:
        console.print(tables(MutantsReport((), (), ())))
    assert "0 of 0 mutants caught by the check that names their boundary." in shown.get()
    assert "right versions passed" not in shown.get()


def test_what_attacks_show_is_said_of_any_corpus():
    """The sentence above the table stands above other people's texts too, so it does not call them ours."""
    assert "this project" not in ABOUT


def test_a_message_without_an_issue_shows_no_empty_tables(capsys: pytest.CaptureFixture[str]) -> None:
    """Thanks are answered, and "none" stands where the issues would."""
    assert status_of(["demo", "--message", "Thank you!"]) == 0
    shown = capsys.readouterr().out
    assert "Issues now: none" in shown
    assert "Ledger" not in shown


def test_a_proposer_that_gives_no_answer_is_named_beside_the_desks_polite_reply(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The customer is asked to write again; whoever runs the command must learn that nobody was there to read it."""
    settings = {"BASE_URL": "http://127.0.0.1:9/v1", "API_KEY": "k", "MODEL": "m"}
    for name, value in settings.items():
        monkeypatch.setenv(f"OPENAI_{name}", value)
    assert status_of(["demo", "--proposer", "openai", "--json"]) == 0
    assert "The proposer gave no answer to decompose: unreachable." in capsys.readouterr().err
