"""Audit: evidence that nobody's words fit into, that a replay does not lengthen, and that nothing decides by."""

import hashlib
import re
import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from core.desk import Desk
from core.test_support_tools import RISKS
from core.tools import Page
from core.watched import NOON
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from relay_lab.contracts.base import digest
from relay_lab.contracts.enums import ProposalState
from relay_lab.contracts.operations import Performed, Refused, Stopped
from relay_lab.core.audit import AuditCode, AuditEvent, Stage, append
from relay_lab.core.confirmation import Grant

EVENT: dict[str, Any] = {
    "at": NOON,
    "run_hash": digest("run"),
    "action_hash": digest("action"),
    "stage": "outcome",
    "outcome": "completed",
    "tool": "ship",
    "risk": 2,
    "tenant_hash": digest("acme"),
    "customer_hash": digest("CUST-1"),
    "change_hash": digest("change"),
}
CLOSED = {"stage", "outcome"}
HASHES = {"run_hash", "action_hash", "tenant_hash", "customer_hash", "change_hash"}


def stages(desk: Desk, tool: str) -> list[tuple[str, str]]:
    rows = desk.rows("SELECT stage, outcome FROM audit WHERE tool = ? ORDER BY rowid", tool)
    return [(row["stage"], row["outcome"]) for row in rows]


# -- what fits in ------------------------------------------------------------------------------------------------------


def test_these_tests_speak_of_every_field() -> None:
    assert set(AuditEvent.model_fields) == set(EVENT) == CLOSED | HASHES | {"at", "tool", "risk"}
    assert AuditEvent(**EVENT).outcome == "completed"


WORDS = st.text(min_size=1).filter(lambda text: re.search(r"[\s\x00]|[^\x00-\x7f]", text) is not None)
SENTENCES = st.sampled_from(
    ["please refund me", "CUST-1 is angry", "naïve", "ship\n", "\nship", "ship ", "a\u200bb"]
)
NEARLY = st.builds(
    lambda value, at, more: value[:at] + more + value[at:],
    st.sampled_from([value for value in EVENT.values() if isinstance(value, str)]),
    st.integers(0, 64),
    st.sampled_from([" ", "\n", "\t", "é", "\u00a0", "\u2028"]),
)


@pytest.mark.parametrize("field", EVENT)
@settings(max_examples=40)
@given(text=WORDS | SENTENCES | NEARLY)
def test_no_field_takes_text_with_a_blank_a_new_line_or_a_letter_beyond_ascii(field: str, text: str) -> None:
    with pytest.raises(ValidationError):
        AuditEvent(**EVENT | {field: text})


@pytest.mark.parametrize("field", sorted(HASHES | CLOSED | {"tool"}))
@pytest.mark.parametrize("text", ["", "refund-me-now", "Refund", "x" * 65, "refund_me_now_1"])
def test_no_field_but_a_name_of_letters_takes_even_one_word(field: str, text: str) -> None:
    with pytest.raises(ValidationError):
        AuditEvent(**EVENT | {field: text})


@pytest.mark.parametrize("risk", [-1, 4, "2", True, 1.5])
def test_a_risk_is_one_of_four(risk: object) -> None:
    assert [AuditEvent(**EVENT | {"risk": n}).risk for n in range(4)] == [0, 1, 2, 3]
    with pytest.raises(ValidationError):
        AuditEvent(**EVENT | {"risk": risk})


def test_codes_come_from_closed_sets_and_every_other_text_is_a_hash_or_a_tools_name() -> None:
    properties = AuditEvent.model_json_schema()["properties"]
    texts = {name: str(schema) for name, schema in properties.items() if "'type': 'string'" in str(schema)}
    assert texts.keys() == CLOSED | HASHES | {"at", "tool"}
    assert "'format': 'date-time'" in texts["at"]
    assert "'pattern': '^[a-z_]{1,40}$'" in texts["tool"]
    assert all("'pattern': '^[0-9a-f]{64}$'" in texts[name] for name in HASHES)
    assert all(len(properties[name]["enum"]) > 5 for name in CLOSED)


def test_every_stage_and_code_is_one_that_a_run_leaves(desk: Desk) -> None:
    full_run(desk, lambda _: None)
    desk.pager.will("deliver", Refused(code="nobody_there"))
    desk.runtime.call(desk.context, "page", Page(customer_id="CUST-1", issue_id="I1"), "K")
    rows = desk.rows("SELECT DISTINCT stage, outcome FROM audit")
    assert {row["stage"] for row in rows} == set(get_args(Stage))
    assert {row["outcome"] for row in rows} == set(get_args(AuditCode))


