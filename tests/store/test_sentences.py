"""What a database that cannot serve says: the right error, one sentence with its path, and nothing committed is lost."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path

import pytest
from store.files import SCHEMA, keep, kept, opened, refused

from relay_lab.contracts import errors
from relay_lab.store.sqlite import WAL_TRIES, SqliteDatabase, SqliteTx


@contextmanager
def somebody_else_writing(path: Path) -> Iterator[sqlite3.Connection]:
    """Another connection that holds the write lock and never lets go by itself."""
    other = sqlite3.connect(path, isolation_level=None)
    try:
        other.execute("BEGIN IMMEDIATE")
        yield other
        other.execute("ROLLBACK")
    finally:
        other.close()


# -- not to be written -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", ["missing/kept.db", "kept.db/kept.db", "."])
def test_a_place_where_no_file_can_be_is_named(path: Path, place: str) -> None:
    where = path.parent / place
    with refused(errors.ReadOnlyDatabase, where):
        opened(where)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights of the superuser, whom no permission stops."""
    if os.geteuid() == 0:
        os.seteuid(65_534)
        try:
            yield
        finally:
            os.seteuid(0)
    else:
        yield


@pytest.mark.parametrize(("file", "folder"), [(0o444, 0o555), (0o444, 0o777), (0o666, 0o555)])
def test_a_file_or_folder_that_may_not_be_written_is_named(file: int, folder: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "kept.db"
        store = opened(path)
        keep(store, "before")
        store.close()
        path.chmod(file)
        Path(place).chmod(folder)
        try:
            with as_nobody(), refused(errors.ReadOnlyDatabase, path), closing(opened(path)) as store:
                keep(store, "never")
        finally:
            Path(place).chmod(0o777)
            path.chmod(0o666)
        assert kept(path) == ["before"]


def test_a_connection_that_turns_read_only_says_so_at_the_write(path: Path) -> None:
    store = opened(path)
    with refused(errors.ReadOnlyDatabase, path), store.transaction() as tx:
        tx.run("PRAGMA query_only = ON")
        tx.run("INSERT INTO kept (name) VALUES ('never')")
    store.close()
    assert kept(path) == ["before"]


# -- locked ------------------------------------------------------------------------------------------------------------


def test_a_database_that_somebody_else_writes_is_locked_and_nothing_is_changed(path: Path) -> None:
    store = opened(path)
    with somebody_else_writing(path), refused(errors.DatabaseLocked, path):
        keep(store, "never")
    keep(store, "after")
    store.close()
    assert kept(path) == ["before", "after"]


def test_a_database_that_somebody_else_writes_cannot_be_opened_meanwhile(path: Path) -> None:
    with somebody_else_writing(path), refused(errors.DatabaseLocked, path):
        opened(path)
    assert kept(path) == ["before"]


@contextmanager
def somebody_else_reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Another connection that reads a file which is not in WAL mode yet, and holds on to it."""
    sqlite3.connect(path, isolation_level=None).close()
    other = sqlite3.connect(path, isolation_level=None)
    try:
        other.execute("BEGIN")
        other.execute("SELECT * FROM sqlite_master").fetchall()
        yield other
    finally:
        other.close()


def test_a_file_that_somebody_else_is_about_to_open_too_is_tried_again(tmp_path: Path) -> None:
    """Turning to WAL mode fails at once while another process looks at the new file, whatever the patience."""
    path = tmp_path / "new.db"

    class Meanwhile(SqliteDatabase):
        def transaction(self) -> AbstractContextManager[SqliteTx]:
            other.close()  # it has seen what it wanted
            return super().transaction()

    with somebody_else_reading(path) as other:
        Meanwhile(path, SCHEMA, "test", 1, 0.01).close()
    assert kept(path) == []


def test_a_file_that_somebody_else_never_lets_go_of_is_locked(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    waits: list[None] = []

    class Hurried(SqliteDatabase):
        def transaction(self) -> AbstractContextManager[None]:  # type: ignore[override]
            return nullcontext(waits.append(None))  # as if the write lock had been free each time

    with somebody_else_reading(path):
        with refused(errors.DatabaseLocked, path):
            opened(path, patience_s=0.001)
        with refused(errors.DatabaseLocked, path):
            Hurried(path, SCHEMA, "test", 1, 0.001)
    assert len(waits) == WAL_TRIES - 1
    assert kept(path) == []


def test_what_somebody_else_takes_back_was_never_there(path: Path) -> None:
    with somebody_else_writing(path) as other:
        other.execute("INSERT INTO kept (name) VALUES ('theirs')")
    assert kept(path) == ["before"]


# -- full --------------------------------------------------------------------------------------------------------------


def test_a_full_disk_takes_back_the_whole_transaction_and_loses_nothing_committed(path: Path) -> None:
    store = opened(path)
    with store.transaction() as tx:
        pages = tx.one("SELECT * FROM pragma_page_count")
        assert pages is not None
        tx.run(f"PRAGMA max_page_count = {pages['page_count'] + 1}")
    keep(store, "fits")
    with refused(errors.DiskFull, path), store.transaction() as tx:
        tx.run("INSERT INTO kept (name) VALUES ('small')")
        tx.run("INSERT INTO kept (name, text) VALUES ('large', ?)", "x" * 100_000)
    with store.transaction() as tx:
        assert [row["name"] for row in tx.rows("SELECT name FROM kept")] == ["before", "fits"]
    keep(store, "fits too")
    store.close()
    assert kept(path) == ["before", "fits", "fits too"]


def test_a_new_database_on_a_full_disk_says_so_and_can_be_made_later(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    large = (
        SCHEMA + ";" + ";".join(f"CREATE TABLE t{n} (x)" for n in range(3)) + "; PRAGMA max_page_count = 4;"
    )
    with refused(errors.DiskFull, path):
        SqliteDatabase(path, large + "CREATE TABLE one_too_many (x); CREATE TABLE another (x)", "test", 1)
    assert kept(path) == []


def test_every_database_error_is_one_of_ours() -> None:
    leaves = {
        errors.NotADatabase,
        errors.OtherVersion,
        errors.ReadOnlyDatabase,
        errors.DatabaseLocked,
        errors.DiskFull,
    }
    declared = {leaf for leaf in errors.DatabaseError.__subclasses__() if leaf.__module__ == errors.__name__}
    assert declared == leaves  # the company adds two of its own, when it has been loaded
    assert issubclass(errors.DatabaseError, errors.RelayLabError)
