"""Admission: a model's text becomes admitted issues, or is refused whole with a code and a place."""

import json
from typing import Any

import pytest
from core.desk import context
from core.proposals import CHANGE, CHARGED, GANTT, MESSAGE, WORDS, admit, answer, issue
from hypothesis import given
from hypothesis import strategies as st

from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.issues import Admission, AdmittedIssues, Rejected
from relay_lab.core.admission import admit_issues
from relay_lab.core.guards import STANDING


def refusal(text: str, message: str = MESSAGE) -> tuple[str, str, str]:
    admission = admit(text, message)
    assert isinstance(admission, Rejected), admission
    return admission.code, admission.place, admission.guard


def numbered(admission: Admission) -> list[tuple[str, str]]:
    assert isinstance(admission, AdmittedIssues), admission
    return [(each.id, each.type) for each in admission.issues]


def test_a_proposal_that_the_message_bears_out_is_admitted() -> None:
    admission = admit(answer(CHANGE, CHARGED, GANTT))
    assert numbered(admission) == [
        ("I1", "subscription_change"),
        ("I2", "billing_duplicate"),
        ("I3", "feature_access"),
    ]
    assert isinstance(admission, AdmittedIssues)
    assert admission.issues[0].span.text == "Put us on the solo plan"
    assert admission.overreach == ()


DEEP = "[" * 100_000
NOT_JSON = [
    ("nothing", "", "empty", "$"),
    ("blanks", " \n\t ", "empty", "$"),
    ("an answer without end", answer(CHANGE).ljust(200_001), "too_long", "$"),
    ("an object that is cut off", '{"issues": [', "truncated", "character 12"),
    ("a string that is cut off", '{"issues": [{"type": "oth', "truncated", "character 21"),
    ("prose", "Sure, here you are.", "not_json", "character 0"),
    ("prose before", f"Sure: {answer(CHANGE)}", "not_json", "character 0"),
    ("prose after", f"{answer()} Done.", "not_json", "character 15"),
    ("a fence", f"```json\n{answer(CHANGE)}\n```", "not_json", "character 0"),
    ("two documents", answer() + answer(), "not_json", "character 14"),
    ("not a number", '{"issues": NaN}', "not_json", "NaN"),
    ("infinity", '{"issues": -Infinity}', "not_json", "-Infinity"),
    ("a number of 5,000 digits", f'{{"issues": {"9" * 5_000}}}', "not_json", "$"),
    ("brackets beyond any depth", DEEP + DEEP.replace("[", "]"), "too_deep", "$"),
    ("a key twice", '{"issues": [], "issues": [{}]}', "duplicate_key", "issues"),
    (
        "a key twice in an issue",
        '{"issues": [{"type": "other", "type": "human_request"}]}',
        "duplicate_key",
        "type",
    ),
    ("a key twice in a span", '{"issues": [{"span": {"text": "a", "text": "b"}}]}', "duplicate_key", "text"),
    ("a key twice in what is extra", '{"x": {"y": [{"z": 1, "z": 1}]}}', "duplicate_key", "z"),
]


@pytest.mark.parametrize(
    ("text", "code", "place"), [row[1:] for row in NOT_JSON], ids=[row[0] for row in NOT_JSON]
)
def test_what_is_not_one_json_document_is_refused_by_strict_json(text: str, code: str, place: str) -> None:
    assert refusal(text) == (code, place, "strict_json")


def test_an_answer_as_long_as_the_limit_is_still_read() -> None:
    assert numbered(admit(answer(CHANGE).ljust(200_000))) == [("I1", "subscription_change")]


@pytest.mark.parametrize("cut", range(1, len(answer(CHANGE, CHARGED)), 7))
def test_no_prefix_of_a_proposal_is_admitted(cut: int) -> None:
    code, _, guard = refusal(answer(CHANGE, CHARGED)[:cut])
    assert (code in ("truncated", "not_json"), guard) == (True, "strict_json")


