"""The page on proposers: every example in it is admitted, every code in it can occur."""

import ast
import json
import re
from pathlib import Path

import pytest

from relay_lab import Parts, open_lab
from relay_lab.contracts.issues import AdmittedIssues
from relay_lab.contracts.record import ProposedReply
from relay_lab.core.guards import STANDING
from relay_lab.desks.support.decompose import decompose
from relay_lab.world.data import load_fixture

PAGE = (Path(__file__).parents[1] / "docs" / "proposer.md").read_text("utf-8")
EXAMPLES = re.findall(r"```json\n(.*?)\n```", PAGE, flags=re.DOTALL)


@pytest.mark.parametrize("example", [text for text in EXAMPLES if "issues" in text])
def test_every_example_of_a_decomposition_is_admitted(example):
    message = json.loads(example)["issues"][0]["span"]["text"]
    admission = decompose(f"Hello, {message}, please.", example, load_fixture().session, STANDING)
    assert isinstance(admission, AdmittedIssues), admission


def test_the_example_of_a_draft_has_the_right_shape():
    [draft] = [text for text in EXAMPLES if "sentences" in text]
    assert ProposedReply.model_validate_json(draft).sentences


@pytest.mark.parametrize(
    ("answer", "code"), [(ValueError("down"), "proposer_failed"), (None, "not_text"), (3, "not_text")]
)
def test_a_proposer_that_fails_is_named_in_the_trace_and_the_message_is_kept(answer, code):
    def propose(request):
        if isinstance(answer, Exception):
            raise answer
        return answer

    with open_lab(parts=Parts(propose=propose)) as lab:
        run = lab.say("I was charged twice")
    assert code in {row.outcome for row in run.trace}
    assert run.states == {"I1": "needs_input"}
    assert code in PAGE


PROPOSERS = Path(__file__).parents[1] / "relay_lab" / "proposers"


def test_every_code_that_a_proposer_refuses_with_stands_in_the_page():
    """The page's table is the list of what can go wrong, and nothing in it cannot."""
    calls = [
        call
        for file in sorted(PROPOSERS.glob("*.py"))
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "ProposerRefused"
    ]
    words = {
        each.value for call in calls for each in ast.walk(call.args[0]) if isinstance(each, ast.Constant)
    }
    table = PAGE.partition("**What can go wrong**")[2].partition("A proposer of your own")[0]
    assert words - {"length", 500} == set(re.findall(r"`([a-z_]+)`", table))


def test_the_budgets_of_the_page_are_those_of_the_prompts():
    """Block by block, in characters, with the part that is kept."""
    budgets = json.loads((PROPOSERS / "prompts.json").read_text("utf-8"))["budgets"]
    for name, budget in budgets.items():
        shown = f"`{name}`" if name else "any other"
        kept = {"start": "beginning", "end": "end"}[budget["keep"]]
        assert f"| {shown} | {budget['characters']:,} | the {kept} |" in PAGE
