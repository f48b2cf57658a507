"""Policy: allow, deny, require_confirmation or require_human; what cannot be evaluated is denied."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest
from core.desk import Desk, context
from core.tools import SCOPES, Note, Nothing, Page, Parcel

from relay_lab.contracts.enums import Assurance, Decision
from relay_lab.contracts.evidence import ReadError
from relay_lab.contracts.operations import Denied, NeedsConfirmation, Performed
from relay_lab.contracts.session import Context
from relay_lab.core.guards import STANDING
from relay_lab.core.policy import Ruling, Tool, decide

PARCEL = {"customer_id": "CUST-1", "tenant_id": "acme", "offer_id": "P-1", "weight": 3}
NOTE = {"customer_id": "CUST-1", "name": "N1", "text": "hello"}


def ruling(desk: Desk, name: str, arguments: Mapping[str, Any], at: Context | None = None) -> Ruling:
    return decide(desk.registry, at or context(), name, arguments, STANDING)


@pytest.mark.parametrize(
    ("name", "arguments", "decision"),
    [
        ("peek", {}, Decision.ALLOW),
        ("note", NOTE, Decision.ALLOW),
        ("ship", PARCEL, Decision.REQUIRE_CONFIRMATION),
        ("page", {"customer_id": "CUST-1", "issue_id": "I1"}, Decision.REQUIRE_HUMAN),
    ],
)
def test_each_risk_has_its_decision(
    desk: Desk, name: str, arguments: dict[str, Any], decision: Decision
) -> None:
    answer = ruling(desk, name, arguments)
    assert (answer.decision, answer.code, answer.guard) == (decision, decision.value, None)
    assert answer.arguments is not None
    assert answer.arguments.model_dump(mode="json") == arguments


DENIED = [
    ("a tool that is not registered", "refund", NOTE, {}, "unknown_tool", "registry"),
    ("no customer", "note", NOTE, {"customer": None}, "no_customer", "ownership"),
    ("no customer, even to read", "peek", {}, {"customer": None}, "no_customer", "ownership"),
    ("another customer's id", "note", NOTE | {"customer_id": "CUST-2"}, {}, "foreign_customer", "ownership"),
    ("another customer's session", "note", NOTE, {"customer": "CUST-2"}, "foreign_customer", "ownership"),
    ("no customer's id", "note", {"name": "N1"}, {}, "foreign_customer", "ownership"),
    ("another tenant's id", "ship", PARCEL | {"tenant_id": "other"}, {}, "foreign_tenant", "ownership"),
    ("another tenant's session", "ship", PARCEL, {"tenant": "other"}, "foreign_tenant", "ownership"),
    ("a scope that is missing", "note", NOTE, {"allowed_scopes": SCOPES[1:]}, "scope_missing", "scope"),
    ("no scope at all", "peek", {}, {"allowed_scopes": ()}, "scope_missing", "scope"),
    (
        "too little assurance",
        "ship",
        PARCEL,
        {"session_assurance": Assurance.PASSWORD},
        "assurance_too_low",
        "assurance",
    ),
    ("no assurance", "peek", {}, {"session_assurance": Assurance.NONE}, "assurance_too_low", "assurance"),
    (
        "an argument too few",
        "ship",
        {k: v for k, v in PARCEL.items() if k != "weight"},
        {},
        "bad_arguments",
        "arguments",
    ),
    ("an argument too many", "ship", PARCEL | {"price": 1}, {}, "bad_arguments", "arguments"),
    ("an argument of another type", "ship", PARCEL | {"weight": "3"}, {}, "bad_arguments", "arguments"),
    ("an id with a blank", "ship", PARCEL | {"offer_id": "P 1"}, {}, "bad_arguments", "arguments"),
    ("an argument that is no JSON", "ship", PARCEL | {"weight": {3}}, {}, "policy_error", "registry"),
]


@pytest.mark.parametrize(
    ("name", "arguments", "session", "code", "guard"),
    [row[1:] for row in DENIED],
    ids=[row[0] for row in DENIED],
)
def test_each_reason_to_deny_names_its_guard(
    desk: Desk, name: str, arguments: dict[str, Any], session: dict[str, Any], code: str, guard: str
) -> None:
    answer = ruling(desk, name, arguments, context(**session))
    assert (answer.decision, answer.code, answer.guard) == (Decision.DENY, code, guard)
    assert answer.arguments is None


def test_the_least_assurance_that_a_tool_asks_for_will_do(desk: Desk) -> None:
    asked = {"customer_id": "CUST-1", "issue_id": "I1"}
    at = context(session_assurance=Assurance.NONE)
    assert ruling(desk, "page", asked, at).decision is Decision.REQUIRE_HUMAN
    at = context(session_assurance=Assurance.PASSWORD)
    assert ruling(desk, "note", NOTE, at).decision is Decision.ALLOW


class Failing(Mapping[str, Any]):
    """A mapping that cannot be read."""

    def __getitem__(self, _: str) -> Any:
        raise OSError("no such luck")

    def __iter__(self) -> Iterator[str]:
        raise OSError("no such luck")

    def __len__(self) -> int:
        return 1


def test_a_tool_is_not_revalidatable_nor_open_to_the_unverified_unless_it_says_so() -> None:
    tool = Tool("quiet", 2, Nothing)
    assert (tool.revalidatable, tool.assurance, tool.write) == (False, Assurance.PASSWORD, None)


def test_a_policy_that_cannot_be_evaluated_denies(desk: Desk) -> None:
    unheard_of = {"note": replace(desk.registry["note"], risk=4)}
    for registry, arguments in ((desk.registry, Failing()), (Failing(), NOTE), (unheard_of, NOTE)):
        answer = decide(registry, context(), "note", arguments, STANDING)
        assert (answer.decision, answer.code, answer.guard) == (Decision.DENY, "policy_error", "registry")


def test_a_denied_call_does_nothing_and_leaves_a_decision_row(desk: Desk) -> None:
    result = desk.note(at=context(allowed_scopes=()))
    assert result == Denied(code="scope_missing", guard="scope")
    assert desk.notes() == {}
    assert desk.rows("SELECT * FROM receipt") == []
    row = desk.trace.rows[-1]
    assert (row.kind, row.tool, row.decision, row.outcome, row.guard) == (
        "decision",
        "note",
        Decision.DENY,
        "scope_missing",
        "scope",
    )


@pytest.mark.parametrize("name", ["Refund now!", "", "x" * 65, "drop table", "ünknown", "9"])
def test_a_name_that_a_model_made_up_is_not_repeated_in_the_trace(desk: Desk, name: str) -> None:
    note = Note(customer_id="CUST-1", name="N1")
    assert desk.runtime.call(context(), name, note, "K") == Denied(code="unknown_tool", guard="registry")
    assert desk.trace.rows[-1].tool == "unregistered"


def test_a_read_is_no_write_and_a_write_is_no_read(desk: Desk) -> None:
    assert desk.runtime.call(context(), "peek", Nothing(), "K") == Denied(
        code="not_a_write", guard="registry"
    )
    tools = desk.runtime.read_tools(context())
    for name, arguments in (
        ("note", NOTE),
        ("ship", PARCEL),
        ("page", {"customer_id": "CUST-1", "issue_id": "I1"}),
    ):
        answer = tools.read(name, arguments, 5.0)
        assert (answer.kind, getattr(answer, "code", None)) == ("error", "not_a_read")
    assert desk.notes() == {}
    assert desk.carrier.calls == desk.pager.calls == []


def test_a_read_is_made_for_the_session_and_a_denied_one_is_an_error_with_its_code(desk: Desk) -> None:
    assert desk.runtime.read(context(), "peek", {}, 5.0).kind == "success"
    denied = desk.runtime.read_tools(context(allowed_scopes=())).read("peek", {}, 5.0)
    assert isinstance(denied, ReadError)
    assert (denied.tool, denied.code, denied.retryable) == ("peek", "scope_missing", False)
    assert desk.runtime.read(context("CUST-2", tenant="other"), "peek", {}, 5.0).kind == "success"
    assert desk.reads == [("peek", "acme", "CUST-1"), ("peek", "other", "CUST-2")]
    assert desk.runtime.read_tools(context()).now() == desk.clock.now()


def test_a_confirmed_action_needs_its_grant_and_a_person_none(desk: Desk) -> None:
    parcel = Parcel(**PARCEL)
    assert desk.runtime.call(context(), "ship", parcel, "K") == NeedsConfirmation()
    assert desk.carrier.calls == []
    page = desk.runtime.call(context(), "page", Page(customer_id="CUST-1", issue_id="I1"), "K")
    assert isinstance(page, Performed)


def test_a_tool_can_be_called_as_long_as_it_is_registered_and_no_longer(desk: Desk) -> None:
    assert desk.note().kind == "answered"
    del desk.registry["note"]
    assert desk.note(key="K-2") == Denied(code="unknown_tool", guard="registry")
    assert desk.note() == Denied(code="unknown_tool", guard="registry")
