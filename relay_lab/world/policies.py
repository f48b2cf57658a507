"""Policies: versions with the instant from which each holds. Only these may authorise anything; prose never does."""

from collections.abc import Iterable
from datetime import datetime
from typing import Literal

from relay_lab.contracts.evidence import NoPolicy, RefundPolicy, Source, SubscriptionPolicy, VerifiedRecord
from relay_lab.world.data import RefundPolicyRow, SubscriptionPolicyRow
from relay_lab.world.database import stamp
from relay_lab.world.system import System

Family = Literal["refund", "subscription"]
PolicyRow = RefundPolicyRow | SubscriptionPolicyRow


class Policies(System):
    """The system of record for policies."""

    source = Source.POLICIES
    TABLES = """
CREATE TABLE policies (
  policy_version TEXT PRIMARY KEY,
  family TEXT NOT NULL CHECK (family IN ('refund', 'subscription')),
  effective_at TEXT NOT NULL,
  withdrawn_at TEXT,
  terms TEXT NOT NULL  -- the policy as JSON
) WITHOUT ROWID;
CREATE INDEX policies_in_force ON policies (family, effective_at);
"""

    def load(self, policies: Iterable[PolicyRow]) -> None:
        """Fill the empty table."""
        self._db.many("INSERT INTO policies VALUES (?, ?, ?, ?, ?)", map(_columns, policies))

    def in_force(self, family: Family, at: datetime) -> list[VerifiedRecord]:
        """The version of a family that was in force at an instant, under its own id; or the record that none was."""
        row = self._db.one(
            "SELECT policy_version, terms FROM policies WHERE family = ? AND effective_at <= ?"
            " AND (withdrawn_at IS NULL OR withdrawn_at > ?) ORDER BY effective_at DESC, policy_version DESC LIMIT 1",
            family, stamp(at), stamp(at),
        )  # fmt: skip
        if row is None:
            nothing = NoPolicy(policy_id=family, asked_at=at)
            return [self._verified(f"NOPOLICY-{family}-{at:%Y%m%d}", "none", nothing)]
        terms = (RefundPolicy if family == "refund" else SubscriptionPolicy).model_validate_json(row[1])
        return [self._verified(row[0], row[0], terms)]

    def publish(self, policy: PolicyRow) -> None:
        """Add a version; it holds from its own instant on (journalled as back office, no mutation on request)."""
        with self._db.transaction():
            self._db.run("INSERT INTO policies VALUES (?, ?, ?, ?, ?)", *_columns(policy))
            self._note("publish_policy", key=policy.policy_version)


def _columns(policy: PolicyRow) -> tuple[str | None, ...]:
    family = "refund" if isinstance(policy, RefundPolicyRow) else "subscription"
    withdrawn_at = None if policy.withdrawn_at is None else stamp(policy.withdrawn_at)
    terms = policy.model_dump_json(exclude={"policy_version", "withdrawn_at"})
    return (policy.policy_version, family, stamp(policy.effective_at), withdrawn_at, terms)
