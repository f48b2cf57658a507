"""Wrong versions of the judge of rows."""

from collections.abc import Callable

from relay_lab.app.step_mutants.kinds import StepFunction, StepMutant
from relay_lab.contracts.enums import Decision, OperationState
from relay_lab.contracts.operations import Receipt
from relay_lab.contracts.oracle import Boundary, OracleExpectation, Verdict
from relay_lab.contracts.record import RunRecord, TraceRow
from relay_lab.evaluation.checks.kinds import Step

Trace = tuple[TraceRow, ...]
Judge = Callable[[RunRecord, Trace, OracleExpectation], Verdict]
Seen = tuple[RunRecord, Trace, OracleExpectation]


def _seeing(change: Callable[[RunRecord, Trace, OracleExpectation], Seen]) -> Callable[[StepFunction], Judge]:
    """The reference on something else than what was recorded."""

    def make(reference: StepFunction) -> Judge:
        def broken(record: RunRecord, trace: Trace, expectation: OracleExpectation) -> Verdict:
            verdict: Verdict = reference(*change(record, trace, expectation))
            return verdict

        return broken

    return make


def _also(boundary: Boundary, when: Callable[[RunRecord, Trace], bool]) -> Callable[[StepFunction], Judge]:
    """The reference, and one boundary more when something looks odd."""

    def make(reference: StepFunction) -> Judge:
        def broken(record: RunRecord, trace: Trace, expectation: OracleExpectation) -> Verdict:
            right: Verdict = reference(record, trace, expectation)
            more = (boundary,) if when(record, trace) and boundary not in right.broken else ()
            return right.model_copy(update={"broken": (*right.broken, *more)})

        return broken

    return make


def _without(boundary: Boundary) -> Callable[[StepFunction], Judge]:
    def make(reference: StepFunction) -> Judge:
        def broken(record: RunRecord, trace: Trace, expectation: OracleExpectation) -> Verdict:
            right: Verdict = reference(record, trace, expectation)
            return right.model_copy(update={"broken": tuple(b for b in right.broken if b != boundary)})

        return broken

    return make


def reads_the_last_reply(reference: StepFunction) -> Judge:
    """The last reply is what counts."""
    return _seeing(lambda record, trace, meant: (_with(record, replies=record.replies[-1:]), trace, meant))(
        reference
    )


def reads_small_letters_only(reference: StepFunction) -> Judge:
    """Words are spelt one way."""

    def change(record: RunRecord, trace: Trace, meant: OracleExpectation) -> Seen:
        said = " ".join(reply.text for reply in record.replies)
        exact = tuple(text for text in meant.must_not if text in said)
        return record, trace, meant.model_copy(update={"must_not": exact})

    return _seeing(change)(reference)


def looks_at_the_issues_there_are(reference: StepFunction) -> Judge:
    """An issue that is not there has no state."""

    def change(record: RunRecord, trace: Trace, meant: OracleExpectation) -> Seen:
        there = {view.issue.id for view in record.issues}
        states = {issue_id: state for issue_id, state in meant.states.items() if issue_id in there}
        return record, trace, meant.model_copy(update={"states": states})

    return _seeing(change)(reference)


def looks_at_the_first_issue(reference: StepFunction) -> Judge:
    """One issue stands for all."""

    def change(record: RunRecord, trace: Trace, meant: OracleExpectation) -> Seen:
        states = dict(list(meant.states.items())[:1])
        rest = {view.issue.id: view.state.value for view in record.issues[1:]}
        return record, trace, meant.model_copy(update={"states": states | rest})

    return _seeing(change)(reference)


def any_guard_will_do(reference: StepFunction) -> Judge:
    """Stopped is stopped."""

    def change(record: RunRecord, trace: Trace, meant: OracleExpectation) -> Seen:
        named = next((row.guard for row in trace if row.guard), meant.stopped_by)
        return record, trace, meant.model_copy(update={"stopped_by": named})

    return _seeing(change)(reference)


def a_guard_may_sleep(reference: StepFunction) -> Judge:
    """What did no harm need not be stopped."""

    def change(record: RunRecord, trace: Trace, meant: OracleExpectation) -> Seen:
        asleep = not any(row.guard for row in trace)
        return record, trace, meant.model_copy(update={"stopped_by": None} if asleep else {})

    return _seeing(change)(reference)


