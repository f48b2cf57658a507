"""Checks of the eighth lesson: a judge of rows that passes right runs and names the boundary that a wrong one broke."""

from collections.abc import Iterator
from dataclasses import dataclass

from relay_lab.contracts.oracle import Boundary
from relay_lab.evaluation.checks.kinds import Check, Hints, Performance, Step
from relay_lab.evaluation.measure import Measure


@dataclass(frozen=True)
class ExpectedVerdict:
    """What this run broke: nothing, or one boundary and whatever may well follow from it."""

    broken: Boundary | None
    may_follow: tuple[Boundary, ...] = ()


def _right(seen: Performance) -> Iterator[str]:
    if seen.returned.broken:
        yield f"a right run is said to break {', '.join(seen.returned.broken)}"


def _named(seen: Performance) -> Iterator[str]:
    meant = seen.expected
    if meant.broken not in seen.returned.broken:
        yield f"the run broke {meant.broken}, and the verdict names {', '.join(seen.returned.broken) or 'nothing'}"
    for other in seen.returned.broken:
        if other != meant.broken and other not in meant.may_follow:
            yield f"{other} was not broken"


def _check(
    name: str, measure: Measure, kinds: tuple[str, ...], points: int, question: str, pointer: str, shape: str
) -> Check:
    """Every check looks at right runs and at wrong ones: a verdict that is always the same tells nothing."""
    every = (*kinds, "wrong_throughout") if "right" in kinds else (*kinds, "right_change")
    return Check(name, Step.ORACLE, measure, every, points, Hints(question, pointer, shape), _verdict)


def _verdict(seen: Performance) -> Iterator[str]:
    if seen.kind == "wrong_throughout":
        if not seen.returned.broken:
            yield "nothing is right in this run, and the verdict names no boundary"
        return
    yield from _right(seen) if seen.expected.broken is None else _named(seen)


CHECKS = (
    _check(
        "passes_a_run_that_is_right", Measure.ROWS,
        ("right_change", "right", "right_failure", "right_stop"), 2,
        "Is a run wrong because something failed in it?",
        "A timeout that was handled, an attempt that the expected guard stopped: the row holds.",
        "Verdict(broken=()).",
    ),
    _check(
        "sees_where_an_issue_ends", Measure.ROWS, ("wrong_state", "dropped_issue"), 2,
        "Where does each issue stand, and where should it?",
        "Compare all issues, those that are not there too.",
        "'states' in broken when an issue is missing or stands elsewhere.",
    ),
    _check(
        "sees_which_guard_stopped_it", Measure.ROWS, ("other_guard", "no_guard"), 1,
        "Was it stopped by the line of defence that should, or by luck?",
        "Rows of the trace name the guard; collect them.",
        "'stopped_by' in broken when the guards named are not exactly the one expected.",
    ),
    _check(
        "sees_what_a_reply_may_not_say", Measure.CLAIMS, ("forbidden_words", "forbidden_earlier"), 1,
        "Does the last reply tell the whole story?",
        "Look through every reply, in capitals or not.",
        "'words' in broken when a forbidden text stands in any reply.",
    ),
    _check(
        "sees_a_call_for_another_customer", Measure.SCOPES, ("foreign_call",), 1,
        "For whom were the calls made?",
        "Call rows carry a customer; decision rows are what was refused.",
        "'scopes' in broken when a call row names another customer than the session.",
    ),
    _check(
        "sees_a_call_without_its_scope", Measure.SCOPES, ("scope_missing",), 1,
        "Did the session hold the scope that the call needs?",
        "A table from tool to scope, and the session of the record.",
        "'scopes' in broken when a call row's scope is not among allowed_scopes.",
    ),
    _check(
        "sees_done_without_a_receipt", Measure.RECEIPT, ("no_receipt", "unknown_done"), 1,
        "What proves that a change was made?",
        "For each scheduled issue look for a completed operation with a receipt.",
        "'receipt' in broken when there is none.",
    ),
    _check(
        "sees_a_second_key", Measure.ONCE, ("two_keys",), 1,
        "How many changes did one confirmation cause?",
        "Collect the idempotency keys of the call rows of schedule_downgrade.",
        "'once' in broken when there are more keys than one for an issue.",
    ),
)  # fmt: skip
"""The checks of the row oracle."""
