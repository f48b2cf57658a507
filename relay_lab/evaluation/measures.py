"""The seven measures of 001's exit check: pure functions of run records, trace passages and expected values."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.enums import Assurance, ClaimStatus, IssueState, OperationState
from relay_lab.contracts.issues import Issue
from relay_lab.contracts.record import RunRecord
from relay_lab.evaluation.entailment import unsupported
from relay_lab.evaluation.measure import Measure
from relay_lab.evaluation.needed import needed
from relay_lab.evaluation.observed import Observed
from relay_lab.evaluation.sentences import overstated
from relay_lab.evaluation.standing_claims import is_standing, unfounded


@dataclass(frozen=True)
class WantedIssue:
    """One issue that the message holds: type, slots, and words that its span must overlap."""

    type: str
    slots: dict[str, Scalar]
    words: str


@dataclass(frozen=True)
class MeasuredRun:
    """One conversation: its record after every turn, what else it left behind, and what should come of it.

    `records` is never empty; `tickets` were open after each of its turns. `changes` that should have been made in all.
    """

    name: str
    records: tuple[RunRecord, ...]
    tickets: tuple[int, ...]
    seen: Observed
    wanted: tuple[WantedIssue, ...]
    changes: int


@dataclass(frozen=True)
class RowVerdict:
    """How one row of the failure matrix came out."""

    id: str
    passed: bool
    failures: tuple[str, ...] = ()


@dataclass(frozen=True)
class MeasureResult:
    """One measure: `value` of `target`, which for the two that count breaches is zero; `failures` in words."""

    name: Measure
    value: int
    target: int
    passed: bool
    failures: tuple[str, ...]
    detail: str = ""


Tally = tuple[int, int, list[str]]
"""Value, target, failures."""

SEVEN = ("F1", "F2", "F3", "F4", "F5", "F6", "F7")
"""The rows of 001's own matrix; ours carry a letter behind the number where one of them has several forms."""


def measure(runs: tuple[MeasuredRun, ...], rows: tuple[RowVerdict, ...]) -> tuple[MeasureResult, ...]:
    """All seven measures over some conversations and the rows of the matrix, in the order of the specification."""
    counted: tuple[tuple[Measure, Callable[[MeasuredRun], Tally]], ...] = (
        (Measure.DECOMPOSITION, decomposition),
        (Measure.EVIDENCE, evidence),
        (Measure.CLAIMS, claims),
        (Measure.SCOPES, scopes),
        (Measure.ONCE, once),
        (Measure.RECEIPT, receipt),
    )
    return (*(_summed(name, of, runs) for name, of in counted), _rows(rows))


def _summed(
    name: Measure, of: Callable[[MeasuredRun], Tally], runs: tuple[MeasuredRun, ...]
) -> MeasureResult:
    tallies = [(run.name, *of(run)) for run in runs]
    failures = tuple(f"{run}: {words}" for run, _, _, found in tallies for words in found)
    return MeasureResult(
        name=name,
        value=sum(value for _, value, _, _ in tallies),
        target=sum(target for _, _, target, _ in tallies),
        passed=not failures,
        failures=failures,
        detail=f"{len(runs)} conversations",
    )


def _rows(rows: tuple[RowVerdict, ...]) -> MeasureResult:
    passed = sum(row.passed for row in rows)
    seven = {name: [row.passed for row in rows if _of_the_seven(row.id) == name] for name in SEVEN}
    held = sum(bool(found) and all(found) for found in seven.values())
    failures = [
        f"{row.id}: {row.failures[0] if row.failures else 'did not hold'}" for row in rows if not row.passed
    ]
    failures += [f"{name} was not run" for name, found in seven.items() if not found]
    return MeasureResult(
        name=Measure.ROWS,
        value=passed,
        target=len(rows),
        passed=not failures,
        failures=tuple(failures),
        detail=f"F1 to F7: {held} of {len(SEVEN)}; all rows: {passed} of {len(rows)}",
    )


def _of_the_seven(row_id: str) -> str:
    """`F5a` belongs to F5; `F26a` to none of the seven."""
    return row_id.rstrip("abcdefghijklmnopqrstuvwxyz")


def decomposition(run: MeasuredRun) -> Tally:
    """Every issue of the message, with its slots, in order, on words that stand there; and no other issue."""
    message, found = run.seen.message, [view.issue for view in run.records[0].issues]
    failures = []
    right = 0
    for number, wanted in enumerate(run.wanted, start=1):
        issue = next((each for each in found if each.id == f"I{number}"), None)
        wrong = list(_issue(issue, wanted, message)) if issue else [f"I{number}, a {wanted.type}, is missing"]
        right += not wrong
        failures += wrong
    failures += [f"{each.id}, a {each.type}, was not asked for" for each in found[len(run.wanted) :]]
    return right, len(run.wanted), failures


