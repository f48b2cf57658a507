"""What one desk made of an attack, as values that outlive the desk; and what an honest step would have sent."""

import json
from dataclasses import dataclass
from typing import TypeVar

from relay_lab.app.break_it.judge import Judged, judged
from relay_lab.app.break_it.visit import Opens, Place, Visit, visiting
from relay_lab.contracts.base import Contract
from relay_lab.contracts.change import Envelope
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.steps import ExecutionOrder, HandoffCase
from relay_lab.desks.support.hand_off import packet_of
from relay_lab.desks.support.terms import envelope

_WRITES = (
    "schedule_downgrade",
    "find_schedule",
    "close_schedule",
    "hand_off",
    "find_handoff",
    "close_handoff",
)


Given = TypeVar("Given", bound=Contract)


@dataclass(frozen=True)
class Seen:
    """What came of an attack: the rows it left, what refused it and where, the states and the last reply, why it broke off."""

    rows: tuple[Judged, ...]
    stops: tuple[tuple[str, str, str], ...]
    states: dict[str, str]
    reply: str
    broke: str

    @property
    def flags(self) -> tuple[Judged, ...]:
        """The rows that nobody had the right to."""
        return tuple(row for row in self.rows if row.wrong)


def seen_of(place: Place, opens: Opens, attack: object) -> Seen:
    """Play an attack from its place and judge what it left. Raises `BadInput` for an attack that the place cannot take."""
    with visiting(place, opens, attack) as visit:
        run = visit.run()
        return Seen(judged(visit), _stops(visit), run.states, run.reply, visit.broke)


def honest_envelope(order: ExecutionOrder) -> Envelope:
    """The envelope that the reference step 7 submits for an order."""
    return envelope(order.tenant_id, order.quote, order.confirmation_id)


def honest_packet(case: HandoffCase) -> HandoffPacket:
    """The packet that the reference step 8 sends for a case."""
    return packet_of(case)


def changed(value: Given, **fields: object) -> Given:
    """A copy of an envelope, a packet or any other contract with some fields changed, held against its type.

    Raises what pydantic raises for a field that there is not or a value that is not of its kind.
    """
    given = value.model_dump(mode="json") | fields
    return type(value).model_validate_json(json.dumps(given, default=str))


def _stops(visit: Visit) -> tuple[tuple[str, str, str], ...]:
    """(who refused, which tool, the code), each once: guards by name, and systems of record that said no or gave no answer."""
    found = []
    for row in visit.run().trace:
        if row.guard:
            found.append((row.guard, row.tool, row.outcome))
        elif row.kind == "call" and row.tool in _WRITES and row.outcome not in ("success", "absent"):
            found.append(("the system of record", row.tool, row.outcome))
    return tuple(dict.fromkeys(found))
