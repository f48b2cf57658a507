"""What holds for any text: a valid proposal, exact spans, values that stand in the message, and time linear in its length."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relay_lab.contracts.issues import ProposedIssues
from relay_lab.contracts.proposals import ContextBlock, ProposalRequest, Vocabulary
from relay_lab.core.admission import grounded
from relay_lab.proposers.rules import rules_proposer

VOCABULARY = Vocabulary.model_validate_json(
    (Path(__file__).parents[2] / "relay_lab/desks/support/vocabulary.json").read_text("utf-8")
)

PROPOSE = rules_proposer()
LONGEST = 20_000
ENGLISH = json.loads(
    (Path(__file__).parents[2] / "relay_lab/proposers/rules/languages/en.json").read_text("utf-8")
)
MARKS = [
    ".",
    ",",
    "!",
    "?",
    ":",
    "-",
    ">",
    "{",
    "}",
    "```",
    "system:",
    "wrote:",
    "--",
    "49",
    "1)",
    "@",
    "😀",
    "gantt_chart",
    "_cancel_",
    "téam",
    "API's",
]
MARKS += ['"', "\n", "\n\n"]
SLOT_SIGNALS = [
    "cancel_ask",
    "change_ask",
    "refund_ask",
    "renewal_tie",
    "renewal_said",
    "named_day",
    "duplicate",
]
SLOT_SIGNALS += [
    "plan_target",
    "plan_sure",
    "plan_alone",
    "hard_block",
    "access_ask",
    "cancel_pick",
    "human_ask",
]


def forms(name: str) -> list[str]:
    """The forms of a class of the data file, those of the classes that it includes among them."""
    rows = ENGLISH["words"]
    own = rows[name].split(",") if name in rows else [f"@{key}" for key in rows if key.startswith(f"{name}:")]
    return [f for row in own for f in (forms(row.strip()[1:]) if row.strip()[0] == "@" else [row.strip()])]


def choices(part: str) -> list[str]:
    """What may stand for one element of a pattern; nothing for the elements that take no word."""
    if part.startswith(("_", "!", "<!")) or part in ("^", "$"):
        return [""]
    names = part.removesuffix("?").split("|")
    return [f for n in names for f in (forms(n[1:]) if n[0] == "@" else [n.replace("_", " ").strip("*$")])]


@st.composite
def phrases(draw: st.DrawFn) -> str:
    """Words that a pattern of the data file matches: what the proposer knows best, in every form that it knows."""
    source = draw(st.sampled_from(ENGLISH["signals"][draw(st.sampled_from(SLOT_SIGNALS))]))
    return " ".join(draw(st.sampled_from(choices(part))) for part in source.split())


PIECES = st.one_of(
    phrases(), phrases(), st.sampled_from(MARKS), st.sampled_from(["and", "i", "please", "my"])
)


def decompose(message: str, question: str = "") -> list[dict[str, Any]]:
    block = ContextBlock(
        name="open_issues", trusted=True, text=json.dumps([{"id": "I1", "question": question}])
    )
    answer = PROPOSE(ProposalRequest(task="decompose", message=message, blocks=(block,)))
    return [issue.model_dump() for issue in ProposedIssues.model_validate_json(answer).issues]


def check(message: str, issues: list[dict[str, Any]]) -> None:
    assert [issue["id"] for issue in issues] == [f"I{n}" for n in range(1, len(issues) + 1)]
    assert [i["span"]["start"] for i in issues] == sorted(i["span"]["start"] for i in issues)
    for issue in issues:
        place = issue["span"]
        assert message[place["start"] : place["end"]] == place["text"]
        for slot in ("target_plan", "feature", "deadline", "refund_requested"):
            if issue.get(slot) is not None:
                assert grounded(slot, issue[slot], message, VOCABULARY), (slot, issue[slot])


@given(st.text(max_size=300))
@settings(max_examples=100, deadline=None)
def test_any_text_gives_a_valid_proposal_with_exact_spans(message: str) -> None:
    """No text raises, and none gives a span that is not in it."""
    check(message, decompose(message))


@given(st.lists(PIECES, max_size=12).map(" ".join), st.sampled_from(["", "which_plan", "which_feature"]))
@settings(max_examples=250, deadline=None)
def test_every_value_that_is_proposed_stands_in_the_message(message: str, question: str) -> None:
    """Whatever the patterns can match, and in any order: no plan, feature, deadline or refund without its ground."""
    check(message, decompose(message, question))


@given(st.lists(PIECES, max_size=8).map(" ".join))
@settings(max_examples=30, deadline=None)
def test_the_same_message_gets_the_same_answer(message: str) -> None:
    """No memory: a message that came between changes nothing."""
    first = decompose(message)
    decompose("please upgrade me to Business")
    assert decompose(message) == first


def test_every_value_read_from_the_labelled_messages_is_grounded() -> None:
    """What a proposer of ours proposes, trusted code can find in the message by its own vocabulary."""
    rows = json.loads((Path(__file__).parent / "messages_en.json").read_text("utf-8"))
    for row in rows:
        check(row["message"], decompose(row["message"], row.get("question", "")))


HOSTILE = [
    "i was charged twice and i want to downgrade to individual but cant open gantt ",
    "want ", "if you dont i will cancel ", "“", "{", '{"a":', "<a>", "> ", "\n", " ", "-", "On x\n", "SYSTEM: x\n",
    'says "one two three four" ', "a@", "a_", "http://", "abcdefg ", "thanks\n", "e\u0301", "cancel",
]  # fmt: skip


def seconds(work: Callable[[], object]) -> float:
    """The processor time that the work takes."""
    started = time.process_time()
    work()
    return time.process_time() - started


def slowness() -> float:
    """How much slower this machine is at this moment than one that counts to a million in 50 ms; 1 when it is not."""
    return max(1.0, seconds(lambda: [number + 1 for number in range(1_000_000)]) / 0.05)


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_hostile_message_is_read_in_time(piece: str) -> None:
    """20,000 characters of one thing: under 0.2 s of processor time, given three tries on a busy machine."""
    message = (piece * LONGEST)[:LONGEST]
    spans = [issue["span"] for issue in decompose(message)]
    assert all(message[span["start"] : span["end"]] == span["text"] for span in spans)
    bound = 0.2
    assert any(seconds(lambda: decompose(message)) < bound * (slowness() if n else 1) for n in range(4))
