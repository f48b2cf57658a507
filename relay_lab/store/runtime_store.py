"""The runtime's database: which file, which tables, which version."""

from importlib.resources import files
from pathlib import Path

from relay_lab.store.sqlite import SqliteDatabase

VERSION = 2


def open_store(path: Path | None) -> SqliteDatabase:
    """The runtime's tables in `path`, made when the file is new; None keeps them in memory.

    Raises a `DatabaseError` with a sentence when the file cannot serve.
    """
    schema = files("relay_lab.store").joinpath("schema.sql").read_text(encoding="utf-8")
    return SqliteDatabase(path, schema, "relay-lab runtime", VERSION)
