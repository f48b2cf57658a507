"""From the click to the schedule, beside the commits that it cannot do without."""

import sqlite3
from pathlib import Path

from benchmarks import bare, labs
from benchmarks.measure import Answer, Row, interleaved, ms, timed, times
from relay_lab.app.lab import Lab

ROUNDS = 25


class Commits:
    """Counts the transactions of one connection, those that wrote apart from those that only read."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection, self.wrote, self.read = connection, 0, 0
        self._before = connection.total_changes
        connection.set_trace_callback(self._saw)

    def _saw(self, statement: str) -> None:
        if statement.startswith("BEGIN"):
            self._before = self._connection.total_changes
        elif statement == "COMMIT" and self._connection.total_changes > self._before:
            self.wrote += 1
        elif statement in ("COMMIT", "ROLLBACK"):
            self.read += 1

    def stop(self) -> None:
        """Count no more."""
        self._connection.set_trace_callback(None)


def waiting(folder: Path) -> Lab:
    """A lab whose quote waits for the click."""
    lab = labs.new_lab(folder)
    lab.say(lab.scenario.message)
    lab.choose("individual")
    return lab


def counted(folder: Path) -> tuple[int, int]:
    """How many commits a confirmation makes on the two databases, and how many transactions only read."""
    with waiting(folder) as lab:
        both = [Commits(lab.runtime.store._connection), Commits(lab.company._db._connection)]  # type: ignore[attr-defined]
        lab.confirm()
        for one in both:
            one.stop()
        return sum(one.wrote for one in both), sum(one.read for one in both)


def answer(folder: Path) -> Answer:
    """Time the click on files, and as many bare commits of one row."""
    wrote, read = counted(folder)
    plain = bare.OneRowCommits(folder / "commits.db")

    def click() -> float:
        with waiting(folder) as lab:
            return timed(lab.confirm)

    taken = interleaved({"click": click, "commits": lambda: plain.time(wrote)}, ROUNDS)
    plain.close()
    row = Row(
        "from the click to the schedule, on files",
        ms(taken.of("click")),
        ms(taken.of("commits")),
        times(taken.ratio("click", "commits")),
    )
    return Answer(
        "The whole confirm path beside the sum of its commits",
        (row,),
        f"The click trades its challenge for a token, rechecks every fact, schedules, settles, audits and answers: {wrote} "
        f"commits on the two databases ({read} more transactions only read). Against it stand {wrote} commits of one row "
        "each on a plain file with the same pragmas.",
        "What it would cost with fewer commits. Each is there so that a crash behind it leaves a state that can be told: "
        "confirmed, submitted, scheduled, settled, audited, said.",
        against="its commits",
    )
