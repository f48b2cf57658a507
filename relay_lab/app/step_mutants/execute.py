"""Wrong versions of step 7."""

from collections.abc import Callable

from relay_lab.app.step_mutants.kinds import StepFunction, StepMutant
from relay_lab.contracts.change import Envelope
from relay_lab.contracts.enums import OperationState
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.ports import WriteTools
from relay_lab.contracts.steps import ExecutionOrder, Failures
from relay_lab.evaluation.checks.kinds import Step

Execute = Callable[[ExecutionOrder, WriteTools], Operation | Failures]
Submit = Callable[[WriteTools, Envelope], Operation | Failures]


class _Between:
    """Tools that submit in another way."""

    def __init__(self, tools: WriteTools, submit: Submit) -> None:
        self._tools, self._submit = tools, submit

    def schedule_downgrade(self, envelope: Envelope) -> Operation | tuple[str, ...]:
        return self._submit(self._tools, envelope)


def _submitting(submit: Submit) -> Callable[[StepFunction], Execute]:
    def make(reference: StepFunction) -> Execute:
        def broken(order: ExecutionOrder, tools: WriteTools) -> Operation | Failures:
            answer: Operation | Failures = reference(order, _Between(tools, submit))
            return answer

        return broken

    return make


def _saying(**fields: object) -> Callable[[StepFunction], Execute]:
    return _submitting(lambda tools, envelope: tools.schedule_downgrade(envelope.model_copy(update=fields)))


def _is(answer: Operation | Failures, state: OperationState) -> bool:
    return isinstance(answer, Operation) and answer.state is state


def tries_again_under_a_fresh_key(reference: StepFunction) -> Execute:
    """Retries with a fresh key."""

    def submit(tools: WriteTools, envelope: Envelope) -> Operation | Failures:
        answer = tools.schedule_downgrade(envelope)
        if _is(answer, OperationState.FAILED_UNKNOWN):
            fresh = f"{envelope.idempotency_key}-2"
            answer = tools.schedule_downgrade(envelope.model_copy(update={"idempotency_key": fresh}))
        return answer

    return _submitting(submit)(reference)


def tries_again_under_the_same_key(reference: StepFunction) -> Execute:
    """The same key makes every retry safe here."""

    def submit(tools: WriteTools, envelope: Envelope) -> Operation | Failures:
        answer = tools.schedule_downgrade(envelope)
        lost = _is(answer, OperationState.FAILED_UNKNOWN)
        return tools.schedule_downgrade(envelope) if lost else answer

    return _submitting(submit)(reference)


def submits_twice_to_be_sure(reference: StepFunction) -> Execute:
    """Twice is surer than once."""

    def submit(tools: WriteTools, envelope: Envelope) -> Operation | Failures:
        answer = tools.schedule_downgrade(envelope)
        return tools.schedule_downgrade(envelope) if _is(answer, OperationState.COMPLETED) else answer

    return _submitting(submit)(reference)


def names_the_day_in_the_key(reference: StepFunction) -> Execute:
    """A weekday names a renewal."""

    def submit(tools: WriteTools, envelope: Envelope) -> Operation | Failures:
        key = f"{envelope.tenant_id}:{envelope.runtime_customer_id}:{envelope.effective_at:%A}:downgrade"
        return tools.schedule_downgrade(envelope.model_copy(update={"idempotency_key": key}))

    return _submitting(submit)(reference)


def keeps_the_first_seat(reference: StepFunction) -> Execute:
    """The first seat is the owner's."""

    def broken(order: ExecutionOrder, tools: WriteTools) -> Operation | Failures:
        terms = order.quote.terms
        seat = sorted((*terms.seats_kept, *terms.seats_ended))[0]
        quote = order.quote.model_copy(
            update={"terms": terms.model_copy(update={"designated_seat_id": seat})}
        )
        answer: Operation | Failures = reference(order.model_copy(update={"quote": quote}), tools)
        return answer

    return broken


