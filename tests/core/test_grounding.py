"""Grounding: the message itself must say what a slot holds."""

import json
import re
from typing import Any

import pytest
from core.proposals import WORDS, admit
from hypothesis import given, settings
from hypothesis import strategies as st

from relay_lab.contracts.issues import AdmittedIssues, Rejected
from relay_lab.contracts.proposals import Vocabulary
from relay_lab.core.admission import grounded

NOTHING = Vocabulary(forms={})


@pytest.mark.parametrize(
    ("value", "message", "holds"),
    [
        ("A-17", "send A-17 back", True),
        ("A-17", "send A-17.", True),
        ("A-17", "(A-17)", True),
        (17, "number 17, please", True),
        ("A-17", "send A-170 back", False),
        ("A-17", "send AA-17 back", False),
        ("A-17", "send A-17-B back", False),
        ("A-17", "send B-A-17 back", False),
        ("A-17", "send a-17 back", False),
        ("A.17", "send A-17 back", False),
        ("A-17", "", False),
    ],
)
def test_an_id_is_grounded_as_a_whole_word_only(value: object, message: str, holds: bool) -> None:
    assert grounded("order_id", value, message, NOTHING) is holds


@pytest.mark.parametrize(
    ("cents", "message", "holds"),
    [
        (4_900, "you took 49 twice", True),
        (4_900, "you took $49.00 twice", True),
        (4_900, "EUR 49.", True),
        (4_950, "it was 49.5", True),
        (120_050, "it was 1,200.50 in all", True),
        (120_000, "it was 1200", True),
        (4_900, "it was 490", False),
        (4_900, "it was 149", False),
        (4_900, "it was A49 or 49B", False),
        (4_900, "it was 49.01", False),
        (4_900, "it was 49,50", False),
        (100, "it was 1.200", False),
        (4_900, "it was 49.005", False),
        (100, "it was 1,200", False),
        (4_900, "forty-nine", False),
    ],
)
def test_an_amount_is_grounded_by_its_figures_only(cents: int, message: str, holds: bool) -> None:
    assert grounded("paid_cents", cents, message, NOTHING) is holds


@pytest.mark.parametrize(
    ("slot", "value", "holds"),
    [
        ("target_plan", "individual", True),
        ("target_plan", "team", False),
        ("target_plan", "business", False),
        ("refund_requested", True, False),
        ("refund_requested", False, True),
        ("deadline", None, True),
        ("colour", "red", True),
        ("order_id", None, True),
        ("paid_cents", None, True),
    ],
)
def test_a_listed_slot_needs_one_of_the_words_of_its_value(slot: str, value: object, holds: bool) -> None:
    """A text that is not listed is refused, a truth value that is not listed needs no ground, nor does another slot."""
    assert grounded(slot, value, "Put us on the SOLO plan", WORDS) is holds


@pytest.mark.parametrize(
    ("message", "holds"),
    [
        ("a single seat is enough", True),
        ("a Single-Seat is enough", True),
        ("a single\nseat is enough", True),
        ("single people need a seat", False),
        ("a seat, single", False),
        ("asolo b", False),
        ("solos", False),
    ],
)
def test_a_form_of_several_words_must_stand_together(message: str, holds: bool) -> None:
    assert grounded("target_plan", "individual", message, WORDS) is holds


@pytest.mark.parametrize(
    ("form", "message", "holds"),
    [
        ("kündigen", "ich will KÜNDIGEN", True),
        ("kündigen", "ich will kuendigen", True),
        ("kündigen", "ich will kundigen", True),
        ("kündigen", "ich will ku\u0308ndigen", True),
        ("geschäftsplan", "den GESCHAEFTSPLAN bitte", True),
        ("schließen", "bitte schliessen", True),
        ("iptal", "\u0130PTAL edin", True),
        ("planını", "planini", True),
        ("renovación", "sin renovacion", True),
        ("mal", "das Maul", False),
    ],
)
def test_case_accents_and_missing_letters_of_a_keyboard_do_not_count(
    form: str, message: str, holds: bool
) -> None:
    """A word is the same word without its accents, with `ae` for `ä` and with a dot on every i."""
    assert grounded("slot", "value", message, Vocabulary(forms={"slot": {"value": (form,)}})) is holds


@pytest.mark.parametrize("typo", ["renewl", "renewall", "renawal", "reneawl", "xrenewal", "enewal"])
def test_one_slip_of_the_finger_in_a_longer_word_is_understood(typo: str) -> None:
    assert grounded("deadline", "before_renewal", f"before the {typo}!", WORDS)


@pytest.mark.parametrize("typo", ["renwl", "rneewla", "lawener", "re", "renewalss"])
def test_two_slips_are_not(typo: str) -> None:
    assert not grounded("deadline", "before_renewal", f"before the {typo}!", WORDS)


@pytest.mark.parametrize("typo", ["sol", "solso", "sola", "slo", "crow"])
def test_no_slip_is_forgiven_in_a_word_of_four_letters(typo: str) -> None:
    assert not grounded("target_plan", "individual", typo, WORDS)
    assert not grounded("target_plan", "team", typo, WORDS)


