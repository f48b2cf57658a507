"""Conversations of several turns: minds that change, quotes that expire, seats that end, clicks that race."""

import sqlite3
from concurrent.futures import ProcessPoolExecutor
from datetime import timedelta

import pytest
from desks.crashes import context, open_world
from desks.rows import BASELINE, ask, confirmed, lab, picked, session

from relay_lab import BadInput, Fault, open_lab, reconcile
from relay_lab.contracts.evidence import Subscription


def test_an_expired_quote_is_never_shown_as_if_it_could_be_confirmed():
    with lab() as desk:
        picked(desk)
        desk.clock.advance(1801)
        run = desk.say("ok")
        assert [view.state for view in run.record.quotes] == ["expired", "pending"]
        assert "DG-1042-v2" in run.reply
        assert desk.say("yes").states["I3"] == "scheduled"


def test_a_quote_that_outlived_its_renewal_asks_anew_whatever_is_said():
    with lab() as desk:
        run = picked(desk)
        desk.clock.set(run.record.quotes[-1].quote.terms.effective_at + timedelta(hours=2))
        run = desk.say("ok")
    assert run.states["I3"] == "needs_input"
    assert run.mutations == 0


def test_a_yes_to_a_quote_that_has_just_replaced_an_expired_one_is_not_taken():
    with lab() as desk:
        picked(desk)
        desk.clock.advance(1801)
        run = desk.say("yes")
    assert run.states["I3"] == "awaiting_confirmation"
    assert run.mutations == 0


def test_a_seat_that_ended_since_it_was_picked_does_not_lock_the_conversation(tmp_path):
    db = tmp_path / "a.db"
    with open_lab(db=db) as desk:
        ask(desk)
        desk.choose("individual", "SEAT-1042-3")
    with open_lab(db=db, conversation_id="C-2") as desk:
        desk.say("move me to the individual plan")
        assert desk.confirm().states["I1"] == "scheduled"
    with open_lab(db=db, at=desk.clock.now() + timedelta(days=2)) as desk:
        for message in ("yes", "hello"):
            assert desk.say(message).mutations == 1
        with pytest.raises(BadInput, match="SEAT-9"):
            desk.choose("individual", "SEAT-9") or pytest.fail("no question was open")


def test_a_pick_cut_off_before_its_turn_was_kept_does_not_bring_an_older_quote_back(tmp_path):
    class Cut(Exception):
        pass

    def cut(point: str) -> None:
        if point == "turn:before_save":
            raise Cut

    from relay_lab import Parts

    db = tmp_path / "a.db"
    with open_lab(db=db) as desk:
        ask(desk)
    for seat in (None, "SEAT-1042-2"):
        with open_lab(db=db, parts=Parts(points=cut)) as desk, pytest.raises(Cut):
            desk.choose("individual", seat)
    with open_lab(db=db) as desk:
        run = desk.choose("individual")
        assert run.record.quotes[-1].state == "pending"
        assert run.record.quotes[-1].quote.terms.designated_seat_id == "SEAT-1042-1"
        run = desk.say("yes")
        assert run.states["I3"] == "scheduled"
        assert run.record.operations[-1].proposal_id == run.record.quotes[-1].quote.quote_id


def test_a_session_of_another_tenant_learns_nothing_and_is_handed_on():
    with lab(session=session(tenant_id="relay-emea")) as desk:
        run = ask(desk)
    assert run.states == {"I1": "handed_off", "I2": "handed_off", "I3": "needs_input"}
    assert "TX-901" not in run.reply and "Team" not in run.reply


def test_two_conversations_of_one_customer_have_each_their_own_ticket(tmp_path):
    db = tmp_path / "a.db"
    for conversation, tickets in (("C-1", 1), ("C-2", 2)):
        with open_lab(db=db, conversation_id=conversation) as desk:
            run = desk.say("I want to talk to a human")
            assert run.states == {"I1": "handed_off"}
            assert run.tickets == tickets


def test_after_the_renewal_a_schedule_is_not_told_as_if_it_were_still_ahead():
    with lab() as desk:
        run = confirmed(desk)
        desk.clock.set(run.record.quotes[-1].quote.terms.effective_at + timedelta(days=1))
        run = desk.say("please move me to the individual plan")
    assert run.states["I3"] == "scheduled"
    assert "You are on the Individual plan." in run.reply
    assert "stays on" not in run.reply


def test_an_offered_transfer_can_be_taken_in_words():
    with lab() as desk:
        desk.say("I was charged twice for my plan last month")
        run = desk.say("I would like to talk to a person about it")
    assert run.states == {"I1": "handed_off"}
    assert run.tickets == 1


def test_a_wish_for_a_person_that_could_mean_several_issues_is_one_of_its_own():
    with lab() as desk:
        ask(desk)
        run = desk.say("I would like to talk to a person")
    assert run.states == BASELINE | {"I4": "handed_off"}