SCHEMA = [
    ("a list", "[]", "$"),
    ("a number", "7", "$"),
    ("no issues", "{}", "issues"),
    ("issues that are none", '{"issues": {}}', "issues"),
    ("an issue that is none", answer("solo"), "issues.0"),
    ("a type that there is not", answer(issue("praise", "solo")), "issues.0"),
    (
        "a plan that there is not",
        answer(issue("subscription_change", "solo", target_plan="solo")),
        "issues.0.subscription_change.target_plan",
    ),
    ("a slot that there is not", answer(issue("other", "solo", mood="angry")), "issues.0.other.mood"),
    ("a field that there is not", answer(CHANGE, approved=True), "approved"),
    (
        "text where a truth value belongs",
        answer(issue("other", "solo", about_account="yes")),
        "issues.0.other.about_account",
    ),
    ("no span", answer({"type": "other"}), "issues.0.other.span"),
    ("a span that is text", answer({"type": "other", "span": "solo"}), "issues.0.other.span"),
    ("a span before the message", answer(issue("other", "solo", start=-1)), "issues.0.other.span.start"),
    ("a span of nothing", answer({"type": "other", "span": {"text": ""}}), "issues.0.other.span.end"),
    ("a span of a number", answer({"type": "other", "span": {"text": 5}}), "issues.0.other.span.start"),
    ("half a character", '{"issues": [], "\\ud800": 1}', "$"),
    (
        "needs_clarification denied",
        answer(issue("subscription_change", "solo", needs_clarification=False)),
        "issues.0.subscription_change",
    ),
    ("21 issues", answer(*[issue("other", "solo")] * 21), "issues"),
]


@pytest.mark.parametrize(("text", "place"), [row[1:] for row in SCHEMA], ids=[row[0] for row in SCHEMA])
def test_what_is_outside_the_schema_is_refused_with_its_place(text: str, place: str) -> None:
    assert refusal(text) == ("schema", place, "schema")


def test_twenty_issues_are_not_too_many() -> None:
    assert len(numbered(admit(answer(*[issue("other", "solo")] * 20)))) == 20


LATE = MESSAGE.find("refund")
SPANS = [
    ("words that were never written", issue("other", "Cancel it all", start=0), "span_not_in_message"),
    ("the same in other letters", issue("other", "PUT US", start=0), "span_not_in_message"),
    ("words from elsewhere", issue("other", "refund", start=LATE - 1), "span_mismatch"),
    ("blanks", issue("other", " ", start=MESSAGE.find(" ")), "span_mismatch"),
    (
        "an end beyond the message",
        {"type": "other", "span": {"text": MESSAGE, "start": 0, "end": 9_999}},
        "span_mismatch",
    ),
    (
        "an end before the start",
        {"type": "other", "span": {"text": "refund", "start": 50, "end": 9}},
        "span_mismatch",
    ),
]


@pytest.mark.parametrize(("bad", "code"), [row[1:] for row in SPANS], ids=[row[0] for row in SPANS])
def test_a_span_that_is_not_the_message_refuses_everything(bad: dict[str, Any], code: str) -> None:
    assert refusal(answer(CHANGE, bad)) == (code, "issues[1].span", "grounding")


def test_a_span_that_came_as_text_alone_is_located() -> None:
    admission = admit(answer({"type": "other", "span": {"text": "No gantt"}}))
    assert isinstance(admission, AdmittedIssues)
    span = admission.issues[0].span
    assert (span.start, MESSAGE[span.start : span.end]) == (MESSAGE.find("No gantt"), "No gantt")


def test_a_span_as_text_that_was_never_written_is_not_located() -> None:
    bad = {"type": "other", "span": {"text": "Cancel it all"}}
    assert refusal(answer(CHANGE, bad)) == ("span_not_in_message", "issues[1].span.text", "grounding")


UNGROUNDED = [
    (issue("subscription_change", "solo", target_plan="team"), "target_plan"),
    (issue("subscription_change", "solo", target_plan="business"), "target_plan"),
    (issue("feature_access", "gantt", feature="api_access"), "feature"),
]


@pytest.mark.parametrize(("bad", "slot"), UNGROUNDED)
def test_a_slot_that_the_message_does_not_say_refuses_everything(bad: dict[str, Any], slot: str) -> None:
    assert refusal(answer(CHARGED, bad)) == ("ungrounded_slot", f"issues[1].{slot}", "grounding")


@pytest.mark.parametrize(
    "change", [{"deadline": "before_renewal"}, {"refund_requested": True}], ids=["deadline", "refund"]
)
def test_a_wish_is_not_read_into_a_message_without_it(change: dict[str, Any]) -> None:
    kind = "subscription_change" if "deadline" in change else "billing_duplicate"
    bad = {"type": kind, "span": {"text": "cheaper"}, **change}
    assert refusal(answer(bad), "something cheaper") == (
        "ungrounded_slot",
        f"issues[0].{next(iter(change))}",
        "grounding",
    )


