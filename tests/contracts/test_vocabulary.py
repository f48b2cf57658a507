"""What the vocabulary has a place for, and what it has none for."""

import importlib
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest
from pydantic import ValidationError

import relay_lab
from relay_lab.contracts.base import Contract
from relay_lab.contracts.change import ChangeTerms, Envelope
from relay_lab.contracts.enums import ClaimStatus, IssueState, Outcome
from relay_lab.contracts.evidence import ReadAnswer
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.issues import (
    BillingDuplicate,
    FeatureAccess,
    HumanRequest,
    Other,
    Span,
    SubscriptionChange,
)
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.session import Session

ISSUES: list[type[Contract]] = [BillingDuplicate, FeatureAccess, SubscriptionChange, HumanRequest, Other]
MOOD = re.compile(
    r"mood|emotion|sentiment|anger|angry|frustrat|feeling|temper(?!ature)|upset|persona|profile",
    re.IGNORECASE,
)


def contract_types() -> list[type[Contract]]:
    for module in pkgutil.walk_packages(relay_lab.__path__, "relay_lab."):
        importlib.import_module(module.name)
    return list(subclasses(Contract))


def subclasses(of: type[Contract]) -> Iterator[type[Contract]]:
    for one in of.__subclasses__():
        yield one
        yield from subclasses(one)


def test_every_type_that_crosses_a_boundary_is_strict_frozen_and_closed() -> None:
    types = contract_types()
    assert len(types) > 50
    for one in types:
        config = one.model_config
        assert (config["strict"], config["frozen"], config["extra"]) == (True, True, "forbid"), one


def test_no_type_and_no_table_has_a_place_for_a_mood() -> None:
    fields = {f"{one.__name__}.{name}" for one in contract_types() for name in one.model_fields}
    tables = " ".join(path.read_text("utf-8") for path in Path(relay_lab.__path__[0]).rglob("*.sql"))
    columns = set(re.findall(r"^\s+([a-z_]+) (?:TEXT|INTEGER)", tables, flags=re.MULTILINE))
    assert len(columns) > 30
    assert [name for name in sorted(fields | columns) if MOOD.search(name)] == []
    assert MOOD.search("StoredCase.customer_mood")


def test_an_issue_has_no_place_for_a_date_or_an_amount() -> None:
    """Dates and amounts come from records; the words "last month" and "Friday" settle neither."""
    slots = {name: one.model_fields[name].annotation for one in ISSUES for name in one.model_fields}
    assert set(slots) == {
        "id", "span", "type", "requested_outcome", "refund_requested", "feature", "target_plan", "deadline",
        "needs_clarification", "about_account", "refused_proposal",
    }  # fmt: skip
    assert not any(word in str(kind) for kind in slots.values() for word in ("datetime", "cents", "float"))


def test_a_change_needs_clarification_exactly_when_no_plan_is_named() -> None:
    span = Span(start=0, end=1, text="x")
    assert SubscriptionChange(id="I1", span=span).needs_clarification
    with pytest.raises(ValidationError):
        SubscriptionChange(id="I1", span=span, needs_clarification=False)


def test_every_answer_to_a_read_is_tagged_and_carries_the_time_of_its_source() -> None:
    variants = get_args(get_args(ReadAnswer)[0])
    assert {one.model_fields["kind"].default for one in variants} == {"success", "error"}
    assert all(one.model_fields["source_at"].is_required() for one in variants)


def test_an_issue_is_in_one_of_seven_states_with_one_of_five_outcomes() -> None:
    assert [state.value for state in IssueState] == [
        "needs_input", "evidence_ready", "awaiting_confirmation", "scheduled", "handoff_pending", "handed_off", "unknown",
    ]  # fmt: skip
    assert [outcome.value for outcome in Outcome] == [
        "respond", "clarify", "verified_self_service", "human_handoff", "abstain",
    ]  # fmt: skip


def test_a_ledger_row_names_evidence_time_policy_and_one_of_five_statuses() -> None:
    assert set(LedgerRow.model_fields) == {
        "claim_id", "issue_id", "claim", "evidence_ids", "source_at", "policy_version", "status", "qualifier",
    }  # fmt: skip
    assert {status.value for status in ClaimStatus} == {
        "supported", "unsupported", "stale", "conflicting", "unauthorized",
    }  # fmt: skip


def test_the_session_keeps_identity_verification_and_permission_apart() -> None:
    assert set(Session.model_fields) == {
        "authenticated_customer_id", "session_assurance", "tenant_id", "allowed_scopes", "actor_type", "actor_id",
    }  # fmt: skip


def test_the_terms_of_a_change_leave_no_consequence_out() -> None:
    assert set(ChangeTerms.model_fields) >= {
        "target_plan", "price_cents", "currency", "tax_terms", "seats_kept", "seats_ended", "designated_seat_id",
        "features_lost", "data_retained", "immediate_refund", "effective_at", "subscription_version",
        "renewal_cycle_id", "policy_version",
    }  # fmt: skip
    assert all(field.is_required() for field in ChangeTerms.model_fields.values())


def test_the_envelope_carries_everything_the_receiving_side_checks() -> None:
    assert set(Envelope.model_fields) >= {
        "tool", "runtime_customer_id", "target_plan", "effective_at", "renewal_cycle_id",
        "expected_subscription_version", "quote_id", "confirmation_id", "policy_version", "idempotency_key",
    }  # fmt: skip


def test_a_handoff_packet_holds_the_seven_kinds_and_no_other() -> None:
    kinds = {
        "authentication": {"customer_id", "assurance", "scopes"},
        "issues": {"issues"},
        "evidence": {"evidence"},
        "calls": {"completed_calls"},
        "action": {"proposed_action"},
        "conflicts": {"conflicts"},
        "commitments": {"commitments"},
    }
    about = {"conversation_id", "issue_id", "reason"}
    assert set(HandoffPacket.model_fields) == about.union(*kinds.values())
