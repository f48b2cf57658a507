"""Local execution: receipt, rechecks, effect and receipt again, in one transaction."""

from dataclasses import replace

import pytest
from core.desk import LIFE_S, Desk, context
from core.tools import Note

from relay_lab.contracts.base import Contract, Scalar
from relay_lab.contracts.enums import ProposalState
from relay_lab.contracts.operations import Answered, Denied, NeedsConfirmation, Stopped
from relay_lab.contracts.ports import Tx
from relay_lab.contracts.session import Context
from relay_lab.core.confirmation import Grant
from relay_lab.core.policy import LocalWrite


def untouched(desk: Desk, proposal_id: str) -> bool:
    """Whether nothing was written and the confirmation still holds."""
    consumed = desk.rows("SELECT consumed_at FROM proposal WHERE proposal_id = ?", proposal_id)[0][
        "consumed_at"
    ]
    receipts = desk.rows("SELECT * FROM receipt WHERE idempotency_key LIKE '%:erase:%'")
    return desk.notes().get("CUST-1:N1") == "hello" and consumed is None and not receipts


@pytest.fixture
def grant(desk: Desk) -> Grant:
    """A confirmed erasure of a note that is there."""
    desk.note()
    return desk.grant(desk.offer(tool="offer_erasure"))


# -- risk 1 --------------------------------------------------------------------------------------------------------------


def test_a_write_happens_once_under_its_key_and_answers_the_same_again(desk: Desk) -> None:
    assert desk.note() == Answered(answer={"length": 5}, replayed=False)
    desk.restart()
    assert desk.note() == Answered(answer={"length": 5}, replayed=True)
    assert desk.notes() == {"CUST-1:N1": "hello"}
    assert (desk.trace.rows[-1].outcome, desk.stopped_by()) == ("replayed", "receipt")


def test_another_key_is_another_write(desk: Desk) -> None:
    desk.note(key="K-1")
    assert desk.note(key="K-2") == Answered(answer={"length": 10}, replayed=False)


def test_the_same_key_with_other_arguments_is_refused(desk: Desk) -> None:
    desk.note()
    assert desk.note(text="bye") == Stopped(failures=("key_reused",), guard="receipt")
    assert desk.notes() == {"CUST-1:N1": "hello"}
    assert desk.stopped_by() == "receipt"


def test_a_key_belongs_to_its_tenant_customer_and_tool(desk: Desk) -> None:
    desk.note()
    for at in (context("CUST-2"), context(tenant="other")):
        assert desk.note(at=at) == Answered(
            answer={"length": 5 if at.session.tenant_id == "acme" else 10}, replayed=False
        )
    desk.registry["note_too"] = replace(desk.registry["note"], name="note_too")
    note = Note(customer_id="CUST-1", name="N1", text="hello")
    assert desk.runtime.call(context(), "note_too", note, "K-1") == Answered(
        answer={"length": 15}, replayed=False
    )


def test_an_effect_that_fails_leaves_neither_effect_nor_receipt(desk: Desk) -> None:
    def falls_over(tx: Tx, _: Context, __: Contract) -> dict[str, Scalar]:
        tx.run("INSERT INTO setting (name, value) VALUES ('half', 'done')")
        raise RuntimeError("half-way")

    kept = desk.registry["note"]
    desk.registry["note"] = replace(kept, write=LocalWrite(falls_over))
    with pytest.raises(RuntimeError, match="half-way"):
        desk.note()
    assert desk.notes() == {}
    desk.registry["note"] = kept
    assert desk.note() == Answered(answer={"length": 5}, replayed=False)


def test_a_confirmation_that_a_tool_does_not_need_is_left_alone(desk: Desk) -> None:
    proposal_id = desk.offer()
    grant = desk.grant(proposal_id)
    note = Note(customer_id="CUST-1", name="N1", text="hello")
    assert desk.runtime.call(desk.context, "note", note, "K-1", grant).kind == "answered"
    assert desk.proposal(proposal_id).state is ProposalState.CONFIRMED
    assert desk.ship(grant).kind == "performed"