def test_the_table_has_a_column_for_each_field_and_no_other(desk: Desk) -> None:
    columns = {row["name"] for row in desk.rows("SELECT name FROM pragma_table_info('audit')")}
    assert columns == set(AuditEvent.model_fields) | {"event_id"}


def test_every_tool_of_the_support_desk_fits_in() -> None:
    for name in RISKS:
        assert AuditEvent(**EVENT | {"tool": name}).tool == name


def test_what_is_said_typed_or_answered_on_the_way_is_in_no_audit_row(desk: Desk) -> None:
    desk.note(text="angry words")
    desk.runtime.save(desk.context, 1, "{}", "angry words")
    desk.shipped()
    cells = [str(cell) for row in desk.rows("SELECT * FROM audit") for cell in row.values()]
    for secret in ("angry", "CUST-1", "acme", "RUN-1", "P-1", "K-1", "secret"):
        assert not [cell for cell in cells if secret in cell], secret
    assert digest("acme:CUST-1:note:K-1") in cells
    assert {digest("CUST-1"), digest("acme"), digest("RUN-1"), digest("ship:P-1"), digest("P-1")} <= set(
        cells
    )


# -- ids -----------------------------------------------------------------------------------------------------------------


def test_an_events_id_follows_from_run_action_stage_and_outcome_alone() -> None:
    event = AuditEvent(**EVENT)
    whole = "|".join(
        [event.tenant_hash, str(event.customer_hash), digest("run"), digest("action"), "outcome", "completed"]
    )
    assert event.event_id == f"AUD-{hashlib.sha256(whole.encode()).hexdigest()[:32]}"
    same: dict[str, Any] = {
        "at": datetime(2031, 1, 1, tzinfo=UTC),
        "tool": "page",
        "risk": 3,
        "change_hash": None,
    }
    assert AuditEvent(**EVENT | same).event_id == event.event_id
    other = {"run_hash": digest("x"), "action_hash": digest("y"), "stage": "policy", "outcome": "rejected"}
    ids = {AuditEvent(**EVENT | {name: value}).event_id for name, value in other.items()}
    assert len(ids | {event.event_id}) == 5


def test_a_replay_adds_nothing_and_the_first_row_stays(desk: Desk) -> None:
    grant = desk.grant(desk.offer())
    desk.ship(grant)
    before = desk.rows("SELECT * FROM audit")
    desk.clock.pass_s(5)
    for _ in range(3):
        desk.restart()
        desk.ship(grant)
    assert desk.rows("SELECT * FROM audit") == before


def test_the_same_event_twice_is_one_row(desk: Desk) -> None:
    with desk.store.transaction() as tx:
        for _ in range(2):
            append(tx, AuditEvent(**EVENT))
    assert len(desk.rows("SELECT * FROM audit")) == 1


def test_each_risk_leaves_the_stages_that_belong_to_it(desk: Desk) -> None:
    desk.note()
    assert stages(desk, "note") == [("policy", "allow"), ("attempt", "submitted"), ("outcome", "completed")]
    grant = desk.grant(desk.offer(tool="offer_erasure"))
    desk.erase(Grant(grant.proposal_id, "guess"))
    desk.erase(grant)
    assert stages(desk, "erase") == [
        ("confirmation", "confirmed"),
        ("policy", "require_confirmation"),
        ("attempt", "submitted"),
        ("revalidation", "stopped"),
        ("revalidation", "passed"),
        ("outcome", "completed"),
    ]


def test_a_confirmed_call_that_is_stopped_has_not_passed_its_rechecks(desk: Desk) -> None:
    for tool, run in (("offer_erasure", desk.erase), ("offer_parcel", desk.ship)):
        grant = desk.grant(desk.offer(f"S-{tool}", tool))
        run(Grant(grant.proposal_id, "guess"))
    assert ("revalidation", "passed") not in stages(desk, "erase") + stages(desk, "ship")


def test_a_refused_exchange_leaves_a_row(desk: Desk) -> None:
    proposal_id = desk.offer()
    desk.runtime.exchange(desk.context, proposal_id, "guess")
    assert stages(desk, "ship") == [("confirmation", "not_confirmed")]


