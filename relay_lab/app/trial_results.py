"""The file that attempts are kept in: SQLite, each attempt under the binding that it was made with."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from relay_lab.contracts.base import canonical_json, digest
from relay_lab.contracts.errors import BadInput
from relay_lab.evaluation.funnel import Attempt

if TYPE_CHECKING:
    from sqlite_utils import Database

VERSION = 1
"""Of the file's layout, kept as its user_version."""


class Results:
    """Attempts of one binding, in `out` or, for None, nowhere but here.

    Raises `BadInput` for a file that is no such file, or of another version.
    """

    def __init__(self, out: Path | str | None, binding: Mapping[str, Any]) -> None:
        self._path, self._binding = None if out is None else Path(out), dict(binding)
        self.binding_id = digest(canonical_json(self._binding))[:16]
        self._db: Database | None = None

    def __enter__(self) -> "Results":
        if self._path is not None:
            self._db = _opened(self._path)
            with self._said("written"):
                self._db.table("binding").insert(
                    {"id": self.binding_id, "binding": json.dumps(self._binding)}, pk="id", ignore=True
                )
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._db is not None:
            self._db.close()

    def attempts(self) -> dict[tuple[str, int], Attempt]:
        """What is there of this binding already, by scenario and trial."""
        if self._db is None or "attempt" not in self._db.table_names():
            return {}
        found: dict[tuple[str, int], Attempt] = {}
        with self._said("read"):
            for row in self._db.table("attempt").rows_where("binding = ?", [self.binding_id]):
                attempt, name = _read(row), (row["scenario"], row["trial"])
                if attempt is None or name != (attempt.scenario, attempt.trial):
                    raise BadInput(
                        f"{self._path} is damaged: trial {name[1]} of {name[0]} cannot be read; name another file."
                    )
                found[name] = attempt
        return found

    def add(self, attempt: Attempt) -> None:
        """Keep one attempt; it is on the disk when this returns."""
        if self._db is not None:
            row = {
                "binding": self.binding_id,
                "scenario": attempt.scenario,
                "trial": attempt.trial,
                "passed": attempt.passed,
                "attempt": json.dumps(asdict(attempt)),
            }
            with self._said("written"):
                self._db.table("attempt").insert(row, pk=("binding", "scenario", "trial"), replace=True)

    @contextmanager
    def _said(self, done: str) -> Iterator[None]:
        """What the disk or another process brings about is one sentence; what was kept before stays."""
        import sqlite3

        try:
            yield
        except (sqlite3.Error, KeyError) as error:
            raise BadInput(
                f"{self._path} cannot be {done} ({error}); mend that, and run the same command again to go on."
            ) from error


def _read(row: Mapping[str, Any]) -> Attempt | None:
    """The attempt of a row; None for what is none."""
    try:
        return TypeAdapter(Attempt).validate_json(row["attempt"], strict=True)
    except (ValidationError, TypeError):
        return None


def _opened(path: Path) -> "Database":
    import sqlite3

    from sqlite_utils import Database

    try:
        db = Database(path)
        version, tables = db.execute("PRAGMA user_version").fetchone()[0], db.table_names()
        if version not in ((VERSION,) if tables else (0, VERSION)):
            db.close()
            raise BadInput(f"{path} holds no trials of version {VERSION}; name another file.")
        db.execute(f"PRAGMA user_version = {VERSION}")
        return db
    except (sqlite3.Error, OSError) as error:
        raise BadInput(f"{path} cannot be used for results ({error}); name another file.") from error
