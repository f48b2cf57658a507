"""Helpers for the failure rows: a lab on the fixture with one thing changed."""

from collections.abc import Callable
from typing import Any

from relay_lab import Fault, Lab, Parts, Run, open_lab
from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.session import Session
from relay_lab.world.data import Scenario, WorldData, load_fixture

BASELINE = {"I1": "evidence_ready", "I2": "evidence_ready", "I3": "needs_input"}


def scenario(change: Callable[[WorldData], dict[str, Any]] | None = None) -> Scenario:
    """The fixture, with some tables of its company replaced."""
    fixture = load_fixture()
    if change is None:
        return fixture
    return fixture.model_copy(update={"data": fixture.data.model_copy(update=change(fixture.data))})


def customer() -> str:
    """The fixture's customer."""
    return str(load_fixture().session.authenticated_customer_id)


def of_customer(rows: tuple[Any, ...], **changes: Any) -> tuple[Any, ...]:
    """Rows with the fixture's customer's changed."""
    own = customer()
    return tuple(row.model_copy(update=changes) if row.customer_id == own else row for row in rows)


def lab(*faults: Fault, world: Scenario | None = None, session: Session | None = None, **parts: Any) -> Lab:
    """A lab in memory with these faults."""
    return open_lab(world or load_fixture(), session=session, parts=Parts(faults=faults, **parts))


def session(**changes: Any) -> Session:
    """The fixture's session, changed."""
    return load_fixture().session.model_copy(update=changes)


def without(*scopes: str) -> Session:
    """The fixture's session without some scopes."""
    kept = tuple(scope for scope in load_fixture().session.allowed_scopes if scope not in scopes)
    return session(allowed_scopes=kept)


def weaker(assurance: Assurance) -> Session:
    """The fixture's session with another assurance."""
    return session(session_assurance=assurance)


def ask(desk: Lab, extra: str = "") -> Run:
    """The customer's message."""
    return desk.say(desk.scenario.message + extra)


def picked(desk: Lab) -> Run:
    """The message, and the pick of the plan."""
    ask(desk)
    run = desk.choose("individual")
    assert run is not None
    return run


def confirmed(desk: Lab) -> Run:
    """The message, the pick and the click on Confirm."""
    picked(desk)
    return desk.confirm()


def guards(run: Run) -> set[str]:
    """The guards that stopped something."""
    return {row.guard for row in run.trace if row.guard}


def calls(run: Run, tool: str) -> list[str]:
    """The outcomes of the calls of one tool, as its system of record saw them."""
    return [row.outcome for row in run.trace if row.kind == "call" and row.tool == tool]
