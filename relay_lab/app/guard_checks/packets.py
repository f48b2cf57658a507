"""What may not leave with a packet, whichever step made it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from relay_lab.app.guard_checks.base import check, differs
from relay_lab.app.lab import Parts, open_lab
from relay_lab.contracts.handoff import PacketIssue
from relay_lab.contracts.ports import HandoffTools
from relay_lab.contracts.steps import HandoffCase
from relay_lab.core.guards import STANDING
from relay_lab.desks.support.desk import reference_steps
from relay_lab.desks.support.hand_off import packet_of


def sent(**changed: Any) -> str:
    """What becomes of a packet that step 8 has altered: `sent`, or the code that the trace names."""

    def hand_off(case: HandoffCase, tools: HandoffTools) -> Any:
        return tools.hand_off(packet_of(case).model_copy(update=changed))

    with open_lab(parts=Parts(steps=replace(reference_steps(STANDING), hand_off=hand_off))) as lab:
        lab.say(lab.scenario.message)
        run = lab.transfer("I1")
    codes = [row.outcome for row in run.trace if row.tool == "hand_off" and row.guard]
    return "sent" if run.tickets else ", ".join(codes) or "not sent"


def _kept_back(words: str) -> Iterator[str]:
    yield from differs("a packet with it", sent(commitments=(words,)), "secret_in_packet")


@check("packet")
def what_may_leave() -> Iterator[str]:
    """A sentence that opens no door leaves with its packet."""
    yield from differs("a plain packet", sent(commitments=("Invoice INV-202608 was due once.",)), "sent")


@check("packet")
def capital_letters() -> Iterator[str]:
    """A password in capital letters is one."""
    yield from _kept_back("PASSWORD: HUNTER2-AND-MORE")


@check("packet")
def in_mid_sentence() -> Iterator[str]:
    """A secret is found in the middle of a sentence."""
    yield from _kept_back("The customer says that the password is hunter2-and-more.")


@check("packet")
def a_card_number() -> Iterator[str]:
    """The number of a card in a sentence does not leave."""
    yield from _kept_back("The customer paid with 4111 1111 1111 1111 last month.")


@check("packet")
def our_own_challenge() -> Iterator[str]:
    """What looks like our own challenges and tokens does not leave."""
    yield from _kept_back(f"The page held {'Zk3-' * 10}Qwe.")


@check("packet")
def an_authorization_header() -> Iterator[str]:
    """A header that authorizes does not leave, of either kind."""
    yield from _kept_back("Authorization: Basic dXNlcjpodW50ZXIy")


@check("packet")
def a_providers_key() -> Iterator[str]:
    """The key of a provider does not leave."""
    yield from _kept_back("The key was AKIA1234567890ABCDEF as of today.")


@check("packet")
def a_signed_token() -> Iterator[str]:
    """A signed token does not leave."""
    yield from _kept_back("They sent eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln to us.")


@check("packet")
def in_a_name() -> Iterator[str]:
    """A secret in the name of a slot does not leave either."""
    slot = PacketIssue(id="I1", type="other", slots={"password: hunter2": True})
    yield from differs("a slot's name", sent(issues=(slot,)), "secret_in_packet")


@check("packet")
def of_another_conversation() -> Iterator[str]:
    """A packet of another conversation does not leave."""
    yield from differs("another conversation", sent(conversation_id="C-2"), "not sent")


@check("packet")
def under_such_a_name() -> Iterator[str]:
    """What stands in a field called password does not leave, whatever it looks like."""
    slot = PacketIssue(id="I1", type="other", slots={"password": "swordfish"})
    yield from differs("a slot called password", sent(issues=(slot,)), "secret_in_packet")


@check("packet")
def in_base64() -> Iterator[str]:
    """A secret that only has to be decoded does not leave."""
    yield from _kept_back("They wrote cGFzc3dvcmQ6IGh1bnRlcjItYW5kLW1vcmU= to us.")


@check("packet")
def in_percent_signs() -> Iterator[str]:
    """A secret written as in an address does not leave."""
    yield from _kept_back("They wrote password%3A%20hunter2-and-more to us.")


@check("packet")
def between_hidden_characters() -> Iterator[str]:
    """A secret whose name is broken by characters that cannot be seen does not leave."""
    yield from _kept_back("They wrote pass\u200bword: hunter2-and-more to us.")
