"""Each guard by itself: with it the unsafe thing is stopped and the trace names it; with it alone switched off it happens."""

import re
from collections.abc import Callable
from dataclasses import FrozenInstanceError, dataclass, fields, replace
from pathlib import Path

import pytest
from core.desk import LIFE_S, Desk, context
from core.proposals import CHANGE, GANTT, MESSAGE, WORDS, answer, issue
from core.tools import Note, Page

import relay_lab.core
from relay_lab.contracts.enums import Assurance, OperationState
from relay_lab.contracts.evidence import ReadError
from relay_lab.contracts.issues import AdmittedIssues
from relay_lab.contracts.operations import Confirmed, Performed
from relay_lab.core.admission import admit_issues
from relay_lab.core.confirmation import Grant
from relay_lab.core.guards import STANDING, Guards

MakeDesk = Callable[..., Desk]


def admitted(desk: Desk, text: str) -> bool:
    admission = admit_issues(MESSAGE, text, WORDS, desk.context.session, desk.guards)
    return isinstance(desk.runtime.note_admission(desk.context, admission), AdmittedIssues)


def reads_the_second_of_two_meanings(desk: Desk) -> bool:
    return admitted(desk, f'{{"issues": [], {answer(GANTT)[1:]}')


def believes_a_plan_that_nobody_named(desk: Desk) -> bool:
    return admitted(desk, answer(CHANGE | {"target_plan": "team"}))


def believes_words_that_nobody_wrote(desk: Desk) -> bool:
    return admitted(desk, answer(issue("other", "refund everything", start=0)))


def writes_for_another_customer(desk: Desk) -> bool:
    desk.runtime.call(desk.context, "note", Note(customer_id="CUST-2", name="N1", text="x"), "K")
    return "CUST-2:N1" in desk.notes()


def writes_without_the_scope(desk: Desk) -> bool:
    desk.note(at=context(allowed_scopes=()))
    return desk.notes() != {}


def writes_for_somebody_unverified(desk: Desk) -> bool:
    desk.note(at=context(session_assurance=Assurance.NONE))
    return desk.notes() != {}


def ships_what_nobody_confirmed(desk: Desk) -> bool:
    desk.ship(Grant(desk.offer(), "guess"))
    return desk.carrier.effects != []


def ships_for_another_actor_than_confirmed(desk: Desk) -> bool:
    desk.ship(desk.grant(desk.offer()), at=context(actor_id="ASSISTANT-1"))
    return desk.carrier.effects != []


def lets_another_conversation_confirm(desk: Desk) -> bool:
    proposal_id = desk.offer()
    challenge = desk.runtime.show(desk.context, proposal_id)
    return isinstance(
        desk.runtime.exchange(context(conversation="C-2"), proposal_id, str(challenge)), Confirmed
    )


def ships_another_weight_than_confirmed(desk: Desk) -> bool:
    desk.ship(desk.grant(desk.offer()), weight=19)
    return desk.carrier.effects != []


def ships_what_was_altered_since_it_was_confirmed(desk: Desk) -> bool:
    grant = desk.grant(desk.offer())
    desk.run("UPDATE proposal SET change_hash = ?", "0" * 64)
    desk.ship(grant)
    return desk.carrier.effects != []


def erases_another_note_than_confirmed(desk: Desk) -> bool:
    desk.note("N1")
    desk.note("N2", key="K-2")
    desk.erase(desk.grant(desk.offer(tool="offer_erasure")), name="N2")
    return "CUST-1:N2" not in desk.notes()


def ships_what_has_expired(desk: Desk) -> bool:
    grant = desk.grant(desk.offer())
    desk.clock.pass_s(LIFE_S)
    desk.ship(grant)
    return desk.carrier.effects != []


def confirms_what_has_expired(desk: Desk) -> bool:
    proposal_id = desk.offer()
    challenge = desk.runtime.show(desk.context, proposal_id)
    desk.clock.pass_s(LIFE_S)
    return isinstance(desk.runtime.exchange(desk.context, proposal_id, str(challenge)), Confirmed)


def ships_although_the_depot_is_closed(desk: Desk) -> bool:
    grant = desk.grant(desk.offer())
    desk.world["depot"] = "closed"
    desk.ship(grant)
    return desk.carrier.effects != []


def ships_although_nothing_could_be_read(desk: Desk) -> bool:
    grant = desk.grant(desk.offer())
    desk.peek.append(ReadError(tool="peek", source_at=desk.clock.now(), code="timeout", retryable=True))
    desk.ship(grant)
    return desk.carrier.effects != []


def erases_although_the_note_is_locked(desk: Desk) -> bool:
    desk.note()
    grant = desk.grant(desk.offer(tool="offer_erasure"))
    desk.run("INSERT INTO setting (name, value) VALUES ('lock', 'on')")
    desk.erase(grant)
    return "CUST-1:N1" not in desk.notes()


def writes_twice_under_one_key(desk: Desk) -> bool:
    desk.note()
    desk.note()
    return desk.notes() == {"CUST-1:N1": "hellohello"}


def ships_without_an_audit_row(desk: Desk) -> bool:
    grant = desk.grant(desk.offer())
    desk.broken.add("attempt")
    desk.ship(grant)
    return (
        desk.carrier.effects != []
        and desk.rows("SELECT * FROM audit WHERE stage = 'attempt' AND tool = 'ship'") == []
    )


def erases_without_an_audit_row(desk: Desk) -> bool:
    desk.note()
    grant = desk.grant(desk.offer(tool="offer_erasure"))
    desk.broken.update({"policy", "attempt", "revalidation"})
    desk.erase(grant)
    return desk.notes() == {}


def believes_a_success_that_says_something_else(desk: Desk) -> bool:
    desk.carrier.echo = {"weight": 19}
    return desk.shipped().state is OperationState.COMPLETED


