"""The one place where the company's SQL runs: transactions, and the sentences for what can go wrong outside."""

import sqlite3
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from relay_lab.world import errors

APPLICATION_ID = 0x52454C59
"""Marks an SQLite file as a company of this project."""

LAYOUT_VERSION = 3
"""Raised whenever a table changes; a file of another version is refused."""

BUSY_TIMEOUT_S = 10.0
"""How long a statement waits for another process before it gives up."""


def stamp(instant: datetime) -> str:
    """An instant as text of fixed width, so that the order of the texts is the order of the instants."""
    return instant.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def instant_of(text: str) -> datetime:
    """The aware UTC instant of a text made by `stamp`."""
    return datetime.fromisoformat(text)


class Database:
    """One connection to one company, shared by threads under a lock; other processes may hold their own.

    Every method raises a `WorldError` when the file is locked, full, read-only or no database; a broken constraint is a
    bug and passes unchanged.
    """

    def __init__(self, path: Path | None, busy_timeout_s: float = BUSY_TIMEOUT_S) -> None:
        self._name = str(path) if path else "The company in memory"
        self._lock = threading.RLock()
        try:
            self._connection = sqlite3.connect(
                path or ":memory:", timeout=busy_timeout_s, isolation_level=None, check_same_thread=False
            )
        except sqlite3.Error as error:
            raise self._sentence(error) from error
        self.run("PRAGMA foreign_keys = ON")

    def close(self) -> None:
        """Give the file back. A second call does nothing."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A write transaction from its first statement: committed at the end of the block, undone by an exception."""
        with self._lock:
            if self._is_open():
                raise RuntimeError("a transaction of this company is open already in this thread")
            self.run("BEGIN IMMEDIATE")
            try:
                yield
                self.run("COMMIT")
            except BaseException:
                if self._is_open():
                    self._connection.rollback()
                raise

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Several reads that see one state. Inside a write transaction they see that transaction."""
        with self._lock:
            if self._is_open():
                yield
                return
            self.run("BEGIN")
            try:
                yield
            finally:
                self._connection.rollback()

    def rows(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Every row of a query."""
        with self._lock:
            try:
                return self._connection.execute(sql, parameters).fetchall()
            except sqlite3.Error as error:
                raise self._sentence(error) from error
            except UnicodeDecodeError as error:
                raise errors.NotACompany(f"{self._name} is damaged; name another file.") from error

    def one(self, sql: str, *parameters: Any) -> tuple[Any, ...] | None:
        """The first row of a query, or None."""
        found = self.rows(sql, *parameters)
        return found[0] if found else None

    def run(self, sql: str, *parameters: Any) -> int:
        """Execute a statement; the row id of what it inserted last."""
        with self._lock:
            try:
                return self._connection.execute(sql, parameters).lastrowid or 0
            except sqlite3.Error as error:
                raise self._sentence(error) from error

    def many(self, sql: str, parameters: Iterable[tuple[Any, ...]]) -> None:
        """Execute a statement once for each tuple of parameters."""
        with self._lock:
            try:
                self._connection.executemany(sql, parameters)
            except sqlite3.Error as error:
                raise self._sentence(error) from error

    def _is_open(self) -> bool:
        return self._connection.in_transaction

    def _sentence(self, error: sqlite3.Error) -> Exception:
        # The low byte is the primary code; the rest refines it.
        match getattr(error, "sqlite_errorcode", 0) & 0xFF:
            case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
                return errors.NotACompany(
                    f"{self._name} is no SQLite database, or is damaged; name another file."
                )
            case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
                return errors.CompanyLocked(
                    f"{self._name} is held by another process; nothing was changed, try again."
                )
            case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN:
                return errors.CompanyReadOnly(
                    f"{self._name} cannot be written; make it and its folder writable."
                )
            case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
                return errors.CompanyDiskFull(
                    f"{self._name} cannot grow, the disk is full; nothing was changed."
                )
            case _:
                return error
