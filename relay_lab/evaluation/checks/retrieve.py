"""Checks of steps 3 and 4: every needed record is read or named as missing, and nothing else is read (001 §3, §4)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from relay_lab.contracts.evidence import ReadError, ReadSuccess
from relay_lab.evaluation.checks.kinds import Call, Check, Hints, Performance, Step, values
from relay_lab.evaluation.measure import Measure

ATTEMPTS, ATTEMPT_S, IN_ALL_S = 2, 5.0, 10.0
"""The bounds of 001 §4 on one read."""


@dataclass(frozen=True)
class ExpectedRetrieval:
    """What this case needs.

    `reads`: (tool, policy id or null) that must be answered · `may`: tools that may be called at all · `missing`: (issue,
    record kind, code) that must be named · `charged_at`: the charge whose policy counts · `others`: other customers' ids.
    """

    reads: tuple[tuple[str, str | None], ...]
    may: tuple[str, ...]
    missing: tuple[tuple[str, str, str], ...] = ()
    charged_at: datetime | None = None
    others: tuple[str, ...] = ()


def _read(seen: Performance) -> Iterator[str]:
    kept = {record.evidence_id for record in seen.returned.records}
    for tool, policy in seen.expected.reads:
        calls = [call for call in seen.asked(tool) if call.arguments.get("policy_id") == policy]
        answers = [call.answer for call in calls if isinstance(call.answer, ReadSuccess)]
        if not answers:
            yield f"{tool}{f' ({policy})' if policy else ''} was never read"
        elif not kept >= {record.evidence_id for record in answers[-1].records}:
            yield f"not every record of {tool} was brought back"


def _policy(seen: Performance) -> Iterator[str]:
    asked = [
        str(call.arguments.get("effective_at"))
        for call in seen.asked("get_policy")
        if call.arguments.get("policy_id") == "refund"
    ]
    meant = seen.expected.charged_at
    if not asked:
        yield "the refund policy was never asked for"
    for text in asked:
        if datetime.fromisoformat(text) != meant:
            yield f"the refund policy of {text} was asked for; the charges were made at {meant.isoformat()}"


def _missing(seen: Performance) -> Iterator[str]:
    named = {(gap.issue_id, gap.record, gap.code) for gap in seen.returned.missing}
    for issue_id, kind, code in seen.expected.missing:
        if (issue_id, kind, code) not in named:
            yield f"{kind} could not be read for {issue_id} ({code}), and missing does not say so"


def _second(seen: Performance) -> Iterator[str]:
    yield from _read(seen)
    for gap in seen.returned.missing:
        yield f"{gap.record} is named as missing, and the second attempt would have brought it"


def _idle(seen: Performance) -> Iterator[str]:
    """Who asks for nothing has asked for nothing wrong, and has shown nothing either."""
    if seen.expected.may and not seen.calls:
        yield "nothing was read, and the issues need records"


def _subject(call: Call) -> tuple[str, str]:
    """What a read is about: asked for again with other instants, or with an argument that says nothing, it is the same."""
    about = {name: call.arguments.get(name) for name in ("policy_id", "feature", "query")}
    return call.tool, str(about)


def _bounded(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    for name in dict.fromkeys(map(_subject, seen.calls)):
        calls = [call for call in seen.calls if _subject(call) == name]
        if len(calls) > ATTEMPTS:
            yield f"{name[0]} was tried {len(calls)} times; {ATTEMPTS} are allowed"
        times = [call.timeout_s or 0.0 for call in calls]
        if not all(0 < each <= ATTEMPT_S for each in times) or sum(times) > IN_ALL_S:
            yield f"{name[0]} waited {times} s; {ATTEMPT_S} s an attempt and {IN_ALL_S} s in all are allowed"


def _denied_once(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    denied = [
        _subject(call)
        for call in seen.calls
        if isinstance(call.answer, ReadError) and not call.answer.retryable
    ]
    for name in {each for each in denied if denied.count(each) > 1}:
        yield f"{name[0]} was denied and asked again {denied.count(name) - 1} times"


def _nothing(seen: Performance) -> Iterator[str]:
    if seen.kind == "plain":  # the contrast: who reads nothing for anybody has not looked at the session
        yield from _idle(seen)
        return
    for call in seen.calls:
        yield f"{call.tool} was read for a session that may read nothing"


def _narrow(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    for tool in dict.fromkeys(call.tool for call in seen.calls):
        if tool not in seen.expected.may:
            yield f"{tool} was called, and no issue needs it"


def _own(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    for call in seen.calls:
        texts = [str(text).casefold() for text in values(call.arguments)]
        for other in seen.expected.others:
            if any(other.casefold() in text for text in texts):
                yield f"{call.tool} was asked for {other}"


def _as_it_came(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    got = seen.returned
    answers = [call.answer for call in seen.calls]
    if [read.model_dump_json() for read in got.reads] != [answer.model_dump_json() for answer in answers]:
        yield f"reads lists {len(got.reads)} answers; {len(answers)} came, failures included"
    real = {
        record.model_dump_json()
        for answer in answers
        if isinstance(answer, ReadSuccess)
        for record in answer.records
    }
    for record in got.records:
        if record.model_dump_json() not in real:
            yield f"{record.evidence_id} came from no read"


_READ = ("plain", "picked")
_FAILED = ("two_timeouts", "unavailable", "scope_missing")

CHECKS = (
    Check(
        "reads_every_required_record", Step.RETRIEVE, Measure.EVIDENCE, _READ, 1,
        Hints(
            "Which records does each type of issue require?",
            "Go through the required records of 001 §3 for every issue; keep all that came.",
            "records holds what each required tool answered, for all issues.",
        ),
        _read,
    ),
    Check(
        "asks_for_the_policy_in_force_at_the_charges", Step.RETRIEVE, Measure.EVIDENCE, ("plain",), 1,
        Hints(
            "Which version of a policy governs a charge?",
            "Look at effective_at of your refund policy read.",
            "effective_at is the instant of the earliest charge on the invoice in question.",
        ),
        _policy,
    ),
    Check(
        "names_what_could_not_be_read", Step.RETRIEVE, Measure.EVIDENCE, _FAILED, 1,
        Hints(
            "How will the ledger know that a record was not there to be read?",
            "A failed read brings no record; each required kind needs its own entry in missing.",
            "Missing(issue_id, record, code) for every kind that the failed tool would have brought.",
        ),
        _missing,
    ),
    Check(
        "tries_a_timeout_once_more", Step.RETRIEVE, Measure.EVIDENCE, ("one_timeout",), 1,
        Hints(
            "Is one timeout the end?",
            "A ReadError says in retryable whether another attempt makes sense.",
            "After a retryable error, one more attempt; what it brings counts.",
        ),
        _second,
    ),
    Check(
        "gives_up_after_two_attempts_and_ten_seconds", Step.RETRIEVE, Measure.EVIDENCE,
        ("two_timeouts", "unavailable"), 1,
        Hints(
            "How long may a customer wait for a system that does not answer?",
            "Count the attempts of one read, and add up their timeouts.",
            "Two attempts of at most 5 s each, 10 s in all.",
        ),
        _bounded,
    ),
    Check(
        "never_repeats_what_was_denied", Step.RETRIEVE, Measure.SCOPES, ("scope_missing",), 1,
        Hints(
            "Will asking again give you a right that you do not have?",
            "A denial is not retryable.",
            "One attempt, one error, one entry in missing.",
        ),
        _denied_once,
    ),
    Check(
        "reads_nothing_without_a_verified_session", Step.RETRIEVE, Measure.SCOPES, ("nobody", "plain"), 1,
        Hints(
            "What does authentication say about reading?",
            "Look at may_read before the first call.",
            "may_read false: no call at all.",
        ),
        _nothing,
    ),
    Check(
        "reads_only_what_the_issues_require", Step.RETRIEVE, Measure.SCOPES, ("one_issue", "a_person"), 1,
        Hints(
            "Which of these records does this issue need?",
            "One issue alone, or a customer who only asks for a person, needs few records or none.",
            "Tools are called for the types of the issues given, and prose for none.",
        ),
        _narrow,
    ),
    Check(
        "never_reads_another_customer", Step.RETRIEVE, Measure.SCOPES, ("foreign_id",), 1,
        Hints(
            "Where does the customer of a read come from?",
            "The tools know the session; no argument names a customer.",
            "No foreign id in any argument of any call.",
        ),
        _own,
    ),
    Check(
        "keeps_every_answer_as_it_came", Step.RETRIEVE, Measure.CLAIMS,
        (*_READ, *_FAILED, "one_timeout"), 1,
        Hints(
            "Would a judge see from your retrieval what really happened?",
            "Errors are observations and belong into reads; a record that nobody sent belongs nowhere.",
            "reads: every answer in order. records: only what a success brought.",
        ),
        _as_it_came,
    ),
)  # fmt: skip
"""The checks of `retrieve`."""
