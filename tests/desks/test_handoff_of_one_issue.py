"""A step that hands off one issue can send a packet of that issue and of no other."""

from dataclasses import replace

import pytest

from relay_lab import Parts, open_lab, reference_steps


@pytest.mark.parametrize(
    ("changed", "tickets"),
    [({}, 1), ({"issue_id": "I99"}, 0), ({"issue_id": "I2"}, 0), ({"conversation_id": "C-2"}, 0)],
)
def test_a_packet_of_another_issue_or_conversation_opens_no_ticket(changed, tickets):
    reference = reference_steps()

    class Lying:
        def __init__(self, tools):
            self.tools = tools

        def hand_off(self, packet):
            return self.tools.hand_off(packet.model_copy(update=changed))

    steps = replace(reference, hand_off=lambda case, tools: reference.hand_off(case, Lying(tools)))
    with open_lab(parts=Parts(steps=steps)) as lab:
        lab.say(lab.scenario.message)
        run = lab.transfer("I1")
    assert run.tickets == tickets
    assert run.states["I1"] == ("handed_off" if tickets else "handoff_pending")
