"""Admission: a model's text becomes admitted values, or is refused whole with a code and a place (001 §2; 003)."""

import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

from pydantic import ValidationError

from relay_lab.contracts.base import Contract
from relay_lab.contracts.issues import Admission, AdmittedIssues, Issue, ProposedIssues, Rejected
from relay_lab.contracts.proposals import Vocabulary
from relay_lab.contracts.session import Session
from relay_lab.core.guards import Guards

MESSAGE_LIMIT = 20_000
"""Characters of a message."""
ANSWER_LIMIT = 200_000
"""Characters of a model's answer."""

# Embeddings, overrides and isolates reorder what is read; the two marks are ordinary in Hebrew and Arabic.
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
# Not a part of a longer figure: `1.200` and `49,50` are other people's notation, and neither 1 nor 49.
_AMOUNT = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.\d{1,2})?(?!\w|[.,]\d)")
_WORD = re.compile(r"\w+")
_DIGRAPH = re.compile("(?<=[aou])e")
_UNPRINTABLE = re.compile(r"[^ -~]")


class _Refusal(Exception):
    def __init__(self, code: str, place: str, guard: str) -> None:
        # A place may quote a key that the model made up: what is not plain ASCII must not reach the trace.
        self.rejected = Rejected(code=code, place=_UNPRINTABLE.sub("?", place)[:120], guard=guard)


def refuse_message(text: str) -> tuple[str, int] | None:
    """Why a customer's message cannot be taken, as (code, index of the character), or None.

    Codes: empty, too_long, control_character, bidi_control, not_text (a lone surrogate). Joiners in emoji are text.
    """
    if not text.strip():
        return "empty", 0
    if len(text) > MESSAGE_LIMIT:
        return "too_long", MESSAGE_LIMIT
    for index, character in enumerate(text):
        category = unicodedata.category(character)
        if category == "Cs":
            return "not_text", index
        if category == "Cc" and character not in "\t\n\r":
            return "control_character", index
        if character in _BIDI:
            return "bidi_control", index
    return None


def admit_issues(
    message: str, answer: str, vocabulary: Vocabulary, session: Session, guards: Guards
) -> Admission:
    """Decide whether a model's decomposition of `message` may be used.

    `answer` is the model's text as it came: one JSON document of the shape of `ProposedIssues`, in which a span may leave
    out its offsets. Every span must be the exact characters of the message and every slot value that `vocabulary` lists
    must have one of its words there. Gives `AdmittedIssues`, numbered by first mention, or `Rejected` for the first fault
    found: one bad issue refuses all of them, because taking the rest would drop a request silently (001 §2).
    """
    try:
        document = _parsed(answer, guards)
        _locate_spans(document, message)
        proposed = _validated(document)
        if guards.grounding:
            for index, issue in enumerate(proposed.issues):
                _ground(issue, f"issues[{index}]", message, vocabulary)
        _closed_set(proposed.issues)
    except _Refusal as refusal:
        return refusal.rejected
    ordered = sorted(proposed.issues, key=lambda issue: (issue.span.start, issue.span.end))
    return AdmittedIssues(
        issues=tuple(issue.model_copy(update={"id": f"I{n}"}) for n, issue in enumerate(ordered, start=1)),
        overreach=_overreach(proposed, session),
    )


def strict_json(answer: str, guards: Guards) -> Any:
    """The one JSON document in a model's answer, or `Rejected` when it is not exactly that."""
    try:
        return _parsed(answer, guards)
    except _Refusal as refusal:
        return refusal.rejected


def _parsed(answer: str, guards: Guards) -> Any:
    """The one JSON document in `answer`; a document with a duplicate key has no single meaning, so it has none."""
    if not answer.strip():
        raise _Refusal("empty", "$", "strict_json")
    if len(answer) > ANSWER_LIMIT:
        raise _Refusal("too_long", "$", "strict_json")
    try:
        return json.loads(
            answer, object_pairs_hook=_unique if guards.strict_json else None, parse_constant=_no_constant
        )
    except json.JSONDecodeError as error:
        code = "truncated" if error.pos >= len(answer.rstrip()) or "Unterminated" in error.msg else "not_json"
        raise _Refusal(code, f"character {error.pos}", "strict_json") from None
    except ValueError:  # a number of thousands of digits
        raise _Refusal("not_json", "$", "strict_json") from None
    except RecursionError:
        raise _Refusal("too_deep", "$", "strict_json") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    for key, value in pairs:
        if key in seen:
            raise _Refusal("duplicate_key", key, "strict_json")
        seen[key] = value
    return seen


def _no_constant(name: str) -> None:
    raise _Refusal("not_json", name, "strict_json")


def _locate_spans(document: Any, message: str) -> None:
    """Fill in the offsets of a span that came as text alone: a model can quote, but it cannot count."""
    issues = document.get("issues") if isinstance(document, dict) else None
    for index, issue in enumerate(issues if isinstance(issues, list) else ()):
        span = issue.get("span") if isinstance(issue, dict) else None
        if isinstance(span, dict) and set(span) == {"text"} and isinstance(span["text"], str):
            start = message.find(span["text"])
            if start < 0:
                raise _Refusal("span_not_in_message", f"issues[{index}].span.text", "grounding")
            span |= {"start": start, "end": start + len(span["text"])}
        if isinstance(issue, dict):
            issue.setdefault("id", f"I{index + 1}")


