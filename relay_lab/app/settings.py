"""Settings: which world, which files, what time it is; and opening all of it or none."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path

from relay_lab.contracts.errors import BadInput
from relay_lab.store.runtime_store import open_store
from relay_lab.store.sqlite import SqliteDatabase
from relay_lab.world.clock import VirtualClock
from relay_lab.world.company import Company
from relay_lab.world.data import Scenario, load_fixture
from relay_lab.world.errors import CompanyExists
from relay_lab.world.generator import generate

DEFAULT_WORLD = "relay"
LONGEST = timedelta(days=3653)
"""How far the clock may be moved on from the start of a world."""


class Setting(StrEnum):
    """What a database remembers of the lab it belongs to."""

    WORLD = "world"
    COMPANY = "company"
    CLOCK = "clock"


@dataclass(frozen=True)
class Files:
    """A scenario with its two databases and the clock they share."""

    scenario: Scenario
    store: SqliteDatabase
    company: Company
    clock: VirtualClock

    def close(self) -> None:
        """Close both databases."""
        self.company.close()
        self.store.close()


def opened(world: str | int | Scenario | None, db: Path | str | None, at: datetime | None) -> Files:
    """Open the two databases of a lab, new ones where there are none. See `relay_lab.open_lab`."""
    path = file_of(db)
    if isinstance(world, Scenario):
        if path is not None:
            raise ValueError("a scenario of your own runs in memory: a database remembers its world by name")
        clock = VirtualClock(_start(world.now, world, at))
        return Files(world, open_store(None), Company.create(None, world.data, clock), clock)
    store = open_store(path)
    try:
        name = _world(store, path, None if world is None else str(world))
        scenario = scenario_named(name)
        clock = VirtualClock(_start(_stands(store, scenario), scenario, at))
        company = _company(path, scenario, clock, name, remembered(store, Setting.COMPANY) is not None)
        keep(store, Setting.COMPANY, name)
        keep(store, Setting.CLOCK, clock.now().isoformat())
    except BaseException:
        store.close()
        raise
    return Files(scenario, store, company, clock)


def _world(store: SqliteDatabase, path: Path | None, asked: str | None) -> str:
    """The world that a database belongs to: the one it remembers, or from now on the one that is asked for."""
    name = DEFAULT_WORLD if asked is None else asked
    if remembered(store, Setting.WORLD) is None:
        scenario_named(name)  # an unknown one is refused before it is remembered
    with store.transaction() as tx:
        # Of several processes that open a new database at once, the first one says which world it is.
        tx.run("INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", Setting.WORLD, name)
        known = (tx.one("SELECT value FROM setting WHERE name = ?", Setting.WORLD) or {"value": name})[
            "value"
        ]
    if asked is not None and asked != known:
        raise BadInput(f"{path} holds the world {known}, not {asked}; leave --world out, or name a new file.")
    return str(known)


def file_of(db: Path | str | None) -> Path | None:
    """The file of a database address: a path or `sqlite:///PATH`. Raises `BadInput` for an engine that is not here."""
    if db is None or isinstance(db, Path):
        return db
    if db.startswith("sqlite:///"):
        return Path(db.removeprefix("sqlite:///"))
    if "://" in db:
        engine = db.partition("://")[0]
        raise BadInput(
            f"databases are SQLite files here, and {engine!r} is not; give a file or sqlite:///FILE."
        )
    if not db.strip():
        raise BadInput("the name of the database is empty; give a file.")
    return Path(db)


def scenario_named(name: str) -> Scenario:
    """The scenario of a world: a fixture's name, or the seed of a generated one. Raises `BadInput` for an unknown one."""
    if re.fullmatch(r"[0-9]{1,18}", name):
        return generate(int(name)).scenario
    if name != DEFAULT_WORLD:
        raise BadInput(
            f"there is no world {name!r}; give {DEFAULT_WORLD!r}, or a seed: a whole number of at most 18 digits."
        )
    return load_fixture(name)


def keep(store: SqliteDatabase, setting: Setting, value: str) -> None:
    """Remember a setting."""
    with store.transaction() as tx:
        tx.run(
            "INSERT INTO setting (name, value) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            setting,
            value,
        )


def remembered(store: SqliteDatabase, setting: Setting) -> str | None:
    """A setting that was kept, or None."""
    with store.transaction() as tx:
        row = tx.one("SELECT value FROM setting WHERE name = ?", setting)
    return row["value"] if row else None


def _stands(store: SqliteDatabase, scenario: Scenario) -> datetime:
    """Where the clock of a database stands: as it was last set, or where its last turn left it."""
    with store.transaction() as tx:
        last = tx.one("SELECT MAX(moved_at) AS moved_at FROM conversation")
    known = (remembered(store, Setting.CLOCK), last and last["moved_at"])
    return max((datetime.fromisoformat(text) for text in known if text), default=scenario.now)


def instant_of(store: SqliteDatabase, at: datetime | None) -> datetime:
    """Where the clock of a database stands, or `at` when that is given and not before it. Raises `BadInput` otherwise."""
    scenario = scenario_named(remembered(store, Setting.WORLD) or DEFAULT_WORLD)
    return _start(_stands(store, scenario), scenario, at)


def _start(earliest: datetime, scenario: Scenario, at: datetime | None) -> datetime:
    if at is not None and at.tzinfo is None:
        raise BadInput(f"the instant {at.isoformat()} names no zone; give one with a zone.")
    if at is not None and at > scenario.now + LONGEST:
        raise BadInput(
            f"the clock goes ten years on at most, and {at.isoformat()} is later; give an earlier --at."
        )
    if at is not None and at < earliest:
        raise BadInput(
            f"the clock stands at {earliest.astimezone(UTC).isoformat()} and does not go back to {at.isoformat()};"
            " give a later --at."
        )
    return at or earliest


def _company(
    path: Path | None, scenario: Scenario, clock: VirtualClock, name: str, remembered_one: bool
) -> Company:
    if path is None:
        return Company.create(None, scenario.data, clock, name)
    beside = path.with_name(f"{path.name}.world")
    if not beside.exists():
        if remembered_one:
            # A new company would know nothing of what this database has had done.
            raise BadInput(
                f"{beside} is missing, and with it the company's records; put it back, or name a new file."
            )
        try:
            return Company.create(beside, scenario.data, clock, name)
        except CompanyExists:
            pass  # another process was faster
    company = Company.open(beside, clock)
    other = company.name
    if other != name:
        company.close()
        raise BadInput(f"{beside} holds the company of the world {other}, not {name}; name a new file.")
    return company