def test_a_company_that_cannot_be_asked_is_silence_and_not_an_exception(tmp_path):
    db = tmp_path / "a.db"
    holders = []

    def hold(point: str) -> None:
        if point == "submit:after_commit":
            holder = sqlite3.connect(f"{db}.world", isolation_level=None)
            holder.execute("BEGIN IMMEDIATE")
            holders.append(holder)

    from relay_lab import Parts

    with open_lab(db=db, parts=Parts(points=hold)) as desk:
        desk.company._db._connection.execute("PRAGMA busy_timeout = 50")
        run = confirmed(desk)
        assert run.states["I3"] == "unknown"
        holders[0].rollback()
        assert desk.reconcile().states["I3"] == "scheduled"
    holders[0].close()
    assert reconcile(db).open == ()


def test_news_of_a_handoff_is_told_with_the_next_click_even_when_there_is_nothing_to_pick():
    with lab(Fault("hand_off", "unreachable", (1,)), Fault("find_handoff", "unreachable", (1,))) as desk:
        assert desk.say("I want to talk to a human").states == {"I1": "handoff_pending"}
        run = desk.choose("individual")
        assert run.states == {"I1": "handed_off"}
        assert "HO-000001" in run.reply


def test_another_customers_operation_stays_open_and_costs_the_others_nothing(tmp_path):
    db = tmp_path / "a.db"
    lost = Fault("schedule_downgrade", "after_commit")
    from relay_lab import Parts

    with open_lab(
        db=db,
        conversation_id="A-1",
        session=session(authenticated_customer_id="CUST-2077"),
        parts=Parts(faults=(lost,)),
    ) as desk:
        desk.say("please downgrade me to the individual plan")
        assert desk.confirm().states["I1"] == "unknown"
    with open_lab(db=db, parts=Parts(faults=(lost,))) as desk:
        assert confirmed(desk).states["I3"] == "unknown"
    result = reconcile(db)
    assert [operation.customer_id for operation in result.settled] == ["CUST-1042"]
    assert [operation.customer_id for operation in result.open] == ["CUST-2077"]


def test_worlds_never_mix_in_one_database(tmp_path):
    db = tmp_path / "a.db"
    with open_lab(3, db=db):
        pass
    db.unlink()
    with pytest.raises(BadInput, match="holds the company of the world 3"):
        open_lab(db=db)


def test_of_several_worlds_that_open_one_new_database_at_once_one_wins(tmp_path):
    db = str(tmp_path / "a.db")
    with ProcessPoolExecutor(3, mp_context=context()) as pool:
        told = list(pool.map(open_world, ("5", "6", "relay"), [db] * 3))
    winners = [answer for answer in told if answer in ("5", "6", "relay")]
    assert len(winners) == 1
    assert all(f"holds the world {winners[0]}" in answer for answer in told if answer not in winners)


def test_the_clock_has_an_end_and_needs_a_zone(tmp_path):
    with open_lab() as desk:
        start = desk.clock.now()
    with pytest.raises(BadInput, match="ten years"):
        open_lab(db=tmp_path / "a.db", at=start + timedelta(days=5000))
    with pytest.raises(BadInput, match="no zone"):
        open_lab(at=start.replace(tzinfo=None))
    with open_lab(db=tmp_path / "a.db", at=start + timedelta(days=3650)) as desk:
        record = next(
            r.value
            for r in desk.say("I cannot open the gantt chart").record.evidence
            if isinstance(r.value, Subscription)
        )
        assert record.renews_at > start + timedelta(days=3600)


def test_a_yes_to_something_else_does_not_confirm_a_quote_shown_before_it():
    with lab() as desk:
        picked(desk)
        desk.say("Actually, my invoice has the wrong address.")
        run = desk.say("yes")
        assert run.states["I3"] == "awaiting_confirmation"
        assert run.mutations == 0
        assert "DG-1042-v1" in run.reply
        assert desk.say("yes").states["I3"] == "scheduled"


@pytest.mark.parametrize(
    "words", ["no, do not do that", "please do not", "I do not want it", "I reject", "cancel the quote"]
)
def test_a_refusal_in_words_withdraws_the_quote(words):
    with lab() as desk:
        picked(desk)
        run = desk.say(words)
        assert run.record.quotes[-1].state == "rejected"
        assert desk.say("yes").mutations == 0


def test_a_click_confirms_the_quote_that_was_shown_here_and_no_other(tmp_path):
    db = tmp_path / "a.db"
    with open_lab(db=db) as mine, open_lab(db=db) as other:
        picked(mine)
        other.choose("individual", "SEAT-1042-2")
        run = mine.confirm()
        assert run.mutations == 0
        assert run.states["I3"] == "awaiting_confirmation"
        assert "SEAT-1042-2" in run.reply


def test_what_was_scheduled_long_ago_is_told_by_the_records_when_its_answer_turns_up_late():
    with lab(Fault("schedule_downgrade", "after_commit", (1,))) as desk:
        run = confirmed(desk)
        desk.clock.set(run.record.quotes[-1].quote.terms.effective_at + timedelta(days=2))
        run = desk.reconcile()
    assert run.states["I3"] == "scheduled"
    assert "You are on the Individual plan." in run.reply


def test_a_change_that_is_scheduled_is_named_when_another_is_asked_for():
    with lab() as desk:
        confirmed(desk)
        run = desk.say("move me to team")
    assert "scheduled already" in run.reply
