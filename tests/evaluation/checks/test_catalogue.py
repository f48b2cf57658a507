"""The catalogue of checks as a whole."""

import re
from collections import Counter
from pathlib import Path

import pytest

from relay_lab.app.check import SEEDS
from relay_lab.app.check_page import page
from relay_lab.app.step_cases import cases
from relay_lab.evaluation.checks import CHECKS
from relay_lab.evaluation.checks.kinds import Step

PAGE = Path(__file__).parents[3] / "docs" / "checks.md"


@pytest.mark.parametrize("step", Step)
def test_every_step_has_at_least_five_checks_and_ten_points(step):
    """Partial credit is made of at least five boundaries, ten points in all."""
    checks = CHECKS[step]
    assert len(checks) >= 5
    assert sum(check.points for check in checks) == 10
    assert all(check.points > 0 and check.step is step for check in checks)


def test_every_name_is_a_sentence_in_snake_case_and_stands_once():
    """A name says which boundary was broken, and no two checks share one."""
    names = [check.name for checks in CHECKS.values() for check in checks]
    assert [name for name, count in Counter(names).items() if count > 1] == []
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+){2,}", name) for name in names)


def test_every_check_has_three_hints_that_say_different_things():
    """Question, pointer and shape; the first one asks."""
    for checks in CHECKS.values():
        for check in checks:
            hints = [check.hints.at(attempt) for attempt in (1, 2, 3)]
            assert len(set(hints)) == 3
            assert all(hint.strip() for hint in hints)
            assert hints[0].endswith("?"), check.name


@pytest.mark.parametrize("step", Step)
def test_no_check_is_vacuous_and_no_case_is_looked_at_by_nobody(step):
    """Each kind that a check names has cases on the fixture and on another world, and each case has a check."""
    found = cases(step, SEEDS)
    named = {kind for check in CHECKS[step] for kind in check.kinds}
    assert named == {case.kind for case in found}
    on_rows = {"right", "right_failure", "right_stop"}  # these run on the fixture alone
    for visible in (True, False):
        there = {case.kind for case in found if case.visible is visible}
        assert named - there <= (set() if visible else on_rows)


@pytest.mark.parametrize("step", Step)
def test_case_ids_are_unique_and_cases_are_the_same_for_the_same_seeds(step):
    """A failure names its case."""
    found = cases(step, SEEDS)
    assert len({case.id for case in found}) == len(found)


@pytest.mark.checkout
def test_the_page_of_checks_is_the_one_that_is_written():
    """docs/checks.md is generated; run `python -m relay_lab.app.check_page > docs/checks.md`."""
    assert PAGE.read_text("utf-8") == page()
