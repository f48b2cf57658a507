"""Billing: charges, invoices, and what reconciliation found. It reads only: refunds are another flow, which it owns too."""

from collections.abc import Iterable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from relay_lab.contracts.evidence import (
    Invoice,
    Reconciliation,
    Source,
    Statement,
    Transaction,
    VerifiedRecord,
)
from relay_lab.world.data import InvoiceRow, ReconciliationRow, TransactionRow
from relay_lab.world.database import instant_of, stamp
from relay_lab.world.system import System


class Billing(System):
    """The system of record for money."""

    source = Source.BILLING
    TABLES = """
CREATE TABLE invoices (
  invoice_id TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES accounts,
  due_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  month TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX invoices_of ON invoices (customer_id, month);
CREATE TABLE transactions (
  transaction_id TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES accounts,
  invoice_id TEXT NOT NULL REFERENCES invoices,
  amount_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  charged_at TEXT NOT NULL,
  settlement TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX transactions_of ON transactions (customer_id, charged_at);
CREATE TABLE reconciliations (
  reconciliation_id TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES accounts,
  invoice_id TEXT NOT NULL REFERENCES invoices,
  excess_captures INTEGER NOT NULL,
  reversed INTEGER NOT NULL,
  refunded INTEGER NOT NULL,
  version TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX reconciliations_of ON reconciliations (customer_id, invoice_id);
"""

    def load(
        self,
        invoices: Iterable[InvoiceRow],
        transactions: Iterable[TransactionRow],
        reconciliations: Iterable[ReconciliationRow],
    ) -> None:
        """Fill the empty tables."""
        self._db.many(
            "INSERT INTO invoices VALUES (?, ?, ?, ?, ?)",
            ((row.invoice_id, row.customer_id, row.due_cents, row.currency, row.month) for row in invoices),
        )
        self._db.many(
            "INSERT INTO transactions VALUES (?, ?, ?, ?, ?, ?, ?)", map(_charge_columns, transactions)
        )
        self._db.many(
            "INSERT INTO reconciliations VALUES (?, ?, ?, ?, ?, ?, ?)", map(_finding_columns, reconciliations)
        )

    def statement(
        self, customer_id: str, from_at: datetime, until_at: datetime, zone: str
    ) -> list[VerifiedRecord]:
        """What one customer was charged from `from_at` (included) until `until_at` (not included).

        First the statement itself, which says which invoice is last month's, months being counted in `zone`; then the
        transactions by time; the invoices they belong to and those of the months in the window; and what was found on
        those invoices.
        """
        charges = self._charges(customer_id, from_at, until_at)
        months = _months(from_at, until_at, ZoneInfo(zone))
        due = self._invoices(customer_id, months, {row[1] for row in charges})
        last = _month_before(self._clock.now().astimezone(ZoneInfo(zone)))
        named = self._db.one(
            "SELECT invoice_id FROM invoices WHERE customer_id = ? AND month = ? ORDER BY invoice_id",
            customer_id,
            last,
        )
        statement = Statement(
            customer_id=customer_id,
            from_at=from_at,
            until_at=until_at,
            last_month_invoice_id=None if named is None else named[0],
        )
        return [
            self._verified(f"STATEMENT-{customer_id}-{last.replace('-', '')}", "v1", statement),
            *(self._verified(row[0], "v1", _transaction(customer_id, row)) for row in charges),
            *(self._verified(row[0], "v1", _invoice(customer_id, row)) for row in due),
            *self._findings(customer_id, {row[0] for row in due}),
        ]

    def _charges(
        self, customer_id: str, from_at: datetime, until_at: datetime
    ) -> list[tuple[str, str, int, str, str, str]]:
        found = self._db.rows(
            "SELECT transaction_id, invoice_id, amount_cents, currency, charged_at, settlement FROM transactions"
            " WHERE customer_id = ? AND charged_at >= ? AND charged_at < ? ORDER BY charged_at, transaction_id",
            customer_id, stamp(from_at), stamp(until_at),
        )  # fmt: skip
        return [(row[0], row[1], row[2], row[3], row[4], row[5]) for row in found]

    def _invoices(
        self, customer_id: str, months: tuple[str, str], charged: set[str]
    ) -> list[tuple[str, int, str, str]]:
        found = self._db.rows(
            "SELECT invoice_id, due_cents, currency, month FROM invoices WHERE customer_id = ? ORDER BY month, invoice_id",
            customer_id,
        )
        first, last = months
        return [
            (row[0], row[1], row[2], row[3]) for row in found if row[0] in charged or first <= row[3] <= last
        ]

    def _findings(self, customer_id: str, invoices: set[str]) -> list[VerifiedRecord]:
        found = self._db.rows(
            "SELECT reconciliation_id, invoice_id, excess_captures, reversed, refunded, version FROM reconciliations"
            " WHERE customer_id = ? ORDER BY reconciliation_id",
            customer_id,
        )
        return [
            self._verified(
                row[0],
                row[5],
                Reconciliation(
                    customer_id=customer_id,
                    invoice_id=row[1],
                    excess_captures=row[2],
                    reversed=bool(row[3]),
                    refunded=bool(row[4]),
                ),
            )
            for row in found
            if row[1] in invoices
        ]


def _months(from_at: datetime, until_at: datetime, zone: ZoneInfo) -> tuple[str, str]:
    """The first and the last calendar month of a window, as labels (`2026-08`)."""
    # The end is not part of the window: a window that ends as a month begins does not reach into that month.
    last = datetime.fromtimestamp(until_at.timestamp() - 1e-3, UTC).astimezone(zone)
    return f"{from_at.astimezone(zone):%Y-%m}", f"{last:%Y-%m}"


def _month_before(local: datetime) -> str:
    year, month = (local.year, local.month - 1) if local.month > 1 else (local.year - 1, 12)
    return f"{year:04}-{month:02}"


def _transaction(customer_id: str, row: tuple[str, str, int, str, str, str]) -> Transaction:
    return Transaction.model_validate(
        {
            "customer_id": customer_id,
            "invoice_id": row[1],
            "amount_cents": row[2],
            "currency": row[3],
            "charged_at": instant_of(row[4]),
            "settlement": row[5],
        }
    )


def _invoice(customer_id: str, row: tuple[str, int, str, str]) -> Invoice:
    return Invoice(customer_id=customer_id, due_cents=row[1], currency=row[2], month=row[3])


def _charge_columns(row: TransactionRow) -> tuple[str | int, ...]:
    return (
        row.transaction_id,
        row.customer_id,
        row.invoice_id,
        row.amount_cents,
        row.currency,
        stamp(row.charged_at),
        row.settlement,
    )


def _finding_columns(row: ReconciliationRow) -> tuple[str | int, ...]:
    return (
        row.reconciliation_id,
        row.customer_id,
        row.invoice_id,
        row.excess_captures,
        row.reversed,
        row.refunded,
        row.version,
    )
