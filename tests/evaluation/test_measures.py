"""Each of the seven measures holds on the reference, and each has a broken record or trace that turns it red alone."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from relay_lab.app.measured import measured_fixture, measured_world
from relay_lab.contracts.enums import IssueState, OperationState
from relay_lab.contracts.ledger import Ledger
from relay_lab.contracts.record import Reply, RunRecord, Sentence
from relay_lab.evaluation.measure import Measure
from relay_lab.evaluation.measures import MeasuredRun, RowVerdict, WantedIssue, measure
from relay_lab.evaluation.observed import Passage

ROWS = tuple(RowVerdict(f"F{number}", True) for number in range(1, 8))


@pytest.fixture(scope="module")
def run() -> MeasuredRun:
    return measured_fixture()


def red(run: MeasuredRun, rows: tuple[RowVerdict, ...] = ROWS) -> list[Measure]:
    """The measures that do not hold."""
    return [result.name for result in measure((run,), rows) if not result.passed]


def each_record(run: MeasuredRun, change: Callable[[RunRecord], dict[str, object]]) -> MeasuredRun:
    return replace(run, records=tuple(record.model_copy(update=change(record)) for record in run.records))


def test_all_seven_hold_on_the_fixture(run):
    """Three of three issues, one change, seven of seven rows."""
    results = measure((run,), ROWS)
    assert [result.name for result in results] == list(Measure)
    assert all(result.passed for result in results), [r for r in results if not r.passed]
    assert (results[0].value, results[0].target) == (3, 3)
    assert (results[4].value, results[4].target) == (1, 1)
    assert (results[6].value, results[6].detail) == (7, "F1 to F7: 7 of 7; all rows: 7 of 7")


@pytest.mark.parametrize("seed", range(1, 9))
def test_all_hold_on_generated_worlds(seed):
    """Other customers, troubles and rights."""
    assert red(measured_world(seed)) == []


def no_reading_of_the_incidents(record: RunRecord) -> dict[str, object]:
    """Nothing was read of incidents, and nothing said of them."""
    rows = tuple(row for row in record.ledger.rows if row.claim.predicate != "active_incidents")
    gone = {row.claim_id for row in record.ledger.rows} - {row.claim_id for row in rows}
    last = record.replies[-1]
    kept = tuple(each for each in last.sentences if not gone & set(each.claim_ids))
    return {
        "ledger": Ledger(rows=rows),
        "evidence": tuple(each for each in record.evidence if each.value.kind != "incident_report"),
        "replies": (*record.replies[:-1], last.model_copy(update={"sentences": kept})),
    }


def another_amount(record: RunRecord) -> dict[str, object]:
    """A row says five cents more than its evidence."""
    rows = tuple(
        row.model_copy(update={"claim": row.claim.model_copy(update={"value": 4905})})
        if row.claim.predicate == "invoice_due_cents"
        else row
        for row in record.ledger.rows
    )
    return {"ledger": Ledger(rows=rows)}


def test_a_slot_that_is_wrong_turns_decomposition_red_alone(run):
    """The customer asked for no refund, and the record says that they did."""
    first = run.records[0]
    view = first.issues[0]
    issue = view.issue.model_copy(update={"refund_requested": True})
    records = (
        first.model_copy(update={"issues": (view.model_copy(update={"issue": issue}), *first.issues[1:])}),
        *run.records[1:],
    )
    assert red(replace(run, records=records)) == [Measure.DECOMPOSITION]


def test_an_issue_too_many_or_too_few_turns_decomposition_red_alone(run):
    """Nothing dropped, nothing invented, and every span on words of its own."""
    assert red(replace(run, wanted=run.wanted[:2])) == [Measure.DECOMPOSITION]
    more = (*run.wanted, WantedIssue("human_request", {}, "please"))
    assert red(replace(run, wanted=more)) == [Measure.DECOMPOSITION]
    moved = (replace(run.wanted[0], words=run.wanted[1].words), *run.wanted[1:])
    assert red(replace(run, wanted=moved)) == [Measure.DECOMPOSITION]


def test_a_record_neither_read_nor_named_turns_evidence_red_alone(run):
    """An incident list that nobody asked for is a gap, even when nobody speaks of it."""
    assert red(each_record(run, no_reading_of_the_incidents)) == [Measure.EVIDENCE]


def test_a_value_that_its_evidence_does_not_give_turns_claims_red_alone(run):
    """One row, five cents off."""
    assert red(each_record(run, another_amount)) == [Measure.CLAIMS]


@pytest.mark.parametrize(
    "text",
    [
        "You paid USD 51.",
        "It ends on 12 September 2026.",
        "It is on invoice INV-202608.",
        "You are on Business.",
        "You have time tracking.",
        "There were three charges.",
        "We found no duplicate.",
        "You are not eligible for a refund.",
        "There is no active incident.",
        "Your charge has been refunded before.",
    ],
)
def test_a_sentence_with_a_fact_that_it_does_not_cite_turns_claims_red_alone(run, text):
    """An amount, a date, an id, a plan, a feature, a count, a finding: each needs a row."""

    def say(record: RunRecord) -> dict[str, object]:
        last = record.replies[-1]
        more = Sentence(text=text, claim_ids=())
        said = last.model_copy(update={"sentences": (*last.sentences, more)})
        return {"replies": (*record.replies[:-1], said)}

    assert red(each_record(run, say)) == [Measure.CLAIMS]


def test_a_sentence_that_cites_a_row_that_is_not_there_turns_claims_red_alone(run):
    """A claim id is no decoration."""

    def cite(record: RunRecord) -> dict[str, object]:
        more = Reply(turn=record.turn, sentences=(Sentence(text="All is well.", claim_ids=("I1-C77",)),))
        return {"replies": (*record.replies, more)}

    assert red(each_record(run, cite)) == [Measure.CLAIMS]


def test_a_call_for_another_customer_turns_scopes_red_alone(run):
    """One call row."""
    passage = run.seen.passages[0]
    row = next(row for row in passage.rows if row.kind == "call")
    foreign = row.model_copy(update={"customer_id": "CUST-2077"})
    seen = replace(run.seen, passages=(Passage(passage.session, (*passage.rows, foreign)),))
    assert red(replace(run, seen=seen)) == [Measure.SCOPES]


def test_a_second_change_turns_once_red_alone(run):
    """Two changes of the company for one confirmation."""
    assert red(replace(run, seen=replace(run.seen, mutations=2))) == [Measure.ONCE]
    answers = (*run.seen.answers, "stopped")
    assert red(replace(run, seen=replace(run.seen, answers=answers))) == [Measure.ONCE]


def test_a_second_key_turns_once_red_alone(run):
    """A retry under a fresh key, even if nothing came of it."""
    passage = run.seen.passages[0]
    row = next(each for each in passage.rows if each.kind == "call" and each.tool == "schedule_downgrade")
    again = row.model_copy(update={"idempotency_key": f"{row.idempotency_key}-2"})
    seen = replace(run.seen, passages=(Passage(passage.session, (*passage.rows, again)),))
    assert red(replace(run, seen=seen)) == [Measure.ONCE]


def test_a_sentence_that_calls_it_done_too_early_turns_receipt_red_alone(run):
    """Said after the message, before there was anything to confirm."""
    (at, text), *rest = run.seen.replies
    early = ((at, f"{text} Your downgrade has been scheduled."), *rest)
    assert red(replace(run, seen=replace(run.seen, replies=early))) == [Measure.RECEIPT]


def test_a_scheduled_issue_without_a_receipt_turns_receipt_red(run):
    """The operation is not known to be made; what the ledger says of it falls with it."""

    def lost(record: RunRecord) -> dict[str, object]:
        unknown = {"state": OperationState.FAILED_UNKNOWN, "receipt": None}
        return {"operations": tuple(each.model_copy(update=unknown) for each in record.operations)}

    assert Measure.RECEIPT in red(each_record(run, lost))


def test_a_handoff_without_a_ticket_turns_receipt_red():
    """An issue is handed off when the queue has acknowledged it, and not before."""
    seeds = (measured_world(seed) for seed in range(1, 30))
    handed = next(
        each for each in seeds if any(v.state is IssueState.HANDED_OFF for v in each.records[-1].issues)
    )
    assert red(handed) == []
    assert Measure.RECEIPT in red(replace(handed, tickets=tuple(0 for _ in handed.tickets)))


def test_a_row_that_ends_elsewhere_or_was_not_run_turns_rows_red_alone(run):
    """All seven, and all rows."""
    assert red(run, (*ROWS, RowVerdict("F25", False, ("it ended elsewhere",)))) == [Measure.ROWS]
    assert red(run, ROWS[:-1]) == [Measure.ROWS]
    forms = (*ROWS[:-1], RowVerdict("F7a", True), RowVerdict("F7b", True))
    assert red(run, forms) == []
