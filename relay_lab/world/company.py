"""The company: its systems of record over one database, made from data or opened from a file."""

import os
from collections.abc import Iterable
from pathlib import Path

from relay_lab.contracts.evidence import Source
from relay_lab.contracts.ports import Clock
from relay_lab.world import errors, journal
from relay_lab.world.accounts import Accounts
from relay_lab.world.articles import Articles
from relay_lab.world.billing import Billing
from relay_lab.world.catalogue import Catalogue
from relay_lab.world.data import SourceTerms, WorldData
from relay_lab.world.database import APPLICATION_ID, BUSY_TIMEOUT_S, LAYOUT_VERSION, Database
from relay_lab.world.entitlements import Entitlements
from relay_lab.world.handoff_queue import HandoffQueue
from relay_lab.world.incidents import Incidents
from relay_lab.world.journal import Journal, JournalRow
from relay_lab.world.policies import Policies
from relay_lab.world.subscriptions import Subscriptions

_SOURCES = """
CREATE TABLE sources (
  source TEXT PRIMARY KEY,
  fresh_for_s INTEGER NOT NULL,
  lag_s INTEGER NOT NULL
) WITHOUT ROWID;
"""
_ORIGIN = "CREATE TABLE origin (name TEXT NOT NULL);"
_SYSTEMS = (
    Accounts, Subscriptions, Catalogue, Entitlements, Billing, Incidents, Policies, Articles, HandoffQueue,
)  # fmt: skip


