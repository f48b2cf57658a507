"""What a customer may send: text, and no character that hides or reorders what is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_lab.core.admission import refuse_message


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", ("empty", 0)),
        (" \t\r\n\u2003", ("empty", 0)),
        ("a" * 20_001, ("too_long", 20_000)),
        ("half \ud800", ("not_text", 5)),
        ("bell \x07", ("control_character", 5)),
        ("escape \x1b[31m", ("control_character", 7)),
        ("nul \x00", ("control_character", 4)),
        ("delete \x7f", ("control_character", 7)),
        ("next line \x85", ("control_character", 10)),
    ],
)
def test_what_is_no_message_is_refused_with_its_place(text: str, refusal: tuple[str, int]) -> None:
    assert refuse_message(text) == refusal


@pytest.mark.parametrize("character", "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
def test_a_character_that_reorders_text_is_refused(character: str) -> None:
    assert refuse_message(f"pay {character}me") == ("bidi_control", 4)


@pytest.mark.parametrize(
    "text",
    [
        "a\tb\r\nc",
        "family \U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f \U0001f44d\U0001f3fd",
        "שלום\u200f, مرحبا\u200e",
        "क्\u200dष",
        "a" * 20_000,
        "\u00a0x",
        "e\u0301",
    ],
)
def test_ordinary_text_of_any_script_stays(text: str) -> None:
    assert refuse_message(text) is None


@given(st.text(st.characters(), max_size=40))
def test_a_refused_message_is_refused_at_a_character_of_it(text: str) -> None:
    refusal = refuse_message(text)
    if refusal is not None and refusal[0] not in ("empty", "too_long"):
        code, index = refusal
        assert refuse_message(f"x{text[index]}") == (code, 1)
        assert refuse_message(f"x{text[:index]}") is None