def changes_the_plan_at_once(reference: StepFunction) -> Execute:
    """Who confirms wants it now."""

    def broken(order: ExecutionOrder, tools: WriteTools) -> Operation | Failures:
        at = order.quote.expires_at
        answer: Operation | Failures = _saying(effective_at=at)(reference)(order, tools)
        return answer

    return broken


def expects_any_version(reference: StepFunction) -> Execute:
    """The newest version will do."""
    return _saying(expected_subscription_version=0)(reference)


def makes_its_own_confirmation(reference: StepFunction) -> Execute:
    """A confirmation is a formality."""
    return _saying(confirmation_id="CNF-auto")(reference)


def acts_for_the_customer_it_knows(reference: StepFunction) -> Execute:
    """There is one customer."""
    return _saying(runtime_customer_id="CUST-1042")(reference)


def _answering(
    when: Callable[[Operation | Failures], bool], instead: Callable[[Operation | Failures], object]
) -> Callable[[StepFunction], Execute]:
    def make(reference: StepFunction) -> Execute:
        def broken(order: ExecutionOrder, tools: WriteTools) -> Operation | Failures:
            answer: Operation | Failures = reference(order, tools)
            return instead(answer) if when(answer) else answer  # type: ignore[return-value]

        return broken

    return make


def silence_is_consent(reference: StepFunction) -> Execute:
    """No answer means that it worked."""
    return _answering(lambda answer: _is(answer, OperationState.FAILED_UNKNOWN), _completed)(reference)


def _completed(answer: Operation | Failures) -> object:
    """Called done, with nothing to show for it."""
    done = {"state": OperationState.COMPLETED, "error": None, "detail": None, "recovery_action": None}
    return answer.model_copy(update=done) if isinstance(answer, Operation) else answer


def a_refusal_is_a_detail(reference: StepFunction) -> Execute:
    """It was submitted, so it is done."""
    return _answering(lambda answer: _is(answer, OperationState.REJECTED), _completed)(reference)


def forgets_what_stopped_it(reference: StepFunction) -> Execute:
    """The reason of a refusal is nobody's business."""
    return _answering(lambda answer: isinstance(answer, tuple), lambda _: ())(reference)


def throws_the_receipt_away(reference: StepFunction) -> Execute:
    """The caller knows what it asked for."""
    return _answering(lambda answer: _is(answer, OperationState.COMPLETED), lambda _: ())(reference)


MUTANTS = (
    StepMutant(
        Step.EXECUTE,
        tries_again_under_a_fresh_key,
        "never_submits_again_what_is_not_known",
        related=("the_key_names_cycle_issue_and_quote",),
    ),
    StepMutant(Step.EXECUTE, tries_again_under_the_same_key, "never_submits_again_what_is_not_known"),
    StepMutant(Step.EXECUTE, submits_twice_to_be_sure, "submits_the_confirmed_quote_once"),
    StepMutant(Step.EXECUTE, names_the_day_in_the_key, "the_key_names_cycle_issue_and_quote"),
    StepMutant(Step.EXECUTE, keeps_the_first_seat, "the_envelope_says_what_was_confirmed"),
    StepMutant(Step.EXECUTE, changes_the_plan_at_once, "the_envelope_says_what_was_confirmed"),
    StepMutant(Step.EXECUTE, expects_any_version, "the_envelope_says_what_was_confirmed"),
    StepMutant(Step.EXECUTE, makes_its_own_confirmation, "carries_the_confirmation_it_was_given"),
    StepMutant(Step.EXECUTE, acts_for_the_customer_it_knows, "acts_for_the_customer_who_confirmed"),
    StepMutant(Step.EXECUTE, silence_is_consent, "unknown_is_not_done"),
    StepMutant(Step.EXECUTE, a_refusal_is_a_detail, "a_refusal_stays_a_refusal"),
    StepMutant(Step.EXECUTE, forgets_what_stopped_it, "a_refusal_stays_a_refusal"),
    StepMutant(Step.EXECUTE, throws_the_receipt_away, "returns_the_receipt_it_was_given"),
)
