"""One answer for everything earns nothing, and what a step writes into what it was given is its own affair."""

import pytest
from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from relay_lab.app.check import SEEDS, check_step, performances
from relay_lab.app.step_mutants.run import references
from relay_lab.contracts.enums import OperationState
from relay_lab.contracts.evidence import Retrieval
from relay_lab.contracts.issues import AdmittedIssues, Rejected
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.oracle import Verdict
from relay_lab.evaluation.checks.kinds import Step


@pytest.mark.parametrize(
    "step", [Step.AUTHENTICATE, Step.DECOMPOSE, Step.EXECUTE, Step.HAND_OFF, Step.ORACLE]
)
def test_an_answer_that_is_always_the_same_earns_nothing(step):
    """Whatever the reference answers in some case, said in every case: each check has a case that it is wrong in."""
    answers = []
    for _, seen in performances(step, references()[step], SEEDS):
        if seen.returned not in answers:
            answers.append(seen.returned)
    assert len(answers) > 3
    for answer in answers:
        assert check_step(step, lambda *_, said=answer: said).points == 0, answer


@pytest.mark.parametrize(
    ("step", "answer"),
    [
        (Step.DECOMPOSE, Rejected(code="x", place="issues[1].span", guard="x")),
        (
            Step.DECOMPOSE,
            AdmittedIssues(issues=(), overreach=("allowed_scopes", "authenticated_customer_id")),
        ),
        (Step.RETRIEVE, Retrieval(reads=(), records=(), missing=())),
        (Step.ORACLE, Verdict(broken=())),
        (Step.ORACLE, Verdict(broken=("states", "stopped_by", "words", "scopes", "receipt", "once"))),
    ],
)
def test_who_refuses_everything_or_passes_everything_earns_nothing(step, answer):
    """Beside what must be refused stands what must be taken, and beside a wrong run a right one."""
    assert check_step(step, lambda *_: answer).points == 0


def spoils(value, depth=0):
    """Write into everything that can be reached."""
    if isinstance(value, BaseModel) and depth < 9:
        for name in list(value.__dict__):
            spoils(value.__dict__[name], depth + 1)
            value.__dict__[name] = None
    elif isinstance(value, dict):
        for each in value.values():
            spoils(each, depth + 1)
        value.clear()
    elif isinstance(value, list | tuple):
        for each in value:
            spoils(each, depth + 1)


@pytest.mark.parametrize("step", Step)
def test_a_step_that_writes_into_everything_it_is_given_spoils_nothing_for_the_next_one(step):
    """Arguments, and what the tools answered, are the step's own: afterwards the reference still earns every point."""

    def spoiling(*given):
        right = to_jsonable_python(references()[step](*given))
        spoils(given)
        if step is Step.RETRIEVE:
            spoils(given[-1].read("get_billing_transactions", {}, 1.0))
        return right

    check_step(step, spoiling)
    assert check_step(step, references()[step]).points == 10


def test_what_a_tool_answered_is_the_steps_own():
    """An operation that is called completed after it was lost is so for this step alone, and the judge sees it."""

    def alters(order, tools):
        answer = references()[Step.EXECUTE](order, tools)
        if isinstance(answer, Operation):
            answer.__dict__["state"] = OperationState.COMPLETED
        return answer

    report = check_step("execute", alters, seeds=())
    red = {check.name for check in report.checks if not check.passed}
    assert red == {"unknown_is_not_done", "a_refusal_stays_a_refusal"}
    assert check_step("execute", references()[Step.EXECUTE], seeds=()).passed


@pytest.mark.parametrize("step", [Step.RETRIEVE, Step.EXECUTE, Step.HAND_OFF])
def test_a_step_cannot_reach_the_record_of_its_calls(step):
    """What it holds are the tools: neither what was asked nor what will be answered stands there to be altered."""
    found = []

    def looks(*given):
        found.extend(
            name for name in ("calls", "says", "archive", "troubles", "rights") if hasattr(given[-1], name)
        )
        found.extend(vars(given[-1]))
        return references()[step](*given)

    assert check_step(step, looks, seeds=()).points == 10
    assert found == []