def slips(a: str, b: str) -> int:
    """How many letters more, less, other or exchanged lie between two words (the textbook's table)."""
    table = {(i, -1): i + 1 for i in range(-1, len(a))} | {(-1, j): j + 1 for j in range(-1, len(b))}
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, table[i - 1, j - 1] + (x != y))
            if i and j and (x, a[i - 1]) == (b[j - 1], y):
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(a) - 1, len(b) - 1]


FEW = st.text("abc", min_size=1, max_size=8)


@given(FEW, FEW)
def test_a_word_counts_exactly_when_it_is_equal_or_long_and_one_slip_apart(wanted: str, written: str) -> None:
    words = Vocabulary(forms={"slot": {"value": (wanted,)}})
    expected = wanted == written or (len(wanted) >= 5 and slips(wanted, written) <= 1)
    assert grounded("slot", "value", written, words) is expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KINDS = st.sampled_from(
    ["billing_duplicate", "feature_access", "subscription_change", "human_request", "other", "x"]
)
SAID = st.sampled_from(["solo", "crew, solo", "no gantt", "refund", "renewal next", " ", "", "never"])
SPAN = st.fixed_dictionaries(
    {"text": SAID}, optional={"start": st.integers(-1, 12), "end": st.integers(-1, 1 << 70)}
)
SLOTS: dict[str, st.SearchStrategy[Any]] = {
    "span": SPAN | SAID,
    "id": st.sampled_from(["I1", "I2", "x"]),
    "target_plan": st.sampled_from(["individual", "team", "business", "cancel", "solo", None]),
    "deadline": st.sampled_from(["before_renewal", None, "now"]),
    "needs_clarification": st.booleans(),
    "feature": st.sampled_from(["gantt_chart", "api_access", None]),
    "refund_requested": st.booleans() | st.none(),
    "about_account": st.booleans() | st.none(),
    "refused_proposal": st.booleans(),
    "mood": st.text(max_size=3),
}
ISSUE = st.fixed_dictionaries({"type": KINDS}, optional=SLOTS)
PROPOSAL = st.fixed_dictionaries(
    {"issues": st.lists(ISSUE | JSON, max_size=4)},
    optional={"tenant_id": JSON, "allowed_scopes": JSON, "x": JSON},
)
CUT = st.tuples(PROPOSAL.map(json.dumps), st.integers(0, 400)).map(lambda pair: pair[0][: pair[1]])


@settings(max_examples=60)
@given(st.text() | JSON.map(json.dumps) | PROPOSAL.map(json.dumps) | CUT)
def test_no_text_makes_admission_raise(text: str) -> None:
    admission = admit(text)
    assert isinstance(admission, AdmittedIssues | Rejected)
    admission.model_dump_json()


MENTIONS = ["solo", "crew", "no gantt", "refund", "renewal", "gant", "hm"]


@st.composite
def readings(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    """A message and a reading of it that is mostly right: a wrong slot, span or offset now and then."""
    said = draw(st.lists(st.sampled_from(MENTIONS), min_size=1, max_size=5))
    message = ", ".join(said)
    issues = []
    for text in draw(st.lists(st.sampled_from([*said, "solo"]), max_size=3)):
        start = message.find(text) + draw(st.sampled_from([0, 0, 0, 1]))
        span = draw(
            st.sampled_from(
                [{"text": text}, {"text": text, "start": max(start, 0), "end": start + len(text)}]
            )
        )
        slots = draw(
            st.sampled_from(
                [
                    {"type": "other"},
                    {"type": "billing_duplicate", "refund_requested": "refund" in said},
                    {"type": "feature_access", "feature": "gantt_chart" if "no gantt" in said else None},
                    {"type": "feature_access", "feature": "gantt_chart"},
                    {"type": "subscription_change", "target_plan": "team" if "crew" in said else None},
                    {
                        "type": "subscription_change",
                        "target_plan": "individual",
                        "deadline": "before_renewal",
                    },
                ]
            )
        )
        issues.append({"span": span, **slots})
    return message, {"issues": issues}


@given(readings())
def test_whatever_is_admitted_stands_in_the_message(reading: tuple[str, dict[str, Any]]) -> None:
    message, proposed = reading
    admission = admit(json.dumps(proposed), message)
    if isinstance(admission, Rejected):
        return
    assert [issue.id for issue in admission.issues] == [f"I{n + 1}" for n in range(len(proposed["issues"]))]
    starts = [issue.span.start for issue in admission.issues]
    assert starts == sorted(starts)
    words = re.findall(r"\w+", message.lower())
    for issue in admission.issues:
        span = issue.span
        assert message[span.start : span.end] == span.text
        assert span.end - span.start == len(span.text)
        for slot, forms in WORDS.forms.items():
            value = getattr(issue, slot, None)
            if value not in (None, False):
                assert any(_says(words, form) for form in forms[str(value).lower()]), (slot, value, message)


def _says(words: list[str], form: str) -> bool:
    wanted = form.split()
    runs = [words[n : n + len(wanted)] for n in range(len(words))]
    return any(
        len(run) == len(wanted)
        and all(a == b or (len(a) > 4 and slips(a, b) <= 1) for a, b in zip(wanted, run, strict=True))
        for run in runs
    )
