"""What the reports say in a sentence is true of what was asked for."""

from rich.console import Console

from relay_lab.app.attacks import ABOUT
from relay_lab.app.mutants import MutantsReport
from relay_lab.app.mutants_report import tables


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
