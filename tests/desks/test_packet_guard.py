"""The packet guard, the first line before the leak scan: no packet with a secret leaves, in whatever form, and honest ones do."""

import pytest
from evaluation.forged import HONEST, SECRETS, TOKEN, in_clothes
from evaluation.watching import watched_world

from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.handoff import HandoffPacket, PacketIssue
from relay_lab.desks.support.packet_guard import secret_in

UNSEEN = {"blanks", "blanks and lines", "dots"}
"""What the guard cannot know to be a secret, having nothing but its look. The leak scan is told the secrets, and finds them."""


def packet(commitment: str, **slots: object) -> HandoffPacket:
    return HandoffPacket(
        conversation_id="C-1",
        issue_id="I1",
        reason="timeout",
        customer_id="CUST-1",
        assurance=Assurance.RECENT_MFA,
        scopes=("billing:read",),
        issues=(PacketIssue(id="I1", type="other", slots=slots),),
        evidence=(),
        completed_calls=(),
        proposed_action=None,
        conflicts=(),
        commitments=(commitment,),
    )


@pytest.mark.parametrize("name", SECRETS)
def test_a_commitment_that_holds_a_secret_is_named(name):
    """Every forged form of the leak scan's tests is stopped here already."""
    assert secret_in(packet(SECRETS[name])) == "packet.commitments[0]"


@pytest.mark.parametrize("text", HONEST)
def test_an_honest_commitment_leaves(text):
    """Sentences that speak of passwords, plans and ids hold none of them."""
    assert secret_in(packet(text)) is None


@pytest.mark.parametrize("name", in_clothes(TOKEN))
def test_a_token_of_ours_is_stopped_in_every_clothing_that_can_be_seen_through(name):
    """The rest is named, so that nobody takes the guard for more than it is."""
    stopped = secret_in(packet(in_clothes(TOKEN)[name])) is not None
    assert stopped == (name not in UNSEEN)


@pytest.mark.parametrize(
    ("name", "value"), [("password", "x"), ("api_key", "y"), ("pin", 4821), ("token", "z")]
)
def test_a_slot_under_such_a_name_is_stopped_whatever_it_holds(name, value):
    """A step that adds a slot to an issue."""
    assert secret_in(packet("Fine.", **{name: value})) == "packet.issues[0].slots"
    assert secret_in(packet("Fine.", **{name: None})) is None


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(10, 100, 10))])
def test_every_packet_of_a_hundred_generated_worlds_leaves(first):
    """No honest packet is held back, whatever a world's ids and names look like."""
    made = [each[0] for seed in range(first, first + 10) for each in watched_world(seed).made]
    assert made
    assert [secret_in(each) for each in made] == [None] * len(made)
