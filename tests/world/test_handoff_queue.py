"""The handoff queue: one ticket for one key and packet."""

from typing import Any

import pytest

from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.operations import Absent, Accepted, Refused

KEY = "relay-prod:CUST-1042:I1:0f3a"


def test_a_packet_opens_one_ticket_however_often_it_is_sent(lab: Any) -> None:
    first = lab.company.handoff_queue.enqueue(KEY, lab.packet())
    assert isinstance(first, Accepted)
    assert first.receipt.receipt_id == "HO-000001"
    assert first.receipt.echo == {"idempotency_key": KEY, "issue_id": "I1", "customer_id": "CUST-1042"}
    lab.clock.advance(3600)
    assert lab.company.handoff_queue.enqueue(KEY, lab.packet()) == first
    assert lab.company.handoff_queue.find(KEY) == first
    assert lab.company.tickets() == 1


def test_a_ticket_is_journalled_and_is_no_mutation(lab: Any) -> None:
    lab.company.handoff_queue.enqueue(KEY, lab.packet())
    assert lab.company.mutations() == 0
    (row,) = lab.company.journal()
    assert (row.system, row.operation, row.key, row.cause) == ("handoff_queue", "enqueue", KEY, "request")


def test_the_packet_is_kept_as_it_was_sent(lab: Any) -> None:
    lab.company.handoff_queue.enqueue(KEY, lab.packet(commitments=["We will look at it."]))
    (packet,) = lab.company.handoff_queue.packets()
    assert isinstance(packet, HandoffPacket)
    assert packet.commitments == ("We will look at it.",)


def test_another_packet_under_the_same_key_is_refused(lab: Any) -> None:
    lab.company.handoff_queue.enqueue(KEY, lab.packet())
    before = lab.company.tables()
    assert lab.company.handoff_queue.enqueue(KEY, lab.packet(reason="other")) == Refused(code="key_reused")
    assert lab.company.tables() == before


@pytest.mark.parametrize(
    "changes",
    [
        {"mood": "angry"},
        {"reason": "Not A Code"},
        {"assurance": "total"},
        {"scopes": "all"},
        {"issues": None},
    ],
)
def test_a_packet_with_anything_else_in_it_is_refused(lab: Any, changes: dict[str, Any]) -> None:
    before = lab.company.tables()
    assert lab.company.handoff_queue.enqueue(KEY, lab.packet(**changes)) == Refused(code="malformed_packet")
    assert lab.company.tables() == before


def test_a_customer_who_is_not_known_can_be_handed_over_too(lab: Any) -> None:
    answer = lab.company.handoff_queue.enqueue(KEY, lab.packet(customer_id=None, assurance="none"))
    assert isinstance(answer, Accepted)
    assert answer.receipt.echo["customer_id"] is None


def test_a_closed_key_opens_no_ticket(lab: Any) -> None:
    assert lab.company.handoff_queue.find(KEY) == Absent()
    assert lab.company.handoff_queue.close(KEY) == Refused(code="key_closed")
    assert lab.company.handoff_queue.enqueue(KEY, lab.packet()) == Refused(code="key_closed")
    assert lab.company.tickets() == 0
