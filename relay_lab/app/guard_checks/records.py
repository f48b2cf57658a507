"""What the audit must hold of an action, and that nothing is written without it."""

from collections.abc import Iterator
from typing import Any

from relay_lab.app.guard_checks.base import check, differs
from relay_lab.app.guard_checks.scene import OWN, another, clicked, proposals, quoted, submit, told, trade
from relay_lab.app.lab import Lab, Parts, open_lab
from relay_lab.contracts.base import digest
from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.errors import AuditUnavailable
from relay_lab.contracts.ports import Tx
from relay_lab.core import audit


def rows(lab: Lab, tool: str = "schedule_downgrade") -> list[dict[str, Any]]:
    """The audit rows of a tool, in the order in which they were written."""
    with lab.runtime.store.transaction() as tx:
        return tx.rows("SELECT * FROM audit WHERE tool = ? ORDER BY rowid", tool)


def failing(*stages: str, only: str | None = None) -> Parts:
    """An audit store that takes no row of these stages, of one tool or of any."""

    def append(tx: Tx, event: audit.AuditEvent) -> None:
        if event.stage in stages and only in (None, event.tool):
            raise AuditUnavailable("the audit store is down")
        audit.append(tx, event)

    return Parts(append=append)


@check("audit")
def every_stage_of_a_change() -> Iterator[str]:
    """A change leaves one row for the click, the policy, the attempt, the rechecks and the outcome."""
    with quoted() as lab:
        lab.confirm()
        stages = [row["stage"] for row in rows(lab)]
    wanted = ["confirmation", "policy", "attempt", "revalidation", "outcome"]
    yield from differs("the rows", sorted(stages), sorted(wanted))


@check("audit")
def every_stage_of_a_quote() -> Iterator[str]:
    """A quote that is prepared leaves rows as well."""
    with quoted() as lab:
        stages = [row["stage"] for row in rows(lab, "prepare_downgrade_quote")]
    yield from differs("the rows", sorted(stages), ["attempt", "outcome", "policy"])


@check("audit")
def of_whom() -> Iterator[str]:
    """Whoever has a customer's id finds that customer's rows."""
    with quoted() as lab:
        lab.confirm()
        found = {row["customer_hash"] for row in rows(lab)}
    yield from differs("the customer's hash", found, {digest(OWN)})


@check("audit")
def of_what() -> Iterator[str]:
    """The row of the click and of the attempt hold the hash of the change that they allow."""
    with quoted() as lab:
        wanted = proposals(lab)[-1].change_hash
        lab.confirm()
        held = {row["stage"]: row["change_hash"] for row in rows(lab)}
    for stage in ("confirmation", "attempt"):
        yield from differs(f"the hash of the {stage}", held.get(stage), wanted)


@check("audit")
def two_actions_of_one_turn() -> Iterator[str]:
    """Two actions of one turn leave the rows of two."""
    with open_lab(session=_unverified()) as lab:
        run = lab.say(lab.scenario.message)
        attempts = [row for row in rows(lab, "hand_off") if row["stage"] == "attempt"]
    yield from differs("the attempts", len(attempts), run.tickets)


@check("audit")
def what_was_stopped() -> Iterator[str]:
    """A call that was stopped leaves a row that says so."""
    with quoted() as lab:
        came = submit(lab, clicked(lab), at=another(lab, "C-2"))
        yield from differs("the call", came, "stopped by binding: binding")
        outcomes = [row["outcome"] for row in rows(lab) if row["stage"] == "revalidation"]
    yield from differs("the row", outcomes, ["stopped"])


@check("audit")
def a_click_needs_its_row() -> Iterator[str]:
    """A click whose row cannot be written confirms nothing."""
    with quoted(failing("confirmation")) as lab:
        yield from differs("the click", told(trade(lab)), "not confirmed: audit_unavailable")


@check("audit")
def a_quote_needs_its_rows() -> Iterator[str]:
    """A quote whose rows cannot be written is not made."""
    with quoted(failing("attempt")) as lab:
        yield from differs("quotes", len(proposals(lab)), 0)


@check("audit")
def rechecks_need_their_row() -> Iterator[str]:
    """A change whose passed rechecks cannot be written down is not made."""
    with quoted(failing("revalidation")) as lab:
        came = submit(lab, clicked(lab))
        yield from differs("the change", came, "stopped by audit: audit_unavailable")


def _unverified() -> Any:
    with open_lab() as lab:
        return lab.session.model_copy(update={"session_assurance": Assurance.NONE})
