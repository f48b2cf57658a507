"""What a step returned is a value read from JSON, whatever object it was."""

import math

import pytest

from relay_lab.app.step_cases import cases
from relay_lab.contracts.session import Authentication
from relay_lab.core.guards import STANDING
from relay_lab.desks.support.desk import reference_steps
from relay_lab.evaluation.checks.kinds import Mishap, Step
from relay_lab.evaluation.checks.returned import returned

RIGHT = reference_steps(STANDING).authenticate(*cases(Step.AUTHENTICATE, ())[0].arguments)


class Always(Authentication):
    """Equal to everything."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


def test_an_overloaded_equality_has_no_one_to_lie_to():
    """A subclass that is equal to everything comes back as the plain contract type."""
    liar = Always(**RIGHT.model_dump() | {"customer_id": "CUST-1"})
    value = returned(Step.AUTHENTICATE, liar)
    assert type(value) is Authentication
    assert value != RIGHT


def test_plain_json_is_as_good_as_the_contract_type():
    """What comes from another process is judged in the same way."""
    assert returned(Step.AUTHENTICATE, RIGHT.model_dump(mode="json")) == RIGHT


@pytest.mark.parametrize(
    "value", [None, 7, "yes", object(), [], {"customer_id": "x"}, math.nan, {1: {2}}, "\ud800"]
)
def test_anything_else_is_a_mishap_that_says_what_came(value):
    """A wrong type is a value with a sentence, and no exception."""
    found = returned(Step.AUTHENTICATE, value)
    assert isinstance(found, Mishap)
    assert found.code == "wrong_type"
    assert "not an Authentication" in found.words


def test_a_circle_is_a_mishap():
    """A value that contains itself cannot be read, and is refused."""
    circle: list[object] = []
    circle.append(circle)
    assert isinstance(returned(Step.ROUTE, circle), Mishap)


def test_a_mishap_passes_through():
    """A grader's own mishap (a timeout, a lost process) stays what it is."""
    timeout = Mishap("timeout", "it took too long")
    assert returned(Step.ROUTE, timeout) is timeout
