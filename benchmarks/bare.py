"""The plain code that everything is held against: sqlite3 alone, with the pragmas that the product uses."""

import sqlite3
from pathlib import Path
from time import perf_counter

TABLES = (
    "CREATE TABLE subscription (customer_id TEXT PRIMARY KEY, plan TEXT, cycle_id TEXT, version INTEGER) WITHOUT ROWID",
    "CREATE TABLE schedule (seq INTEGER PRIMARY KEY, customer_id TEXT, cycle_id TEXT, plan TEXT, key TEXT UNIQUE)",
    "CREATE TABLE receipt (key TEXT PRIMARY KEY, schedule INTEGER, body TEXT) WITHOUT ROWID",
)
BODY = "x" * 300
"""As long as the receipt that the company keeps."""


def connected(path: Path | None, statements: int = 128) -> sqlite3.Connection:
    """A connection in WAL mode that waits for the disk at every commit, as the product's two connections do."""
    connection = sqlite3.connect(
        path or ":memory:", isolation_level=None, timeout=10.0, cached_statements=statements
    )
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


def with_customers(path: Path | None, customers: list[str]) -> sqlite3.Connection:
    """A new database with a subscription for each customer."""
    connection = connected(path)
    for statement in TABLES:
        connection.execute(statement)
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO subscription VALUES (?, 'team', 'renewal-1', 1)", [(name,) for name in customers]
    )
    connection.execute("COMMIT")
    return connection


def schedule(connection: sqlite3.Connection, key: str, customer: str) -> str:
    """Exactly once by key, in one transaction: the receipt, else the subscription, the schedule and a receipt."""
    connection.execute("BEGIN IMMEDIATE")
    found = connection.execute("SELECT body FROM receipt WHERE key = ?", (key,)).fetchone()
    if found is None:
        plan, cycle, version = connection.execute(
            "SELECT plan, cycle_id, version FROM subscription WHERE customer_id = ?", (customer,)
        ).fetchone()
        made = connection.execute(
            "INSERT INTO schedule (customer_id, cycle_id, plan, key) VALUES (?, ?, ?, ?)",
            (customer, cycle, f"{plan}-{version}", key),
        )
        connection.execute("INSERT INTO receipt VALUES (?, ?, ?)", (key, made.lastrowid, BODY))
    connection.execute("COMMIT")
    return BODY if found is None else str(found[0])


def empty(connection: sqlite3.Connection) -> None:
    """Forget every schedule and receipt."""
    connection.execute("BEGIN")
    connection.execute("DELETE FROM schedule")
    connection.execute("DELETE FROM receipt")
    connection.execute("COMMIT")


class OneRowCommits:
    """A file that takes one row a commit: what a commit costs on this disk."""

    def __init__(self, path: Path) -> None:
        self._connection = connected(path)
        self._connection.execute("CREATE TABLE row (text TEXT)")

    def time(self, number: int) -> float:
        """The seconds that so many commits of one row take."""
        start = perf_counter()
        for _ in range(number):
            self._connection.execute("BEGIN IMMEDIATE")
            self._connection.execute("INSERT INTO row VALUES (?)", (BODY,))
            self._connection.execute("COMMIT")
        return perf_counter() - start

    def close(self) -> None:
        """Give the file back."""
        self._connection.close()
