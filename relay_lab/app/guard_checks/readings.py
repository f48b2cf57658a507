"""What admission must refuse of a model's reading of a message: strict_json and grounding."""

import json
from collections.abc import Iterator
from typing import Any

from relay_lab.app.guard_checks.base import check, differs
from relay_lab.app.lab import Parts, open_lab

LONGEST = 200_000
MESSAGE = "I was billed twice in August. We get along, each of us works individually, and the term suits us."
BILLED = "billed twice in August"
_AT = MESSAGE.index(BILLED)


def read(answer: Any) -> str:
    """What the trace says of a reading: its code, and the guard that refused it."""
    parts = Parts(propose=lambda request: answer if request.task == "decompose" else "")
    with open_lab(parts=parts) as lab:
        row = next(row for row in lab.say(MESSAGE).trace if row.tool == "decompose")
    return f"{row.outcome} ({row.guard})" if row.guard else row.outcome


def reading(text: str = BILLED, start: int = _AT, end: int | None = None, **issue: Any) -> str:
    """A model's answer with one issue, whose span is the text at these offsets."""
    span = {"text": text, "start": start, "end": start + len(text) if end is None else end}
    return json.dumps({"issues": [{"type": "billing_duplicate", "span": span, **issue}]})


@check("strict_json")
def prose_after_it() -> Iterator[str]:
    """A document with words behind it is no document."""
    yield from differs("words behind", read(reading() + " I refunded both."), "not_json (strict_json)")


@check("strict_json")
def prose_before_it() -> Iterator[str]:
    """A document with words before it is no document."""
    yield from differs("words before", read("Here it is: " + reading()), "not_json (strict_json)")


@check("strict_json")
def in_a_code_fence() -> Iterator[str]:
    """A document between the marks of a code block is no document."""
    yield from differs("a fence", read(f"```{reading()}```"), "not_json (strict_json)")


@check("strict_json")
def numbers_that_json_has_not() -> Iterator[str]:
    """NaN and Infinity are no JSON, wherever they stand."""
    for constant in ("NaN", "-Infinity"):
        answer = reading()[:-1] + f', "tenant_id": {constant}}}'
        yield from differs(constant, read(answer), "not_json (strict_json)")


@check("strict_json")
def the_longest_answer() -> Iterator[str]:
    """An answer of 200,000 characters is read, and one of a character more is not."""
    yield from differs("the longest", read(reading().ljust(LONGEST)), "admitted")
    yield from differs("one more", read(reading().ljust(LONGEST + 1)), "too_long (strict_json)")


@check("strict_json")
def nested_too_deeply() -> Iterator[str]:
    """An answer that is nested beyond reading is refused, and not taken for an empty one."""
    yield from differs("a deep answer", read('{"issues":' + "[" * 90_000), "too_deep (strict_json)")


@check("strict_json")
def bytes_are_no_text() -> Iterator[str]:
    """A proposer that answers something other than text has answered nothing."""
    yield from differs("bytes", read(reading().encode()), "not_text (strict_json)")


@check("strict_json")
def a_draft_says_it_once() -> Iterator[str]:
    """A draft of a reply that holds a key twice is no draft."""
    twice = '{"sentences": [], "sentences": [{"text": "Thank you.", "claim_ids": []}]}'
    parts = Parts(propose=lambda request: reading() if request.task == "decompose" else twice)
    with open_lab(parts=parts) as lab:
        record = lab.say(MESSAGE).record
    yield from differs("a draft", record and record.replies[-1].refused_draft, "duplicate_key")


@check("grounding")
def the_exact_words() -> Iterator[str]:
    """A span that is what the message says, and where, is admitted."""
    yield from differs("the words as they are", read(reading()), "admitted")


@check("grounding")
def letter_case() -> Iterator[str]:
    """Words in other letters are not the customer's words."""
    yield from differs("capitals", read(reading(BILLED.upper())), "span_not_in_message (grounding)")


@check("grounding")
def blanks_at_the_edge() -> Iterator[str]:
    """Words with a blank more than stands at their place are not the customer's words."""
    yield from differs(
        "blanks", read(reading(BILLED, _AT - 1, _AT + len(BILLED))), "span_mismatch (grounding)"
    )


@check("grounding")
def words_of_another_place() -> Iterator[str]:
    """Words that stand elsewhere in the message do not ground a span."""
    yield from differs("another place", read(reading(BILLED, 0)), "span_mismatch (grounding)")


@check("grounding")
def a_place_that_goes_on() -> Iterator[str]:
    """A span whose place goes on beyond its words is refused."""
    end = _AT + len(BILLED) + 5
    yield from differs("a longer place", read(reading(BILLED, _AT, end)), "span_mismatch (grounding)")


@check("grounding")
def the_last_character() -> Iterator[str]:
    """Every character is compared, the last one too."""
    yield from differs("a last letter", read(reading(f"{BILLED[:-1]}n")), "span_not_in_message (grounding)")


@check("grounding")
def a_plan_nobody_named() -> Iterator[str]:
    """A plan that no word of the message names is no plan of the customer's."""
    answer = reading(type="subscription_change", target_plan="business")
    yield from differs("a plan", read(answer), "ungrounded_slot (grounding)")


@check("grounding")
def a_refund_nobody_asked_for() -> Iterator[str]:
    """A wish for money back that no word of the message utters is no wish of the customer's."""
    yield from differs("a refund", read(reading(refund_requested=True)), "ungrounded_slot (grounding)")


@check("grounding")
def a_word_inside_another() -> Iterator[str]:
    """A plan's name inside of a longer word names no plan."""
    answer = reading(type="subscription_change", target_plan="individual")
    yield from differs("individually", read(answer), "ungrounded_slot (grounding)")


@check("grounding")
def half_of_a_phrase() -> Iterator[str]:
    """One word of a phrase of several does not say what the phrase says."""
    answer = reading(type="subscription_change", target_plan="cancel")
    yield from differs("half a phrase", read(answer), "ungrounded_slot (grounding)")


@check("grounding")
def a_short_word_like_it() -> Iterator[str]:
    """A short word with another letter is another word."""
    answer = reading(type="subscription_change", target_plan="team")
    yield from differs("term", read(answer), "ungrounded_slot (grounding)")
