"""Retention: what has outlived its time goes in one audited transaction; what something live rests on stays, however old."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from core.desk import LIFE_S, Desk, context

from relay_lab.contracts.enums import OperationState, ProposalState
from relay_lab.contracts.errors import AuditUnavailable, BadInput, ConversationExpired, ConversationMoved
from relay_lab.contracts.operations import Answered, Performed, Stopped
from relay_lab.core.confirmation import Grant
from relay_lab.core.retention import POINTS, Purged, Retention, purge

DAY = 86_400
NOW = timedelta()
AT_ONCE = Retention(NOW, NOW, NOW, NOW, NOW, NOW, NOW)
KINDS = ("conversations", "wording", "tokens", "operations", "confirmations", "receipts", "audit")


def clean(desk: Desk, policy: Retention | None = None, **options: Any) -> Purged:
    """A purge at the desk's clock, under a run id of its own."""
    options.setdefault("points", lambda _: None)
    run_id = f"PURGE-{len(desk.rows('SELECT * FROM audit'))}"
    return purge(desk.store, desk.clock.now(), run_id, policy or Retention(), **options)


def table(desk: Desk) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table."""
    names = [row["name"] for row in desk.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {name: desk.rows(f"SELECT * FROM {name}") for name in names}


def lived(desk: Desk) -> None:
    """A conversation with words, a note, a parcel shipped; nothing in it is open."""
    desk.runtime.save(desk.context, 1, '{"n": 1}', "my words")
    desk.note()
    desk.shipped()


@pytest.mark.parametrize(
    ("kind", "days"),
    [
        ("tokens", 1),
        ("wording", 30),
        ("conversations", 180),
        ("operations", 400),
        ("confirmations", 400),
        ("receipts", 400),
        ("audit", 1095),
    ],
)
def test_each_kind_is_kept_to_the_end_of_its_time_and_no_longer(desk: Desk, kind: str, days: int) -> None:
    """One second before its time is over nothing of a kind is removed, and at its end all of it is."""
    lived(desk)
    late = LIFE_S if kind in ("tokens", "confirmations") else 0
    desk.clock.pass_s(days * DAY + late - 1)
    before = clean(desk, dry_run=True)
    assert before.removed[kind] == 0
    assert before.kept[kind] > 0
    desk.clock.pass_s(1)
    after = clean(desk)
    assert after.removed[kind] == before.kept[kind]
    assert after.kept[kind] == 0


def test_a_purge_begins_with_an_audit_row_and_names_the_kinds_that_it_counts(desk: Desk) -> None:
    """The row holds hashes alone, and the counts of a purge do not count it."""
    lived(desk)
    desk.clock.pass_s(2000 * DAY)
    done = clean(desk)
    assert tuple(done.removed) == KINDS
    assert set(done.kept) == set(KINDS)
    assert done.removed["audit"] > 0
    [row] = desk.rows("SELECT * FROM audit")
    assert (row["tool"], row["stage"], row["outcome"], row["risk"]) == ("purge", "attempt", "submitted", 2)
    assert done.kept == dict.fromkeys(KINDS, 0)


def test_a_second_purge_changes_nothing_and_a_dry_run_neither(desk: Desk) -> None:
    """A dry run tells what the purge would do; where nothing has expired not even an audit row is written."""
    lived(desk)
    desk.clock.pass_s(500 * DAY)
    before = table(desk)
    told = clean(desk, dry_run=True)
    assert table(desk) == before
    assert clean(desk) == told
    after = table(desk)
    again = clean(desk)
    assert again.removed == dict.fromkeys(KINDS, 0)
    assert table(desk) == after


def test_no_audit_row_no_removal(desk: Desk) -> None:
    """The audit store fails: the purge fails with it, and every row is there."""
    lived(desk)
    desk.clock.pass_s(500 * DAY)
    before = table(desk)

    def failing(*_: object) -> None:
        raise AuditUnavailable("full")

    with pytest.raises(AuditUnavailable):
        clean(desk, append=failing)
    assert table(desk) == before


@pytest.mark.parametrize("point", POINTS)
def test_a_purge_that_breaks_off_has_not_happened_or_has_happened_whole(desk: Desk, point: str) -> None:
    """Until the commit nothing is gone; after it everything is; run again, it comes to the same end."""
    lived(desk)
    desk.clock.pass_s(500 * DAY)
    before = table(desk)

    def breaking(name: str) -> None:
        if name == point:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        clean(desk, points=breaking)
    assert (table(desk) == before) == (point != "purge:after_commit")
    clean(desk)
    assert clean(desk).removed == dict.fromkeys(KINDS, 0)
    assert desk.rows("SELECT * FROM wording") == []


def test_an_expired_conversation_says_so_and_is_never_begun_again(desk: Desk) -> None:
    """Its turns stay counted, its words and its document are gone, and a turn that was under way cannot be saved over it."""
    desk.runtime.save(desk.context, 1, '{"n": 1}', "my words")
    desk.clock.pass_s(180 * DAY)
    assert clean(desk).removed["conversations"] == 1
    with pytest.raises(ConversationExpired, match="begin another one"):
        desk.runtime.load(desk.context)
    with pytest.raises(BadInput, match="not one of this customer's"):
        desk.runtime.load(context("CUST-2"))
    for turn in (1, 2):
        with pytest.raises(ConversationMoved):
            desk.runtime.save(desk.context, turn, '{"n": 2}', "more")
    assert desk.runtime.wording(desk.context, 1) is None


def test_words_go_before_their_conversation_and_with_it_at_the_latest(desk: Desk) -> None:
    """After thirty days the conversation is still there; where a conversation expires first, its words go too."""
    desk.runtime.save(desk.context, 1, '{"n": 1}', "my words")
    desk.clock.pass_s(30 * DAY)
    assert clean(desk).removed["wording"] == 1
    assert desk.runtime.load(desk.context) == (1, '{"n": 1}')
    second = context(conversation="C-2")
    desk.runtime.save(second, 1, "{}", "other words")
    assert clean(desk, replace(Retention(), conversations=NOW)).removed["wording"] == 1


LIVE: dict[str, Callable[[Desk], object]] = {
    "a proposal that waits": lambda desk: desk.offer(),
    "a proposal that is confirmed": lambda desk: desk.grant(desk.offer()),
    "an operation of which nothing is known": lambda desk: (
        desk.carrier.will("deliver", "lost_before"),
        desk.shipped(),
    ),
}


@pytest.mark.parametrize("name", LIVE)
def test_what_is_live_keeps_its_conversation_its_proposal_its_tokens_and_its_operation(
    desk: Desk, name: str
) -> None:
    """Under a policy that keeps nothing, a live matter still has all that it needs; only the raw words go."""
    desk.runtime.save(desk.context, 1, '{"n": 1}', "my words")
    LIVE[name](desk)
    before = table(desk)
    done = clean(desk, AT_ONCE)
    for kind in ("conversations", "tokens", "operations", "confirmations"):
        assert done.removed[kind] == 0, kind
    assert done.removed["wording"] == 1
    after = table(desk)
    for kept in ("conversation", "proposal", "challenge", "token", "operation"):
        assert after[kept] == before[kept], kept
    assert desk.runtime.load(desk.context) == (1, '{"n": 1}')


def test_an_unknown_operation_is_reconciled_after_years_and_a_purge_as_if_nothing_had_been_removed(
    desk: Desk,
) -> None:
    """The answer was lost, the parcel is on its way: after the purge the receipt is found, and there is one parcel."""
    desk.carrier.will("deliver", "lost_after")
    operation = desk.shipped()
    assert operation.state is OperationState.FAILED_UNKNOWN
    desk.clock.pass_s(2000 * DAY)
    clean(desk, AT_ONCE)
    assert desk.reconcile(operation).state is OperationState.COMPLETED
    assert desk.state(str(operation.proposal_id)) == (ProposalState.EXECUTED, None)


def test_a_confirmed_proposal_is_executed_after_a_purge(desk: Desk) -> None:
    """The token that a click was given still opens its proposal."""
    grant = desk.grant(desk.offer())
    clean(desk, AT_ONCE)
    assert isinstance(desk.ship(grant), Performed)


@pytest.mark.parametrize("days", [0, 399, 401])
def test_a_duplicate_that_arrives_after_a_purge_makes_no_second_parcel(desk: Desk, days: int) -> None:
    """While the receipt is kept the duplicate gets its answer; afterwards its confirmation is gone, and it is stopped."""
    grant = desk.grant(desk.offer())
    asked = desk.parcel(grant.proposal_id)
    first = desk.ship(grant)
    desk.clock.pass_s(days * DAY)
    clean(desk)
    again = desk.runtime.call(desk.context, "ship", asked, f"ship:{grant.proposal_id}", grant)
    if days < 400:
        assert again == first
    else:
        assert again == Stopped(failures=("not_confirmed",), guard="confirmation")
    assert desk.carrier.calls.count("deliver") == 1


def test_a_local_write_is_answered_from_its_receipt_as_long_as_that_is_kept(desk: Desk) -> None:
    """The same key gets the same answer after a purge."""
    desk.note()
    desk.clock.pass_s(399 * DAY)
    clean(desk)
    again = desk.note()
    assert isinstance(again, Answered)
    assert again.replayed


def test_no_id_of_a_proposal_is_given_twice(desk: Desk) -> None:
    """All proposals of a customer are over and removed, and the next one goes on counting; the newest is an empty row."""
    numbers = []
    for _ in range(3):
        desk.shipped()
    desk.clock.pass_s(500 * DAY)
    assert clean(desk).removed["confirmations"] == 3
    numbers = desk.rows("SELECT number, payload FROM proposal")
    assert numbers == [{"number": 3, "payload": ""}]
    assert clean(desk).removed["confirmations"] == 0
    last = desk.offer()
    assert desk.rows("SELECT number FROM proposal WHERE proposal_id = ?", last) == [{"number": 4}]
    spent = desk.rows("SELECT proposal_id FROM proposal WHERE number = 3")[0]["proposal_id"]
    result = desk.runtime.call(desk.context, "ship", desk.parcel(last), "K", Grant(spent, "secret"))
    assert isinstance(result, Stopped)
    assert len(desk.carrier.calls) == 3


def test_nothing_that_a_readable_conversation_speaks_of_is_removed(desk: Desk) -> None:
    """Operation and proposal are past their time, and the customer still writes: they stay until the conversation goes."""
    lived(desk)
    policy = replace(AT_ONCE, conversations=timedelta(days=9))
    desk.clock.pass_s(LIFE_S)
    done = clean(desk, policy)
    assert (done.removed["operations"], done.removed["confirmations"]) == (0, 0)
    desk.clock.pass_s(9 * DAY)
    done = clean(desk, policy)
    assert (done.removed["operations"], done.removed["confirmations"]) == (1, 1)


def test_other_customers_and_tenants_are_live_or_over_each_for_itself(desk: Desk) -> None:
    """A proposal that waits holds nobody else's conversation."""
    desk.runtime.save(desk.context, 1, "{}", "mine")
    for at in (context("CUST-2", conversation="C-2"), context(tenant="other", conversation="C-1")):
        desk.runtime.save(at, 1, "{}", "theirs")
    desk.offer()
    assert clean(desk, AT_ONCE).removed["conversations"] == 2
    assert desk.runtime.load(desk.context) == (1, "{}")


def test_nothing_can_be_kept_for_less_than_no_time() -> None:
    """A negative duration would reach into what is still to come."""
    with pytest.raises(ValueError, match="less than no time"):
        Retention(wording=timedelta(seconds=-1))