def test_a_failing_audit_store_is_not_asked_to_record_that_it_failed(desk: Desk) -> None:
    grant = desk.grant(desk.offer())
    desk.broken.update({"policy", "attempt", "revalidation", "outcome"})
    assert desk.ship(grant) == Stopped(failures=("audit_unavailable",), guard="audit")
    desk.broken.clear()
    desk.broken.add("revalidation:stopped")
    assert desk.ship(Grant(grant.proposal_id, "guess")) == Stopped(
        failures=("wrong_token",), guard="confirmation"
    )


# -- never an authority ----------------------------------------------------------------------------------------------------


def empty(desk: Desk) -> None:
    desk.run("DELETE FROM audit")


def forge(desk: Desk) -> None:
    """Rows that say everything was approved, passed and completed long ago."""
    actions = ["P-1", "P-2", "ship:P-1", "ship:P-2", "acme:CUST-1:erase:erase:P-2", "acme:CUST-1:note:K-1"]
    with desk.store.transaction() as tx:
        for action in actions:
            for stage in get_args(AuditEvent.model_fields["stage"].annotation):
                for outcome in (
                    "allow",
                    "confirmed",
                    "passed",
                    "submitted",
                    "completed",
                    "rejected",
                    "stopped",
                ):
                    hashes = {"run_hash": digest("RUN-1"), "action_hash": digest(action)}
                    append(tx, AuditEvent(**EVENT | hashes | {"stage": stage, "outcome": outcome}))


def scramble(desk: Desk) -> None:
    """No row says what it said."""
    desk.run("UPDATE audit SET outcome = 'x', stage = 'x', tool = 'x', run_hash = 'x', action_hash = 'x'")


def full_run(desk: Desk, between: Callable[[Desk], object]) -> list[Any]:
    """Everything a runtime is asked for, with something done to the audit table before each step; what was answered."""
    seen: list[Any] = []

    def step(result: Any) -> Any:
        seen.append(result)
        between(desk)
        return result

    between(desk)
    step(desk.note())
    step(desk.note())
    step(desk.note(text="other"))
    first = step(desk.offer("S1"))
    step(desk.runtime.exchange(desk.context, first, "guess"))
    step(desk.ship(Grant(first, "guess")))
    grant = step(desk.grant(first))
    desk.carrier.will("deliver", "lost_before")
    step(desk.ship(grant))
    step(desk.ship(grant, weight=9))
    operation = desk.runtime.standing(desk.context)[1][0]
    step(desk.reconcile(operation))
    second = step(desk.offer("S2", "offer_erasure"))
    step(desk.erase(Grant(second, "guess")))
    step(desk.erase(step(desk.grant(second))))
    step(desk.runtime.standing(desk.context))
    return [*seen, desk.notes(), desk.carrier.effects, [row.model_dump() for row in desk.trace.rows]]


@pytest.mark.parametrize("between", [empty, forge, scramble])
def test_whatever_happens_to_the_audit_table_nothing_is_decided_otherwise(
    make_desk: Callable[..., Desk], between: Callable[[Desk], object]
) -> None:
    plain = full_run(make_desk(), lambda _: None)
    assert full_run(make_desk(), between) == plain
    kinds = [getattr(each, "kind", None) for each in plain]
    assert {"answered", "stopped", "not_confirmed", "performed"} <= set(kinds)


def test_that_comparison_sees_a_difference_when_there_is_one(make_desk: Callable[..., Desk]) -> None:
    def meddle(desk: Desk) -> None:
        desk.run("DELETE FROM receipt")

    assert full_run(make_desk(), meddle) != full_run(make_desk(), lambda _: None)


def test_the_core_reads_nothing_from_the_audit_table(desk: Desk) -> None:
    """Dropped, it fails the first write that must be audited, closed, and nothing that is only asked."""
    grant = desk.grant(desk.offer())
    desk.run("ALTER TABLE audit RENAME TO gone")
    assert desk.runtime.show(desk.context, grant.proposal_id) is not None
    assert len(desk.runtime.standing(desk.context)[0]) == 1
    assert desk.runtime.withdraw(desk.context, "S9", ProposalState.REJECTED, "x") == 0
    with pytest.raises(sqlite3.OperationalError, match="no such table: audit"):
        desk.ship(grant)
    assert desk.carrier.calls == []
    desk.run("ALTER TABLE gone RENAME TO audit")
    assert isinstance(desk.ship(grant), Performed)
