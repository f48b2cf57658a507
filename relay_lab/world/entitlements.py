"""Entitlements: which plan includes which feature, what each account has been given, and access through betas."""

import json
from collections.abc import Iterable
from datetime import datetime

from relay_lab.contracts.enums import Feature, Plan
from relay_lab.contracts.evidence import Enrolment, Entitlement, PlanMap, Source, VerifiedRecord
from relay_lab.world.data import EnrolmentRow, EntitlementRow, PlanMapRow
from relay_lab.world.database import instant_of, stamp
from relay_lab.world.system import System


class Entitlements(System):
    """The system of record for features."""

    source = Source.ENTITLEMENTS
    TABLES = """
CREATE TABLE plan_maps (
  map_version TEXT PRIMARY KEY,
  in_force_at TEXT NOT NULL,
  features TEXT NOT NULL  -- a JSON object: plan -> list of features
) WITHOUT ROWID;
CREATE TABLE account_entitlements (
  customer_id TEXT PRIMARY KEY REFERENCES accounts,
  map_version TEXT NOT NULL,
  features TEXT NOT NULL  -- a JSON list
) WITHOUT ROWID;
CREATE TABLE enrolments (
  customer_id TEXT NOT NULL REFERENCES accounts,
  programme TEXT NOT NULL,
  feature TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  version TEXT NOT NULL,
  PRIMARY KEY (customer_id, programme)
) WITHOUT ROWID;
"""

    def load(
        self, maps: Iterable[PlanMapRow], given: Iterable[EntitlementRow], enrolments: Iterable[EnrolmentRow]
    ) -> None:
        """Fill the empty tables."""
        self._db.many("INSERT INTO plan_maps VALUES (?, ?, ?)", map(_map_columns, maps))
        self._db.many(
            "INSERT INTO account_entitlements VALUES (?, ?, ?)",
            ((row.customer_id, row.map_version, json.dumps(row.features)) for row in given),
        )
        self._db.many("INSERT INTO enrolments VALUES (?, ?, ?, ?, ?, ?)", map(_enrolment_columns, enrolments))

    def plan_map(self) -> list[VerifiedRecord]:
        """The plan map in force now (`PLANMAP-<version>`); nothing when none is."""
        row = self._map_in_force(self._clock.now())
        if row is None:
            return []
        features = {Plan(plan): _features(names) for plan, names in json.loads(row[1]).items()}
        return [self._verified(f"PLANMAP-{row[0]}", row[0], PlanMap(map_version=row[0], features=features))]

    def entitlement(self, customer_id: str) -> list[VerifiedRecord]:
        """What the account has been given (`ENT-<customer>-<map version>`); nothing when there is no such record."""
        row = self._db.one(
            "SELECT map_version, features FROM account_entitlements WHERE customer_id = ?", customer_id
        )
        if row is None:
            return []
        value = Entitlement(
            customer_id=customer_id, map_version=row[0], features=_features(json.loads(row[1]))
        )
        return [self._verified(f"ENT-{customer_id}-{row[0]}", row[0], value)]

    def enrolments(self, customer_id: str) -> list[VerifiedRecord]:
        """Every beta or trial of the account, ended ones too (each under its programme's id), oldest first."""
        found = self._db.rows(
            "SELECT programme, feature, started_at, ended_at, version FROM enrolments"
            " WHERE customer_id = ? ORDER BY started_at, programme",
            customer_id,
        )
        return [self._verified(row[0], row[4], _enrolment(customer_id, row)) for row in found]

    def follow(self, customer_id: str, plan: Plan, at: datetime) -> None:
        """Give the account what its plan includes from `at` on. Inside the transaction that changes the plan."""
        row = self._map_in_force(at)
        if row is not None:
            features = json.dumps(json.loads(row[1]).get(plan, []))
            self._db.run(
                "INSERT OR REPLACE INTO account_entitlements VALUES (?, ?, ?)", customer_id, row[0], features
            )
            self._journal.note(at, self.source, "follow_plan", "clock", customer_id)

    def _map_in_force(self, at: datetime) -> tuple[str, str] | None:
        row = self._db.one(
            "SELECT map_version, features FROM plan_maps WHERE in_force_at <= ? ORDER BY in_force_at DESC LIMIT 1",
            stamp(at),
        )
        return None if row is None else (row[0], row[1])


def _features(names: Iterable[str]) -> tuple[Feature, ...]:
    return tuple(Feature(name) for name in names)


def _enrolment(customer_id: str, row: tuple[str, str, str, str | None, str]) -> Enrolment:
    return Enrolment(
        customer_id=customer_id,
        programme=row[0],
        feature=Feature(row[1]),
        started_at=instant_of(row[2]),
        ended_at=None if row[3] is None else instant_of(row[3]),
    )


def _map_columns(row: PlanMapRow) -> tuple[str, ...]:
    return (row.map_version, stamp(row.in_force_at), json.dumps(row.features))


def _enrolment_columns(row: EnrolmentRow) -> tuple[str | None, ...]:
    ended_at = None if row.ended_at is None else stamp(row.ended_at)
    return (row.customer_id, row.programme, row.feature, stamp(row.started_at), ended_at, row.version)
