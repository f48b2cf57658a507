"""Checks of step 2: a model's reading is a proposal, and a message's every issue is admitted or all are refused (001 §2)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.issues import AdmittedIssues, Issue, Rejected
from relay_lab.evaluation.checks.kinds import Check, Hints, Judge, Performance, Step
from relay_lab.evaluation.measure import Measure
from relay_lab.evaluation.measures import WantedIssue


@dataclass(frozen=True)
class ExpectedAdmission:
    """The issues in order of first mention; what must not be admitted; where the fault is; what the model overstated."""

    message: str
    issues: tuple[WantedIssue, ...]
    fault_at: int | None = None
    overreach: tuple[str, ...] = ()


def _admitted(seen: Performance) -> Iterator[str]:
    if not isinstance(seen.returned, AdmittedIssues):
        yield f"the whole proposal was refused ({seen.returned.code}), and it is right"
        return
    wanted = [(issue.type, issue.words) for issue in seen.expected.issues]
    got = {(issue.type, issue.span.text): issue for issue in seen.returned.issues}
    for issue in seen.expected.issues:
        found = got.pop((issue.type, issue.words), None)
        if found is None:
            yield f"the {issue.type} on {issue.words!r} is not among the issues"
            continue
        for name, value in issue.slots.items():
            if _slot(found, name) != value:
                yield f"{name} of the {issue.type} is {_slot(found, name)!r}, not {value!r}"
        if seen.expected.message[found.span.start : found.span.end] != issue.words:
            yield f"the offsets of the {issue.type} do not point at its words"
    for kind, words in got:
        if (kind, words) not in wanted:
            yield f"a {kind} on {words!r} was added"


def _numbered(seen: Performance) -> Iterator[str]:
    if isinstance(seen.returned, Rejected):
        yield "the whole proposal was refused, and only its order was odd"
        return
    got = [(issue.id, issue.span.text) for issue in seen.returned.issues]
    meant = [(f"I{n}", issue.words) for n, issue in enumerate(seen.expected.issues, start=1)]
    if got != meant:
        yield f"the issues are numbered {[name for name, _ in got]} in another order than their first mention"


def _taken(seen: Performance) -> Iterator[str]:
    """A right proposal beside the wrong ones: its issues are admitted, whatever their slots. Who refuses all is not safe."""
    if isinstance(seen.returned, Rejected):
        yield f"the whole proposal was refused ({seen.returned.code}), and it is right"
        return
    got = sorted((issue.type, issue.span.text) for issue in seen.returned.issues)
    if got != sorted((issue.type, issue.words) for issue in seen.expected.issues):
        yield "the proposal is right, and other issues than its own were admitted"


def _beside(judge: Judge, *right: str) -> Judge:
    """The judge of wrong proposals, and of the right ones of these kinds that they are taken."""
    return lambda seen: _taken(seen) if seen.kind in right else judge(seen)


def _quotes(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    for issue in _issues(seen):
        span = issue.span
        if seen.expected.message[span.start : span.end] != span.text:
            yield f"{issue.id} cites {span.text!r}, which does not stand at {span.start} of the message"


def _ungrounded(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    for issue in _issues(seen):
        plan = getattr(issue, "target_plan", None)
        if plan is not None and plan not in seen.expected.message.casefold():
            yield f"{issue.id} asks for {plan}, a plan that the message never names"


def _refused(seen: Performance) -> Iterator[str]:
    if isinstance(seen.returned, AdmittedIssues):
        yield f"{len(seen.returned.issues)} issues were admitted from a proposal that must be refused whole"


def _placed(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    got, at = seen.returned, seen.expected.fault_at
    if isinstance(got, Rejected) and set(_INDEX.findall(got.place)) != {str(at)}:
        yield f"the fault is in issues[{at}], and the place given is {got.place!r}"


def _overreach(seen: Performance) -> Iterator[str]:
    if isinstance(seen.returned, Rejected):
        yield "the whole proposal was refused, though its issues are right"
        return
    yield from _taken(seen)
    if set(seen.returned.overreach) != set(seen.expected.overreach):
        yield f"overreach is {list(seen.returned.overreach)}, not {list(seen.expected.overreach)}"


def _once(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    kinds = [(issue.type, issue.model_dump_json(exclude={"id", "span"})) for issue in _issues(seen)]
    for kind, slots in {pair for pair in kinds if kinds.count(pair) > 1}:
        yield f"one {kind} became {kinds.count((kind, slots))} issues"


_INDEX = re.compile(r"issues\W*([0-9]+)")
"""Of a place: which issues it names."""


def _idle(seen: Performance) -> Iterator[str]:
    """Who admits nothing has shown nothing: a message is answered with its issues or with a refusal."""
    if isinstance(seen.returned, AdmittedIssues) and not seen.returned.issues:
        yield "no issue was admitted, and nothing was refused"


def _issues(seen: Performance) -> tuple[Issue, ...]:
    return seen.returned.issues if isinstance(seen.returned, AdmittedIssues) else ()


def _slot(issue: Issue, name: str) -> Scalar:
    value: Scalar = issue.model_dump(mode="json").get(name)
    return value


CHECKS = (
    Check(
        "finds_every_issue_with_its_slots", Step.DECOMPOSE, Measure.DECOMPOSITION, ("plain", "offsets"), 1,
        Hints(
            "How many different requests does the message hold?",
            "Each issue of the model's answer is right here; compare what you admit with it, slot by slot.",
            "AdmittedIssues with one issue a request, unknown slots null, spans as in the message.",
        ),
        _admitted,
    ),
    Check(
        "numbers_issues_by_first_mention", Step.DECOMPOSE, Measure.DECOMPOSITION, ("shuffled",), 1,
        Hints(
            "Does a model list issues in the order of the message?",
            "Sort by where the span starts, then number.",
            "I1 is the issue whose words come first, whatever id the model wrote.",
        ),
        _numbered,
    ),
    Check(
        "never_admits_a_quote_that_was_not_written", Step.DECOMPOSE, Measure.DECOMPOSITION,
        ("invented_quote", "shifted_quote", "offsets"), 1,
        Hints(
            "Do the words that an issue cites stand in the message?",
            "Compare message[start:end] with the text of the span, character for character.",
            "A span that does not match is a Rejected, never an issue.",
        ),
        _beside(_quotes, "offsets"),
    ),
    Check(
        "one_bad_issue_refuses_them_all", Step.DECOMPOSE, Measure.DECOMPOSITION,
        ("invented_quote", "invented_plan", "plain"), 1,
        Hints(
            "What becomes of a request whose issue you leave out?",
            "Taking the good ones drops the bad one silently.",
            "One fault anywhere: Rejected for the whole proposal.",
        ),
        _beside(_refused, "plain"),
    ),
    Check(
        "names_the_place_of_the_fault", Step.DECOMPOSE, Measure.DECOMPOSITION, ("invented_quote", "invented_first", "plain"), 1,
        Hints(
            "Could somebody find the fault from your answer?",
            "The place is a JSON path and names the issue by its index from 0.",
            "Rejected(place='issues[1].span', …) for the second issue.",
        ),
        _beside(_placed, "plain"),
    ),
    Check(
        "never_guesses_a_plan", Step.DECOMPOSE, Measure.DECOMPOSITION, ("invented_plan", "named_plan"), 1,
        Hints(
            "Which plan did the customer name?",
            "A slot may hold a value only when one of its words stands in the message.",
            "No admitted target_plan that the message does not say.",
        ),
        _beside(_ungrounded, "named_plan"),
    ),
    Check(
        "takes_one_json_document_or_nothing", Step.DECOMPOSE, Measure.DECOMPOSITION,
        ("truncated", "empty", "prose", "duplicate_key", "not_a_number", "not_an_object", "spread_out"), 1,
        Hints(
            "What does a document with the same key twice mean?",
            "Do not repair, do not search for JSON inside of prose, do not let the last key win.",
            "Anything but exactly one strict JSON document is a Rejected.",
        ),
        _beside(_refused, "spread_out"),
    ),
    Check(
        "keeps_the_set_of_issues_closed", Step.DECOMPOSE, Measure.DECOMPOSITION,
        ("unknown_type", "extra_field", "reserved_slot", "other"), 1,
        Hints(
            "May a model invent a kind of request, or a field?",
            "Validate against the contract; one slot is admission's own to set.",
            "An unknown type, an extra field, or refused_proposal=true from a model is a Rejected.",
        ),
        _beside(_refused, "other"),
    ),
    Check(
        "two_mentions_of_one_problem_are_one_issue", Step.DECOMPOSE, Measure.DECOMPOSITION, ("twice", "plain"), 1,
        Hints(
            "Does saying it twice make it two problems?",
            "Compare type and slots of the proposed issues, not their words.",
            "Two issues with equal type and slots are never both admitted.",
        ),
        _beside(_once, "plain"),
    ),
    Check(
        "records_what_the_model_claims_of_the_session", Step.DECOMPOSE, Measure.SCOPES, ("overreach", "one_claim", "plain"), 1,
        Hints(
            "What if the model writes down another customer or wider scopes?",
            "It has no effect, and it is an attempt: compare with the session.",
            "overreach names exactly the session fields that differ; the issues are admitted.",
        ),
        _overreach,
    ),
)  # fmt: skip
"""The checks of `decompose`."""
