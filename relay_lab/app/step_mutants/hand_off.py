"""Wrong versions of step 8."""

from collections.abc import Callable

from relay_lab.app.step_mutants.kinds import StepFunction, StepMutant
from relay_lab.contracts.enums import OperationState
from relay_lab.contracts.evidence import Subscription
from relay_lab.contracts.handoff import HandoffPacket, PacketEvidence
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.ports import HandoffTools
from relay_lab.contracts.steps import Failures, HandoffCase
from relay_lab.evaluation.checks.kinds import Step

HandOff = Callable[[HandoffCase, HandoffTools], Operation | Failures]
Send = Callable[[HandoffTools, HandoffPacket], Operation | Failures]


class _Between:
    """Tools that send in another way."""

    def __init__(self, tools: HandoffTools, send: Send) -> None:
        self._tools, self._send = tools, send

    def hand_off(self, packet: HandoffPacket) -> Operation | tuple[str, ...]:
        return self._send(self._tools, packet)


def _packing(
    change: Callable[[HandoffCase, HandoffPacket], dict[str, object]],
) -> Callable[[StepFunction], HandOff]:
    """The reference with some fields of its packet overwritten."""

    def make(reference: StepFunction) -> HandOff:
        def broken(case: HandoffCase, tools: HandoffTools) -> Operation | Failures:
            def send(tools: HandoffTools, packet: HandoffPacket) -> Operation | Failures:
                return tools.hand_off(packet.model_copy(update=change(case, packet)))

            answer: Operation | Failures = reference(case, _Between(tools, send))
            return answer

        return broken

    return make


def _with_slot(packet: HandoffPacket, name: str, text: str) -> dict[str, object]:
    first, *rest = packet.issues
    return {"issues": (first.model_copy(update={"slots": first.slots | {name: text}}), *rest)}


def sends_the_customers_words(reference: StepFunction) -> HandOff:
    """The customer says it best."""
    return _packing(lambda case, packet: _with_slot(packet, "words", case.issues[0].span.text))(reference)


def sends_what_the_records_say(reference: StepFunction) -> HandOff:
    """A specialist needs the facts themselves."""

    def change(case: HandoffCase, packet: HandoffPacket) -> dict[str, object]:
        for record in case.retrieval.records:
            if isinstance(record.value, Subscription) and record.value.seats:
                return _with_slot(packet, "seats", ", ".join(seat.holder for seat in record.value.seats))
        return {}

    return _packing(change)(reference)


def hides_the_conflicts(reference: StepFunction) -> HandOff:
    """A specialist will see it."""
    return _packing(lambda *_: {"conflicts": ()})(reference)


def names_conflicts_without_their_records(reference: StepFunction) -> HandOff:
    """The claim says which records."""
    return _packing(
        lambda _, packet: {
            "conflicts": tuple(each.model_copy(update={"evidence_ids": ()}) for each in packet.conflicts)
        }
    )(reference)


def sends_all_evidence(reference: StepFunction) -> HandOff:
    """More evidence is better."""

    def change(case: HandoffCase, packet: HandoffPacket) -> dict[str, object]:
        return {
            "evidence": tuple(
                PacketEvidence(
                    evidence_id=each.evidence_id,
                    source_at=each.source_at,
                    version=each.version,
                    policy_version=None,
                )
                for each in case.retrieval.records
            )
        }

    return _packing(change)(reference)


def forgets_versions(reference: StepFunction) -> HandOff:
    """A record is what it is now."""
    return _packing(
        lambda _, packet: {
            "evidence": tuple(each.model_copy(update={"version": "latest"}) for each in packet.evidence)
        }
    )(reference)


def hides_failed_calls(reference: StepFunction) -> HandOff:
    """A call that failed was not completed."""
    return _packing(
        lambda _, packet: {
            "completed_calls": tuple(each for each in packet.completed_calls if each.outcome == "success")
        }
    )(reference)


def sends_this_issue_only(reference: StepFunction) -> HandOff:
    """One packet, one issue, nothing around it."""
    return _packing(
        lambda case, packet: {"issues": tuple(each for each in packet.issues if each.id == case.issue_id)}
    )(reference)


def drops_what_was_promised(reference: StepFunction) -> HandOff:
    """What was said is over."""
    return _packing(lambda *_: {"commitments": ()})(reference)


def drops_the_proposed_action(reference: StepFunction) -> HandOff:
    """The specialist decides anew."""
    return _packing(lambda *_: {"proposed_action": None})(reference)


def addresses_the_customer_it_knows(reference: StepFunction) -> HandOff:
    """There is one customer."""
    return _packing(lambda *_: {"customer_id": "CUST-1042"})(reference)


def sends_again_when_silent(reference: StepFunction) -> HandOff:
    """A silent queue wants to hear it twice."""

    def broken(case: HandoffCase, tools: HandoffTools) -> Operation | Failures:
        def send(tools: HandoffTools, packet: HandoffPacket) -> Operation | Failures:
            answer = tools.hand_off(packet)
            silent = isinstance(answer, Operation) and answer.state is OperationState.FAILED_UNKNOWN
            return tools.hand_off(packet) if silent else answer

        answer: Operation | Failures = reference(case, _Between(tools, send))
        return answer

    return broken


def sent_is_received(reference: StepFunction) -> HandOff:
    """What was sent has arrived."""

    def broken(case: HandoffCase, tools: HandoffTools) -> Operation | Failures:
        answer: Operation | Failures = reference(case, tools)
        done = {"state": OperationState.COMPLETED, "error": None, "detail": None, "recovery_action": None}
        return answer.model_copy(update=done) if isinstance(answer, Operation) else answer

    return broken


def says_nothing_of_a_refusal(reference: StepFunction) -> HandOff:
    """The customer need not know."""

    def broken(case: HandoffCase, tools: HandoffTools) -> Operation | Failures:
        answer: Operation | Failures = reference(case, tools)
        return answer if isinstance(answer, Operation) else ()

    return broken


MUTANTS = (
    StepMutant(Step.HAND_OFF, sends_the_customers_words, "carries_no_private_text"),
    StepMutant(Step.HAND_OFF, sends_what_the_records_say, "carries_no_private_text"),
    StepMutant(Step.HAND_OFF, hides_the_conflicts, "names_every_conflict_and_gap"),
    StepMutant(Step.HAND_OFF, names_conflicts_without_their_records, "names_every_conflict_and_gap"),
    StepMutant(Step.HAND_OFF, sends_all_evidence, "lists_the_evidence_of_this_issue_only"),
    StepMutant(Step.HAND_OFF, forgets_versions, "lists_the_evidence_of_this_issue_only"),
    StepMutant(Step.HAND_OFF, hides_failed_calls, "lists_every_call_and_how_it_ended"),
    StepMutant(Step.HAND_OFF, sends_this_issue_only, "carries_every_issue_with_its_slots"),
    StepMutant(Step.HAND_OFF, drops_what_was_promised, "says_why_and_what_was_promised"),
    StepMutant(Step.HAND_OFF, drops_the_proposed_action, "says_why_and_what_was_promised"),
    StepMutant(Step.HAND_OFF, addresses_the_customer_it_knows, "is_addressed_to_the_sessions_own_customer"),
    StepMutant(Step.HAND_OFF, sends_again_when_silent, "sends_one_packet"),
    StepMutant(Step.HAND_OFF, sent_is_received, "only_the_queues_answer_makes_it_handed_off"),
    StepMutant(Step.HAND_OFF, says_nothing_of_a_refusal, "only_the_queues_answer_makes_it_handed_off"),
)