# -- risk 2 --------------------------------------------------------------------------------------------------------------


def test_a_confirmed_write_consumes_its_confirmation_with_its_effect(desk: Desk, grant: Grant) -> None:
    assert desk.erase(grant) == Answered(answer={"erased": 1}, replayed=False)
    assert desk.notes() == {}
    proposal = desk.proposal(grant.proposal_id)
    assert (proposal.state, proposal.consumed, proposal.waiting) == (ProposalState.EXECUTED, True, False)


def test_without_a_grant_it_needs_confirmation(desk: Desk, grant: Grant) -> None:
    note = Note(customer_id="CUST-1", name="N1")
    assert desk.runtime.call(desk.context, "erase", note, "K") == NeedsConfirmation()
    assert untouched(desk, grant.proposal_id)


def test_the_receipt_comes_first_when_every_check_would_fail_by_now(desk: Desk, grant: Grant) -> None:
    first = desk.erase(grant)
    assert isinstance(first, Answered)
    desk.clock.pass_s(LIFE_S)
    desk.run("INSERT INTO setting (name, value) VALUES ('lock', 'on')")
    desk.registry["erase"] = replace(desk.registry["erase"], revalidatable=False)
    for token in (grant.token, "worn out"):
        again = desk.erase(Grant(grant.proposal_id, token))
        assert again == first.model_copy(update={"replayed": True})


def test_the_same_key_with_other_arguments_is_refused_before_any_check(desk: Desk, grant: Grant) -> None:
    desk.erase(grant)
    assert desk.erase(grant, text="other") == Stopped(failures=("key_reused",), guard="receipt")


FALSIFIED = {
    "kept": "DELETE FROM setting WHERE name = 'CUST-1:N1'",
    "unlocked": "INSERT INTO setting (name, value) VALUES ('lock', 'on')",
}


@pytest.mark.parametrize("name", FALSIFIED)
def test_each_recheck_stops_by_its_name_and_writes_nothing(desk: Desk, grant: Grant, name: str) -> None:
    desk.run(FALSIFIED[name])
    before = desk.notes()
    assert desk.erase(grant) == Stopped(failures=(name,), guard="rechecks")
    assert desk.notes() == before
    assert desk.rows("SELECT consumed_at FROM proposal WHERE consumed_at IS NOT NULL") == []
    assert desk.stopped_by() == "rechecks"


def test_every_check_that_fails_is_reported_in_order(desk: Desk, grant: Grant) -> None:
    for change in FALSIFIED.values():
        desk.run(change)
    desk.clock.pass_s(LIFE_S)
    desk.registry["erase"] = replace(desk.registry["erase"], revalidatable=False)
    result = desk.erase(Grant(grant.proposal_id, "guess"), text="other")
    assert result == Stopped(
        failures=("not_revalidatable", "envelope_mismatch", "kept", "unlocked", "wrong_token", "expired"),
        guard="registry",
    )


def test_other_arguments_than_the_confirmed_ones_are_not_covered(desk: Desk, grant: Grant) -> None:
    desk.note("N2", key="K-2")
    assert desk.erase(grant, name="N2") == Stopped(failures=("envelope_mismatch",), guard="binding")
    assert desk.stopped_by() == "binding"
    assert untouched(desk, grant.proposal_id)


def test_a_write_that_does_not_say_what_its_confirmation_covers_is_covered_by_none(
    desk: Desk, grant: Grant
) -> None:
    erase = desk.registry["erase"]
    assert isinstance(erase.write, LocalWrite)
    desk.registry["erase"] = replace(erase, write=replace(erase.write, compile=None))
    assert desk.erase(grant) == Stopped(failures=("envelope_mismatch",), guard="binding")
    assert untouched(desk, grant.proposal_id)