def test_what_is_null_needs_no_ground() -> None:
    quiet = {"type": "subscription_change", "span": {"text": "cheaper"}, "target_plan": None}
    assert numbered(admit(answer(quiet), "something cheaper")) == [("I1", "subscription_change")]


def test_the_slot_that_admission_keeps_for_itself_is_refused() -> None:
    bad = issue("other", "solo", refused_proposal=True)
    assert refusal(answer(CHANGE, bad)) == ("reserved_slot", "issues[1].refused_proposal", "schema")


def test_two_mentions_of_one_problem_are_refused_as_two_issues() -> None:
    again = issue("feature_access", "gantt", feature="gantt_chart")
    assert refusal(answer(GANTT, CHANGE, again)) == ("duplicate_issue", "issues[2]", "schema")


def test_two_values_are_two_issues_and_other_may_come_twice() -> None:
    both = "no gantt, no crew, no solo"
    plans = [
        {"type": "subscription_change", "span": {"text": word}, "target_plan": plan}
        for word, plan in (("crew", "team"), ("solo", "individual"))
    ]
    others = [{"type": "other", "span": {"text": word}} for word in ("no", "gantt")]
    assert len(numbered(admit(answer(*plans, *others), both))) == 4


@pytest.mark.parametrize(
    "bad", [issue("other", "never said", start=3), issue("praise", "solo"), UNGROUNDED[0][0]]
)
@pytest.mark.parametrize("at", [0, 1, 2])
def test_one_bad_issue_refuses_all_of_them(bad: dict[str, Any], at: int) -> None:
    issues = [CHANGE, CHARGED]
    issues.insert(at, bad)
    assert isinstance(admit(answer(*issues)), Rejected)


@given(st.permutations([CHANGE, CHARGED, GANTT]))
def test_issues_are_numbered_by_first_mention_whatever_order_they_came_in(
    issues: list[dict[str, Any]],
) -> None:
    claimed = [each | {"id": f"I{9 - n}"} for n, each in enumerate(issues)]
    assert numbered(admit(answer(*claimed))) == [
        ("I1", "subscription_change"),
        ("I2", "billing_duplicate"),
        ("I3", "feature_access"),
    ]


def test_what_a_model_writes_about_the_session_is_recorded_and_changes_nothing() -> None:
    said = {
        "authenticated_customer_id": "CUST-9",
        "session_assurance": "recent_mfa",
        "tenant_id": "other",
        "allowed_scopes": ["refunds:write"],
    }
    session = context(session_assurance=Assurance.PASSWORD).session
    admission = admit_issues(MESSAGE, answer(CHANGE, **said), WORDS, session, STANDING)
    assert isinstance(admission, AdmittedIssues)
    assert admission.overreach == (
        "authenticated_customer_id",
        "session_assurance",
        "tenant_id",
        "allowed_scopes",
    )
    assert admission.model_copy(update={"overreach": ()}) == admit(answer(CHANGE))


def test_what_a_model_copies_from_the_session_is_no_overreach() -> None:
    session = context().session
    copied = session.model_dump(
        mode="json", include={"authenticated_customer_id", "tenant_id", "allowed_scopes"}
    )
    copied["allowed_scopes"].reverse()
    admission = admit_issues(MESSAGE, answer(CHANGE, **copied), WORDS, session, STANDING)
    assert isinstance(admission, AdmittedIssues)
    assert admission.overreach == ()


@pytest.mark.parametrize(
    ("key", "place"),
    [("\u202e", "?"), ("a\ud800b", "a?b"), ("\x1b[31m", "?[31m"), ("ключ", "????"), ("k" * 200, "k" * 120)],
)
def test_the_place_of_a_refusal_is_short_and_plain_whatever_the_model_wrote(key: str, place: str) -> None:
    named = json.dumps(key)
    assert refusal(f"{{{named}: 1, {named}: 2}}") == ("duplicate_key", place, "strict_json")


def test_so_is_the_place_of_a_field_that_there_is_not() -> None:
    bad = issue("other", "solo", **{"\x1b" * 200: 1})
    assert refusal(answer(bad)) == ("schema", ("issues.0.other." + "?" * 200)[:120], "schema")
