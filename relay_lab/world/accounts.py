"""Accounts: who a customer is, which tenant they belong to, their zone, what they may do themselves, and on which terms."""

import json
from collections.abc import Iterable

from relay_lab.contracts.evidence import Account, Source, VerifiedRecord
from relay_lab.world.data import AccountRow
from relay_lab.world.system import System


class Accounts(System):
    """The system of record for accounts."""

    source = Source.ACCOUNTS
    TABLES = """
CREATE TABLE accounts (
  customer_id TEXT PRIMARY KEY,
  tenant_id TEXT NOT NULL,
  display_zone TEXT NOT NULL,
  allowed_operations TEXT NOT NULL,  -- a JSON list
  contract_terms TEXT NOT NULL,
  owner_seat_id TEXT,
  version TEXT NOT NULL,
  UNIQUE (tenant_id, customer_id)
) WITHOUT ROWID;
"""

    def load(self, accounts: Iterable[AccountRow]) -> None:
        """Fill the empty table."""
        self._db.many("INSERT INTO accounts VALUES (?, ?, ?, ?, ?, ?, ?)", map(_columns, accounts))

    def zone_of(self, tenant_id: str, customer_id: str) -> str | None:
        """The display zone of a customer; None when that tenant has no such customer."""
        row = self._db.one(
            "SELECT display_zone FROM accounts WHERE customer_id = ? AND tenant_id = ?",
            customer_id,
            tenant_id,
        )
        return None if row is None else str(row[0])

    def get(self, customer_id: str) -> list[VerifiedRecord]:
        """The account of a customer (`ACCOUNT-<customer>`); nothing when there is no such customer."""
        row = self._db.one(
            "SELECT tenant_id, display_zone, allowed_operations, contract_terms, owner_seat_id, version"
            " FROM accounts WHERE customer_id = ?",
            customer_id,
        )
        if row is None:
            return []
        account = Account(
            customer_id=customer_id,
            tenant_id=row[0],
            display_zone=row[1],
            allowed_operations=tuple(json.loads(row[2])),
            contract_terms=row[3],
            owner_seat_id=row[4],
        )
        return [self._verified(f"ACCOUNT-{customer_id}", row[5], account)]

    def amend(self, account: AccountRow) -> None:
        """Replace an account from inside the company (journalled as back office, no mutation on request)."""
        with self._db.transaction():
            self._db.run(
                "UPDATE accounts SET display_zone = ?, allowed_operations = ?, contract_terms = ?, owner_seat_id = ?,"
                " version = ? WHERE customer_id = ?",
                *_columns(account)[2:], account.customer_id,
            )  # fmt: skip
            self._note("amend_account", account.customer_id)


def _columns(account: AccountRow) -> tuple[str | None, ...]:
    return (
        account.customer_id,
        account.tenant_id,
        account.display_zone,
        json.dumps(account.allowed_operations),
        account.contract_terms,
        account.owner_seat_id,
        account.version,
    )
