"""What policy must refuse whoever asks: ownership, scope and assurance."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from relay_lab.app.guard_checks.base import check, differs
from relay_lab.app.guard_checks.scene import (
    OTHER,
    OWN,
    another,
    clicked,
    operation,
    prepare,
    quoted,
    send,
    stranger,
    submit,
    told,
    trade,
)
from relay_lab.app.lab import Lab, Parts, open_lab
from relay_lab.contracts.base import Scalar
from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.evidence import ReadError
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.session import Context
from relay_lab.core.guards import STANDING
from relay_lab.desks.support.authenticate import authenticate
from relay_lab.desks.support.desk import reference_steps
from relay_lab.world.faults import Fault

POLICY: dict[str, Scalar] = {"policy_id": "refund", "effective_at": "2026-09-01T00:00:00Z"}
WINDOW: dict[str, Scalar] = {"from_at": "2026-08-01T00:00:00Z", "until_at": "2026-09-01T00:00:00Z"}


def reads(lab: Lab, at: Context, tool: str = "get_policy") -> str:
    """What a read of that context is answered: success, or its code."""
    answer = lab.runtime.read(at, tool, WINDOW if "billing" in tool else POLICY, 5.0)
    return answer.code if isinstance(answer, ReadError) else "success"


def stepping(**says: Any) -> Parts:
    """A desk whose step 1 says more than its session does."""
    steps = replace(
        reference_steps(STANDING),
        authenticate=lambda session, message: authenticate(session, message).model_copy(update=says),
    )
    return Parts(steps=steps)


def transferred(**says: Any) -> HandoffPacket | None:
    """The packet that leaves such a desk, if one does."""
    with open_lab(parts=stepping(**says)) as lab:
        lab.say(lab.scenario.message)
        run = lab.transfer("I1")
        return run.record.packets[-1] if run.record and run.record.packets and run.tickets else None


@check("ownership")
def an_id_that_begins_alike() -> Iterator[str]:
    """A customer whose id begins like the session's is another customer."""
    with open_lab() as lab:
        yield from differs("a longer id", send(lab, f"{OWN}-2"), "denied by ownership: foreign_customer")
        yield from differs("tickets", lab.company.tickets(), 0)


@check("ownership")
def an_id_in_other_letters() -> Iterator[str]:
    """An id in other letters is another id."""
    with open_lab() as lab:
        yield from differs("small letters", send(lab, OWN.lower()), "denied by ownership: foreign_customer")


@check("ownership")
def a_packet_of_nobody() -> Iterator[str]:
    """A packet without a customer is not one of this customer."""
    with open_lab() as lab:
        yield from differs("no customer", send(lab, None), "denied by ownership: foreign_customer")


@check("ownership")
def another_tenant() -> Iterator[str]:
    """An envelope for another tenant is denied before anything else is looked at."""
    with quoted() as lab:
        came = submit(lab, clicked(lab), tenant_id="relay-emea")
        yield from differs("another tenant", came, "denied by ownership: foreign_tenant")


@check("ownership")
def nobody_signed_in() -> Iterator[str]:
    """A session without a customer reads nothing."""
    with open_lab() as lab:
        nobody = another(lab, authenticated_customer_id=None)
        yield from differs("a read", reads(lab, nobody), "no_customer")


@check("ownership")
def a_step_adds_no_scope() -> Iterator[str]:
    """Scopes that step 1 writes beyond the session's are not carried on."""
    packet = transferred(scopes=("refund:execute", "support:handoff"))
    yield from differs("the packet's scopes", packet and packet.scopes, ("support:handoff",))


@check("ownership")
def a_step_names_no_other_customer() -> Iterator[str]:
    """Another customer whom step 1 names is not carried on."""
    packet = transferred(customer_id=OTHER)
    yield from differs("the packet's customer", packet and packet.customer_id, OWN)


