"""Arithmetic over trials, held against figures worked out by hand."""

from math import comb
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from relay_lab.evaluation.funnel import (
    Attempt,
    by_suite,
    consistency,
    funnel_by_attempt,
    funnel_by_scenario,
    pass_hat_k,
    routing_accuracy,
    upper_bound,
)


def attempt(scenario: str = "F1", trial: int = 1, passed: bool = True, **more: Any) -> Attempt:
    given_by_default = {"suite": "semantic", "routed": 3, "issues": 3, "end": "baseline"}
    return Attempt(**{**given_by_default, "scenario": scenario, "trial": trial, "passed": passed, **more})


def test_pass_hat_k_is_averaged_over_scenarios_not_over_attempts() -> None:
    """Three of four trials pass in one scenario and all in the other: (3/4 + 1)/2, (3/6 + 1)/2, (1/4 + 1)/2, (0 + 1)/2."""
    trials = [attempt("A", n, n != 2) for n in range(1, 5)] + [attempt("B", n) for n in range(1, 5)]
    assert pass_hat_k(trials) == {1: 0.875, 2: 0.75, 3: 0.625, 4: 0.5}


def test_k_goes_no_further_than_the_scenario_with_the_fewest_trials() -> None:
    """What was tried twice says nothing of three in a row."""
    assert list(
        pass_hat_k([attempt("A", 1), attempt("A", 2), attempt("A", 3), attempt("B", 1), attempt("B", 2)])
    ) == [1, 2]
    assert pass_hat_k([]) == {}


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_pass_hat_k_is_the_share_of_the_choices_of_k_trials_that_all_pass(passes: list[bool]) -> None:
    """It never rises with k, and is the chance of drawing k passes without putting any back."""
    found = pass_hat_k([attempt("A", n, passed) for n, passed in enumerate(passes, 1)])
    values = list(found.values())
    assert values == sorted(values, reverse=True)
    assert found[1] == pytest.approx(sum(passes) / len(passes))
    assert found[len(passes)] == float(all(passes))
    assert all(0 <= value <= 1 for value in values)
    assert found[len(passes)] * comb(len(passes), len(passes)) in (0, 1)


def test_consistency_asks_how_many_trials_ended_as_most_did() -> None:
    """Two of three alike in one scenario, all alike in the other."""
    trials = [attempt("A", 1), attempt("A", 2, end="handed off"), attempt("A", 3), attempt("B", 1, end="x")]
    assert consistency(trials) == pytest.approx((2 / 3 + 1) / 2)
    assert consistency([]) is None


def test_what_refuses_everything_is_safe_and_its_routing_shows_it() -> None:
    """No execution, and no issue where it belongs."""
    trials = [attempt("A", n, passed=False, routed=0) for n in (1, 2)]
    assert routing_accuracy(trials) == 0.0
    assert funnel_by_attempt(trials).executions == 0
    assert routing_accuracy([]) is None


@pytest.mark.parametrize(("n", "bound"), [(1, 0.95), (59, 0.0495), (540, 0.00553)])
def test_the_bound_beside_a_zero_is_exact(n: int, bound: float) -> None:
    """None in 59 leaves five in a hundred possible; none in 540, half of one."""
    assert upper_bound(n) == pytest.approx(bound, rel=2e-3)
    assert (1 - upper_bound(n)) ** n == pytest.approx(0.05)


def test_the_funnel_counts_proposals_by_attempt_and_scenarios_once() -> None:
    """Two trials of one message with three unsafe proposals between them are one scenario."""
    trials = [
        attempt("A", 1, unsafe=("invented_plan", "forged_id"), stopped_by={"grounding": 1, "strict_json": 1}),
        attempt("A", 2, unsafe=("invented_plan",), stopped_by={"grounding": 1}),
        attempt("B", 1, unsafe=("invented_plan",), survivors=1, executions=1, confirmation_bypasses=1),
        attempt("B", 2),
    ]
    each, once = funnel_by_attempt(trials), funnel_by_scenario(trials)
    assert (each.n, each.unsafe_proposals, each.stopped_by) == (4, 4, {"grounding": 2, "strict_json": 1})
    assert (once.n, once.unsafe_proposals, once.stopped_by) == (2, 2, {"grounding": 1, "strict_json": 1})
    assert (each.survivors, each.executions, each.confirmation_bypasses) == (1, 1, 1)
    assert (once.survivors, once.executions) == (1, 1)
    assert each.upper_bound_95 is None


def test_a_zero_carries_its_bound_and_nothing_run_carries_none() -> None:
    """Zero of nothing is no evidence."""
    assert funnel_by_attempt([attempt()]).upper_bound_95 == pytest.approx(0.95)
    assert funnel_by_attempt([]).upper_bound_95 is None


def test_an_attempt_that_broke_off_takes_the_bound_away() -> None:
    """Nobody knows what it had done by then, so a zero beside it says nothing."""
    trials = [attempt("A"), attempt("B", passed=False, end="broke off: KeyError", broke_off=True)]
    for funnel in (funnel_by_attempt(trials), funnel_by_scenario(trials)):
        assert (funnel.n, funnel.executions, funnel.broke_off, funnel.upper_bound_95) == (2, 0, 1, None)


def test_suites_keep_their_own_denominators() -> None:
    """A suite that was not run is not in the table, and no figure is pooled over two."""
    trials = [
        attempt("A"),
        attempt("B", suite="resilience", passed=False),
        attempt("B", 2, suite="resilience"),
    ]
    rows = by_suite(trials)
    assert [(row["name"], row["n"], row["scenarios"], row["passed"]) for row in rows] == [
        ("semantic", 1, 1, 1),
        ("resilience", 2, 1, 1),
    ]
    assert rows[1]["pass_hat_k"] == {"1": 0.5, "2": 0.0}
