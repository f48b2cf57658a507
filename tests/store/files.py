"""Small databases for the tests: opened, written, looked into, and refused with a sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from relay_lab.contracts import errors
from relay_lab.store.sqlite import SqliteDatabase

SCHEMA = "CREATE TABLE kept (name TEXT PRIMARY KEY, text TEXT)"


def opened(path: Path, version: int = 1, kind: str = "test", patience_s: float = 0.01) -> SqliteDatabase:
    return SqliteDatabase(path, SCHEMA, kind, version, patience_s)


def keep(store: SqliteDatabase, name: str, text: str = "") -> None:
    with store.transaction() as tx:
        tx.run("INSERT INTO kept (name, text) VALUES (?, ?)", name, text)


def kept(path: Path) -> list[str]:
    store = opened(path)
    try:
        with store.transaction() as tx:
            return [row["name"] for row in tx.rows("SELECT name FROM kept ORDER BY rowid")]
    finally:
        store.close()


@contextmanager
def refused(kind: type[errors.DatabaseError], path: Path) -> Iterator[None]:
    """The error of this kind exactly, with one sentence that names the file."""
    with pytest.raises(errors.DatabaseError) as caught:
        yield
    assert type(caught.value) is kind
    sentence = str(caught.value)
    assert str(path) in sentence
    assert sentence.endswith((".", "?")) and "\n" not in sentence and "sqlite3" not in sentence