@pytest.mark.parametrize(
    ("change", "result"),
    [
        ("grant_of_another_tool", Stopped(failures=("other_tool",), guard="registry")),
        ("unknown_proposal", Stopped(failures=("not_confirmed",), guard="confirmation")),
        ("not_exchanged", Stopped(failures=("not_confirmed",), guard="confirmation")),
        ("wrong_token", Stopped(failures=("wrong_token",), guard="confirmation")),
        ("no_rechecks_any_more", Answered(answer={"erased": 1}, replayed=False)),
        ("not_revalidatable", Stopped(failures=("not_revalidatable",), guard="registry")),
        ("unregistered", Denied(code="unknown_tool", guard="registry")),
        ("changed_hash", Stopped(failures=("change_hash",), guard="binding")),
    ],
)
def test_what_does_not_cover_the_call_stops_it(
    desk: Desk, grant: Grant, change: str, result: Stopped | Denied | Answered
) -> None:
    erase = desk.registry["erase"]
    assert isinstance(erase.write, LocalWrite)
    brought = grant
    match change:
        case "grant_of_another_tool":
            brought = desk.grant(desk.offer("S2"))
        case "unknown_proposal":
            brought = Grant("P-9", grant.token)
        case "not_exchanged":
            brought = Grant(desk.offer("S2", "offer_erasure"), grant.token)
        case "wrong_token":
            brought = Grant(grant.proposal_id, "guess")
        case "no_rechecks_any_more":
            desk.registry["erase"] = replace(erase, write=replace(erase.write, rechecks=None))
        case "not_revalidatable":
            desk.registry["erase"] = replace(erase, revalidatable=False)
        case "unregistered":
            del desk.registry["erase"]
        case "changed_hash":
            desk.run("UPDATE proposal SET change_hash = ?", "0" * 64)
    note = Note(customer_id="CUST-1", name="N1")
    assert desk.runtime.call(desk.context, "erase", note, "K", brought) == result
    if not isinstance(result, Answered):
        assert untouched(desk, grant.proposal_id)


def test_a_used_token_opens_nothing_under_another_key(desk: Desk, grant: Grant) -> None:
    desk.erase(grant)
    desk.note(key="K-2")
    note = Note(customer_id="CUST-1", name="N1")
    result = desk.runtime.call(desk.context, "erase", note, "another", grant)
    assert result == Stopped(failures=("not_confirmed",), guard="confirmation")
    assert desk.notes() == {"CUST-1:N1": "hello"}


# -- audit ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stage", ["policy", "attempt", "revalidation:passed"])
def test_without_its_audit_row_nothing_is_written_and_no_confirmation_is_used(
    desk: Desk, grant: Grant, stage: str
) -> None:
    desk.broken.add(stage)
    assert desk.erase(grant) == Stopped(failures=("audit_unavailable",), guard="audit")
    assert untouched(desk, grant.proposal_id)
    assert desk.stopped_by() == "audit"
    desk.broken.clear()
    assert desk.erase(grant) == Answered(answer={"erased": 1}, replayed=False)


@pytest.mark.parametrize("stage", ["policy", "attempt"])
def test_without_its_audit_row_an_unconfirmed_write_does_not_happen_either(desk: Desk, stage: str) -> None:
    desk.broken.add(stage)
    assert desk.note() == Stopped(failures=("audit_unavailable",), guard="audit")
    assert desk.notes() == {}
    assert desk.rows("SELECT * FROM audit") == []


def test_an_audit_store_that_fails_afterwards_is_surfaced_and_undoes_nothing(
    desk: Desk, grant: Grant
) -> None:
    desk.broken.add("outcome")
    assert desk.erase(grant) == Answered(answer={"erased": 1}, replayed=False, audit_failed=True)
    assert desk.notes() == {}
    assert desk.erase(grant) == Answered(answer={"erased": 1}, replayed=True)
