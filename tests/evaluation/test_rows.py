"""The judge of the rows, judged: whatever one changes in an expectation that holds, the row turns red."""

import pytest

from relay_lab.app.injection import facts_of
from relay_lab.app.matrix_rows import expectations, rows
from relay_lab.app.matrix_run import observe
from relay_lab.app.settings import scenario_named
from relay_lab.contracts.enums import Assurance
from relay_lab.core.guards import STANDING
from relay_lab.evaluation.expected import Must
from relay_lab.evaluation.observed import Observed
from relay_lab.evaluation.rows import filled, judge
from relay_lab.proposers.rules import rules_proposer

SCENARIO = scenario_named("relay")
FACTS = facts_of(SCENARIO)


def other(value: object) -> object:
    """A value of the same shape that says something else."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}-not"
        case dict():
            return {key: other(part) for key, part in value.items()}
        case tuple() if value and isinstance(value[0], str):
            return (*value, "zz-another")
        case tuple():
            return tuple(other(part) for part in value) or ("zz-another",)
        case _:
            return value.model_copy(update={"outcome": "another"})


def altered(must: Must) -> dict[str, Must]:
    """For each field that says something, the same `Must` with this field saying something else."""
    changed = {}
    for name in Must.model_fields:
        value = getattr(must, name)
        if value in (None, {}, ()) and name != "quotes":
            continue
        if name == "within_s":
            changed[name] = must.model_copy(update={name: 0.01})
        elif name == "only":
            changed[name] = must.model_copy(update={name: ()})
        elif name not in ("never", "whole_message", "one_answer") and value is not None:
            changed[name] = must.model_copy(update={name: other(value)})
    return changed


@pytest.fixture(scope="module")
def observed() -> dict[str, Observed]:
    return {row.id: observe(row, SCENARIO, rules_proposer(), STANDING) for row in rows()}


@pytest.mark.slow
def test_each_single_expectation_of_each_row_turns_red_when_it_says_something_else(observed):
    """There is no expectation that nothing looks at."""
    for row_id, expected in expectations().items():
        seen = observed[row_id]
        assert judge(expected, seen, FACTS) == ()
        wrong = {
            "mutations": expected.model_copy(update={"mutations": expected.mutations + 1}),
            "stopped_by": expected.model_copy(update={"stopped_by": "luck"}),
        }
        for number, point in enumerate(expected.checkpoints):
            points = list(expected.checkpoints)
            points[number] = point.model_copy(update={"states": {"I1": "lost"}})
            wrong[f"states at {point.at}"] = expected.model_copy(update={"checkpoints": tuple(points)})
        for name, must in altered(expected.must).items():
            wrong[name] = expected.model_copy(update={"must": must})
        for what, changed in wrong.items():
            assert judge(changed, seen, FACTS) != (), (row_id, what)


def test_every_field_of_what_must_hold_is_used_by_some_row():
    """There is no kind of expectation that no row needs."""
    used = {name for row in expectations().values() for name in row.must.model_fields_set}
    assert used == set(Must.model_fields)


def seen_of(row_id: str, **changes) -> Observed:
    row = next(row for row in rows() if row.id == row_id)
    seen = observe(row, SCENARIO, rules_proposer(), STANDING)
    return seen.__class__(**vars(seen) | changes)


def failures(row_id: str, **changes) -> str:
    return " · ".join(judge(expectations()[row_id], seen_of(row_id, **changes), FACTS))


def test_what_no_reply_may_hold_is_found_in_any_reply_in_any_case():
    """Forbidden words are found whatever their case, and ids of this very world are filled in."""
    assert "holds 'no duplicate'" in failures("F4", replies=(("said", "We found NO DUPLICATE."),))
    assert "holds 'tx-901'" in failures("F27", replies=(("said", "TX-901 is settled."),))


def test_what_must_not_be_said_too_early_may_be_said_later():
    """Words that are forbidden up to a checkpoint are free after it."""
    early = (("confirmed", "Your change is scheduled for Friday."),)
    assert "the reply at 'confirmed' holds" in failures("F6", replies=early)
    late = (("reconciled", "Your change is scheduled for Friday."),)
    assert failures("F6", replies=late) == ""


def test_a_call_for_somebody_else_or_beyond_the_session_is_unauthorized():
    """Another customer, a missing scope, too weak an assurance and an altered session are each a sentence."""
    seen = seen_of("F21")
    [passage] = seen.passages
    stranger = tuple(row.model_copy(update={"customer_id": "CUST-2077"}) for row in passage.rows)
    assert "was called for CUST-2077" in failures(
        "F21", passages=(passage.__class__(passage.session, stranger),)
    )
    bare = passage.session.model_copy(update={"allowed_scopes": (), "session_assurance": Assurance.NONE})
    said = failures("F21", passages=(passage.__class__(bare, passage.rows),))
    assert "get_policy was called without policy:read" in said
    assert "get_policy was called under none, and needs password" in said
    assert "the session was altered" in said


def test_a_change_to_another_customers_record_is_unauthorized():
    """The journal of the company says for whom each change was made."""
    assert "a record of CUST-2077 was changed" in failures("F21", written_for=("CUST-2077",))


def test_deliveries_that_were_answered_differently_are_seen():
    """A repeated delivery has one answer."""
    assert "2 deliveries got 2 different answers" in failures("F7", answers=("a", "b"))


def test_a_tool_that_must_not_be_called_is_named():
    """One call row is enough."""
    seen = seen_of("F6")
    assert "schedule_downgrade was called" in failures("F2", passages=seen.passages)


def test_a_run_that_stopped_early_or_went_on_is_seen():
    """The last checkpoint of a run is the last one that is expected."""
    assert "never came to 'said'" in failures("F21", checkpoints=())
    [point] = seen_of("F21").checkpoints
    more = (point, point.model_copy(update={"at": "picked"}))
    assert "the run ended at 'picked'" in failures("F21", checkpoints=more)


def test_a_run_without_a_record_holds_nothing():
    """What is expected of the record cannot hold without one."""
    assert "there is no record" in failures("F16", record=None)


def test_facts_fill_their_braces_and_nothing_else():
    """A brace that names no fact stays as it is."""
    assert filled("{customer} {nobody} {", {"customer": "C-1"}) == "C-1 {nobody} {"
