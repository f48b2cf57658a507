"""What holds for any text: a valid proposal, exact spans, values that stand in the message, and work linear in its length."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from relay_lab.contracts.issues import ProposedIssues
from relay_lab.contracts.proposals import ContextBlock, ProposalRequest, Vocabulary
from relay_lab.core.admission import grounded
from relay_lab.proposers.rules import rules_proposer
from relay_lab.proposers.rules.board import Board
from relay_lab.proposers.rules.patterns import Element
from relay_lab.proposers.rules.tokens import plain

VOCABULARY = Vocabulary.model_validate_json(
    (Path(__file__).parents[2] / "relay_lab/desks/support/vocabulary.json").read_text("utf-8")
)

PROPOSE = rules_proposer()
LONGEST = 20_000
FOLDER = Path(__file__).parents[2] / "relay_lab/proposers/rules/languages"
LANGUAGES = {file.stem: json.loads(file.read_text("utf-8")) for file in sorted(FOLDER.glob("*.json"))}
SLOTS = {"plan": "target_plan", "feature": "feature"}
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
    "cancel_bare",
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


def forms(language: str, name: str) -> list[str]:
    """The forms of a class of the data file, those of the classes that it includes among them."""
    rows = LANGUAGES[language]["words"]
    own = rows[name].split(",") if name in rows else [f"@{key}" for key in rows if key.startswith(f"{name}:")]
    found: list[str] = []
    for row in (row.strip() for row in own):
        found += forms(language, row[1:]) if row[0] == "@" else [row.rstrip("*")]
    return found


def choices(language: str, part: str) -> list[str]:
    """What may stand for one element of a pattern; nothing for the elements that take no word."""
    if part.startswith(("_", "!", "<!")) or part in ("^", "$"):
        return [""]
    found: list[str] = []
    for name in part.removesuffix("?").split("|"):
        found += forms(language, name[1:]) if name[0] == "@" else [name.replace("_", " ").strip("*$")]
    return found


@st.composite
def phrases(draw: st.DrawFn) -> str:
    """Words that a pattern of a data file matches: what the proposer knows best, in every form that it knows."""
    language = draw(st.sampled_from(sorted(LANGUAGES)))
    rows = LANGUAGES[language]["signals"][draw(st.sampled_from(SLOT_SIGNALS))]
    source = draw(st.sampled_from(rows))
    return " ".join(draw(st.sampled_from(choices(language, part))) for part in source.split())


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


@pytest.mark.slow
def test_every_value_read_from_the_labelled_messages_is_grounded() -> None:
    """What a proposer of ours proposes, trusted code can find in the message by its own vocabulary."""
    for file in sorted(Path(__file__).parent.glob("messages_*.json")):
        for row in json.loads(file.read_text("utf-8")):
            check(row["message"], decompose(row["message"], row.get("question", "")))


DIGRAPHS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def written(form: str) -> set[str]:
    """The form as it may be typed: with the language's letters or without, small or in capitals, with a dot or without."""
    ways = {form, plain(form), form.translate(DIGRAPHS)}
    capitals = {way.upper() for way in ways} | {form.replace("i", "\u0130").upper()}
    return ways | capitals | {way.capitalize() for way in ways}


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_name_of_a_plan_or_a_feature_is_grounded_however_it_is_typed(language: str) -> None:
    """A name that a language file knows and the vocabulary does not would have the whole proposal refused."""
    for name in LANGUAGES[language]["words"]:
        kind, _, value = name.partition(":")
        if kind in SLOTS:
            for form in forms(language, name):
                for typed in written(form):
                    assert grounded(SLOTS[kind], value, typed, VOCABULARY), (value, typed)


HOSTILE = [
    "i was charged twice and i want to downgrade to individual but cant open gantt ",
    "want ", "if you dont i will cancel ", "“", "{", '{"a":', "<a>", "> ", "\n", " ", "-", "On x\n", "SYSTEM: x\n",
    'says "one two three four" ', "a@", "a_", "http://", "abcdefg ", "thanks\n", "e\u0301", "cancel",
]  # fmt: skip


def steps(monkeypatch: pytest.MonkeyPatch, message: str) -> int:
    """How many steps of patterns are taken to read the message."""
    taken = 0
    step = Board._step

    def counted(self: Board, element: Element, places: int) -> int:
        nonlocal taken
        taken += 1
        return step(self, element, places)

    with monkeypatch.context() as patched:
        patched.setattr(Board, "_step", counted)
        decompose(message)
    return taken


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_hostile_message_takes_no_more_steps_than_its_length(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20,000 characters of one thing are read, in at most as many steps for each character as a quarter of them."""
    message = (piece * LONGEST)[:LONGEST]
    spans = [issue["span"] for issue in decompose(message)]
    assert all(message[span["start"] : span["end"]] == span["text"] for span in spans)
    few, many = (steps(monkeypatch, message[:size]) for size in (LONGEST // 4, LONGEST))
    assert many <= 4 * few + 1_000
