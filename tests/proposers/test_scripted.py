"""The scripted proposer."""

import pytest

from relay_lab.contracts.proposals import ProposalRequest
from relay_lab.proposers.scripted import Scripted

DECOMPOSE = ProposalRequest(task="decompose", message="hello")
DRAFT = ProposalRequest(task="draft_reply", message="hello")


def test_answers_come_in_turn_and_the_last_one_repeats() -> None:
    script = Scripted(["one", "two"])
    assert [script(DECOMPOSE), script(DRAFT), script(DECOMPOSE)] == ["one", "two", "two"]
    assert script.asked == [DECOMPOSE, DRAFT, DECOMPOSE]


def test_each_task_has_a_script_of_its_own() -> None:
    script = Scripted({"decompose": ["issues"], "draft_reply": ["first", "second"]})
    assert [script(DRAFT), script(DECOMPOSE), script(DRAFT)] == ["first", "issues", "second"]


def test_a_task_without_a_script_gets_no_proposal() -> None:
    assert Scripted({"decompose": ["issues"]})(DRAFT) == ""


@pytest.mark.parametrize("answers", [[], {"decompose": []}])
def test_a_script_without_a_line_is_refused(answers: list[str] | dict[str, list[str]]) -> None:
    with pytest.raises(ValueError, match="at least one answer"):
        Scripted(answers)
