"""The company's journal: one row for each change of a record, written in the transaction that makes the change."""

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from relay_lab.world.database import Database, instant_of, stamp

Cause = Literal["request", "clock", "back_office"]
"""Who made a change: a delivery from outside, the passing of time, or the company's own people."""

TABLES = """
CREATE TABLE journal (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  system TEXT NOT NULL,
  operation TEXT NOT NULL,
  customer_id TEXT,
  key TEXT,
  cause TEXT NOT NULL CHECK (cause IN ('request', 'clock', 'back_office')),
  mutations INTEGER NOT NULL,  -- on request, up to this row and with it
  tickets INTEGER NOT NULL     -- likewise
);
"""

CLOSE_KEY = "close_key"
ENQUEUE = "enqueue"

_LAST = "SELECT coalesce((SELECT {} FROM journal ORDER BY seq DESC LIMIT 1), 0)"


@dataclass(frozen=True)
class JournalRow:
    """One change: when it took effect, which system made it, for whom, under which key, and why."""

    seq: int
    at: datetime
    system: str
    operation: str
    customer_id: str | None
    key: str | None
    cause: Cause


class Journal:
    """Appends rows, and counts them."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def note(
        self,
        at: datetime,
        system: str,
        operation: str,
        cause: Cause,
        customer_id: str | None = None,
        key: str | None = None,
    ) -> None:
        """Append a row. Call it inside the transaction of the change."""
        ticket = cause == "request" and operation == ENQUEUE
        mutation = cause == "request" and operation not in (CLOSE_KEY, ENQUEUE)
        # Every row carries the totals, so that a count costs the same however long the company's past is.
        self._db.run(
            "INSERT INTO journal (at, system, operation, customer_id, key, cause, mutations, tickets)"
            f" VALUES (?, ?, ?, ?, ?, ?, ({_LAST.format('mutations')}) + ?, ({_LAST.format('tickets')}) + ?)",
            stamp(at), system, operation, customer_id, key, cause, mutation, ticket,
        )  # fmt: skip

    def rows(self) -> list[JournalRow]:
        """Every row, oldest first."""
        found = self._db.rows(
            "SELECT seq, at, system, operation, customer_id, key, cause FROM journal ORDER BY seq"
        )
        return [JournalRow(row[0], instant_of(row[1]), *row[2:]) for row in found]

    def mutations(self) -> int:
        """How many business records were changed on request: a closed key only prevents, a ticket is a message."""
        return self._total("mutations")

    def tickets(self) -> int:
        """How many tickets were opened on request."""
        return self._total("tickets")

    def _total(self, column: str) -> int:
        return int(self._db.rows(_LAST.format(column))[0][0])