class Company:
    """The systems of record of one simulated company. Make one with `create` or `open`; close it when done.

    Threads may share a company; processes each open their own over the same file.
    """

    def __init__(self, database: Database, clock: Clock, terms: Iterable[SourceTerms]) -> None:
        self.clock = clock
        self._db = database
        self._journal = noted = Journal(database)
        of = {term.source: term for term in terms}
        self.accounts = Accounts(database, clock, noted, of[Source.ACCOUNTS])
        self.catalogue = Catalogue(database, clock, noted, of[Source.CATALOGUE])
        self.entitlements = Entitlements(database, clock, noted, of[Source.ENTITLEMENTS])
        self.billing = Billing(database, clock, noted, of[Source.BILLING])
        self.incidents = Incidents(database, clock, noted, of[Source.INCIDENTS])
        self.policies = Policies(database, clock, noted, of[Source.POLICIES])
        self.articles = Articles(database, clock, noted, of[Source.ARTICLES])
        self.handoff_queue = HandoffQueue(database, clock, noted, of[Source.HANDOFF_QUEUE])
        self.subscriptions = Subscriptions(
            database, clock, noted, of[Source.SUBSCRIPTIONS],
            included=self.catalogue.seats_included, changed=self.entitlements.follow,
        )  # fmt: skip

    @classmethod
    def create(cls, path: Path | None, data: WorldData, clock: Clock, name: str = "") -> "Company":
        """A new company holding `data`: in the file `path`, or in memory when it is None. `name` says which world it is.

        Raises `CompanyExists` when there is something at `path`, and another `WorldError` when it cannot be written.
        """
        missing = {system.source for system in _SYSTEMS} - {term.source for term in data.sources}
        if missing:
            raise errors.FixtureError(f"The world says nothing of the source {min(missing)!r}.")
        if path is None:
            return cls._filled(Database(None), data, clock, name)
        if path.exists():
            raise errors.CompanyExists(f"{path} exists; a new company needs a name that is free.")
        # Built beside its place and put there whole: nobody can open half a company, and a crash leaves none.
        building = path.with_name(f"{path.name}.new-{os.getpid()}")
        building.unlink(missing_ok=True)
        try:
            # Not in WAL mode yet: there, what does not fit on the disk would only be missed when the file is closed.
            cls._filled(Database(building), data, clock, name).close()
            turned = Database(building)
            turned.run("PRAGMA journal_mode = WAL")
            turned.close()
            _put_in_place(building, path)
        finally:
            for suffix in ("", "-wal", "-shm", "-journal"):
                building.with_name(building.name + suffix).unlink(missing_ok=True)
        return cls.open(path, clock)

    @classmethod
    def open(cls, path: Path, clock: Clock, busy_timeout_s: float = BUSY_TIMEOUT_S) -> "Company":
        """The company in a file. Raises a `WorldError` when there is none, or it is something else, or cannot be used."""
        if not path.is_file():
            raise errors.CompanyMissing(f"{path} is not there; make a company first, or name another file.")
        if not os.access(path, os.W_OK) or not os.access(path.parent, os.W_OK):
            raise errors.CompanyReadOnly(f"{path} cannot be written; make it and its folder writable.")
        database = Database(path, busy_timeout_s)
        try:
            _check_stamp(database, path)
            # A receipt is a promise: it must survive a power cut, not only the end of the process.
            database.run("PRAGMA journal_mode = WAL")
            database.run("PRAGMA synchronous = FULL")
            found = database.rows("SELECT source, fresh_for_s, lag_s FROM sources")
            terms = [SourceTerms(source=Source(row[0]), fresh_for_s=row[1], lag_s=row[2]) for row in found]
            return cls(database, clock, terms)
        except BaseException:
            database.close()
            raise

    def close(self) -> None:
        """Give the file back. A second call does nothing."""
        self._db.close()

    @property
    def name(self) -> str:
        """Which world this company was made as."""
        row = self._db.one("SELECT name FROM origin")
        return str(row[0]) if row else ""

    def mutations(self) -> int:
        """How many business records were changed on request since the company was made."""
        return self._journal.mutations()

    def tickets(self) -> int:
        """How many handoff tickets were opened on request. A ticket is a message to a person, not a mutation."""
        return self._journal.tickets()

    def journal(self) -> list[JournalRow]:
        """Every change since the company was made, oldest first."""
        return self._journal.rows()

    def tables(self) -> dict[str, list[tuple[object, ...]]]:
        """Every row of every table, in order: what a judge compares before and after. For small companies."""
        with self._db.snapshot():
            names = self._db.rows(
                "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"
            )
            return {name: sorted(self._db.rows(f"SELECT * FROM {name}"), key=repr) for (name,) in names}

    @classmethod
    def _filled(cls, database: Database, data: WorldData, clock: Clock, name: str) -> "Company":
        try:
            with database.transaction():
                return cls._loaded(database, data, clock, name)
        except BaseException:
            database.close()
            raise

    @classmethod
    def _loaded(cls, database: Database, data: WorldData, clock: Clock, name: str) -> "Company":
        for text in (_SOURCES, _ORIGIN, journal.TABLES, *(system.TABLES for system in _SYSTEMS)):
            for statement in text.split(";\n"):
                if statement.strip():
                    database.run(statement)
        database.run(f"PRAGMA application_id = {APPLICATION_ID}")
        database.run(f"PRAGMA user_version = {LAYOUT_VERSION}")
        database.run("INSERT INTO origin VALUES (?)", name)
        database.many(
            "INSERT INTO sources VALUES (?, ?, ?)",
            ((row.source, row.fresh_for_s, row.lag_s) for row in data.sources),
        )
        company = cls(database, clock, data.sources)
        company.accounts.load(data.accounts)
        company.subscriptions.load(data.subscriptions)
        company.catalogue.load(data.prices)
        company.entitlements.load(data.plan_maps, data.entitlements, data.enrolments)
        company.billing.load(data.invoices, data.transactions, data.reconciliations)
        company.incidents.load(data.incidents)
        company.policies.load((*data.refund_policies, *data.subscription_policies))
        company.articles.load(data.articles)
        return company


def _put_in_place(building: Path, path: Path) -> None:
    try:
        os.link(building, path)
    except FileExistsError as error:
        raise errors.CompanyExists(f"{path} exists; a new company needs a name that is free.") from error
    except OSError:
        # Not every file system has hard links; without them two makers at the same instant are not told apart.
        building.rename(path)


def _check_stamp(database: Database, path: Path) -> None:
    application = database.rows("PRAGMA application_id")[0][0]
    version = database.rows("PRAGMA user_version")[0][0]
    if application != APPLICATION_ID:
        raise errors.NotACompany(f"{path} is a database, but no company's; name another file.")
    if version != LAYOUT_VERSION:
        raise errors.CompanyOfOtherVersion(
            f"{path} has tables of version {version} and this program uses version {LAYOUT_VERSION};"
            " use the program that made it, or a new file."
        )
