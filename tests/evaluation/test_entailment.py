"""Whether evidence entails a value, judged from the records: every row of real runs, and every row made wrong."""

import pytest

from relay_lab.app.step_cases import cases
from relay_lab.contracts.enums import ClaimStatus
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.core.guards import STANDING
from relay_lab.desks.support.desk import reference_steps
from relay_lab.evaluation.checks.kinds import Step
from relay_lab.evaluation.entailment import RULES, unsupported


def supported():
    """(row, what was read, now) of every supported row that the reference makes in the cases of step 5."""
    for case in cases(Step.BUILD_LEDGER, (11, 12)):
        ledger = reference_steps(STANDING).build_ledger(*case.arguments)
        records = {record.evidence_id: record for record in case.expected.records}
        for row in ledger.rows:
            if row.status is ClaimStatus.SUPPORTED:
                yield row, records, case.expected.now


ROWS = list(supported())


def other(row: LedgerRow) -> LedgerRow:
    """The same row with another value of the same type."""
    match row.claim.value:
        case bool(value):
            wrong: object = not value
        case int(value):
            wrong = value + 1
        case str(value):
            wrong = "business" if value == "team" else f"{value}x"
        case None:
            wrong = True
    return row.model_copy(update={"claim": row.claim.model_copy(update={"value": wrong})})


def test_every_supported_row_of_the_reference_is_entailed():
    """The judge and the desk, written apart, agree."""
    assert [list(unsupported(*each)) for each in ROWS if list(unsupported(*each))] == []


def test_no_other_value_is_entailed():
    """Whatever the predicate, another value does not follow from the same evidence."""
    passed = [row.claim for row, records, now in ROWS if not list(unsupported(other(row), records, now))]
    assert passed == []


def test_no_row_is_entailed_by_nothing():
    """A row that links no record, or one that nobody read, is not supported."""
    for row, records, now in ROWS:
        assert list(unsupported(row.model_copy(update={"evidence_ids": ()}), records, now)), row
        unread = row.model_copy(update={"evidence_ids": (*row.evidence_ids, "TX-none")})
        assert "nobody has read" in next(unsupported(unread, records, now))


def test_no_row_survives_the_age_of_its_evidence():
    """One second beyond the bound of one linked record."""
    for row, records, now in ROWS:
        key = row.evidence_ids[0]
        aged = records[key].model_copy(update={"fresh_for_s": -1, "source_at": now})
        assert "beyond its bound" in next(unsupported(row, records | {key: aged}, now))


def test_a_predicate_without_a_rule_supports_nothing():
    """What no rule can check is not backed."""
    row, records, now = ROWS[0]
    odd = row.model_copy(update={"claim": row.claim.model_copy(update={"predicate": "customer_is_happy"})})
    assert "no record can say such a thing" in next(unsupported(odd, records, now))


def test_a_row_that_claims_no_support_is_not_judged():
    """An unsupported row says so itself."""
    row, records, now = ROWS[0]
    weak = row.model_copy(update={"status": ClaimStatus.UNSUPPORTED, "evidence_ids": ()})
    assert list(unsupported(weak, records, now)) == []


@pytest.mark.parametrize("predicate", RULES)
def test_every_rule_is_a_word_of_the_ledger(predicate):
    """No rule without a name that the contract allows."""
    assert predicate.replace("_", "").isalpha()
