"""What a click allows and what it does not: confirmation, binding and expiry."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta

from relay_lab.app.guard_checks.base import check, differs
from relay_lab.app.guard_checks.scene import (
    SCHEDULE,
    another,
    calls,
    clicked,
    operation,
    prepare,
    proposals,
    quoted,
    submit,
    terms,
    told,
    trade,
)
from relay_lab.app.lab import Parts, open_lab
from relay_lab.contracts.enums import ActorType, ProposalState
from relay_lab.core.confirmation import Grant
from relay_lab.core.policy import RemoteWrite
from relay_lab.desks.support.terms import envelope_of
from relay_lab.world.faults import Fault

LOST = Fault(SCHEDULE, "before_arrival", (1,))


@check("confirmation")
def used_once() -> Iterator[str]:
    """A token that was used opens nothing any more, whatever became of its use."""
    with quoted(Parts(faults=(LOST,))) as lab:
        token = clicked(lab)
        yield from differs("the first use", submit(lab, token), "failed_unknown lost")
        again = submit(lab, token, key="another-key")
        yield from differs("the second use", again, "stopped by confirmation: already_used")


@check("confirmation")
def an_empty_token() -> Iterator[str]:
    """No token is no confirmation."""
    with quoted() as lab:
        clicked(lab)
        yield from differs("an empty token", submit(lab, ""), "stopped by confirmation: wrong_token")


@check("confirmation")
def the_token_of_another_quote() -> Iterator[str]:
    """A token opens the quote that it was given for."""
    with quoted() as lab:
        prepare(lab, "I9", "K")
        token, _ = clicked(lab, 0), clicked(lab, 1)
        came = submit(lab, token, quote=1)
        yield from differs("the other quote's token", came, "stopped by confirmation: wrong_token")


@check("confirmation")
def a_wrong_challenge() -> Iterator[str]:
    """A click without the challenge of its page confirms nothing."""
    with quoted() as lab:
        for challenge in ("guess", ""):
            came = lab.runtime.exchange(lab.context, lab.waiting[0], challenge)
            yield from differs(f"{challenge!r}", told(came), "not confirmed: wrong_challenge")


@check("confirmation")
def a_quote_that_was_replaced() -> Iterator[str]:
    """A quote that another one replaced cannot be confirmed any more."""
    with quoted() as lab:
        old = lab.waiting[0]
        challenge = lab.runtime.show(lab.context, old) or ""
        lab.choose("individual", "SEAT-1042-2")
        came = lab.runtime.exchange(lab.context, old, challenge)
        yield from differs("the old quote", told(came), "not confirmed: not_pending")


@check("confirmation")
def a_yes_to_two_quotes() -> Iterator[str]:
    """An approving phrase means nothing while two quotes wait."""
    with quoted() as lab:
        _, answer = prepare(lab, "I9", "K")
        lab.runtime.show(lab.context, str(answer.get("proposal_id")))
        yield from differs("a yes", lab.runtime.exchange_by_phrase(lab.context), None)


@check("confirmation")
def a_yes_to_a_quote_not_shown() -> Iterator[str]:
    """An approving phrase means nothing that was not shown."""
    with quoted() as lab:
        prepare(lab, "I9", "K")
        lab.runtime.withdraw(lab.context, "I3", ProposalState.SUPERSEDED, "replaced")
        yield from differs("a yes", lab.runtime.exchange_by_phrase(lab.context), None)


@check("confirmation")
def one_open_quote_for_an_issue() -> Iterator[str]:
    """A new quote on an issue closes the one before."""
    with quoted() as lab:
        prepare(lab, "I3", "K")
        yield from differs("open quotes", sum(each.waiting for each in proposals(lab)), 1)


@check("confirmation")
def a_yes_with_a_question_mark() -> Iterator[str]:
    """A yes that is a question confirms nothing."""
    with quoted() as lab:
        run = lab.say("yes?")
        yield from differs("the issue", run.states.get("I3"), "awaiting_confirmation")
        yield from differs("changes", run.mutations, 0)


@check("confirmation")
def a_yes_with_more_beside_it() -> Iterator[str]:
    """A yes with a condition beside it confirms nothing."""
    with quoted() as lab:
        run = lab.say("Yes, but only if all seats stay.")
        yield from differs("changes", run.mutations, 0)


@check("confirmation")
def a_quote_that_is_not_there() -> Iterator[str]:
    """A grant for a quote that was never made covers nothing."""
    with quoted() as lab:
        envelope = envelope_of(proposals(lab)[0])
        grant = Grant("DG-1042-v9", clicked(lab))
        came = lab.runtime.call(lab.context, SCHEDULE, envelope, envelope.idempotency_key, grant)
        yield from differs("no such quote", told(came), "stopped by confirmation: not_confirmed")


@check("binding")
def another_conversation() -> Iterator[str]:
    """A confirmation covers the conversation that it was given in."""
    with quoted() as lab:
        came = submit(lab, clicked(lab), at=another(lab, "C-2"))
        yield from differs("another conversation", came, "stopped by binding: binding")


@check("binding")
def another_actor() -> Iterator[str]:
    """A confirmation covers the person who gave it."""
    with quoted() as lab:
        came = submit(lab, clicked(lab), at=another(lab, actor_id="AGENT-7"))
        yield from differs("another actor", came, "stopped by binding: binding")


@check("binding")
def another_type_of_actor() -> Iterator[str]:
    """A confirmation by the customer does not cover an operator."""
    with quoted() as lab:
        came = submit(lab, clicked(lab), at=another(lab, actor_type=ActorType.OPERATOR))
        yield from differs("an operator", came, "stopped by binding: binding")


@check("binding")
def a_click_in_another_conversation() -> Iterator[str]:
    """A quote is confirmed in the conversation that showed it."""
    with quoted() as lab:
        came = told(trade(lab, at=another(lab, "C-2")))
        yield from differs("the click", came, "not confirmed: wrong_binding")


@check("binding")
def another_envelope() -> Iterator[str]:
    """What is executed is, field by field, what was confirmed."""
    with quoted() as lab:
        token = clicked(lab)
        seat, policy = (
            submit(lab, token, designated_seat_id="SEAT-1042-2"),
            submit(lab, token, policy_version="SP-13"),
        )
        yield from differs("another seat", seat, "stopped by binding: envelope_mismatch")
        yield from differs("another policy", policy, "stopped by binding: envelope_mismatch")


@check("binding")
def nothing_to_compare_with() -> Iterator[str]:
    """A tool that does not say how its envelope follows from a quote is covered by none."""
    with quoted() as lab:
        token, tool = clicked(lab), lab.runtime.registry[SCHEDULE]
        if isinstance(tool.write, RemoteWrite):
            bare = replace(tool, write=replace(tool.write, compile=None))
            lab.runtime.registry = {**lab.runtime.registry, SCHEDULE: bare}
        yield from differs("such a tool", submit(lab, token), "stopped by binding: envelope_mismatch")


@check("binding")
def altered_since_the_click() -> Iterator[str]:
    """A confirmation covers the change hash that stood when it was given."""
    with quoted() as lab:
        token = clicked(lab)
        with lab.runtime.store.transaction() as tx:
            tx.run("UPDATE proposal SET change_hash = ?", "0" * 64)
        yield from differs("another hash", submit(lab, token), "stopped by rechecks: terms, change_hash")


@check("expiry")
def the_very_instant() -> Iterator[str]:
    """At the instant at which a quote expires it has expired."""
    with quoted() as lab:
        lab.clock.set(proposals(lab)[-1].expires_at)
        yield from differs("the click", told(trade(lab)), "not confirmed: expired")


@check("expiry")
def just_before_it() -> Iterator[str]:
    """Until that instant it can be confirmed."""
    with quoted() as lab:
        lab.clock.set(proposals(lab)[-1].expires_at - timedelta(microseconds=1))
        yield from differs("the click", told(trade(lab)), "confirmed")


@check("expiry")
def between_click_and_execution() -> Iterator[str]:
    """A quote that expires after the click is not executed."""
    with quoted() as lab:
        token = clicked(lab)
        lab.clock.set(proposals(lab)[-1].expires_at)
        yield from differs("the execution", submit(lab, token), "stopped by expiry: expired")


@check("expiry")
def a_late_click_ends_the_quote() -> Iterator[str]:
    """A click that comes too late leaves the quote expired."""
    with quoted() as lab:
        lab.clock.set(proposals(lab)[-1].expires_at + timedelta(seconds=1))
        yield from differs("the click", told(trade(lab)), "not confirmed: expired")
        yield from differs("the quote", proposals(lab)[-1].state, ProposalState.EXPIRED)


@check("expiry")
def lost_and_expired_since() -> Iterator[str]:
    """A delivery that was lost is not made again once its quote has expired."""
    with quoted(Parts(faults=(LOST,))) as lab:
        lab.confirm()
        lab.clock.advance(1801)
        lab.reconcile()
        yield from differs("the operation", operation(lab).error, "expired")
        yield from differs("deliveries", calls(lab), ["no_answer"])


@check("expiry")
def not_beyond_the_renewal() -> Iterator[str]:
    """A quote does not outlive the cycle that it is for."""
    with open_lab() as early:
        renewal = terms(quoted(lab=early)).effective_at
    with open_lab(at=renewal - timedelta(minutes=10)) as lab:
        quoted(lab=lab)
        yield from differs("the end of the quote", proposals(lab)[-1].expires_at, renewal)
