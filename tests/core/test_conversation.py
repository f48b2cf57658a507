"""Conversations move on one turn at a time; the customer's raw words stand apart from the desk's document."""

import pytest
from core.desk import Desk, context

from relay_lab.contracts.errors import BadInput


def test_a_new_conversation_has_no_turn_and_no_document(desk: Desk) -> None:
    assert desk.runtime.load(desk.context) == (0, None)
    assert desk.runtime.wording(desk.context, 1) is None


def test_a_conversation_is_loaded_as_its_last_turn_left_it_after_a_restart_too(desk: Desk) -> None:
    desk.runtime.save(desk.context, 1, '{"n": 1}', "hello")
    desk.runtime.save(desk.context, 2, '{"n": 2}', None)
    desk.restart()
    assert desk.runtime.load(desk.context) == (2, '{"n": 2}')
    assert desk.runtime.wording(desk.context, 1) == "hello"
    assert desk.runtime.wording(desk.context, 2) is None


def test_the_raw_words_are_in_a_table_of_their_own_and_can_be_dropped(desk: Desk) -> None:
    desk.runtime.save(desk.context, 1, "{}", "my words")
    holders = [
        table["name"]
        for table in desk.rows("SELECT name FROM sqlite_master WHERE type = 'table'")
        if any("my words" in str(row) for row in desk.rows(f"SELECT * FROM {table['name']}"))
    ]
    assert holders == ["wording"]
    desk.run("DELETE FROM wording")
    assert desk.runtime.load(desk.context) == (1, "{}")
    assert desk.runtime.wording(desk.context, 1) is None


@pytest.mark.parametrize("turn", [1, 2, 4])
def test_a_turn_that_another_process_took_first_is_refused_and_nothing_is_kept_of_it(
    desk: Desk, turn: int
) -> None:
    for n in (1, 2):
        desk.runtime.save(desk.context, n, str(n), f"words {n}")
    with pytest.raises(BadInput, match="moved on by another process"):
        desk.runtime.save(desk.context, turn, "mine", "my words")
    assert desk.runtime.load(desk.context) == (2, "2")
    assert desk.rows("SELECT text FROM wording ORDER BY turn") == [{"text": "words 1"}, {"text": "words 2"}]


def test_a_turn_and_the_showing_of_its_proposals_are_kept_together_or_not_at_all(desk: Desk) -> None:
    """A phrase can mean a proposal once the turn that shows it stands, and not when that turn was refused."""
    proposal_id = desk.offer()
    desk.runtime.save(desk.context, 1, "{}", "hello")
    with pytest.raises(BadInput):
        desk.runtime.save(desk.context, 1, "{}", "hello", [proposal_id])
    assert desk.runtime.exchange_by_phrase(desk.context) is None
    desk.runtime.save(desk.context, 2, "{}", "hello", [proposal_id])
    taken = desk.runtime.exchange_by_phrase(desk.context)
    assert taken is not None
    assert taken[0] == proposal_id


def test_the_first_turn_of_a_conversation_that_is_there_is_refused(desk: Desk) -> None:
    desk.runtime.save(desk.context, 1, "{}", "hello")
    with pytest.raises(BadInput):
        desk.runtime.save(desk.context, 1, "{}", "hello")


@pytest.mark.parametrize("other", ["CUST-2", None])
def test_another_customers_conversation_is_refused(desk: Desk, other: str | None) -> None:
    desk.runtime.save(desk.context, 1, "{}", "hello")
    stranger = context(other)
    with pytest.raises(BadInput, match="C-1 is not one of this customer's"):
        desk.runtime.load(stranger)
    with pytest.raises(BadInput):
        desk.runtime.save(stranger, 2, "mine", "my words")
    assert desk.runtime.wording(stranger, 1) is None
    assert desk.runtime.wording(desk.context, 1) == "hello"
    assert desk.runtime.load(desk.context) == (1, "{}")


def test_a_conversation_without_a_verified_customer_is_kept_too(desk: Desk) -> None:
    nobody = context(None)
    desk.runtime.save(nobody, 1, "{}", "hello")
    desk.runtime.save(nobody, 2, "{}", "again")
    assert desk.runtime.load(nobody) == (2, "{}")


def test_the_same_name_in_another_tenant_is_another_conversation(desk: Desk) -> None:
    desk.runtime.save(desk.context, 1, "ours", "hello")
    theirs = context(tenant="other")
    assert desk.runtime.load(theirs) == (0, None)
    desk.runtime.save(theirs, 1, "theirs", "hi")
    assert desk.runtime.load(desk.context) == (1, "ours")
    assert desk.runtime.wording(theirs, 1) == "hi"
