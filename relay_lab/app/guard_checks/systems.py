"""A success that says something else than was asked is no success: echo. And rechecks of our own tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from relay_lab.app.guard_checks.base import check, differs
from relay_lab.app.guard_checks.scene import OTHER, SCHEDULE, clicked, operation, quoted, send, submit, told
from relay_lab.app.lab import Lab, Parts, open_lab
from relay_lab.contracts.base import Contract, Ident, fingerprint
from relay_lab.contracts.operations import Accepted, Answered, Confirmed, LookupAnswer, WriteAnswer
from relay_lab.contracts.ports import Remote
from relay_lab.core.confirmation import Grant
from relay_lab.core.policy import Draft, LocalWrite, Preparation, RemoteWrite, Tool
from relay_lab.world.faults import Fault


@dataclass(frozen=True)
class Silent:
    """A system of record whose receipts leave a field out."""

    port: Remote
    field: str

    def deliver(self, key: str, envelope: Mapping[str, Any]) -> WriteAnswer:
        """Deliver, and leave the field out of the answer."""
        answer = self.port.deliver(key, envelope)
        if isinstance(answer, Accepted):
            echo = {name: value for name, value in answer.receipt.echo.items() if name != self.field}
            receipt = answer.receipt.model_copy(update={"echo": echo})
            return answer.model_copy(update={"receipt": receipt})
        return answer

    def find(self, key: str) -> LookupAnswer:
        """As the system itself."""
        return self.port.find(key)

    def close(self, key: str) -> LookupAnswer:
        """As the system itself."""
        return self.port.close(key)


@check("echo")
def another_quote() -> Iterator[str]:
    """A success that names another quote is not believed."""
    fault = Fault(SCHEDULE, "echo", None, ("quote_id", "DG-1042-v7"))
    with quoted(Parts(faults=(fault,))) as lab:
        came = submit(lab, clicked(lab))
        yield from differs("another quote", came, "failed_unknown echo_mismatch")


@check("echo")
def a_field_left_out() -> Iterator[str]:
    """A success that does not repeat what was asked is not believed."""
    with quoted() as lab:
        tool = lab.runtime.registry[SCHEDULE]
        if isinstance(tool.write, RemoteWrite):
            silent = replace(tool.write, port=Silent(tool.write.port, "target_plan"))
            lab.runtime.registry = {**lab.runtime.registry, SCHEDULE: replace(tool, write=silent)}
        came = submit(lab, clicked(lab))
        yield from differs("a plan left out", came, "failed_unknown echo_mismatch")


@check("echo")
def a_ticket_of_another_customer() -> Iterator[str]:
    """A ticket that the queue acknowledges for another customer is not believed."""
    with open_lab(parts=Parts(faults=(Fault("hand_off", "echo", None, ("customer_id", OTHER)),))) as lab:
        came = send(lab, lab.session.authenticated_customer_id)
        yield from differs("another customer's ticket", came, "failed_unknown echo_mismatch")


@check("echo")
def noted_and_not_believed() -> Iterator[str]:
    """A mismatch leaves the outcome unknown, however often it is asked about."""
    fault = Fault(SCHEDULE, "echo", None, ("target_plan", "team"))
    with quoted(Parts(faults=(fault,))) as lab:
        lab.confirm()
        lab.settle(operation(lab).idempotency_key)
        yield from differs("the operation", operation(lab).detail, "echo_mismatch")


class Note(Contract):
    """The arguments of the two tools below."""

    name: Ident


class Notes:
    """A desk of two tools over our own tables: an erasure is offered, confirmed, and kept in `erased`."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.erased, self.locked = lab, 0, False
        erase = LocalWrite(self._erase, lambda _: Note(name="N1"), {"unlocked": lambda *_: not self.locked})
        tools = (
            Tool("offer_erasure", 1, Note, write=Preparation(lambda _: _draft(lab.clock.now()))),
            Tool("erase", 2, Note, revalidatable=True, write=erase),
        )
        lab.runtime.registry = {tool.name: tool for tool in tools}

    def grant(self) -> Grant:
        """Offer an erasure, and click."""
        offered = self.lab.runtime.call(self.lab.context, "offer_erasure", Note(name="N1"), "K-1")
        proposal_id = str(offered.answer["proposal_id"]) if isinstance(offered, Answered) else ""
        challenge = self.lab.runtime.show(self.lab.context, proposal_id) or ""
        exchange = self.lab.runtime.exchange(self.lab.context, proposal_id, challenge)
        return Grant(proposal_id, exchange.token if isinstance(exchange, Confirmed) else "")

    def erase(self, grant: Grant, name: str = "N1", key: str = "K-2") -> str:
        """Erase a note under a grant; what came of it."""
        return told(self.lab.runtime.call(self.lab.context, "erase", Note(name=name), key, grant))

    def _erase(self, *_: object) -> dict[str, Any]:
        self.erased += 1
        return {"erased": self.erased}


def _draft(now: datetime) -> Draft:
    return Draft(
        tool="erase",
        subject_id="S1",
        payload=lambda *_: Note(name="N1"),
        change_hash=fingerprint(Note(name="N1")),
        expires_at=now.replace(hour=23),
        proposal_id=lambda number: f"P-{number}",
        confirmation_id=lambda number: f"CNF-{number}",
    )


@check("rechecks")
def of_our_own_tables() -> Iterator[str]:
    """A confirmed effect in our own tables is rechecked in the transaction that makes it."""
    with open_lab() as lab:
        notes = Notes(lab)
        grant, notes.locked = notes.grant(), True
        yield from differs("a locked note", notes.erase(grant), "stopped by rechecks: unlocked")
        yield from differs("erasures", notes.erased, 0)


@check("confirmation")
def of_our_own_tables_too() -> Iterator[str]:
    """A confirmed effect in our own tables is made once, and under the token of the click."""
    with open_lab() as lab:
        notes = Notes(lab)
        grant = notes.grant()
        guess = notes.erase(Grant(grant.proposal_id, "guess"))
        yield from differs("a guess", guess, "stopped by confirmation: wrong_token")
        yield from differs("the token", notes.erase(grant), "answered")
        again = notes.erase(grant, key="K-3")
        yield from differs("the token again", again, "stopped by confirmation: not_confirmed")


@check("binding")
def of_another_note() -> Iterator[str]:
    """A confirmed effect in our own tables is the one that was confirmed."""
    with open_lab() as lab:
        notes = Notes(lab)
        came = notes.erase(notes.grant(), name="N2")
        yield from differs("another note", came, "stopped by binding: envelope_mismatch")
