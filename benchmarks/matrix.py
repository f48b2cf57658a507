"""The failure matrix: rows a second on one process and on two, and what a row costs beside its bare reads and writes."""

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from benchmarks.measure import Answer, Row, interleaved, timed, times, worked
from relay_lab.app import settings
from relay_lab.app.matrix import run_row
from relay_lab.app.matrix_rows import rows
from relay_lab.world.company import Company

ROUNDS = 7
_ACTS = ("SELECT", "INSERT", "UPDATE", "DELETE")


@contextmanager
def companies_heard(statements: list[str], copies: list[sqlite3.Connection]) -> Iterator[None]:
    """While this lasts, each company that is made leaves a copy of itself and every statement that it executes afterwards."""
    make = Company.create

    def create(*given: Any) -> Company:
        company = make(*given)
        connection = company._db._connection
        copy = sqlite3.connect(":memory:", isolation_level=None, cached_statements=1024)
        connection.backup(copy)
        copies.append(copy)
        connection.set_trace_callback(statements.append)
        return company

    settings.Company.create = create  # type: ignore[method-assign]
    try:
        yield
    finally:
        settings.Company.create = make  # type: ignore[method-assign]


class Bare:
    """The reads and writes that one row had its company do, done again by a loop over plain sqlite3, and undone."""

    def __init__(self, row_id: str) -> None:
        heard: list[str] = []
        copies: list[sqlite3.Connection] = []
        with companies_heard(heard, copies):
            run_row(row_id)
        self._connection = copies[0]
        self._statements = [text for text in heard if text.lstrip().upper().startswith(_ACTS)]

    def run(self) -> None:
        self._connection.execute("BEGIN")
        for statement in self._statements:
            with suppress(sqlite3.Error):  # what was refused then is refused now
                self._connection.execute(statement).fetchall()
        self._connection.execute("ROLLBACK")


def _passed(row_id: str) -> bool:
    return run_row(row_id)[0].passed


def answer(folder: Path) -> Answer:
    """Time the whole matrix on one process and on two, and its rows against their own statements. Raises when a row is red."""
    names = [row.id for row in rows()]
    bare = [Bare(name) for name in names]
    with ProcessPoolExecutor(2) as pool:

        def all_held(each: Callable[..., Any], **how: int) -> None:
            if not all(each(_passed, names, **how)):
                raise RuntimeError("a row of the matrix is red; see relay-lab matrix")

        taken = interleaved(
            {
                "one": lambda: timed(lambda: all_held(map)),
                "two": lambda: timed(lambda: all_held(pool.map, chunksize=4)),
                "work": lambda: worked(lambda: all_held(map)),
                "bare": lambda: worked(lambda: [each.run() for each in bare]),
            },
            ROUNDS,
        )

    def rate(name: str) -> str:
        return f"{len(names) / taken.of(name):.0f} a second"

    def each(name: str) -> str:
        return f"{taken.of(name) / len(names) * 1e3:.2f} ms"

    return Answer(
        "Rows of the failure matrix",
        (
            Row("rows, 2 processes, against 1", rate("two"), rate("one"), times(taken.ratio("one", "two"))),
            Row(
                "a row, against its company's statements alone",
                each("work"),
                each("bare"),
                times(taken.ratio("work", "bare")),
            ),
        ),
        f"All {len(names)} rows, each on a fresh company in memory with its whole conversation and its judge. The second row is "
        "processor time: against it stand the SELECT, INSERT, UPDATE and DELETE statements that the rows had the company's "
        "database execute, done again by a loop over plain `sqlite3` on a copy, in one transaction that is taken back.",
        "What a row would cost on files, or with a model: the proposer here is the rules. Making the company and the desk "
        "anew is part of each row's cost, and of none of the statements'.",
    )