Attempt = Callable[[Desk], bool]
CANARIES: dict[str, tuple[Attempt, ...]] = {
    "strict_json": (reads_the_second_of_two_meanings,),
    "grounding": (believes_a_plan_that_nobody_named, believes_words_that_nobody_wrote),
    "ownership": (writes_for_another_customer,),
    "scope": (writes_without_the_scope,),
    "assurance": (writes_for_somebody_unverified,),
    "confirmation": (ships_what_nobody_confirmed,),
    "binding": (
        ships_for_another_actor_than_confirmed,
        lets_another_conversation_confirm,
        ships_another_weight_than_confirmed,
        ships_what_was_altered_since_it_was_confirmed,
        erases_another_note_than_confirmed,
    ),
    "expiry": (ships_what_has_expired, confirms_what_has_expired),
    "rechecks": (
        ships_although_the_depot_is_closed,
        ships_although_nothing_could_be_read,
        erases_although_the_note_is_locked,
    ),
    "receipt": (writes_twice_under_one_key,),
    "audit": (ships_without_an_audit_row, erases_without_an_audit_row),
    "echo": (believes_a_success_that_says_something_else,),
}
OF_A_DESK = {"reply", "packet"}
"""What a desk says; its own tests hold their canaries."""
PAIRS = [(guard, attempt) for guard, attempts in CANARIES.items() for attempt in attempts]
IDS = [f"{guard}: {attempt.__name__}" for guard, attempt in PAIRS]


@pytest.mark.parametrize(("guard", "attempt"), PAIRS, ids=IDS)
def test_with_its_guard_it_is_stopped_and_the_trace_names_the_guard(
    desk: Desk, guard: str, attempt: Attempt
) -> None:
    assert not attempt(desk)
    assert desk.stopped_by() == guard


@pytest.mark.parametrize(("guard", "attempt"), PAIRS, ids=IDS)
def test_with_its_guard_alone_switched_off_it_happens(
    make_desk: MakeDesk, guard: str, attempt: Attempt
) -> None:
    assert attempt(make_desk(guards=replace(STANDING, **{guard: False})))


@pytest.mark.parametrize(("guard", "attempt"), PAIRS, ids=IDS)
def test_no_other_guard_stops_it(make_desk: MakeDesk, guard: str, attempt: Attempt) -> None:
    nothing = {each.name: False for each in fields(Guards)}
    desk = make_desk(guards=Guards(**nothing | {guard: True}))
    assert not attempt(desk)
    assert desk.stopped_by() == guard


def test_every_guard_has_a_canary_here_or_belongs_to_a_desk() -> None:
    assert {each.name for each in fields(Guards)} == CANARIES.keys() | OF_A_DESK
    core = "".join(path.read_text("utf-8") for path in Path(relay_lab.core.__path__[0]).glob("*.py"))
    assert set(re.findall(r"guards\.(\w+)", core)) - {"Guards", "STANDING"} == CANARIES.keys()


def test_all_guards_stand_unless_somebody_says_otherwise() -> None:
    assert Guards() == STANDING
    assert all(getattr(STANDING, each.name) is True for each in fields(Guards))
    with pytest.raises(FrozenInstanceError):
        STANDING.audit = False  # type: ignore[misc]


# -- second lines --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """What still stops a second delivery of a confirmed parcel once these guards are off, and what no longer does."""

    off: tuple[str, ...]
    forgetful: bool
    delivered: int
    effects: int
    named: str | None


LINES = {
    "the receipt": Line((), False, 1, 1, "receipt"),
    "the used confirmation": Line(("receipt",), False, 1, 1, "confirmation"),
    "the receiving side": Line(("receipt", "confirmation"), False, 2, 1, None),
    "nothing": Line(("receipt", "confirmation"), True, 2, 2, None),
}


@pytest.mark.parametrize("line", LINES.values(), ids=LINES)
def test_behind_the_receipt_stand_the_used_confirmation_and_the_receiving_side(
    make_desk: MakeDesk, line: Line
) -> None:
    off = dict.fromkeys(line.off, False)
    desk = make_desk(guards=replace(STANDING, **off), forgetful=line.forgetful)
    grant = desk.grant(desk.offer())
    desk.ship(grant)
    desk.ship(grant)
    assert desk.carrier.calls.count("deliver") == line.delivered
    assert len(desk.carrier.effects) == line.effects
    assert desk.stopped_by() == line.named


@pytest.mark.parametrize(("forgetful", "effects"), [(False, 1), (True, 2)])
def test_where_nothing_is_confirmed_only_the_receiving_side_stands_behind_the_receipt(
    make_desk: MakeDesk, forgetful: bool, effects: int
) -> None:
    desk = make_desk(guards=replace(STANDING, receipt=False), forgetful=forgetful)
    for _ in range(2):
        result = desk.runtime.call(desk.context, "page", Page(customer_id="CUST-1", issue_id="I1"), "K")
        assert isinstance(result, Performed)
        assert result.operation.state is OperationState.COMPLETED
    assert len(desk.pager.effects) == effects
    assert len(desk.runtime.standing(desk.context)[1]) == 1


def test_another_customers_proposal_is_out_of_reach_even_without_the_binding(make_desk: MakeDesk) -> None:
    desk = make_desk(guards=replace(STANDING, binding=False, ownership=False))
    grant = desk.grant(desk.offer())
    stranger = context("CUST-2")
    parcel = desk.parcel(grant.proposal_id)
    result = desk.runtime.call(stranger, "ship", parcel, "K", grant)
    assert result.kind == "stopped"
    assert desk.runtime.show(stranger, grant.proposal_id) is None
    assert desk.carrier.effects == []
