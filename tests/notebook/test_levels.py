"""The levels of `09_break_it`: one winning attack each, and that nothing else takes a flag."""

import json

import pytest

import relay_lab
from relay_lab.notebook.broken import GUARDS
from relay_lab.notebook.level_list import LEVELS
from relay_lab.notebook.levels import (
    capture,
    changed,
    customer_message,
    honest_envelope,
    honest_packet,
    level,
    levels,
    scoreboard,
)

NUMBERS = [each.number for each in LEVELS]
PERSON = "Please put me through to a person."
KEY = "sk-live-4f9a1c77e0b2d853"


def guess_a_token(offer, submit):
    submit(offer, "a token that I made up")


def another_seat(order, tools):
    return tools.schedule_downgrade(changed(honest_envelope(order), designated_seat_id="SEAT-1042-2"))


def in_another_name(case, tools):
    return tools.hand_off(changed(honest_packet(case), customer_id="CUST-2077"))


def may_change(session, message):
    return changed(relay_lab.reference_steps().authenticate(session, message), may_change=True)


def with_the_scope(authentication, issues, ledger, unanswered):
    scopes = [*authentication.scopes, "subscription:schedule"]
    return relay_lab.reference_steps().route(
        changed(authentication, scopes=scopes), issues, ledger, unanswered
    )


def with_a_key(case, tools):
    return tools.hand_off(changed(honest_packet(case), commitments=[KEY]))


def answer(text: str) -> str:
    span = {"text": text, "start": 0, "end": len(text)}
    return json.dumps({"issues": [{"type": "human_request", "span": span}]})


WINNING = {
    1: guess_a_token,
    2: 1801,
    3: another_seat,
    4: relay_lab.Fault("schedule_downgrade", "before_arrival", (1,)),
    5: in_another_name,
    6: may_change,
    7: with_the_scope,
    8: answer(PERSON),
    9: with_a_key,
}
HONEST = {
    1: lambda offer, submit: None,
    2: 0,
    3: lambda order, tools: tools.schedule_downgrade(honest_envelope(order)),
    4: relay_lab.Fault("schedule_downgrade", "answered_twice"),
    5: lambda case, tools: tools.hand_off(honest_packet(case)),
    6: relay_lab.reference_steps().authenticate,
    7: relay_lab.reference_steps().route,
    8: '{"issues": []}',
    9: lambda case, tools: tools.hand_off(honest_packet(case)),
}


@pytest.mark.parametrize("number", NUMBERS)
def test_a_winning_attack_takes_the_flag_where_the_guard_is_missing_and_is_stopped_by_it(number):
    taken, guard = capture(number, WINNING[number]), LEVELS[number - 1].guard
    assert taken.flag
    assert taken.broken.flags and not taken.whole.flags
    assert guard in [who for who, _, _ in taken.whole.stops]
    assert guard not in [who for who, _, _ in taken.broken.stops]


@pytest.mark.parametrize("number", NUMBERS)
def test_an_honest_hand_takes_no_flag(number):
    honest = capture(number, HONEST[number])
    assert (honest.verdict, honest.broken.broke) == ("no flag", "")


@pytest.mark.parametrize("number", NUMBERS)
def test_the_guard_is_named_only_once_the_flag_is_taken(number):
    guard = LEVELS[number - 1].guard
    told = f"The guard that was missing: {guard}."
    before = (level(number), levels(), LEVELS[number - 1], capture(number, HONEST[number]))
    assert not [each for each in before if told in repr(each) or f"guard={guard!r}" in repr(each)]
    assert told in repr(capture(number, WINNING[number]))


def test_every_level_has_a_winning_attack_and_a_guard_of_its_own():
    assert list(WINNING) == NUMBERS == list(range(1, len(LEVELS) + 1))
    guards = [each.guard for each in LEVELS]
    assert len(set(guards)) == len(guards)
    assert set(guards) <= set(GUARDS)


