"""Phrases: only a message that is nothing but one of a bounded set of phrases approves or rejects."""

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_lab.core import phrases as core_phrases
from relay_lab.desks.phrases import phrases

PHRASES: dict[str, list[str]] = {kind: list(forms) for kind, forms in phrases().model_dump().items()}


def meaning(message: str, named: tuple[str, ...] = ()) -> str:
    return core_phrases.meaning(message, phrases(), named)


DECISIVE = [(kind, phrase) for kind in ("approve", "reject") for phrase in PHRASES[kind]]


@pytest.mark.parametrize(("kind", "phrase"), DECISIVE)
def test_a_phrase_means_what_its_list_says_however_it_is_typed(kind: str, phrase: str) -> None:
    for typed in (
        phrase,
        phrase.upper(),
        f"  {phrase.capitalize()}.\n",
        f"{phrase}!!",
        phrase.replace("'", "\u2019"),
    ):
        assert meaning(typed) == kind, typed


@pytest.mark.parametrize("phrase", PHRASES["ambiguous"])
def test_a_half_yes_is_ambiguous(phrase: str) -> None:
    assert meaning(phrase) == "ambiguous"
    assert meaning(f"{phrase.title()} \U0001f44d") == "ambiguous"


def test_no_phrase_means_two_things() -> None:
    plain = {kind: {" ".join(re.findall(r"[\w']+", phrase)) for phrase in PHRASES[kind]} for kind in PHRASES}
    assert sum(map(len, (plain["approve"], plain["reject"], plain["ambiguous"]))) == len(
        plain["approve"] | plain["reject"] | plain["ambiguous"]
    )


@pytest.mark.parametrize(
    "message",
    [
        "Yes, but first, what is your refund policy?",
        "Yes, and the team plan for Ana",
        "go ahead with the other one",
        "I confirm that I was charged twice",
        "Please wait, then yes",
        "ok but not on Friday",
        "yes?",
        "yes\uff1f",
        "no?",
        "(yes)",
        "> yes, go ahead",
        "\u201cyes\u201d",
        "~~yes~~",
        "yes \U0001f44e",
        "yes \u274c",
        "no \U0001f44d",
        "yes / no",
        "yes & confirm",
    ],
)
def test_a_phrase_with_more_beside_it_is_mixed(message: str) -> None:
    assert meaning(message) == "mixed"


@pytest.mark.parametrize(
    "message",
    [
        "",
        "?",
        "\U0001f44d",
        "not yes or no",
        "yesterday",
        "I said: yes.",
        "don't confirm",
        "_yes_",
        "'yes'",
        "1",
        "y e s",
    ],
)
def test_what_holds_no_phrase_means_nothing_or_is_not_taken(message: str) -> None:
    assert meaning(message) in ("none", "mixed")


APPROVING = {tuple(re.findall(r"[\w']+", phrase)) for phrase in PHRASES["approve"]}
CIVIL = {tuple(re.findall(r"[\w']+", phrase)) for phrase in PHRASES["courtesy"]}
BESIDE = [
    "?",
    " please",
    " not",
    " 1",
    "\U0001f44e",
    ">",
    " and more",
    "no ",
    "\u200b",
    ", please",
    ". No.",
    "\nno",
    " - no",
]
ADDED = (
    st.text(max_size=6)
    | st.sampled_from(BESIDE)
    | st.sampled_from([f", {each}" for each in chain(*PHRASES.values())])
)


def may_approve(message: str) -> bool:
    """By another way than the code's, letter by letter: nothing but approvals, with civilities set off by a pause."""
    parts: list[list[str]] = [[""]]
    for at, letter in enumerate(message):
        around = message[at - 1 : at] + message[at + 1 : at + 2]
        if letter.isalnum() or letter in "_'\u2019":
            parts[-1][-1] += letter.casefold().replace("\u2019", "'")
        elif letter in ".,:;!\u00a1\u2026\u2013\u2014\n" or (
            letter == "-" and len(around) == 2 and around.isspace()
        ):
            parts.append([""])
        elif letter.isspace() or letter == "-":
            parts[-1].append("")
        else:
            return False
    said = [words for part in parts if (words := tuple(filter(None, part)))]
    together = tuple(word for words in said for word in words)
    each_of_them = any(words in APPROVING for words in said) and all(
        words in APPROVING | CIVIL for words in said
    )
    return together in APPROVING or each_of_them


@given(st.sampled_from(PHRASES["approve"]), ADDED, st.booleans())
def test_a_phrase_with_anything_else_added_never_approves(phrase: str, added: str, before: bool) -> None:
    message = added + phrase if before else phrase + added
    assert (meaning(message) == "approve") == may_approve(message)


@given(
    st.sampled_from(PHRASES["approve"]),
    st.sampled_from(PHRASES["reject"]),
    st.sampled_from([", ", ". ", "\n", " - ", " "]),
)
def test_an_approval_beside_a_rejection_is_never_taken(yes: str, no: str, pause: str) -> None:
    assert meaning(yes + pause + no) != "approve"
    assert meaning(no + pause + yes) != "approve"


@given(st.text())
def test_no_other_text_approves(message: str) -> None:
    assert (meaning(message) == "approve") == may_approve(message)


@pytest.mark.parametrize(
    ("message", "means"),
    [
        ("Yes, I confirm DG-1042-v1.", "approve"),
        ("I confirm quote DG-1042-v1", "approve"),
        ("I confirm the quote DG-1042-v1, thanks", "approve"),
        ("I confirm DG-1042-v2", "mixed"),
        ("yes please go ahead", "approve"),
        ("Yes. Go ahead. Thank you!", "approve"),
        ("No thanks, forget it", "reject"),
        ("no. never mind, thanks", "reject"),
        ("Yes. No.", "mixed"),
        ("yes, DG-1042-v1?", "mixed"),
        ("DG-1042-v1", "none"),
        ("thanks", "none"),
        ("ok, thanks", "ambiguous"),
    ],
)
def test_an_answer_may_repeat_the_quote_and_be_civil_and_nothing_else(message: str, means: str) -> None:
    assert meaning(message, ("DG-1042-v1",)) == means
