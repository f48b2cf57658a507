"""Retention at work: what has outlived its time in a database is removed, or only counted."""

import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from relay_lab.app.settings import Setting, file_of, instant_of, keep
from relay_lab.contracts.base import iso
from relay_lab.contracts.errors import AuditUnavailable, BadInput
from relay_lab.contracts.ports import Points, Tx
from relay_lab.core import audit, retention
from relay_lab.core.retention import Retention
from relay_lab.core.runtime import nowhere
from relay_lab.store.runtime_store import open_store


@dataclass(frozen=True)
class PurgeReport:
    """What a purge removed and kept, by kind; in a dry run what it would have."""

    at: datetime
    dry_run: bool
    removed: dict[str, int]
    kept: dict[str, int]

    def to_dict(self) -> dict[str, Any]:
        """The document of `relay-lab purge --json`."""
        return asdict(self) | {"at": iso(self.at)}


def purge(
    db: Path | str,
    *,
    dry_run: bool = False,
    at: datetime | None = None,
    policy: Retention | None = None,
    points: Points = nowhere,
    append: Callable[[Tx, audit.AuditEvent], None] = audit.append,
) -> PurgeReport:
    """Remove from `db` what has outlived its time by the database's own clock (docs/retention.md).

    `at` moves that clock on, which persists; a dry run changes nothing at all. The company's database beside it is the
    company's and is not opened. Everything expired goes in one transaction with its audit row: interrupted, it has not
    happened, and can be run again. Raises `BadInput` when there is no such database or the clock would go back,
    `AuditUnavailable` when the audit store takes no row, and a `DatabaseError` when the file cannot serve.
    """
    path = file_of(db)
    if path is None or not path.is_file():
        raise BadInput(f"there is no database {path}; give the file that a demo was run with.")
    store = open_store(path)
    try:
        now = instant_of(store, at)
        if at is not None and not dry_run:
            keep(store, Setting.CLOCK, now.isoformat())
        done = retention.purge(
            store,
            now,
            secrets.token_hex(16),
            policy or Retention(),
            dry_run=dry_run,
            points=points,
            append=append,
        )
    except AuditUnavailable as error:
        raise AuditUnavailable(
            f"the audit store of {path} takes no row ({error}), so nothing was removed; mend it and purge again."
        ) from error
    finally:
        store.close()
    return PurgeReport(now, dry_run, done.removed, done.kept)