@pytest.mark.parametrize(
    ("number", "attack", "why"),
    [
        (3, 7, "This level takes a function of (order, tools), and got int."),
        (2, True, "This level takes a number, the seconds from the quote to the click, and got bool."),
        (2, -1, "A click comes 0 to 604800 seconds after the quote, not -1."),
        (8, None, "This level takes a string, the raw text of an answer, and got NoneType."),
        (
            4,
            relay_lab.Fault("hand_off", "before_arrival"),
            "hand_off by 'before_arrival' is out of your reach.",
        ),
        (4, relay_lab.Fault("schedule_downgrade", "run", None, print), "out of your reach."),
        (99, guess_a_token, "There is no level 99; there are 1 to 9."),
        ("one", guess_a_token, "There is no level 'one'; there are 1 to 9."),
    ],
)
def test_what_cannot_be_run_is_said_in_words(number, attack, why):
    tried = capture(number, attack)
    assert not tried.flag
    assert tried.verdict == "not run"
    assert why in repr(tried)


def test_an_attack_that_breaks_off_after_its_effect_has_taken_the_flag_all_the_same():
    def then_raises(order, tools):
        another_seat(order, tools)
        raise ValueError("<b>gone</b>")

    taken = capture(3, then_raises)
    assert taken.flag
    assert "ValueError: &lt;b&gt;gone" in taken._repr_mimebundle_()["text/html"]


@pytest.mark.parametrize("number", [1, 3, 5, 6, 7, 9])
def test_an_attack_that_only_raises_or_leaves_takes_none(number):
    def leaves(*_):
        raise SystemExit

    assert capture(number, leaves).verdict == "no flag"
    assert capture(number, lambda *_: None).verdict == "no flag"


class Liar:
    """Every look at it raises."""

    def __getattribute__(self, name):
        raise SystemExit(name)

    def __eq__(self, other):
        raise SystemExit

    __hash__ = None
    __str__ = __repr__ = __bool__ = __eq__


class Exits(Exception):
    def __str__(self):
        raise SystemExit


@pytest.mark.parametrize("number", NUMBERS)
def test_an_attack_that_raises_when_it_is_looked_at_is_not_run(number):
    assert capture(number, Liar()).verdict == "not run"
    assert capture(Liar(), WINNING[number]).verdict == "not run"


@pytest.mark.parametrize("number", [1, 3, 5, 6, 7, 9])
@pytest.mark.parametrize("raised", [Exits, GeneratorExit])
def test_an_attack_that_raises_what_cannot_be_printed_or_leaves_a_generator_is_seen_to_break_off(
    number, raised
):
    def breaks(*_):
        raise raised

    tried = capture(number, breaks)
    assert tried.verdict == "no flag"
    assert raised.__name__ in repr(tried)


def test_an_interrupt_gets_through():
    def interrupted(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        capture(1, interrupted)


def test_a_click_far_too_late_is_stopped_by_another_line():
    assert ("rechecks", "schedule_downgrade", "renewal_cycle") in capture(2, 2 * 86_400).broken.stops


def test_words_that_the_customer_wrote_are_no_flag_whatever_is_made_of_them():
    assert capture(8, answer(customer_message()[:20])).verdict == "no flag"


def test_a_step_gets_its_tool_and_not_the_desk_behind_it():
    seen = []

    def looks(order, tools):
        seen.extend(name for name in dir(tools) if not name.startswith("__"))

    capture(3, looks)
    assert set(seen) == {"schedule_downgrade"}


def test_a_flag_on_the_whole_desk_is_a_bug_and_no_flag(monkeypatch):
    from relay_lab.notebook import levels as module

    monkeypatch.setattr(module, "opens_without", lambda _, opens=module.opens_without: opens("binding"))
    tried = capture(3, another_seat)
    assert tried.verdict == "whole desk broken"
    assert not tried.flag
    assert "SECURITY.md" in repr(tried)


def test_a_refusal_by_what_is_left_of_the_missing_guard_does_not_name_it():
    unplaced = json.dumps({"issues": [{"type": "human_request", "span": {"text": PERSON}}]})
    shown = repr(capture(8, unplaced))
    assert "span_not_in_message" in shown
    assert "grounding" not in shown


def test_the_scoreboard_names_the_guards_of_taken_flags_only():
    shown = repr(scoreboard(capture(2, 60), capture(2, 1801), capture(3, 7), capture(99, 1)))
    assert shown.startswith("1 of 9 flags")
    rows = [line.split() for line in shown.splitlines()]
    assert ["2", "A", "slow", "hand", "taken", "expiry"] in rows
    assert ["3", "Not", "the", "seat", "I", "meant", "tried"] in rows
    assert ["4", "The", "long", "way", "round", "open"] in rows


def test_the_same_attack_shows_the_same():
    first, second = (capture(1, guess_a_token)._repr_mimebundle_() for _ in range(2))
    assert first == second