@check("ownership")
def another_customers_conversation() -> Iterator[str]:
    """A conversation answers the customer who began it and no other."""
    with quoted() as lab:
        try:
            lab.runtime.load(stranger(lab))
        except BadInput:
            return
    yield "another customer was given the conversation"


@check("ownership")
def another_customers_words() -> Iterator[str]:
    """A customer's raw words are given to that customer alone."""
    with quoted() as lab:
        yield from differs("the words", lab.runtime.wording(stranger(lab), 1), None)


@check("ownership")
def another_customers_quote() -> Iterator[str]:
    """For another customer a quote is not there at all."""
    with quoted() as lab:
        yield from differs("the click", told(trade(lab, at=stranger(lab))), "not confirmed: unknown_proposal")


@check("ownership")
def another_customers_operation() -> Iterator[str]:
    """An operation whose outcome is unknown is settled for its own customer alone."""
    with quoted(Parts(faults=(Fault("schedule_downgrade", "after_commit"),))) as lab:
        lab.confirm()
        settled = lab.runtime.reconcile(stranger(lab), operation(lab).idempotency_key)
        yield from differs("settling it", settled, None)


@check("scope")
def none_at_all() -> Iterator[str]:
    """A session without any scope reads nothing that needs one."""
    with open_lab() as lab:
        yield from differs("no scope", reads(lab, another(lab, allowed_scopes=())), "scope_missing")


@check("scope")
def a_name_inside_another() -> Iterator[str]:
    """A scope whose name holds that of another is not the other."""
    with open_lab() as lab:
        at = another(lab, allowed_scopes=("policy:readers",))
        yield from differs("a longer name", reads(lab, at), "scope_missing")


@check("scope")
def a_shorter_name() -> Iterator[str]:
    """A scope that is the beginning of another's name is not the other."""
    with open_lab() as lab:
        yield from differs(
            "a shorter name", reads(lab, another(lab, allowed_scopes=("policy",))), "scope_missing"
        )


@check("scope")
def other_letters() -> Iterator[str]:
    """A scope in other letters is another scope."""
    with open_lab() as lab:
        yield from differs(
            "capitals", reads(lab, another(lab, allowed_scopes=("Policy:Read",))), "scope_missing"
        )


@check("scope")
def each_tool_its_own() -> Iterator[str]:
    """Each tool asks for its own scope and for no other."""
    with open_lab() as lab:
        for tool, scope in (("get_policy", "policy:read"), ("get_billing_transactions", "billing:read")):
            yield from differs(tool, reads(lab, another(lab, allowed_scopes=(scope,)), tool), "success")


@check("assurance")
def nobody_verified_reads() -> Iterator[str]:
    """A session that was not verified reads nothing, whatever step asks."""
    with open_lab() as lab:
        at = another(lab, session_assurance=Assurance.NONE)
        yield from differs("a read", reads(lab, at), "assurance_too_low")


@check("assurance")
def no_quote_under_a_password() -> Iterator[str]:
    """A quote is not prepared under a password alone, whatever step asks."""
    with quoted() as lab:
        came, _ = prepare(lab, "I9", "K", another(lab, session_assurance=Assurance.PASSWORD))
        yield from differs("a quote", came, "denied by assurance: assurance_too_low")


@check("assurance")
def an_actor_is_no_exception() -> Iterator[str]:
    """Whoever acts for a customer needs the same assurance."""
    with quoted() as lab:
        at = another(lab, session_assurance=Assurance.PASSWORD, actor_id="AGENT-7")
        yield from differs(
            "an agent", prepare(lab, "I9", "K", at)[0], "denied by assurance: assurance_too_low"
        )


@check("assurance")
def a_step_does_not_raise_it() -> Iterator[str]:
    """An assurance that step 1 writes is not the session's."""
    packet = transferred(assurance=Assurance.PASSWORD)
    yield from differs("the packet's assurance", packet and packet.assurance, Assurance.RECENT_MFA)
