"""What every system of record shares: its database, its clock, and how it puts its name and time to what it says."""

from datetime import datetime, timedelta
from typing import ClassVar

from relay_lab.contracts.evidence import Source, Value, VerifiedRecord
from relay_lab.contracts.ports import Clock
from relay_lab.world.data import SourceTerms
from relay_lab.world.database import Database
from relay_lab.world.journal import Journal


def no_points(name: str) -> None:
    """Passes every fault point by."""


class System:
    """One system of record. `source` is its name, `TABLES` the tables that it alone writes."""

    source: ClassVar[Source]
    TABLES: ClassVar[str]

    def __init__(self, database: Database, clock: Clock, journal: Journal, terms: SourceTerms) -> None:
        self._db, self._clock, self._journal, self._terms = database, clock, journal, terms

    def _verified(self, evidence_id: str, version: str, value: Value) -> VerifiedRecord:
        return VerifiedRecord(
            evidence_id=evidence_id,
            source=self.source,
            source_at=self._clock.now() - timedelta(seconds=self._terms.lag_s),
            fresh_for_s=self._terms.fresh_for_s,
            version=version,
            value=value,
        )

    def _note(
        self,
        operation: str,
        customer_id: str | None = None,
        key: str | None = None,
        at: datetime | None = None,
    ) -> None:
        """Journal a change by the company's own people. Inside the transaction of that change."""
        self._journal.note(at or self._clock.now(), self.source, operation, "back_office", customer_id, key)
