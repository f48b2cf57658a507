"""The handoff queue: messages to specialists. One ticket for one key and packet, however often it is sent (001 §8)."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from relay_lab.contracts.evidence import Source
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.operations import Absent, Accepted, Receipt, Refused
from relay_lab.contracts.ports import Clock, Points
from relay_lab.world import receipts
from relay_lab.world.data import SourceTerms
from relay_lab.world.database import Database, stamp
from relay_lab.world.journal import ENQUEUE, Journal
from relay_lab.world.system import System, no_points


class HandoffQueue(System):
    """The system of record for tickets."""

    source = Source.HANDOFF_QUEUE
    TABLES = """
CREATE TABLE tickets (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  idempotency_key TEXT NOT NULL UNIQUE,
  customer_id TEXT,
  issue_id TEXT NOT NULL,
  packet TEXT NOT NULL,  -- as JSON
  opened_at TEXT NOT NULL
);
""" + receipts.tables("handoff_receipts")

    def __init__(self, database: Database, clock: Clock, journal: Journal, terms: SourceTerms) -> None:
        super().__init__(database, clock, journal, terms)
        self.receipts = receipts.Receipts(database, clock, journal, "handoff_receipts", self.source)

    def enqueue(self, key: str, packet: Mapping[str, Any], points: Points = no_points) -> Accepted | Refused:
        """Open a ticket for a packet, once. The same key and packet get the first ticket again.

        Otherwise `Refused` with key_reused, key_closed or malformed_packet, and nothing is changed. `points` is called
        inside the transaction just before it commits, and again once it has.
        """
        sealed = receipts.sealed(packet)
        asked = _asked(sealed)
        with self._db.transaction():
            answer = self.receipts.stored(key, sealed and sealed[1]) if receipts.is_ident(key) else None
            if answer is None:
                answer = self._first(key, asked, sealed)
            points("handoff:before_commit")
        points("handoff:after_commit")
        return answer

    def find(self, key: str) -> Accepted | Absent | Refused:
        """The ticket under a key; `Absent`; or `Refused(key_closed)`."""
        return self.receipts.find(key)

    def close(self, key: str) -> Accepted | Refused:
        """Refuse whatever arrives under this key later; the ticket instead, when it exists."""
        return self.receipts.close(key)

    def packets(self) -> list[HandoffPacket]:
        """Every packet in the queue, oldest first: what the specialists have been sent."""
        return [
            HandoffPacket.model_validate_json(row[0])
            for row in self._db.rows("SELECT packet FROM tickets ORDER BY seq")
        ]

    def _first(
        self, key: str, asked: HandoffPacket | None, sealed: tuple[str, str] | None
    ) -> Accepted | Refused:
        if asked is None or sealed is None or not receipts.is_ident(key):
            return Refused(code="malformed_packet")
        now = self._clock.now()
        seq = self._db.run(
            "INSERT INTO tickets (idempotency_key, customer_id, issue_id, packet, opened_at) VALUES (?, ?, ?, ?, ?)",
            key, asked.customer_id, asked.issue_id, sealed[0], stamp(now),
        )  # fmt: skip
        echo = {"idempotency_key": key, "issue_id": asked.issue_id, "customer_id": asked.customer_id}
        answer = self.receipts.keep(
            key, sealed[1], Receipt(receipt_id=f"HO-{seq:06}", recorded_at=now, echo=dict(echo))
        )
        self._journal.note(now, self.source, ENQUEUE, "request", asked.customer_id, key)
        return answer


def _asked(sealed: tuple[str, str] | None) -> HandoffPacket | None:
    try:
        return None if sealed is None else HandoffPacket.model_validate_json(sealed[0])
    except ValidationError:
        return None