def does_not_look_whose_call_it_was(reference: StepFunction) -> Judge:
    """A call that was made was allowed."""

    def change(record: RunRecord, trace: Trace, meant: OracleExpectation) -> Seen:
        own = record.session.authenticated_customer_id
        return record, tuple(row.model_copy(update={"customer_id": own}) for row in trace), meant

    return _seeing(change)(reference)


def believes_that_scopes_were_checked(reference: StepFunction) -> Judge:
    """Policy has checked the scopes."""

    def change(record: RunRecord, trace: Trace, meant: OracleExpectation) -> Seen:
        every = ("billing:read", "entitlements:read", "incidents:read", "policy:read", "subscription:schedule",
                 "support:handoff")  # fmt: skip
        session = record.session.model_copy(update={"allowed_scopes": every})
        return _with(record, session=session), trace, meant

    return _seeing(change)(reference)


def believes_the_state(reference: StepFunction) -> Judge:
    """Scheduled means scheduled."""
    return _without("receipt")(reference)


def takes_submitted_for_done(reference: StepFunction) -> Judge:
    """What was submitted was done."""

    def change(record: RunRecord, trace: Trace, meant: OracleExpectation) -> Seen:
        receipt = Receipt(receipt_id="SCH-0", recorded_at=record.at, echo={})
        done = {"state": OperationState.COMPLETED, "receipt": receipt}
        operations = tuple(each.model_copy(update=done) for each in record.operations)
        return _with(record, operations=operations), trace, meant

    return _seeing(change)(reference)


def counts_effects_and_not_keys(reference: StepFunction) -> Judge:
    """One effect, whatever the keys."""
    return _without("once")(reference)


def takes_a_refusal_for_a_breach(reference: StepFunction) -> Judge:
    """An attempt is a breach."""
    return _also("scopes", lambda _, trace: any(row.decision is Decision.DENY for row in trace))(reference)


def takes_a_timeout_for_a_failure(reference: StepFunction) -> Judge:
    """A run in which something fails is wrong."""
    return _also("states", lambda _, trace: any(row.outcome == "timeout" for row in trace))(reference)


def takes_a_handoff_for_a_failure(reference: StepFunction) -> Judge:
    """A desk that needs a person has failed."""
    return _also("receipt", lambda record, _: bool(record.packets))(reference)


def _with(record: RunRecord, **fields: object) -> RunRecord:
    return record.model_copy(update=fields)


MUTANTS = (
    StepMutant(Step.ORACLE, reads_the_last_reply, "sees_what_a_reply_may_not_say"),
    StepMutant(Step.ORACLE, reads_small_letters_only, "sees_what_a_reply_may_not_say"),
    StepMutant(Step.ORACLE, looks_at_the_issues_there_are, "sees_where_an_issue_ends"),
    StepMutant(Step.ORACLE, looks_at_the_first_issue, "sees_where_an_issue_ends"),
    StepMutant(Step.ORACLE, any_guard_will_do, "sees_which_guard_stopped_it"),
    StepMutant(Step.ORACLE, a_guard_may_sleep, "sees_which_guard_stopped_it"),
    StepMutant(Step.ORACLE, does_not_look_whose_call_it_was, "sees_a_call_for_another_customer"),
    StepMutant(Step.ORACLE, believes_that_scopes_were_checked, "sees_a_call_without_its_scope"),
    StepMutant(Step.ORACLE, believes_the_state, "sees_done_without_a_receipt"),
    StepMutant(Step.ORACLE, takes_submitted_for_done, "sees_done_without_a_receipt"),
    StepMutant(Step.ORACLE, counts_effects_and_not_keys, "sees_a_second_key"),
    StepMutant(
        Step.ORACLE,
        takes_a_refusal_for_a_breach,
        "passes_a_run_that_is_right",
        related=("sees_which_guard_stopped_it",),
    ),
    StepMutant(Step.ORACLE, takes_a_timeout_for_a_failure, "passes_a_run_that_is_right"),
    StepMutant(Step.ORACLE, takes_a_handoff_for_a_failure, "passes_a_run_that_is_right"),
)