def _validated(document: Any) -> ProposedIssues:
    try:
        return ProposedIssues.model_validate_json(json.dumps(document))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise _Refusal("schema", place or "$", "schema") from None


def _ground(issue: Issue, place: str, message: str, vocabulary: Vocabulary) -> None:
    span = issue.span
    exact = span.end <= len(message) and message[span.start : span.end] == span.text
    if not exact or not span.text.strip():
        code = "span_mismatch" if span.text in message else "span_not_in_message"
        raise _Refusal(code, f"{place}.span", "grounding")
    for slot, value in _slots(issue):
        if not grounded(slot, value, message, vocabulary):
            raise _Refusal("ungrounded_slot", f"{place}.{slot}", "grounding")


def _slots(value: Contract) -> Iterator[tuple[str, Any]]:
    return (
        (name, getattr(value, name))
        for name in type(value).model_fields
        if name not in ("id", "span", "type")
    )


def grounded(slot: str, value: Any, message: str, vocabulary: Vocabulary) -> bool:
    """Whether the message itself says what a slot holds.

    A slot that the vocabulary lists needs one of the value's forms. A slot named `…_id` needs its text as a whole word,
    and one named `…_cents` its amount in figures. Null, and what is none of these, needs no ground.
    """
    if value is None:
        return True
    if slot in vocabulary.forms:
        forms = vocabulary.forms[slot].get(str(value).lower(), () if isinstance(value, str) else None)
        return forms is None or _says_one_of(forms, message)
    if slot.endswith("_id"):
        return re.search(rf"(?<![\w-]){re.escape(str(value))}(?![\w-])", message) is not None
    if slot.endswith("_cents"):
        return int(value) in _amounts(message)
    return True


def _amounts(message: str) -> set[int]:
    """Every number in figures in the message, in hundredths (`49`, `1,200.50`, `12.5`)."""
    found = set()
    for figures in _AMOUNT.findall(message):
        whole, _, part = figures.replace(",", "").partition(".")
        found.add(int(whole) * 100 + int(part.ljust(2, "0")))
    return found


def _says_one_of(forms: tuple[str, ...], message: str) -> bool:
    words = _WORD.findall(_folded(message))
    wanted = [_words_of(form) for form in forms]
    # Most values stand in the message letter for letter; only what does not is looked for with a slip of the finger.
    said = set(words)
    if any(len(form) == 1 and form[0] in said for form in wanted):
        return True
    return any(
        all(map(_same_word, form, words[start : start + len(form)]))
        for form in wanted
        for start in range(len(words) - len(form) + 1)
    )


@cache
def _words_of(form: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(_folded(form)))


def _folded(text: str) -> str:
    """The text as it is compared: case, accents, the dot of an `i` and `ae` written for `ä` do not count."""
    if not text.isascii():
        letters = unicodedata.normalize("NFKD", text.casefold()).replace("ı", "i")
        text = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _DIGRAPH.sub("", text.lower())


def _same_word(wanted: str, written: str) -> bool:
    """Equal, or one slip of the finger apart (a letter more, less, other, or two exchanged) in words of five letters up."""
    if wanted == written:
        return True
    if len(wanted) < 5 or abs(len(wanted) - len(written)) > 1:
        return False
    at = next(
        (i for i, (a, b) in enumerate(zip(wanted, written, strict=False)) if a != b),
        min(len(wanted), len(written)),
    )
    rest_wanted, rest_written = wanted[at:], written[at:]
    swapped = rest_written[1:2] + rest_written[:1] + rest_written[2:]
    return (
        rest_wanted in (swapped, rest_written[1:])
        or rest_written in (rest_wanted[1:],)
        or (rest_wanted[1:] == rest_written[1:])
    )


def _closed_set(issues: tuple[Issue, ...]) -> None:
    """Two mentions of one problem are one issue, only `other` may stand for several; one kind of `other` is admission's own."""
    seen: set[tuple[Any, ...]] = set()
    for index, issue in enumerate(issues):
        if issue.type == "other" and issue.refused_proposal:
            raise _Refusal("reserved_slot", f"issues[{index}].refused_proposal", "schema")
        key = (issue.type, *_slots(issue))
        if issue.type != "other" and key in seen:
            raise _Refusal("duplicate_issue", f"issues[{index}]", "schema")
        seen.add(key)


def _overreach(proposed: ProposedIssues, session: Session) -> tuple[str, ...]:
    """The parts of the session that the model wrote down otherwise than they are. They are recorded and never used."""
    said = proposed.model_dump(exclude={"issues"}, exclude_none=True, mode="json")
    true = session.model_dump(mode="json")
    return tuple(
        name
        for name, value in said.items()
        if (sorted(value) if isinstance(value, list) else value) != true[name]
    )
