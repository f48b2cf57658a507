"""What a database that cannot serve says: the right error, one sentence with its path, and nothing committed is lost."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from relay_lab.contracts import errors
from relay_lab.store.runtime_store import open_store
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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file in which something has been kept."""
    path = tmp_path / "kept.db"
    store = opened(path)
    keep(store, "before")
    store.close()
    return path


@contextmanager
def refused(kind: type[errors.DatabaseError], path: Path) -> Iterator[None]:
    """The error of this kind exactly, with one sentence that names the file."""
    with pytest.raises(errors.DatabaseError) as caught:
        yield
    assert type(caught.value) is kind
    sentence = str(caught.value)
    assert str(path) in sentence
    assert sentence.endswith((".", "?")) and "\n" not in sentence and "sqlite3" not in sentence


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


# -- not ours --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", [b"Dear diary, today I kept nothing.", b"\x00" * 4_096, b"SQLite format 3\x00 almost"]
)
def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "diary.txt"
    path.write_bytes(content)
    with refused(errors.NotADatabase, path):
        opened(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize(
    "table", ["diary (day TEXT)", "stamp (motif TEXT, price INTEGER)", "stamp (text TEXT)"]
)
def test_the_database_of_another_program_is_left_as_it_is(tmp_path: Path, table: str) -> None:
    path = tmp_path / "strange.db"
    stranger = sqlite3.connect(path)
    stranger.execute(f"CREATE TABLE {table}")
    stranger.commit()
    stranger.close()
    before = path.read_bytes()
    with refused(errors.NotADatabase, path):
        opened(path)
    assert path.read_bytes() == before


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    path.touch()
    assert kept(path) == []


@pytest.mark.parametrize(
    ("found", "left"),
    [
        (b"CREATE TABLE kept", b"\xff" * 17),
        (b"before", b"befor\xff"),
        (b"name TEXT PRIMARY", b"n\xffme TEXT PRIMARY"),
        (b"SQLite format 3\x00\x10\x00\x02\x02", b"SQLite format 3\x00\x10\x00\x09\x09"),
    ],
    ids=["a table", "a value", "a name", "the format"],
)
def test_a_damaged_database_says_so(path: Path, found: bytes, left: bytes) -> None:
    content = path.read_bytes()
    assert content.count(found) >= 1
    path.write_bytes(content.replace(found, left))
    with refused(errors.NotADatabase, path), closing(opened(path)) as store, store.transaction() as tx:
        tx.rows("SELECT * FROM kept")


def test_a_database_of_a_format_that_is_not_known_yet_says_so(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[44:48] = (9).to_bytes(4)  # the schema format number, of which four are known
    path.write_bytes(content)
    with refused(errors.NotADatabase, path):
        opened(path)


@pytest.mark.parametrize(("version", "kind"), [(2, "test"), (1, "another kind")])
def test_a_database_of_another_version_or_kind_names_both(path: Path, version: int, kind: str) -> None:
    with pytest.raises(errors.OtherVersion) as caught:
        opened(path, version, kind)
    sentence = str(caught.value)
    assert f"holds 'test 1' and this program reads '{kind} {version}'" in sentence
    assert str(path) in sentence and sentence.endswith(".")
    assert kept(path) == ["before"]


def test_the_runtimes_database_is_not_taken_for_another(tmp_path: Path) -> None:
    open_store(tmp_path / "runtime.db").close()
    with pytest.raises(errors.OtherVersion, match="relay-lab runtime"):
        opened(tmp_path / "runtime.db")


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
