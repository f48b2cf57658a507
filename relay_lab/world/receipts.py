"""Receipts by key: the same delivery is answered again, another one under its key refused, a closed key kept closed (001 §7)."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import TypeAdapter, ValidationError

from relay_lab.contracts.base import Ident, Scalar, canonical_json, digest
from relay_lab.contracts.operations import Absent, Accepted, Receipt, Refused
from relay_lab.contracts.ports import Clock
from relay_lab.world.database import Database, instant_of, stamp
from relay_lab.world.journal import CLOSE_KEY, Journal

_IDENT: TypeAdapter[str] = TypeAdapter(Ident)


def tables(name: str) -> str:
    """The table of one system's receipts. A closed key has no fingerprint and no receipt."""
    return f"""
CREATE TABLE {name} (
  idempotency_key TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('accepted', 'closed')),
  fingerprint TEXT,
  receipt_id TEXT UNIQUE,
  recorded_at TEXT NOT NULL,
  echo TEXT,
  CHECK ((state = 'accepted') = (fingerprint IS NOT NULL AND receipt_id IS NOT NULL AND echo IS NOT NULL))
) WITHOUT ROWID;
"""


def is_ident(text: object) -> bool:
    """Whether `text` can be an id or a key at all."""
    try:
        _IDENT.validate_python(text, strict=True)
    except ValidationError:
        return False
    return True


def sealed(payload: Mapping[str, Any]) -> tuple[str, str] | None:
    """The canonical text of a delivery and its fingerprint; None when it is not JSON."""
    try:
        text = canonical_json(payload)
        return text, digest(text)
    except (TypeError, ValueError, RecursionError):
        return None


class Receipts:
    """The receipts of one system (`table`). Every method that writes runs inside the caller's transaction, save `close`."""

    def __init__(self, database: Database, clock: Clock, journal: Journal, table: str, system: str) -> None:
        self._db, self._clock, self._journal = database, clock, journal
        self._table, self._system = table, system

    def stored(self, key: str, fingerprint: str | None) -> Accepted | Refused | None:
        """The answer that this key has already had, if any; `fingerprint` None stands for a payload that is not JSON."""
        row = self._row(key)
        if row is None:
            return None
        if row[0] == "closed":
            return Refused(code="key_closed")
        if row[1] != fingerprint:
            return Refused(code="key_reused")
        return Accepted(receipt=_receipt(row))

    def keep(self, key: str, fingerprint: str, receipt: Receipt) -> Accepted:
        """Record the receipt of an effect that this transaction has just made."""
        self._db.run(
            f"INSERT INTO {self._table} (idempotency_key, state, fingerprint, receipt_id, recorded_at, echo)"
            " VALUES (?, 'accepted', ?, ?, ?, ?)",
            key, fingerprint, receipt.receipt_id, stamp(receipt.recorded_at), json.dumps(receipt.echo),
        )  # fmt: skip
        return Accepted(receipt=receipt)

    def find(self, key: str) -> Accepted | Absent | Refused:
        """The receipt under a key; `Absent`; or `Refused(key_closed)`."""
        row = self._row(key) if is_ident(key) else None
        if row is None:
            return Absent()
        return Refused(code="key_closed") if row[0] == "closed" else Accepted(receipt=_receipt(row))

    def close(self, key: str) -> Accepted | Refused:
        """Refuse whatever arrives under this key from now on, unless its effect exists: then its receipt is the answer."""
        if not is_ident(key):
            return Refused(code="malformed_key")
        with self._db.transaction():
            found = self.find(key)
            if not isinstance(found, Absent):
                return found
            now = self._clock.now()
            self._db.run(
                f"INSERT INTO {self._table} (idempotency_key, state, recorded_at) VALUES (?, 'closed', ?)",
                key, stamp(now),
            )  # fmt: skip
            self._journal.note(now, self._system, CLOSE_KEY, "request", key=key)
        return Refused(code="key_closed")

    def alter_echo(self, key: str, field: str, value: Scalar) -> None:
        """Spoil one field of a stored echo: the fault of a service that acknowledges something else than it was asked."""
        row = self._row(key)
        if row is not None and row[0] == "accepted":
            echo = json.loads(row[4]) | {field: value}
            self._db.run(
                f"UPDATE {self._table} SET echo = ? WHERE idempotency_key = ?", json.dumps(echo), key
            )

    def _row(self, key: str) -> tuple[Any, ...] | None:
        return self._db.one(
            f"SELECT state, fingerprint, receipt_id, recorded_at, echo FROM {self._table} WHERE idempotency_key = ?",
            key,
        )


def _receipt(row: tuple[Any, ...]) -> Receipt:
    return Receipt(receipt_id=row[2], recorded_at=instant_of(row[3]), echo=json.loads(row[4]))
