"""What a check does with a performance."""

import dataclasses

from relay_lab.evaluation.checks.kinds import Check, Hints, Mishap, Performance, Step, values
from relay_lab.evaluation.measure import Measure

CHECK = Check(
    "returns_seven",
    Step.ROUTE,
    Measure.ROWS,
    ("plain",),
    1,
    Hints("q", "p", "s"),
    lambda seen: [] if seen.returned == 7 else ["it is not seven"],
)
RIGHT = Performance("a case", "plain", (), 7, (), None)


def test_a_check_says_nothing_of_a_right_performance():
    """A right value gives no failure."""
    assert CHECK.failures(RIGHT) == ()


def test_a_check_says_what_is_wrong():
    """A wrong value gives the judge's words."""
    assert CHECK.failures(dataclasses.replace(RIGHT, returned=8)) == ("it is not seven",)


def test_a_check_does_not_look_at_other_kinds_of_cases():
    """A case of a kind that the check does not name cannot fail it."""
    assert CHECK.failures(dataclasses.replace(RIGHT, kind="lost", returned=8)) == ()


def test_a_mishap_fails_every_check_that_looks_at_its_case():
    """What came instead of a value is a failure in the mishap's words, and the judge never sees it."""
    seen = dataclasses.replace(RIGHT, returned=Mishap("raised", "the step raised KeyError: 'x'"))
    assert CHECK.failures(seen) == ("the step raised KeyError: 'x'",)
    assert CHECK.failures(dataclasses.replace(seen, kind="lost")) == ()


def test_each_attempt_gets_the_next_hint_and_the_last_one_stays():
    """Question, pointer, shape, shape."""
    assert [CHECK.hints.at(attempt) for attempt in (0, 1, 2, 3, 9)] == ["q", "q", "p", "s", "s"]


def test_values_finds_every_scalar_and_every_name_however_deep():
    """Nested objects and lists are looked through; a text can hide as a name as well."""
    assert set(values({"a": {"b": [1, {"c": "x"}]}, "d": None})) == {1, "x", None, "a", "b", "c", "d"}
