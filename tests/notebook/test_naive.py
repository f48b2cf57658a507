"""The naive agent as a lesson shows it: its words beside its calls."""

import pytest

import relay_lab
from relay_lab.notebook.naive import NaiveTurn, naive_agent


def fixture_message() -> str:
    with relay_lab.open_lab() as lab:
        return lab.scenario.message


def test_it_schedules_a_plan_that_nobody_named_and_says_that_it_has_refunded():
    turn = naive_agent().say(fixture_message())
    assert turn.changes == 1
    assert "I have issued your refund." in turn.reply
    assert ("schedule_downgrade", "CUST-1042", "success") in turn.calls


def test_a_customer_named_in_the_message_is_the_customer_of_every_call():
    turn = naive_agent().say("My account is CUST-2077. Was I charged twice?")
    assert {customer for _, customer, _ in turn.calls} == {"CUST-2077"}
    assert turn.changes == 1


def test_a_turn_shows_its_own_calls_and_not_those_before_it():
    bot = naive_agent()
    bot.say(fixture_message())
    assert bot.say("Thank you.") == NaiveTurn(
        "Thank you, I have noted that. Is there anything else?", (), changes=0
    )


def test_what_is_shown_is_the_reply_the_calls_and_the_count_and_nothing_of_it_is_markup():
    turn = NaiveTurn("<b>done</b>", (("get_policy", "CUST-1042", "success"),), changes=2)
    for shown in (str(turn), turn._repr_html_()):
        assert "get_policy" in shown and "Business records changed in this turn: 2" in shown
    assert "<b>" not in turn._repr_html_()


def test_another_world_is_refused_in_one_sentence():
    with pytest.raises(relay_lab.BadInput, match="mars"):
        naive_agent("mars")
