"""Checks of step 5: a row for every material claim, entailed by the evidence it links, or qualified (001 §5)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.enums import ClaimStatus
from relay_lab.contracts.evidence import Article, VerifiedRecord
from relay_lab.evaluation.checks.arrived import Apart
from relay_lab.evaluation.checks.kinds import Check, Hints, Performance, Step
from relay_lab.evaluation.checks.weakness import beyond_bound, overnamed, weak_rows
from relay_lab.evaluation.entailment import unsupported
from relay_lab.evaluation.measure import Measure


@dataclass(frozen=True)
class ExpectedLedger(Apart):
    """What was read, when, and what the ledger must make of it.

    `claims`: (issue, predicate, value) that need a supported row · `weak`: (issue, status) of which a row is needed ·
    `contradicting`: record kinds that one conflicting row links · `gaps`: (issue, code) of what could not be read ·
    `silent`: (issue, predicate) that nothing read can support.
    """

    records: tuple[VerifiedRecord, ...]
    now: datetime
    claims: tuple[tuple[str, str, Scalar], ...] = ()
    weak: tuple[tuple[str, ClaimStatus], ...] = ()
    contradicting: tuple[str, ...] = ()
    gaps: tuple[tuple[str, str], ...] = ()
    silent: tuple[tuple[str, str], ...] = ()


def _entailed(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    records = {record.evidence_id: record for record in seen.expected.records}
    for row in seen.returned.rows:
        yield from unsupported(row, records, seen.expected.now)


def _complete(seen: Performance) -> Iterator[str]:
    rows = {
        (row.issue_id, row.claim.predicate, row.claim.value)
        for row in seen.returned.rows
        if row.status is ClaimStatus.SUPPORTED
    }
    for issue_id, predicate, value in seen.expected.claims:
        if (issue_id, predicate, value) not in rows:
            yield f"{issue_id} has no supported row that says {predicate} {value}"
    ids = [row.claim_id for row in seen.returned.rows]
    if len(set(ids)) != len(ids):
        yield "two rows have the same claim id"


def _idle(seen: Performance) -> Iterator[str]:
    """Who says nothing has said nothing wrong, and has shown nothing either."""
    if not seen.returned.rows:
        yield "the ledger has no row"
    read = {record.evidence_id for record in seen.expected.records}
    if read and not any(read & set(row.evidence_ids) for row in seen.returned.rows):
        yield "no row links a record that was read"


def _silent(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    for row in seen.returned.rows:
        claim = row.claim
        if (row.issue_id, claim.predicate) in seen.expected.silent and row.status is ClaimStatus.SUPPORTED:
            yield f"{row.claim_id} says {claim.predicate} {claim.value}, and nothing that was read says so"


def _gaps(seen: Performance) -> Iterator[str]:
    named = {(row.issue_id, row.qualifier) for row in weak_rows(seen)}
    for issue_id, code in seen.expected.gaps:
        if (issue_id, code) not in named:
            yield f"{issue_id}: a required record could not be read ({code}), and no row says so"
    yield from overnamed(seen)


def _status(seen: Performance) -> Iterator[str]:
    found = {(row.issue_id, row.status) for row in seen.returned.rows}
    for issue_id, status in seen.expected.weak:
        if (issue_id, status) not in found:
            yield f"no row of {issue_id} is {status}"
        for row in weak_rows(seen):
            of_gap = row.issue_id == issue_id and (issue_id, row.qualifier) in seen.expected.gaps
            if of_gap and row.status is not status:
                yield f"{row.claim_id} is {row.status}, and {row.qualifier} makes it {status}"
    yield from overnamed(seen)


def _outdated(seen: Performance) -> Iterator[str]:
    old = beyond_bound(seen)
    for row in seen.returned.rows:
        if row.status is ClaimStatus.SUPPORTED and old & set(row.evidence_ids):
            yield f"{row.claim_id} is supported by {', '.join(sorted(old & set(row.evidence_ids)))}, beyond its bound"


def _contradiction(seen: Performance) -> Iterator[str]:
    kinds = {record.evidence_id: record.value.kind for record in seen.expected.records}
    rows = [row for row in seen.returned.rows if row.status is ClaimStatus.CONFLICTING]
    if not rows:
        yield "no row is conflicting, and two records contradict each other"
    elif not any(
        {kinds.get(eid) for eid in row.evidence_ids} >= set(seen.expected.contradicting) for row in rows
    ):
        yield f"no conflicting row links {' and '.join(seen.expected.contradicting)}"
    for row in seen.returned.rows:
        parts = {kinds.get(eid) for eid in row.evidence_ids} & set(seen.expected.contradicting)
        if row.status is ClaimStatus.SUPPORTED and parts:
            yield f"{row.claim_id} is supported by one of two records that contradict each other"


def _prose(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    prose = {record.evidence_id for record in seen.expected.records if isinstance(record.value, Article)}
    for row in seen.returned.rows:
        if prose & set(row.evidence_ids):
            yield f"{row.claim_id} links {', '.join(prose & set(row.evidence_ids))}, which is prose"


def _sourced(seen: Performance) -> Iterator[str]:
    records = {record.evidence_id: record for record in seen.expected.records}
    for row in seen.returned.rows:
        times = [records[eid].source_at for eid in row.evidence_ids if eid in records]
        if times and row.source_at != min(times):
            yield f"{row.claim_id} is as old as its oldest record, {min(times).isoformat()}"
        policies = [eid for eid in row.evidence_ids if eid in records and "policy" in records[eid].value.kind]
        says = row.status is ClaimStatus.SUPPORTED and bool(policies)
        if says and row.policy_version not in policies:
            yield f"{row.claim_id} follows from {policies[0]} and does not name it as its policy version"


def _why(seen: Performance) -> Iterator[str]:
    yield from _idle(seen)
    yield from overnamed(seen)
    for row in weak_rows(seen):
        if row.qualifier is None:
            yield f"{row.claim_id} is {row.status} and gives no reason"
    for row in seen.returned.rows:
        if row.status is ClaimStatus.SUPPORTED and row.qualifier is not None:
            yield f"{row.claim_id} is supported and is qualified all the same"


_SETTLED = ("plain", "picked", "returned", "separate", "incident")
_ALL = (
    *_SETTLED, "conflict", "stale", "unauthorized", "timeout", "no_incident_report",
    "unreconciled", "prose",
)  # fmt: skip

CHECKS = (
    Check(
        "every_row_follows_from_its_evidence", Step.BUILD_LEDGER, Measure.CLAIMS, _SETTLED, 1,
        Hints(
            "Could somebody else work out the value from the records you link?",
            "Take one row, read only its linked records, and see what they say.",
            "evidence_ids holds every record that the value needs: for a count of charges, all of them.",
        ),
        _entailed,
    ),
    Check(
        "every_material_claim_has_a_row", Step.BUILD_LEDGER, Measure.CLAIMS, _SETTLED, 1,
        Hints(
            "What will the reply want to say?",
            "Go through charges, reconciliation, policy, plan, entitlement, enrolment, incidents, renewal.",
            "One LedgerRow for each, with the issue's id and a claim id of its own.",
        ),
        _complete,
    ),
    Check(
        "silence_proves_nothing", Step.BUILD_LEDGER, Measure.CLAIMS,
        ("timeout", "no_incident_report", "unauthorized"), 1,
        Hints(
            "What does a read that failed tell you about the account?",
            "A timeout is not evidence of the opposite: not of no duplicate, and not of no incident.",
            "Without the record there is no supported row on what it would have said.",
        ),
        _silent,
    ),
    Check(
        "every_missing_record_has_a_row", Step.BUILD_LEDGER, Measure.EVIDENCE,
        ("timeout", "no_incident_report", "unauthorized"), 1,
        Hints(
            "How does routing learn that something is missing?",
            "Look at retrieval.missing.",
            "One row for each entry, not supported, with its code as the qualifier.",
        ),
        _gaps,
    ),
    Check(
        "a_missing_scope_is_unauthorized", Step.BUILD_LEDGER, Measure.SCOPES, ("unauthorized",), 1,
        Hints(
            "Is not being allowed the same as not having found?",
            "Look at the code of the missing record.",
            "scope_missing and assurance_too_low: status unauthorized. Other codes: unsupported.",
        ),
        _status,
    ),
    Check(
        "an_old_record_makes_a_stale_row", Step.BUILD_LEDGER, Measure.CLAIMS, ("stale",), 1,
        Hints(
            "How long does a source stand by what it said?",
            "Compare now - source_at with fresh_for_s, for each linked record.",
            "One record beyond its bound: the row is stale, whatever it says.",
        ),
        lambda seen: [*_status(seen), *_outdated(seen)],
    ),
    Check(
        "a_contradiction_is_conflicting", Step.BUILD_LEDGER, Measure.CLAIMS, ("conflict",), 1,
        Hints(
            "Two records disagree: which one is right?",
            "The plan map and the entitlement record say different things on the feature.",
            "The rows on that feature are conflicting and link both records; neither wins.",
        ),
        _contradiction,
    ),
    Check(
        "equal_amounts_prove_no_duplicate", Step.BUILD_LEDGER, Measure.CLAIMS, ("unreconciled",), 1,
        Hints(
            "Who finds that a charge was one too many?",
            "There are two equal charges and no reconciliation record.",
            "A row on excess_captures that is unsupported; no supported row that there is, or is no, duplicate.",
        ),
        lambda seen: [*_silent(seen), *_status(seen)],
    ),
    Check(
        "prose_supports_no_claim", Step.BUILD_LEDGER, Measure.CLAIMS, ("prose",), 1,
        Hints(
            "What kind of record is an article?",
            "Among the records is one of kind article that says much.",
            "No row links an article.",
        ),
        _prose,
    ),
    Check(
        "every_row_says_when_why_and_under_which_policy", Step.BUILD_LEDGER, Measure.CLAIMS, _ALL, 1,
        Hints(
            "How old is a claim that rests on two records?",
            "source_at is the oldest source time; a claim that follows from a policy names its version.",
            "A qualifier exactly when the row is not supported.",
        ),
        lambda seen: [*_sourced(seen), *_why(seen)],
    ),
)  # fmt: skip
"""The checks of `build_ledger`."""
