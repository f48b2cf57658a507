"""Incidents: what is broken just now. An empty answer says that nothing is known to be, and explains nothing."""

from collections.abc import Iterable

from relay_lab.contracts.enums import Feature
from relay_lab.contracts.evidence import Incident, IncidentReport, Source, VerifiedRecord
from relay_lab.world.data import IncidentRow
from relay_lab.world.database import instant_of, stamp
from relay_lab.world.system import System


class Incidents(System):
    """The system of record for incidents."""

    source = Source.INCIDENTS
    TABLES = """
CREATE TABLE incidents (
  incident_id TEXT PRIMARY KEY,
  started_at TEXT NOT NULL,
  status TEXT NOT NULL,
  ended_at TEXT
) WITHOUT ROWID;
CREATE TABLE incident_features (
  feature TEXT NOT NULL,
  incident_id TEXT NOT NULL REFERENCES incidents,
  PRIMARY KEY (feature, incident_id)
) WITHOUT ROWID;
"""

    def load(self, incidents: Iterable[IncidentRow]) -> None:
        """Fill the empty tables."""
        rows = list(incidents)
        self._db.many(
            "INSERT INTO incidents VALUES (?, ?, ?, ?)",
            (
                (row.incident_id, stamp(row.started_at), row.status, row.ended_at and stamp(row.ended_at))
                for row in rows
            ),
        )
        self._db.many(
            "INSERT INTO incident_features VALUES (?, ?)",
            ((feature, row.incident_id) for row in rows for feature in row.affected_features),
        )

    def active(self, feature: Feature) -> list[VerifiedRecord]:
        """One report (`INCIDENTS-<feature>`): every incident of the feature that has begun and not ended, oldest first."""
        now = stamp(self._clock.now())
        found = self._db.rows(
            "SELECT incident_id, started_at, status FROM incident_features JOIN incidents USING (incident_id)"
            " WHERE feature = ? AND started_at <= ? AND (ended_at IS NULL OR ended_at > ?) ORDER BY started_at, incident_id",
            feature, now, now,
        )  # fmt: skip
        active = tuple(
            Incident(
                incident_id=row[0],
                started_at=instant_of(row[1]),
                affected_features=self._affected(row[0]),
                status=row[2],
            )
            for row in found
        )
        report = IncidentReport(feature=feature, active=active)
        return [self._verified(f"INCIDENTS-{feature}", "v1", report)]

    def _affected(self, incident_id: str) -> tuple[Feature, ...]:
        found = self._db.rows(
            "SELECT feature FROM incident_features WHERE incident_id = ? ORDER BY feature", incident_id
        )
        return tuple(Feature(row[0]) for row in found)
