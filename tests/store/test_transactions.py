"""The store: what a transaction keeps, what it takes back, and who sees it."""

import sqlite3
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import pytest

from relay_lab.contracts.ports import Tx
from relay_lab.store.runtime_store import open_store
from relay_lab.store.sqlite import SqliteDatabase

SCHEMA = files("relay_lab.store").joinpath("schema.sql").read_text(encoding="utf-8")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteDatabase]:
    store = open_store(tmp_path / "runtime.db")
    yield store
    store.close()


def put(store: SqliteDatabase, name: str, value: str = "x") -> None:
    with store.transaction() as tx:
        tx.run("INSERT INTO setting (name, value) VALUES (?, ?)", name, value)


def names(store: SqliteDatabase) -> list[str]:
    with store.transaction() as tx:
        return [row["name"] for row in tx.rows("SELECT name FROM setting ORDER BY name")]


def propose(tx: Tx) -> None:
    columns = [row["name"] for row in tx.rows("SELECT name FROM pragma_table_info('proposal')")]
    marks = ", ".join("?" for _ in columns)
    tx.run(f"INSERT INTO proposal ({', '.join(columns)}) VALUES ({marks})", *["1"] * len(columns))


def test_it_is_in_wal_mode_syncs_fully_and_enforces_foreign_keys(store: SqliteDatabase) -> None:
    with store.transaction() as tx:
        assert tx.one("SELECT * FROM pragma_journal_mode") == {"journal_mode": "wal"}
        assert tx.one("SELECT * FROM pragma_foreign_keys") == {"foreign_keys": 1}
        assert tx.one("SELECT * FROM pragma_synchronous") == {"synchronous": 2}


def test_a_row_that_refers_to_nothing_is_refused_and_goes_with_what_it_refers_to(
    store: SqliteDatabase,
) -> None:
    token = "INSERT INTO token (digest, tenant_id, customer_id, proposal_id) VALUES ('d', '1', '1', '1')"
    with pytest.raises(sqlite3.IntegrityError, match="FOREIGN KEY"), store.transaction() as tx:
        tx.run(token)
    with store.transaction() as tx:
        propose(tx)
        tx.run(token)
        tx.run("DELETE FROM proposal")
        assert tx.rows("SELECT * FROM token") == []


def test_rows_come_by_name_and_a_statement_says_how_many_it_changed(store: SqliteDatabase) -> None:
    put(store, "a", "1")
    put(store, "b", "2")
    with store.transaction() as tx:
        assert tx.rows("SELECT name, value FROM setting ORDER BY name") == [
            {"name": "a", "value": "1"},
            {"name": "b", "value": "2"},
        ]
        assert tx.one("SELECT value FROM setting WHERE name = ?", "b") == {"value": "2"}
        assert tx.one("SELECT value FROM setting WHERE name = ?", "c") is None
        assert tx.run("UPDATE setting SET value = ?", "3") == 2
        assert tx.run("UPDATE setting SET value = '4' WHERE name = 'c'") == 0


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit, sqlite3.IntegrityError])
def test_whatever_leaves_a_transaction_takes_all_of_it_back(
    store: SqliteDatabase, failure: type[BaseException]
) -> None:
    put(store, "before")
    with pytest.raises(failure), store.transaction() as tx:
        tx.run("INSERT INTO setting (name, value) VALUES ('during', 'x')")
        tx.run("DELETE FROM setting WHERE name = 'before'")
        raise failure
    assert names(store) == ["before"]
    put(store, "after")
    assert names(store) == ["after", "before"]


def test_a_broken_statement_is_a_bug_and_stays_what_it_is(store: SqliteDatabase) -> None:
    with pytest.raises(sqlite3.OperationalError, match="no such table: nonsense"), store.transaction() as tx:
        tx.run("DELETE FROM nonsense")
    assert names(store) == []


def test_a_transaction_within_a_transaction_is_a_bug_and_takes_the_outer_one_back(
    store: SqliteDatabase,
) -> None:
    with pytest.raises(sqlite3.OperationalError, match="within a transaction"), store.transaction() as tx:
        tx.run("INSERT INTO setting (name, value) VALUES ('outer', 'x')")
        with store.transaction():
            pytest.fail("a second transaction was opened inside the first")
    assert names(store) == []


def test_others_see_it_once_it_is_committed_and_not_before(store: SqliteDatabase, tmp_path: Path) -> None:
    look = sqlite3.connect(tmp_path / "runtime.db")
    try:
        with store.transaction() as tx:
            tx.run("INSERT INTO setting (name, value) VALUES ('a', 'x')")
            assert look.execute("SELECT COUNT(*) FROM setting").fetchone() == (0,)
        assert look.execute("SELECT COUNT(*) FROM setting").fetchone() == (1,)
    finally:
        look.close()


def test_what_was_committed_is_there_when_the_file_is_opened_again(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        store = open_store(tmp_path / "runtime.db")
        put(store, name)
        store.close()
    store = open_store(tmp_path / "runtime.db")
    assert names(store) == ["a", "b", "c"]
    store.close()


def test_without_a_file_each_store_is_one_of_its_own_in_memory() -> None:
    first, second = open_store(None), open_store(None)
    put(first, "a")
    assert (names(first), names(second)) == (["a"], [])
    first.close()
    second.close()


# -- the schema ----------------------------------------------------------------------------------------------------------


def test_the_schema_is_cut_into_statements_at_the_right_places() -> None:
    """No semicolon stands inside of a statement: what the pieces make is what the whole script makes."""
    pieces = [piece for piece in SCHEMA.split(";") if piece.strip()]
    assert all(sqlite3.complete_statement(f"{piece};") for piece in pieces)
    assert "'" not in "".join(pieces).replace("'pending', 'confirmed'", "").replace(
        "'submitted', 'failed_unknown'", ""
    )
    whole, cut = sqlite3.connect(":memory:"), sqlite3.connect(":memory:")
    try:
        whole.executescript(SCHEMA)
        for piece in pieces:
            cut.execute(piece)
        made = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"
        assert cut.execute(made).fetchall() == whole.execute(made).fetchall()
        assert len(pieces) == len(
            whole.execute("SELECT 1 FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        )
    finally:
        whole.close()
        cut.close()


def test_the_tables_of_a_new_file_are_those_of_the_schema_and_its_stamp(store: SqliteDatabase) -> None:
    with store.transaction() as tx:
        tables = {row["name"] for row in tx.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert tables == {
        "setting",
        "conversation",
        "wording",
        "proposal",
        "challenge",
        "token",
        "receipt",
        "operation",
        "audit",
        "stamp",
    }
