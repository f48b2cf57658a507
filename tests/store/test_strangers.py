"""Files that are not a database of this program: each is left as it is and named in a sentence."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from store.files import kept, opened, refused

from relay_lab.contracts import errors
from relay_lab.store.runtime_store import open_store


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
