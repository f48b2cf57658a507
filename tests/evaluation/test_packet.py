"""The packet scan: every packet that the desk sends is complete and no more than that, and each part that is missed is named."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from evaluation.watching import Watched, watched_row, watched_world

from relay_lab.app.matrix_rows import rows
from relay_lab.contracts.enums import Assurance, IssueState, OperationState
from relay_lab.contracts.handoff import HandoffPacket, PacketAction
from relay_lab.evaluation.packet import packet_failures

QUICK = ("F3", "F4b", "F12", "F20a", "F26a")


def failures(seen: Watched) -> list[str]:
    return [failure for made in seen.made for failure in packet_failures(*made)]


@pytest.mark.parametrize(
    "row_id", [pytest.param(row.id, marks=[] if row.id in QUICK else pytest.mark.slow) for row in rows()]
)
def test_every_packet_of_every_row_holds_all_that_it_must_and_nothing_else(row_id):
    """A row's packets are right, and each issue that ends with a specialist has one."""
    seen = watched_row(row_id)
    assert failures(seen) == []
    ended = {view.issue.id for view in seen.records[-1].issues if view.state is IssueState.HANDED_OFF}
    assert ended <= {packet.issue_id for packet, _, _ in seen.made}


@pytest.mark.parametrize("first", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in range(10, 100, 10))])
def test_every_packet_of_a_hundred_generated_worlds_is_right(first):
    """Whatever a world's records, each packet of a world that is handed off to the end is right."""
    made = [each for seed in range(first, first + 10) for each in watched_world(seed).made]
    assert len(made) >= 15
    assert [failure for each in made for failure in packet_failures(*each)] == []


@pytest.fixture(scope="module")
def blocked():
    """A packet with conflicts over records that contradict each other, its record and its rows."""
    return watched_row("F3").made[0]


@pytest.fixture(scope="module")
def unknown():
    """A packet about an operation whose outcome is not known, with an action and commitments."""
    return watched_row("F20a").made[0]


@pytest.fixture(scope="module")
def timed_out():
    """A packet about reads that timed out."""
    return watched_row("F4b").made[0]


def said_of(made: tuple, **changes: Any) -> str:
    packet, record, seen = made
    plain = {name: getattr(packet, name) for name in HandoffPacket.model_fields} | changes
    return "\n".join(packet_failures(HandoffPacket(**plain), record, seen))


def test_a_right_packet_has_no_failure(blocked, unknown, timed_out):
    """The packets that the canaries below are made of are right."""
    assert [said_of(made) for made in (blocked, unknown, timed_out)] == ["", "", ""]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"conversation_id": "C-9"}, "the conversation of the packet is C-9"),
        ({"customer_id": None}, "the customer of the packet is none"),
        ({"assurance": Assurance.NONE}, "the authentication status of the packet is none"),
        ({"scopes": ("billing:read",)}, "the scopes of the packet is billing:read"),
        ({"issues": ()}, "the list of issues leaves out issue I1"),
        ({"issue_id": "I9"}, "the conversation has no such issue"),
        ({"completed_calls": ()}, "the calls leave out get_plan_and_entitlements, which ended with success"),
        ({"evidence": ()}, "the evidence leaves out record"),
        ({"conflicts": ()}, "the conflicts leave out"),
        ({"commitments": ("We will pay tomorrow.",)}, "never said of this issue: 'We will pay tomorrow.'"),
    ],
)
def test_each_part_that_is_missing_or_made_up_turns_the_scan_red_by_name(blocked, changes, said):
    """Canary: a right packet with one part taken away or made up."""
    assert said in said_of(blocked, **changes)


