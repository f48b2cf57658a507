"""A company in a file: made whole or not at all, opened only when it is one, and every trouble a sentence."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from relay_lab.contracts import errors as contract_errors
from relay_lab.contracts.operations import Accepted
from relay_lab.world import errors
from relay_lab.world.clock import VirtualClock
from relay_lab.world.company import Company
from relay_lab.world.data import Scenario


@pytest.fixture
def clock(scenario: Scenario) -> VirtualClock:
    return VirtualClock(scenario.now)


@pytest.fixture
def path(scenario: Scenario, clock: VirtualClock, tmp_path: Path) -> Path:
    """The file of a company that nobody holds."""
    place = tmp_path / "relay.world"
    Company.create(place, scenario.data, clock).close()
    return place


def test_a_company_lives_on_in_its_file(path: Path, clock: VirtualClock, lab: Any) -> None:
    envelope = lab.envelope()
    first = Company.open(path, clock)
    answer = first.subscriptions.schedule(envelope["idempotency_key"], envelope)
    first.close()
    second = Company.open(path, clock)
    assert second.subscriptions.find(envelope["idempotency_key"]) == answer
    assert second.mutations() == 1
    second.close()


def test_a_file_holds_the_same_as_memory(path: Path, clock: VirtualClock, lab: Any) -> None:
    company = Company.open(path, clock)
    assert company.tables() == lab.company.tables()
    company.close()


def test_making_a_company_leaves_nothing_but_its_file(path: Path) -> None:
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_a_new_company_never_replaces_what_is_there(
    path: Path, scenario: Scenario, clock: VirtualClock
) -> None:
    before = path.read_bytes()
    with pytest.raises(errors.CompanyExists, match="exists"):
        Company.create(path, scenario.data, clock)
    assert path.read_bytes() == before


def test_of_two_that_make_the_same_company_at_once_the_second_is_refused(
    scenario: Scenario, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "x.world"

    def overtaken(building: Path, to: Path) -> None:
        place.write_bytes(b"theirs")
        link(building, to)

    link = os.link
    monkeypatch.setattr(os, "link", overtaken)
    with pytest.raises(errors.CompanyExists):
        Company.create(place, scenario.data, clock)
    assert [(file.name, file.read_bytes()) for file in tmp_path.iterdir()] == [("x.world", b"theirs")]


def test_a_file_system_without_hard_links_will_do(
    scenario: Scenario, clock: VirtualClock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(building: Path, to: Path) -> None:
        raise PermissionError("Operation not permitted")

    monkeypatch.setattr(os, "link", refuses)
    company = Company.create(tmp_path / "x.world", scenario.data, clock)
    assert company.mutations() == 0
    company.close()
    assert [file.name for file in tmp_path.iterdir()] == ["x.world"]


def test_a_world_that_breaks_its_own_rules_makes_no_company(
    scenario: Scenario, clock: VirtualClock, tmp_path: Path
) -> None:
    twice = scenario.data.model_copy(update={"accounts": scenario.data.accounts * 2})
    with pytest.raises(sqlite3.IntegrityError):
        Company.create(tmp_path / "x.world", twice, clock)
    assert list(tmp_path.iterdir()) == []


def test_a_world_that_forgets_a_source_is_refused(scenario: Scenario, clock: VirtualClock) -> None:
    forgetful = scenario.data.model_copy(update={"sources": scenario.data.sources[1:]})
    with pytest.raises(errors.FixtureError, match="'accounts'"):
        Company.create(None, forgetful, clock)


def test_a_file_that_is_not_there_is_said_to_be_missing(clock: VirtualClock, tmp_path: Path) -> None:
    with pytest.raises(errors.CompanyMissing, match="is not there"):
        Company.open(tmp_path / "none.world", clock)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"", b"not a database at all, but long enough to look like one" * 40])
def test_a_file_that_is_no_company_is_refused_and_left_alone(
    clock: VirtualClock, tmp_path: Path, content: bytes
) -> None:
    place = tmp_path / "x.world"
    place.write_bytes(content)
    with pytest.raises(errors.NotACompany):
        Company.open(place, clock)
    assert place.read_bytes() == content


def test_a_database_of_another_program_is_refused(clock: VirtualClock, tmp_path: Path) -> None:
    place = tmp_path / "x.world"
    connection = sqlite3.connect(place)
    connection.execute("CREATE TABLE accounts (id)")
    connection.close()
    with pytest.raises(errors.NotACompany, match="no company's"):
        Company.open(place, clock)


def test_a_company_of_another_version_is_refused(path: Path, clock: VirtualClock) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(errors.CompanyOfOtherVersion, match="version 99"):
        Company.open(path, clock)


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights of root, for whom nothing is read-only."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_that_cannot_be_written_is_refused(scenario: Scenario, clock: VirtualClock) -> None:
    # Not below tmp_path, whose parents only its owner may enter.
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "x.world"
        Company.create(place, scenario.data, clock).close()
        place.chmod(0o444)
        Path(folder).chmod(0o555)
        with as_nobody():
            with pytest.raises(errors.CompanyReadOnly, match="writable"):
                Company.open(place, clock)
            with pytest.raises(errors.CompanyReadOnly, match="writable"):
                Company.create(Path(folder) / "y.world", scenario.data, clock)
        Path(folder).chmod(0o755)


def test_a_folder_that_is_not_there_cannot_be_written(
    scenario: Scenario, clock: VirtualClock, tmp_path: Path
) -> None:
    with pytest.raises(errors.CompanyReadOnly):
        Company.create(tmp_path / "no" / "x.world", scenario.data, clock)


def attempt(company: Company, lab: Any) -> Any:
    envelope = lab.envelope()
    return company.subscriptions.schedule(envelope["idempotency_key"], envelope)


@pytest.fixture
def company(path: Path, clock: VirtualClock) -> Iterator[Company]:
    opened = Company.open(path, clock, busy_timeout_s=0.01)
    yield opened
    opened.close()


def test_a_file_that_turns_read_only_stops_a_write_with_a_sentence(company: Company, lab: Any) -> None:
    before = company.tables()
    company._db.run("PRAGMA query_only = ON")
    with pytest.raises(errors.CompanyReadOnly):
        attempt(company, lab)
    assert company.tables() == before


def test_a_file_held_by_another_process_stops_a_write_and_not_a_read(
    company: Company, path: Path, lab: Any
) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(errors.CompanyLocked, match="try again"):
        attempt(company, lab)
    assert len(company.subscriptions.get("CUST-1042")) == 1
    other.execute("ROLLBACK")
    assert isinstance(attempt(company, lab), Accepted)
    other.close()


def test_a_full_disk_stops_a_write_whole_and_passes(company: Company, lab: Any) -> None:
    (pages,) = company._db.rows("PRAGMA page_count")[0]
    company._db.run(f"PRAGMA max_page_count = {pages}")
    before = company.tables()
    # A packet larger than any room that is left on the pages.
    packet = lab.packet(commitments=["x" * 200_000])
    with pytest.raises(errors.CompanyDiskFull, match="nothing was changed"):
        company.handoff_queue.enqueue("relay-prod:CUST-1042:I1:0f3a", packet)
    assert company.tables() == before
    company._db.run("PRAGMA max_page_count = 1000000")
    assert isinstance(company.handoff_queue.enqueue("relay-prod:CUST-1042:I1:0f3a", packet), Accepted)


def test_every_error_is_also_the_contract_error_of_its_kind() -> None:
    kinds = {
        errors.FixtureError: contract_errors.BadInput,
        errors.CompanyMissing: contract_errors.DatabaseError,
        errors.CompanyExists: contract_errors.DatabaseError,
        errors.NotACompany: contract_errors.NotADatabase,
        errors.CompanyOfOtherVersion: contract_errors.OtherVersion,
        errors.CompanyReadOnly: contract_errors.ReadOnlyDatabase,
        errors.CompanyLocked: contract_errors.DatabaseLocked,
        errors.CompanyDiskFull: contract_errors.DiskFull,
    }
    assert set(kinds) == set(errors.WorldError.__subclasses__())
    assert all(issubclass(error, kind) for error, kind in kinds.items())
    assert all(error.__name__ in (errors.__doc__ or "") for error in kinds)


def test_a_transaction_inside_a_transaction_is_a_bug(lab: Any) -> None:
    with (
        pytest.raises(RuntimeError, match="open already"),
        lab.company._db.transaction(),
        lab.company._db.transaction(),
    ):
        pass
    assert lab.company.journal() == []


def test_sixteen_threads_share_one_company(lab: Any) -> None:
    answers: list[Any] = []
    envelope = lab.envelope()
    remote = lab.transport().subscriptions
    threads = [
        Thread(target=lambda: answers.append(remote.deliver(envelope["idempotency_key"], envelope)))
        for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(answers) == 16
    assert all(answer == answers[0] for answer in answers)
    assert lab.company.mutations() == 1
    assert len(lab.trace.rows) == 16


def test_the_difference_of_the_tables_is_what_the_journal_says(lab: Any) -> None:
    steps: list[Callable[[], object]] = [
        lambda: attempt(lab.company, lab),
        lambda: attempt(lab.company, lab),
        lambda: lab.company.handoff_queue.enqueue("relay-prod:CUST-1042:I1:0f3a", lab.packet()),
        lambda: lab.company.subscriptions.close("relay-prod:CUST-1042:renewal-20260911:I9:Q"),
        lambda: lab.company.subscriptions.touch("CUST-2077"),
        lambda: lab.clock.advance(timedelta(days=1).total_seconds()),
        lambda: lab.company.subscriptions.get("CUST-1042"),
        lambda: lab.company.subscriptions.get("CUST-2077"),
    ]
    # Which tables a journalled operation may touch, and no other.
    touched = {
        "schedule_downgrade": {"schedules", "schedule_receipts"},
        "enqueue": {"tickets", "handoff_receipts"},
        "close_key": {"schedule_receipts"},
        "touch_subscription": {"subscriptions"},
        "apply_schedule": {"schedules", "seats", "subscriptions"},
        "renew": {"subscriptions"},
        "follow_plan": {"account_entitlements"},
    }
    for step in steps:
        before, rows_before = lab.business(), len(lab.company.journal())
        step()
        after, noted = lab.business(), lab.company.journal()[rows_before:]
        changed = {name for name in after if after[name] != before[name]}
        assert changed == set().union(*(touched[row.operation] for row in noted))
    assert lab.company.mutations() == len(lab.company.tables()["schedules"]) == 1
    assert lab.company.tickets() == len(lab.company.tables()["tickets"]) == 1
