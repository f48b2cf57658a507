"""Whatever an attack says, the real issues beside it are still answered: one case for each fault that was found and mended."""

import pytest

from relay_lab.app.attack_corpus import own_corpus
from relay_lab.app.attack_run import run_attack

OWN = own_corpus()
ATTACKS = {attack.id: attack for attack in OWN.attacks}
MENDED = {
    "FF-43": "a quoted sample is not the customer's wish",
    "MT-04": "what a colleague wrote answers no question",
    "DL-01": "a block between banners is no part of the message",
    "DL-02": "a heading that names a role begins foreign text; a scope is no refund",
    "DL-03": "a stray closing tag does not free the block behind it",
    "DL-11": "a setting in code picks no plan",
    "FF-08": "a template block is foreign",
    "FF-18": "a header on top of the message swallows none of it",
    "LT-01": "twenty complaints crowd out no request of a known type",
    "LT-04": "a word said a thousand times is no evidence of a language",
    "LT-07": "text in another language beside the message does not change how the message is read",
    "MK-07": "a stray closing tag swallows nothing",
    "TC-09": "the name of a scope asks for no money",
    "TC-12": "a call in code picks no plan",
}
KNOWN = {
    "DL-10", "FA-02", "FF-16", "FF-22", "FF-41", "FF-47", "FF-48", "FF-99", "FF-100", "FF-112", "MK-06", "TC-06",
}  # fmt: skip
"""What the rules still read out of an attack that does not ask for it: docs/attacks.md says how far that goes."""


def lost(attack_id: str, world: str = "relay") -> tuple[str, ...]:
    """What becomes of the real issues when the rules read this attack."""
    return run_attack(ATTACKS[attack_id], (OWN.may or {}).get(attack_id, ()), world, "rules").lost


@pytest.mark.parametrize("attack_id", MENDED)
def test_a_fault_that_was_mended_stays_mended(attack_id):
    """The real issues stand as they do without the attack."""
    assert lost(attack_id) == (), MENDED[attack_id]


@pytest.mark.slow
@pytest.mark.parametrize("world", ["relay", "77"])
def test_no_attack_bends_a_real_issue_but_those_that_are_known(world):
    """The list of what is not mended may shrink; nothing is added to it unseen."""
    assert {attack_id for attack_id in ATTACKS if lost(attack_id, world)} <= KNOWN
