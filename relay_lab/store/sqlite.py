"""SQLite in WAL mode: one connection, one lock, `BEGIN IMMEDIATE`, and every error as a sentence."""

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from relay_lab.contracts import errors

BUSY_TIMEOUT_S = 10.0
WAL_TRIES = 20
"""How often a new file is turned to WAL mode while other processes open it as well."""


class SqliteTx:
    """An open transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, *parameters: Any) -> list[dict[str, Any]]:
        """Every row of a query."""
        cursor = self._connection.execute(sql, parameters)
        names = [column[0] for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor]

    def one(self, sql: str, *parameters: Any) -> dict[str, Any] | None:
        """The first row of a query, or None."""
        found = self.rows(sql, *parameters)
        return found[0] if found else None

    def run(self, sql: str, *parameters: Any) -> int:
        """Execute a statement; how many rows it changed."""
        return self._connection.execute(sql, parameters).rowcount


class SqliteDatabase:
    """One SQLite file (`path` None: in memory) holding the tables of `schema`, stamped with `kind` and `version`.

    Several processes and threads may use one file at once: a transaction takes the write lock with its first statement,
    so that what it read still holds when it writes. Raises a `DatabaseError` with a sentence when the file is something
    else, of another version, read-only, locked for more than `busy_timeout_s`, or when the disk is full.
    """

    def __init__(
        self, path: Path | None, schema: str, kind: str, version: int, busy_timeout_s: float = BUSY_TIMEOUT_S
    ) -> None:
        self._path, self._lock = path, threading.RLock()
        self._stamp, self._sentences = f"{kind} {version}", _Sentences(path)
        with self._sentences:
            self._connection = sqlite3.connect(
                path or ":memory:", isolation_level=None, check_same_thread=False, timeout=busy_timeout_s
            )
            try:
                self._prepare(schema)
            except BaseException:
                self._connection.close()
                raise

    def _prepare(self, schema: str) -> None:
        self._connection.execute("PRAGMA foreign_keys = ON")
        # Looking comes first: a stranger's file must not be changed, not even to WAL mode.
        tables = self._connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        stamp = self._connection.execute("SELECT name FROM pragma_table_info('stamp')").fetchall()
        if tables and stamp != [("only",), ("text",)]:
            raise errors.NotADatabase(f"{self._path} is a database of another program; name a new file.")
        self._turn_to_wal()
        self._connection.execute("PRAGMA synchronous = FULL")
        # What is deleted or moved is overwritten: words whose time is over do not stay in the free parts of the file.
        self._connection.execute("PRAGMA secure_delete = ON")
        with self.transaction() as tx:
            tx.run(
                "CREATE TABLE IF NOT EXISTS stamp (only INTEGER PRIMARY KEY CHECK (only = 1), text TEXT NOT NULL)"
            )
            found = tx.one("SELECT text FROM stamp")
            if found is None:
                for statement in schema.split(";"):
                    if statement.strip():
                        tx.run(statement)
                tx.run("INSERT INTO stamp (only, text) VALUES (1, ?)", self._stamp)
            elif found["text"] != self._stamp:
                raise errors.OtherVersion(
                    f"{self._path} holds '{found['text']}' and this program reads '{self._stamp}'; "
                    "use the version that wrote it, or a new file."
                )

    def _turn_to_wal(self, tries: int = WAL_TRIES) -> None:
        """SQLite does not always wait for others when it changes a file's mode: wait for the write lock, and try again."""
        try:
            self._connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or tries == 1:
                raise
            with self.transaction():
                pass
            self._turn_to_wal(tries - 1)

    @contextmanager
    def transaction(self) -> Iterator[SqliteTx]:
        """A write transaction: committed at the end of the block, rolled back by any exception."""
        with self._lock, self._sentences:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield SqliteTx(self._connection)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Close the connection. What was committed stays."""
        with self._lock:
            self._connection.close()


@dataclass(frozen=True)
class _Sentences:
    """Turns what leaves its block as an error of the database into a sentence."""

    path: Path | None

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, sqlite3.DatabaseError):
            raise _translated(error, self.path) from error
        if isinstance(error, UnicodeDecodeError):
            raise errors.NotADatabase(f"{self.path} is damaged; name another file.") from error


def _translated(error: sqlite3.DatabaseError, path: Path | None) -> Exception:
    """The sentence for an error that the outside causes; any other is a bug and passes unchanged."""
    # The low byte is the primary code; the rest refines it. Text that cannot be decoded is found by the module: it has none.
    undecodable = isinstance(error, sqlite3.OperationalError) and not hasattr(error, "sqlite_errorcode")
    if undecodable or "unsupported file format" in str(error):
        return errors.NotADatabase(f"{path} is damaged; name another file.")
    match getattr(error, "sqlite_errorcode", 0) & 0xFF:
        case sqlite3.SQLITE_NOTADB | sqlite3.SQLITE_CORRUPT:
            return errors.NotADatabase(f"{path} is not an SQLite database, or is damaged; name another file.")
        case sqlite3.SQLITE_READONLY:
            return errors.ReadOnlyDatabase(f"{path} cannot be written; make it and its folder writable.")
        case sqlite3.SQLITE_CANTOPEN:
            return errors.ReadOnlyDatabase(
                f"{path} cannot be opened; does its folder exist, and may you write there?"
            )
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return errors.DatabaseLocked(
                f"{path} is in use by another process; nothing was changed, try again."
            )
        case sqlite3.SQLITE_FULL | sqlite3.SQLITE_IOERR:
            return errors.DiskFull(f"{path} cannot grow: the disk is full or failing; nothing was changed.")
        case _:
            return error