def _issue(issue: Issue, wanted: WantedIssue, message: str) -> Iterator[str]:
    if issue.type != wanted.type:
        yield f"{issue.id} is a {issue.type}, not a {wanted.type}"
        return
    slots = issue.model_dump(mode="json")
    for name, value in wanted.slots.items():
        if slots.get(name) != value:
            yield f"{name} of {issue.id} is {slots.get(name)!r}, not {value!r}"
    start, end = issue.span.start, issue.span.end
    at = message.find(wanted.words)
    if message[start:end] != issue.span.text:
        yield f"the span of {issue.id} is not in the message"
    elif end <= at or at + len(wanted.words) <= start:
        yield f"{issue.id} rests on {issue.span.text!r}, and not on {wanted.words!r}"


def evidence(run: MeasuredRun) -> Tally:
    """Every record that an issue needs was read, or a row of the issue names it as missing."""
    last, wanted, failures = run.records[-1], 0, []
    if last.session.session_assurance is Assurance.NONE:
        return 0, 0, []
    read = {each.value.kind for each in last.evidence}
    for view in last.issues:
        named = {
            row.claim.predicate
            for row in last.ledger.of(view.issue.id)
            if row.status is not ClaimStatus.SUPPORTED
        }
        for kinds in needed(view.issue, last):
            wanted += 1
            if not read & set(kinds) and f"{kinds[0]}_read" not in named:
                failures.append(f"{view.issue.id} needs {kinds[0]}: it was neither read nor named as missing")
    return wanted - len(failures), wanted, failures


def claims(run: MeasuredRun) -> Tally:
    """Every row is entailed by what it links, and every sentence of every reply says no more than its rows."""
    judged, failures = 0, []
    made_at: dict[str, datetime] = {}
    for record, tickets in zip(run.records, run.tickets, strict=True):
        records = {each.evidence_id: each for each in record.evidence}
        for row in record.ledger.rows:
            judged += 1
            at = made_at.setdefault(
                row.model_dump_json(), record.at
            )  # a row that stays was judged when it was made
            wrong = unfounded(row, record, tickets) if is_standing(row) else unsupported(row, records, at)
            failures += [f"turn {record.turn}: {words}" for words in list(wrong)[:1]]
        for sentence in record.replies[-1].sentences:
            judged += 1
            failures += [f"turn {record.turn}: {words}" for words in list(overstated(sentence, record))[:1]]
    return judged - len(failures), judged, failures


def scopes(run: MeasuredRun) -> Tally:
    """Nothing was read or written beyond the customer and the scopes of the session."""
    failures = list(run.seen.unauthorized)
    return len(failures), 0, failures


def once(run: MeasuredRun) -> Tally:
    """The changes that were confirmed, each made once, however often it was delivered."""
    failures = []
    if run.seen.mutations != run.changes:
        made = "1 change was" if run.seen.mutations == 1 else f"{run.seen.mutations} changes were"
        failures.append(f"{made} made, not {run.changes}")
    calls = (row for row in run.seen.trace if row.kind == "call" and row.tool == "schedule_downgrade")
    keys = {row.idempotency_key for row in calls}
    if len(keys) > run.changes:
        failures.append(f"{len(keys)} keys were used for {run.changes} changes")
    if len(set(run.seen.answers)) > 1:
        failures.append(f"{len(run.seen.answers)} deliveries of one change got different answers")
    return run.seen.mutations, run.changes, failures


def receipt(run: MeasuredRun) -> Tally:
    """No issue and no sentence is called done before the system of record has said so."""
    failures = list(run.seen.called_done)
    for record, tickets in zip(run.records, run.tickets, strict=True):
        done = {
            operation.subject_id
            for operation in record.operations
            if operation.state is OperationState.COMPLETED and operation.receipt
        }
        handed_off = [view.issue.id for view in record.issues if view.state is IssueState.HANDED_OFF]
        for view in record.issues:
            if view.state is IssueState.SCHEDULED and view.issue.id not in done:
                failures.append(f"turn {record.turn}: {view.issue.id} is scheduled, and there is no receipt")
        if len(handed_off) > tickets:
            failures.append(
                f"turn {record.turn}: {', '.join(handed_off)} handed off, and {tickets} tickets are open"
            )
    return len(failures), 0, failures
