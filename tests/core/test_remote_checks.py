"""Remote execution: what must still hold before a confirmed call goes out, and the audit rows around it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from core.desk import LIFE_S, Desk, context, performed
from core.tools import Page

from relay_lab.contracts.enums import OperationState, ProposalState
from relay_lab.contracts.errors import DatabaseLocked
from relay_lab.contracts.evidence import ReadError
from relay_lab.contracts.operations import (
    Denied,
    Refused,
    Stopped,
)
from relay_lab.core.confirmation import Grant
from relay_lab.core.policy import RemoteWrite


def untouched(desk: Desk, proposal_id: str) -> bool:
    """Whether nothing was sent or stored and the confirmation still holds."""
    consumed = desk.rows("SELECT consumed_at FROM proposal WHERE proposal_id = ?", proposal_id)[0][
        "consumed_at"
    ]
    return desk.carrier.calls == [] and consumed is None and desk.rows("SELECT * FROM operation") == []


@pytest.fixture
def grant(desk: Desk) -> Grant:
    """A confirmed parcel."""
    return desk.grant(desk.offer())


# -- rechecks -------------------------------------------------------------------------------------------------------------

FALSIFIED: dict[str, dict[str, Any]] = {
    "week": {"week": 2},
    "depot": {"depot": "closed"},
    "weight": {"limit": 2},
}


@pytest.mark.parametrize("name", FALSIFIED)
def test_each_recheck_stops_by_its_name_and_writes_nothing(desk: Desk, grant: Grant, name: str) -> None:
    desk.world.update(FALSIFIED[name])
    assert desk.ship(grant) == Stopped(failures=(name,), guard="rechecks")
    assert untouched(desk, grant.proposal_id)
    assert desk.stopped_by() == "rechecks"


def test_the_fake_desk_falsifies_every_recheck_that_it_has(desk: Desk) -> None:
    write = desk.registry["ship"].write
    assert isinstance(write, RemoteWrite)
    assert write.rechecks is not None
    assert list(write.rechecks) == list(FALSIFIED)


def test_every_check_that_fails_is_reported_the_desks_own_in_their_order_and_expiry_last(
    desk: Desk, grant: Grant
) -> None:
    for change in FALSIFIED.values():
        desk.world.update(change)
    desk.clock.pass_s(LIFE_S)
    result = desk.ship(Grant(grant.proposal_id, "guess"))
    assert result == Stopped(failures=("week", "depot", "weight", "wrong_token", "expired"), guard="rechecks")
    assert untouched(desk, grant.proposal_id)


def test_facts_that_cannot_be_read_stop_it(desk: Desk, grant: Grant) -> None:
    desk.peek.append(ReadError(tool="peek", source_at=desk.clock.now(), code="timeout", retryable=True))
    assert desk.ship(grant) == Stopped(failures=("facts_unreadable",), guard="rechecks")
    assert untouched(desk, grant.proposal_id)


def test_a_scope_that_the_facts_need_is_missed_as_facts_that_cannot_be_read(desk: Desk, grant: Grant) -> None:
    narrow = context(allowed_scopes=("parcels:ship",))
    assert desk.ship(grant, at=narrow) == Stopped(failures=("facts_unreadable",), guard="rechecks")
    assert untouched(desk, grant.proposal_id)


@pytest.mark.parametrize(
    ("change", "result"),
    [
        ("grant_of_another_tool", Stopped(failures=("other_tool",), guard="registry")),
        ("unknown_proposal", Stopped(failures=("not_confirmed",), guard="confirmation")),
        ("not_exchanged", Stopped(failures=("not_confirmed",), guard="confirmation")),
        ("wrong_token", Stopped(failures=("wrong_token",), guard="confirmation")),
        ("another_envelope", Stopped(failures=("envelope_mismatch",), guard="binding")),
        ("nothing_to_compile", Stopped(failures=("envelope_mismatch",), guard="binding")),
        ("changed_hash", Stopped(failures=("change_hash",), guard="binding")),
        ("not_revalidatable", Stopped(failures=("not_revalidatable",), guard="registry")),
        ("unregistered", Denied(code="unknown_tool", guard="registry")),
        ("no_facts", Stopped(failures=("facts_unreadable",), guard="rechecks")),
    ],
)
def test_what_does_not_cover_the_call_stops_it(
    desk: Desk, grant: Grant, change: str, result: Stopped | Denied
) -> None:
    asked, brought = desk.parcel(grant.proposal_id), grant
    ship = desk.registry["ship"]
    assert isinstance(ship.write, RemoteWrite)
    match change:
        case "grant_of_another_tool":
            brought = desk.grant(desk.offer("S2", "offer_erasure"))
        case "unknown_proposal":
            brought = Grant("P-9", grant.token)
        case "not_exchanged":
            brought = Grant(desk.offer("S2"), grant.token)
            asked = desk.parcel(brought.proposal_id)
        case "wrong_token":
            brought = Grant(grant.proposal_id, "guess")
        case "another_envelope":
            asked = asked.model_copy(update={"weight": 4})
        case "nothing_to_compile":
            desk.registry["ship"] = replace(ship, write=replace(ship.write, compile=None))
        case "changed_hash":
            desk.run("UPDATE proposal SET change_hash = ?", "0" * 64)
        case "not_revalidatable":
            desk.registry["ship"] = replace(ship, revalidatable=False)
        case "unregistered":
            del desk.registry["ship"]
        case "no_facts":
            desk.registry["ship"] = replace(ship, write=replace(ship.write, facts=None))
    assert desk.runtime.call(desk.context, "ship", asked, "K", brought) == result
    assert untouched(desk, grant.proposal_id)
    assert desk.stopped_by() == result.guard


def test_a_write_without_rechecks_of_its_own_still_needs_its_confirmation(desk: Desk, grant: Grant) -> None:
    ship = desk.registry["ship"]
    assert isinstance(ship.write, RemoteWrite)
    desk.registry["ship"] = replace(ship, write=replace(ship.write, rechecks=None))
    assert desk.ship(Grant(grant.proposal_id, "guess")) == Stopped(
        failures=("wrong_token",), guard="confirmation"
    )
    assert performed(desk.ship(grant)).state is OperationState.COMPLETED


def test_a_confirmation_that_a_tool_does_not_need_is_left_alone(desk: Desk, grant: Grant) -> None:
    page = Page(customer_id="CUST-1", issue_id="I1")
    operation = performed(desk.runtime.call(desk.context, "page", page, "K", grant))
    assert operation.proposal_id is None
    assert desk.proposal(grant.proposal_id).state is ProposalState.CONFIRMED
    assert performed(desk.ship(grant)).state is OperationState.COMPLETED


# -- audit ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["policy", "attempt", "revalidation:passed"])
def test_without_its_audit_row_nothing_is_sent_and_no_confirmation_is_used(
    desk: Desk, grant: Grant, stage: str
) -> None:
    desk.broken.add(stage)
    assert desk.ship(grant) == Stopped(failures=("audit_unavailable",), guard="audit")
    assert untouched(desk, grant.proposal_id)
    assert desk.stopped_by() == "audit"
    desk.broken.clear()
    assert performed(desk.ship(grant)).state is OperationState.COMPLETED


@pytest.mark.parametrize(
    ("planned", "state"),
    [
        (None, OperationState.COMPLETED),
        (Refused(code="depot_full"), OperationState.REJECTED),
        ("lost_after", OperationState.FAILED_UNKNOWN),
    ],
)
def test_an_audit_store_that_fails_afterwards_is_surfaced_and_the_outcome_kept(
    desk: Desk, grant: Grant, planned: Any, state: OperationState
) -> None:
    if planned:
        desk.carrier.will("deliver", planned)
    desk.broken.add("outcome")
    operation = performed(desk.ship(grant))
    assert (operation.state, operation.audit_failed) == (state, True)
    assert desk.runtime.standing(desk.context)[1] == (operation,)
    assert performed(desk.ship(grant)).audit_failed


def test_a_database_that_fails_right_after_the_effect_does_not_hide_it(
    make_desk: Callable[..., Desk],
) -> None:
    """Neither the audit row nor the mark that it is missing can be written; the answer says both."""

    def reach(point: str) -> None:
        if point == "settle:after_commit":
            desk.store.failing = DatabaseLocked("in use by another process.")
        if point == "settle:after_audit":
            desk.store.failing = None

    desk: Desk = make_desk(points=reach)
    operation = desk.shipped()
    assert (operation.state, operation.audit_failed) == (OperationState.COMPLETED, True)
    stored = desk.runtime.standing(desk.context)[1]
    assert stored == (operation.model_copy(update={"audit_failed": False}),)


def test_a_database_that_fails_before_the_effect_ends_the_call_with_its_sentence(
    desk: Desk, grant: Grant
) -> None:
    parcel = desk.parcel(grant.proposal_id)
    desk.store.failing = DatabaseLocked("in use by another process.")
    with pytest.raises(DatabaseLocked, match="in use"):
        desk.runtime.call(desk.context, "ship", parcel, "K", grant)
    desk.store.failing = None
    assert untouched(desk, grant.proposal_id)


def test_the_rows_of_an_audited_call_are_its_life(desk: Desk, grant: Grant) -> None:
    desk.ship(grant)
    rows = desk.rows("SELECT stage, outcome, change_hash FROM audit WHERE tool = 'ship' ORDER BY rowid")
    change = desk.proposal(grant.proposal_id).change_hash
    assert [tuple(row.values()) for row in rows] == [
        ("confirmation", "confirmed", change),
        ("policy", "require_confirmation", None),
        ("attempt", "submitted", change),
        ("revalidation", "passed", change),
        ("outcome", "completed", None),
    ]
