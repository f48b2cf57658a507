"""Proposers by name."""

from pathlib import Path

import pytest

from relay_lab.app.proposers import PROPOSERS, binding_of, opened, proposer_named, trials_of
from relay_lab.cli import status_of
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.proposals import ProposalRequest

ROOT = Path(__file__).parents[2]
HELLO = ProposalRequest(task="decompose", message="Hello, I was charged twice.")


@pytest.mark.parametrize("name", ["", "nobody", "Rules", "rules:", "bundled:1", "replay:"])
def test_a_name_that_there_is_not_is_refused_with_those_that_there_are(name: str) -> None:
    """The sentence lists every name."""
    with pytest.raises(BadInput, match="rules, replay, hostile, openai, bundled"):
        proposer_named(name)


def test_the_rules_are_the_same_in_every_trial() -> None:
    """A trial changes nothing where nothing is drawn."""
    assert proposer_named("rules", 0)(HELLO) == proposer_named("rules", 7)(HELLO)
    assert binding_of(proposer_named("rules"), "rules") == {"proposer": "rules"}


def test_the_hostile_one_knows_the_other_customers() -> None:
    """What it forges are ids that there are, or the forgery would prove nothing."""
    propose = proposer_named("hostile")
    assert "CUST-2077" in propose.proposal("issues_customer_forged", HELLO)  # type: ignore[attr-defined]


def test_a_replay_of_a_file_that_is_not_there_is_refused() -> None:
    """The sentence names the file."""
    with pytest.raises(BadInput, match=r"none\.jsonl"):
        proposer_named("replay:none.jsonl")


def test_trials_of_one_proposer_are_made_by_number() -> None:
    """A function from the trial to its proposer."""
    with trials_of("rules") as make:
        assert make(3)(HELLO) == proposer_named("rules")(HELLO)


def test_a_proposer_that_can_be_closed_is_closed_whatever_happens(monkeypatch) -> None:
    """An error inside does not leave anything running."""
    closed = []

    class Closing:
        def __call__(self, request: ProposalRequest) -> str:
            return ""

        def close(self) -> None:
            closed.append(True)

    monkeypatch.setitem(PROPOSERS, "rules", lambda trial: Closing())
    with pytest.raises(KeyError), opened("rules"):
        raise KeyError
    assert closed == [True]


def test_a_command_says_in_one_sentence_that_a_name_is_not_known(capsys) -> None:
    """Status 2 and one line."""
    assert status_of(["demo", "--proposer", "nobody"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_demo_with_words_that_were_never_recorded_says_how_to_record_them(capsys) -> None:
    """A missing answer is not passed off as the model's."""
    command = ["demo", "--proposer", "replay", "--message", "Nobody has ever asked this in a recording."]
    assert status_of(command) == 2
    assert "relay-lab record --proposer bundled" in capsys.readouterr().err


@pytest.mark.checkout
def test_every_name_stands_in_the_page_on_proposers() -> None:
    """docs/proposer.md names each proposer of the command line."""
    page = (ROOT / "docs" / "proposer.md").read_text("utf-8")
    assert all(f"`{name}`" in page for name in PROPOSERS)
