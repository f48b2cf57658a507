"""Checks of step 8: a specialist gets what is needed to go on, and nothing else; only an acknowledgement counts (001 §8)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from relay_lab.contracts.enums import OperationState
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.steps import HandoffCase
from relay_lab.evaluation.checks.arrived import Apart
from relay_lab.evaluation.checks.kinds import Check, Hints, Judge, Performance, Step, values
from relay_lab.evaluation.measure import Measure


@dataclass(frozen=True)
class ExpectedHandoff(Apart):
    """What must and must not be in the packet.

    `conflicts`: (predicate or record kind, evidence ids) of what could not be supported · `evidence`: ids that the issue's
    rows link · `calls`: (tool, outcome) in order · `private`: texts that no packet may hold: the customer's words, names of
    people, what records say · `answer`: what the queue says.
    """

    case: HandoffCase
    conflicts: tuple[tuple[str, tuple[str, ...]], ...]
    evidence: tuple[str, ...]
    calls: tuple[tuple[str, str], ...]
    private: tuple[str, ...]
    answer: Operation | tuple[str, ...]


def _packets(seen: Performance) -> tuple[HandoffPacket, ...]:
    return tuple(call.arguments["packet"] for call in seen.calls)


def _of_packets(judge: Judge) -> Judge:
    """A judge of what was sent: who has sent nothing has left nothing out and given nothing away, and has not handed off."""

    def judged(seen: Performance) -> Iterator[str]:
        if not seen.calls:
            yield "no packet was sent"
        yield from judge(seen)

    return judged


def _one(seen: Performance) -> Iterator[str]:
    if len(seen.calls) != 1:
        yield f"{len(seen.calls)} packets were sent, not one"


def _address(seen: Performance) -> Iterator[str]:
    case: HandoffCase = seen.expected.case
    for packet in _packets(seen):
        for name, got, meant in (
            ("conversation_id", packet.conversation_id, case.conversation_id),
            ("issue_id", packet.issue_id, case.issue_id),
            ("customer_id", packet.customer_id, case.authentication.customer_id),
            ("assurance", packet.assurance, case.authentication.assurance),
            ("scopes", packet.scopes, case.authentication.scopes),
        ):
            if got != meant:
                yield f"{name} is {got!r}, not {meant!r}"


def _private(seen: Performance) -> Iterator[str]:
    for packet in _packets(seen):
        texts = [str(text).casefold() for text in values(packet.model_dump(mode="json"))]
        for secret in seen.expected.private:
            if any(secret.casefold() in text for text in texts):
                yield f"the packet holds {secret[:60]!r}"


def _conflicts(seen: Performance) -> Iterator[str]:
    for packet in _packets(seen):
        named = {(each.about, frozenset(each.evidence_ids)) for each in packet.conflicts}
        for about, evidence in seen.expected.conflicts:
            if (about, frozenset(evidence)) not in named:
                with_ids = f" with {', '.join(evidence)}" if evidence else ""
                yield f"{about} could not be supported, and the packet does not name it{with_ids}"
        meant = {(about, frozenset(evidence)) for about, evidence in seen.expected.conflicts}
        for about, _ in sorted(named - meant, key=str):
            yield f"{about} is named as a conflict, and no row of this issue is one on these records"


def _evidence(seen: Performance) -> Iterator[str]:
    records = {each.evidence_id: each for each in seen.expected.case.retrieval.records}
    for packet in _packets(seen):
        ids = {each.evidence_id for each in packet.evidence}
        for missing in sorted(set(seen.expected.evidence) - ids):
            yield f"{missing} is linked by the issue's rows and is not in the packet"
        for other in sorted(ids - set(seen.expected.evidence)):
            yield f"{other} is none of this issue's evidence"
        for each in packet.evidence:
            record = records.get(each.evidence_id)
            if record and (each.source_at, each.version) != (record.source_at, record.version):
                yield f"{each.evidence_id} has another source time or version than its record"


def _calls(seen: Performance) -> Iterator[str]:
    for packet in _packets(seen):
        got = tuple((each.tool, each.outcome) for each in packet.completed_calls)
        if got != seen.expected.calls:
            yield f"the calls are {list(got)}, and {list(seen.expected.calls)} were made"


def _issues(seen: Performance) -> Iterator[str]:
    for packet in _packets(seen):
        got = {each.id: (each.type, each.slots) for each in packet.issues}
        for issue in seen.expected.case.issues:
            slots: dict[str, Any] = issue.model_dump(mode="json", exclude={"id", "type", "span"})
            kind, named = got.get(issue.id, (None, {}))
            if kind != issue.type or any(named.get(name) != value for name, value in slots.items()):
                yield f"{issue.id} is {kind} {named}, not {issue.type} {slots}"
        for other in sorted(got.keys() - {issue.id for issue in seen.expected.case.issues}):
            yield f"{other} is in the packet, and is no issue of this conversation"


def _why(seen: Performance) -> Iterator[str]:
    case: HandoffCase = seen.expected.case
    for packet in _packets(seen):
        if packet.reason != case.reason:
            yield f"the reason is {packet.reason}, not {case.reason}"
        if packet.proposed_action != case.proposed_action:
            yield "the proposed action is not the one that was given"
        if packet.commitments != case.commitments:
            yield f"{len(packet.commitments)} commitments go along, not the {len(case.commitments)} that were made"


def _acknowledged(seen: Performance) -> Iterator[str]:
    got, meant = seen.returned, seen.expected.answer
    if isinstance(got, Operation) and got.state is OperationState.COMPLETED and got != meant:
        yield "the handoff is called completed, and the queue has not acknowledged it"
    elif got != meant:
        yield f"the queue answered {_plain(meant)}, and {_plain(got)} came back"


def _plain(answer: Operation | tuple[str, ...]) -> str:
    return answer.state.value if isinstance(answer, Operation) else str(answer)


_SENT = ("conflict", "timeout", "change", "a_person")
_ANY = (*_SENT, "queue_silent", "queue_refuses")

CHECKS = (
    Check(
        "sends_one_packet", Step.HAND_OFF, Measure.ONCE, _ANY, 1,
        Hints(
            "How many specialists should work on one issue?",
            "Count the calls of hand_off; a silent queue is asked again on the next turn, not here.",
            "Exactly one call.",
        ),
        _one,
    ),
    Check(
        "is_addressed_to_the_sessions_own_customer", Step.HAND_OFF, Measure.SCOPES, _ANY, 1,
        Hints(
            "Whose case is this?",
            "Customer, assurance and scopes come from the authentication.",
            "customer_id=case.authentication.customer_id, and the case's conversation and issue.",
        ),
        _of_packets(_address),
    ),
    Check(
        "carries_no_private_text", Step.HAND_OFF, Measure.SCOPES, _ANY, 2,
        Hints(
            "What does the specialist look up, and what do you send?",
            "The customer's words, people's names and what records say stay where they are.",
            "Slots, ids, versions and codes; no span, no value of a record.",
        ),
        _of_packets(_private),
    ),
    Check(
        "names_every_conflict_and_gap", Step.HAND_OFF, Measure.EVIDENCE, _SENT, 1,
        Hints(
            "Why does this need a person?",
            "Go through the rows of the issue that are not supported.",
            "One PacketConflict each, with the ids of what contradicts, status missing when there is no evidence.",
        ),
        _of_packets(_conflicts),
    ),
    Check(
        "lists_the_evidence_of_this_issue_only", Step.HAND_OFF, Measure.CLAIMS, _SENT, 1,
        Hints(
            "Which records does this issue rest on?",
            "The evidence ids of its ledger rows, each with source time and version.",
            "No record of another issue, none left out.",
        ),
        _of_packets(_evidence),
    ),
    Check(
        "lists_every_call_and_how_it_ended", Step.HAND_OFF, Measure.EVIDENCE, _SENT, 1,
        Hints(
            "Will the specialist try again what has failed already?",
            "retrieval.reads holds every attempt, failures too.",
            "PacketCall(tool, 'success' or the error's code), in order.",
        ),
        _of_packets(_calls),
    ),
    Check(
        "carries_every_issue_with_its_slots", Step.HAND_OFF, Measure.DECOMPOSITION, _SENT, 1,
        Hints(
            "Must the customer say it all again?",
            "All issues of the conversation, typed.",
            "PacketIssue(id, type, slots) for each, null slots included.",
        ),
        _of_packets(_issues),
    ),
    Check(
        "says_why_and_what_was_promised", Step.HAND_OFF, Measure.CLAIMS, _SENT, 1,
        Hints(
            "What has the customer been told?",
            "Reason, proposed action and commitments come with the case.",
            "All three as they were given.",
        ),
        _of_packets(_why),
    ),
    Check(
        "only_the_queues_answer_makes_it_handed_off", Step.HAND_OFF, Measure.RECEIPT, _ANY, 1,
        Hints(
            "Has somebody taken the case?",
            "The queue may be silent, or refuse.",
            "Return what the tool returned, and never a completed operation of your own.",
        ),
        _acknowledged,
    ),
)  # fmt: skip
"""The checks of `hand_off`."""
