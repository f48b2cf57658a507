"""One function as one step: full points for the reference, and a value for whatever else a function does."""

import json
import sys

import pytest
from pydantic_core import to_jsonable_python

from relay_lab.app.check import StepReport, check_step
from relay_lab.app.step_mutants.diagnosis import misconception
from relay_lab.app.step_mutants.execute import tries_again_under_a_fresh_key
from relay_lab.app.step_mutants.run import references
from relay_lab.app.step_mutants.variants import execute
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.session import Authentication
from relay_lab.evaluation.checks.kinds import Step


class Spiteful:
    """Every look at it raises."""

    def __getattribute__(self, name: str) -> object:
        raise RuntimeError(name)


class Unprintable(Exception):
    """Raises when it is printed."""

    def __str__(self) -> str:
        raise RuntimeError


def raising(error: BaseException):
    def function(*_: object) -> object:
        raise error

    return function


@pytest.mark.parametrize("step", Step)
def test_the_reference_earns_every_point(step):
    """Ten of ten on the fixture and on hidden worlds."""
    report = check_step(step, references()[step])
    assert report.passed, [check for check in report.checks if not check.passed]
    assert (report.points, report.max) == (10, 10)


@pytest.mark.parametrize("step", Step)
def test_plain_json_from_another_process_is_judged_like_the_value(step):
    """A grader's child sends JSON; the same checks give the same points."""

    def far_away(*arguments: object) -> object:
        return json.loads(json.dumps(to_jsonable_python(references()[step](*arguments))))

    assert check_step(step, far_away, seeds=()).points == 10


@pytest.mark.parametrize(
    "function",
    [
        lambda: None,
        lambda *_: None,
        lambda *_: 7,
        lambda *_: Spiteful(),
        raising(KeyError("gone")),
        raising(SystemExit(0)),
        raising(RecursionError()),
        raising(Unprintable()),
        raising(GeneratorExit()),
        lambda *_: sys.exit("bye"),
        lambda *_: (yield 1),
        None,
        "authenticate",
    ],
)
@pytest.mark.parametrize("step", ["authenticate", "retrieve", "oracle"])
def test_whatever_a_function_does_is_a_report(step, function):
    """No points, a sentence a check, and no exception."""
    report = check_step(step, function, seeds=())
    assert isinstance(report, StepReport)
    assert report.points == 0
    assert all(check.failures and check.hint for check in report.checks)


def test_an_interruption_of_the_person_is_not_the_steps():
    """Control-C ends the check."""
    with pytest.raises(KeyboardInterrupt):
        check_step("route", raising(KeyboardInterrupt()), seeds=())


def test_a_function_that_writes_into_its_arguments_changes_no_later_case():
    """Every call has arguments of its own."""

    def spoiling(authentication, issues, ledger, unanswered):
        right = references()[Step.ROUTE](authentication, issues, ledger, unanswered)
        unanswered.update({issue.id: 9 for issue in issues})
        return right

    assert check_step("route", spoiling).passed


def test_a_report_shows_what_was_sent_and_what_came_back():
    """On the fixture that everybody has, input and answer are shown."""
    report = check_step("authenticate", lambda session, message: "me")
    first = report.checks[0]
    assert "CUST-1042" in first.sent
    assert "str came back, not an Authentication" in first.came_back
    assert first.points == 0


def test_a_hidden_world_is_never_shown():
    """A function that is right on the fixture alone learns that another world failed, and not which."""

    def literal(session, message):
        right: Authentication = references()[Step.AUTHENTICATE](session, message)
        return right.model_copy(update={"tenant_id": "relay-prod"})

    report = check_step("authenticate", literal)
    check = next(check for check in report.checks if check.name == "identity_comes_from_the_session")
    assert not check.passed
    assert (check.sent, check.came_back) == ("", "")
    assert all(failure.startswith("another world: ") for failure in check.failures)


def test_later_attempts_get_later_hints():
    """Question, pointer, shape."""
    hints = [check_step("execute", lambda *_: None, (), attempt).checks[0].hint for attempt in (1, 2, 3, 4)]
    assert len(set(hints)) == 3
    assert hints[2] == hints[3]


def test_a_passed_check_needs_no_hint():
    """Nothing is given away that was not needed."""
    assert all(check.hint == "" for check in check_step("execute", execute.by_a_map).checks)


def test_a_step_that_there_is_not_is_refused_in_one_sentence():
    """The sentence names the steps."""
    with pytest.raises(BadInput, match="no step 'refund'; the steps are authenticate, decompose"):
        check_step("refund", lambda: None)


def test_a_function_that_fails_like_a_mutant_is_told_what_it_believes():
    """Another function with the same fault gets the misconception of the mutant that fails in the same places."""

    class Retrying:
        def __init__(self, tools):
            self.tools = tools

        def schedule_downgrade(self, envelope):
            answer = self.tools.schedule_downgrade(envelope)
            if getattr(answer, "detail", None) != "lost":
                return answer
            key = f"retry-{envelope.idempotency_key}"
            return self.tools.schedule_downgrade(envelope.model_copy(update={"idempotency_key": key}))

    mutant = tries_again_under_a_fresh_key(references()[Step.EXECUTE])
    believed = "retries with a fresh key"
    assert misconception(Step.EXECUTE, mutant) == believed
    assert (
        misconception(Step.EXECUTE, lambda order, tools: execute.by_a_map(order, Retrying(tools))) == believed
    )


def test_a_function_that_fails_in_its_own_way_is_told_nothing():
    """A right function has no misconception, and one that fails everywhere has none that we know."""
    assert misconception(Step.EXECUTE, execute.by_a_map) is None
    assert misconception(Step.EXECUTE, lambda *_: None) is None
