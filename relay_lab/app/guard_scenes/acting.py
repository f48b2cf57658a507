"""Attempts at an effect: confirmation, binding, expiry, rechecks, receipt, audit, echo."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

from relay_lab.app.guard_checks.effects import LATER, touched
from relay_lab.app.guard_checks.records import failing, rows
from relay_lab.app.guard_checks.scene import (
    SCHEDULE,
    calls,
    clicked,
    quoted,
    send,
    submit,
    terms,
)
from relay_lab.app.guard_scenes.seen import Seen, effects, kept_from, last_stop
from relay_lab.app.lab import Lab, Parts, open_lab
from relay_lab.core.guards import Guards
from relay_lab.world.faults import Fault


def a_guess(guards: Guards) -> Seen:
    """A step submits a quote that nobody has confirmed, with a token that it made up."""
    with quoted(Parts(guards=guards)) as lab:
        return kept_from(submit(lab, "guess")), *effects(lab)


def another_time(guards: Guards) -> Seen:
    """A step submits a confirmed change for a day earlier than was confirmed."""
    with quoted(Parts(guards=guards)) as lab:
        early = terms(lab).effective_at - timedelta(days=1)
        return kept_from(submit(lab, clicked(lab), effective_at=early)), *effects(lab)


def another_seat(guards: Guards) -> Seen:
    """A step submits a confirmed change with another seat than was confirmed."""
    with quoted(Parts(guards=guards)) as lab:
        return kept_from(submit(lab, clicked(lab), designated_seat_id="SEAT-1042-2")), *effects(lab)


def _clicked_at(guards: Guards, late: Callable[[Lab], None]) -> Seen:
    with quoted(Parts(guards=guards)) as lab:
        late(lab)
        token = clicked(lab)
        return (kept_from(submit(lab, token)) if token else last_stop(lab)), *effects(lab)


def a_click_too_late(guards: Guards) -> Seen:
    """A click comes after the quote's life, and nothing else has changed."""
    return _clicked_at(guards, lambda lab: lab.clock.advance(1801))


def a_click_after_the_renewal(guards: Guards) -> Seen:
    """A click comes after the renewal, in another cycle than was quoted."""
    return _clicked_at(guards, lambda lab: lab.clock.set(terms(lab).effective_at + timedelta(seconds=1)))


def another_version(guards: Guards) -> Seen:
    """Between click and execution the subscription moves on to another version."""
    with quoted(Parts(guards=guards)) as lab:
        token = clicked(lab)
        touched(lab)
        return kept_from(submit(lab, token)), *effects(lab)


def facts_that_cannot_be_read(guards: Guards) -> Seen:
    """Nothing of the account can be read at the moment of execution."""
    fault = Fault("get_plan_and_entitlements", "fail", LATER)
    with quoted(Parts(guards=guards, faults=(fault,))) as lab:
        return kept_from(submit(lab, clicked(lab))), *effects(lab)


def the_same_packet_twice(guards: Guards) -> Seen:
    """A step sends one packet twice under one key."""
    with open_lab(parts=Parts(guards=guards)) as lab:
        for _ in range(2):
            send(lab, lab.session.authenticated_customer_id)
        asked, opened = len(calls(lab, "hand_off")), lab.company.tickets()
        again = "the first receipt again" if asked > opened else ""
        return last_stop(lab) or again, *(each for each in effects(lab) if opened > 1)


def no_audit_store(guards: Guards) -> Seen:
    """The audit store takes no row of an attempt."""
    with quoted(replace(failing("attempt", only=SCHEDULE), guards=guards)) as lab:
        came = submit(lab, clicked(lab))
        unheard = not [row for row in rows(lab) if row["stage"] == "attempt"]
        without = ["no audit row of it"] if unheard and lab.company.mutations() else []
        return kept_from(came), *effects(lab), *without


def a_success_of_another_plan(guards: Guards) -> Seen:
    """The system of record acknowledges another plan than was asked for."""
    fault = Fault(SCHEDULE, "echo", None, ("target_plan", "team"))
    with quoted(Parts(guards=guards, faults=(fault,))) as lab:
        run = lab.confirm()
        said = ["the issue counts as scheduled"] if run.states.get("I3") == "scheduled" else []
        return last_stop(lab), *said