ONE_OFF: dict[str, tuple[Callable[[HandoffPacket], dict[str, Any]], str]] = {
    "each record": (lambda p: {"evidence": p.evidence[1:]}, "the evidence leaves out record"),
    "record twice": (lambda p: {"evidence": (*p.evidence, p.evidence[0])}, "stands twice in the evidence"),
    "record of another": (
        lambda p: {"evidence": (*p.evidence, p.evidence[0].model_copy(update={"evidence_id": "TX-1"}))},
        "the evidence holds record TX-1, which does not belong there",
    ),
    "source time": (
        lambda p: {"evidence": (later(p.evidence[0]), *p.evidence[1:])},
        "has another source time in the packet",
    ),
    "version": (
        lambda p: {"evidence": (p.evidence[0].model_copy(update={"version": "v0"}), *p.evidence[1:])},
        "has version v0 in the packet",
    ),
    "policy version": (
        lambda p: {
            "evidence": tuple(each.model_copy(update={"policy_version": "SP-0"}) for each in p.evidence)
        },
        "stands in the packet under policy SP-0, not",
    ),
    "each conflict": (lambda p: {"conflicts": p.conflicts[1:]}, "the conflicts leave out"),
    "conflict made up": (
        lambda p: {"conflicts": (*p.conflicts, p.conflicts[0])},
        "and no row of the ledger says so",
    ),
    "conflict in another word": (
        lambda p: {"conflicts": (p.conflicts[0].model_copy(update={"code": "late"}), *p.conflicts[1:])},
        "(late), and no row",
    ),
    "each call": (lambda p: {"completed_calls": p.completed_calls[1:]}, "the calls leave out"),
    "call twice": (
        lambda p: {"completed_calls": (*p.completed_calls, p.completed_calls[0])},
        "more often than it was called",
    ),
    "issue's type": (
        lambda p: {"issues": (p.issues[0].model_copy(update={"type": "other"}), *p.issues[1:])},
        "issue I1 is listed as other",
    ),
    "issue's slot": (
        lambda p: {"issues": (p.issues[0].model_copy(update={"slots": {}}), *p.issues[1:])},
        "slot refund_requested of issue I1",
    ),
    "issue's surplus slot": (
        lambda p: {"issues": (p.issues[0].model_copy(update={"slots": {"mood": "cross"}}), *p.issues[1:])},
        "a slot mood that it does not have",
    ),
    "issue twice": (lambda p: {"issues": (*p.issues, p.issues[0])}, "an issue stands twice"),
}


def later(evidence):
    return evidence.model_copy(update={"source_at": evidence.source_at + timedelta(seconds=1)})


@pytest.mark.parametrize("name", ONE_OFF)
def test_one_entry_more_less_or_other_is_named(name, blocked):
    """Canary: a right packet in which one entry of a list is not as it should be."""
    change, said = ONE_OFF[name]
    assert said in said_of(blocked, **change(blocked[0]))


def test_both_timeouts_of_a_read_are_listed(timed_out):
    """A retry is a call of its own: one of two timeouts is not enough."""
    calls = timed_out[0].completed_calls
    assert [call.outcome for call in calls[:2]] == ["timeout", "timeout"]
    assert "the calls leave out get_billing_transactions, which ended with timeout" in said_of(
        timed_out, completed_calls=calls[1:]
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (None, "the action that was proposed for I3 is left out"),
        ({"reason": "refused"}, "the action says refused for why a specialist must look"),
        ({"operation_state": None}, "the action says None"),
        ({"operation_state": OperationState.COMPLETED}, "stands at failed_unknown"),
        ({"proposal_id": None}, "names proposal None"),
        ({"proposal_id": "DG-9"}, "names proposal DG-9"),
    ],
)
def test_an_action_that_is_left_out_or_told_wrong_is_named(unknown, change, said):
    """Canary: the proposed action of a right packet gone, or with another reason, state or proposal."""
    action = unknown[0].proposed_action
    assert isinstance(action, PacketAction)
    changed = None if change is None else action.model_copy(update=change)
    assert said in said_of(unknown, proposed_action=changed)


def test_each_commitment_is_missed_and_an_action_where_nothing_was_to_be_changed_is_too_much(
    unknown, blocked
):
    """Canary: each sentence that commits us, left out in turn; an action about a question that asks for no change."""
    said = unknown[0].commitments
    assert len(said) >= 3
    for text in said:
        rest = tuple(other for other in said if other != text)
        assert f"leave out what the customer was told: {text!r}" in said_of(unknown, commitments=rest)
    surplus = said_of(blocked, proposed_action=unknown[0].proposed_action)
    assert "an action is proposed for I2, where nothing was to be changed" in surplus
