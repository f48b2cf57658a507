"""A purge of a real database: what goes, what stays, and what everything else then says of it."""

import json
import signal
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from desks.crashes import context, killer

from relay_lab import BadInput, Fault, Parts, cli, demo, open_lab, reconcile
from relay_lab.app.purge import purge
from relay_lab.contracts.errors import AuditUnavailable
from relay_lab.core.retention import POINTS, Retention

START = datetime(2026, 9, 10, 10, tzinfo=UTC)
SOON = timedelta()
NOTHING_KEPT = Retention(SOON, SOON, SOON, SOON, SOON, SOON, SOON)
WORDS = "zebra-striped umbrella"


def after(days: float) -> datetime:
    """So many days after the fixture begins."""
    return START + timedelta(days=days)


def tables(db: str) -> dict[str, list[tuple]]:
    """Every row of every table of a database and of the company's beside it."""
    found = {}
    for path in (db, f"{db}.world"):
        with closing(sqlite3.connect(path)) as connection:
            names = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            found |= {
                f"{path}:{name}": connection.execute(f'SELECT * FROM "{name}"').fetchall() for [name] in names
            }
    return found


@pytest.fixture
def db(tmp_path: Path) -> str:
    """A database in which a change was scheduled and a question handed to a person."""
    path = str(tmp_path / "lab.db")
    with open_lab(db=path) as lab:
        lab.say(f"{lab.scenario.message} I would like to talk to a human about my {WORDS}.")
        lab.choose("individual")
        lab.confirm()
        lab.transfer("I1")
    return path


def unknown(path: str) -> str:
    """A database with an operation whose answer was lost; its key."""
    fault = Fault("schedule_downgrade", "after_commit", at=(1,))
    with open_lab(db=path, parts=Parts(faults=(fault,))) as lab:
        lab.say(lab.scenario.message)
        lab.choose("individual")
        run = lab.confirm()
        assert run.states["I3"] == "unknown"
        return run.to_dict()["operation"]["idempotency_key"]


def test_after_thirty_days_the_words_are_gone_from_the_file_itself_and_the_conversation_goes_on(db):
    """States, ledger and replies are as before, spans have lost their text, and the customer can go on writing."""
    with open_lab(db=db) as lab:
        before = lab.run().to_dict()
    assert WORDS.encode() in b"".join(path.read_bytes() for path in Path(db).parent.glob("lab.db*"))
    report = purge(db, at=after(31))
    assert report.removed["wording"] == 1
    assert report.removed["conversations"] == 0
    left = b"".join(path.read_bytes() for path in Path(db).parent.glob("lab.db*"))
    assert WORDS.encode() not in left
    with open_lab(db=db) as lab:
        now = lab.run().to_dict()
        for name in ("ledger", "replies", "quote", "operation", "mutations", "handoffs"):
            if name != "ledger":  # the rows on states carry the present time
                assert now[name] == before[name], name
        assert [issue["state"] for issue in now["issues"]] == [issue["state"] for issue in before["issues"]]
        spans = [issue["span"] for issue in now["issues"]]
        assert [span["text"] for span in spans] == ["-" * (span["end"] - span["start"]) for span in spans]
        assert lab.say("Are there any news on the Gantt chart?").reply


def test_an_expired_conversation_is_refused_in_one_sentence_by_demo_run_and_page_and_reconcile_passes_it_by(
    db, capsys
):
    """After half a year the conversation is gone; another one can begin in the same database, with ids of its own."""
    assert purge(db, at=after(200)).removed["conversations"] == 1
    with open_lab(db=db) as lab:
        for act in (lab.run, lambda: lab.say("Hello?"), lambda: lab.choose("individual"), lambda: lab.turns):
            with pytest.raises(BadInput, match="was removed when its time was over"):
                act()
        assert lab.waiting == ()
    assert cli.status_of(["demo", "--db", db]) == 2
    [sentence] = capsys.readouterr().err.splitlines()
    assert sentence == "relay-lab: conversation C-1 was removed when its time was over; begin another one."
    assert reconcile(db).to_dict() == {"settled": [], "open": []}
    with open_lab(db=db, conversation_id="C-2") as lab:
        run = lab.say("Please move me to the Individual plan.")
        assert [view.quote.quote_id for view in run.record.quotes] != ["DG-1042-v1"]


def test_an_operation_of_which_nothing_is_known_is_settled_after_ten_years_and_a_purge_with_one_change(
    tmp_path,
):
    """A policy that keeps nothing leaves alone what reconcile needs: proposal, conversation, operation."""
    path = str(tmp_path / "lab.db")
    key = unknown(path)
    report = purge(path, at=after(3000), policy=NOTHING_KEPT)
    assert report.removed["wording"] == 1
    kept = ("conversations", "operations", "confirmations")
    assert [report.removed[kind] for kind in kept] == [0, 0, 0]
    assert [operation.idempotency_key for operation in reconcile(path).settled] == [key]
    with open_lab(db=path) as lab:
        assert lab.run().states["I3"] == "scheduled"
        assert lab.run().mutations == 1


def test_what_was_left_open_in_an_expired_conversation_is_settled_all_the_same(tmp_path):
    """A process that was under way during the purge can leave an operation in an expired conversation."""
    path = str(tmp_path / "lab.db")
    key = unknown(path)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE conversation SET document = ''")
    assert [operation.idempotency_key for operation in reconcile(path).settled] == [key]


@pytest.mark.parametrize("days", [1, 100, 300, 500])
def test_a_click_that_is_delivered_again_after_a_purge_makes_no_second_change(tmp_path, days):
    """At any time, before and after the conversation and its operation are gone: one schedule."""
    path = str(tmp_path / "lab.db")
    with open_lab(db=path) as lab:
        lab.say(lab.scenario.message)
        lab.choose("individual")
        [quote] = lab.waiting
        challenge = str(lab.runtime.show(lab.context, quote))
        lab.confirm_with(quote, challenge)
    purge(path, at=after(days))
    with open_lab(db=path) as lab:
        try:
            assert lab.confirm_with(quote, challenge).states["I3"] == "scheduled"
            assert days < 180
        except BadInput:
            assert days >= 180
        requested = [entry for entry in lab.company.journal() if entry.cause == "request"]
        assert len(requested) == 1


def test_a_quote_that_waits_can_be_confirmed_after_a_purge(tmp_path):
    """Nothing of a live quote is touched, whatever the policy."""
    path = str(tmp_path / "lab.db")
    with open_lab(db=path) as lab:
        lab.say(lab.scenario.message)
        lab.choose("individual")
        quote = lab.waiting[0]
        challenge = str(lab.runtime.show(lab.context, quote))
    purge(path, policy=NOTHING_KEPT)
    with open_lab(db=path) as lab:
        run = lab.confirm_with(quote, challenge)
        assert (run.states["I3"], run.mutations) == ("scheduled", 1)


def test_a_dry_run_changes_no_byte_of_any_table_and_tells_what_the_purge_then_does(db, capsys):
    """Not even the clock moves; the company's own database is never touched."""
    before = tables(db)
    assert cli.status_of(["purge", "--db", db, "--dry-run", "--at", "2027-12-31T00:00:00Z", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert tables(db) == before
    assert cli.status_of(["purge", "--db", db, "--at", "2027-12-31T00:00:00Z", "--json"]) == 0
    done = json.loads(capsys.readouterr().out)
    assert (told["removed"], told["kept"]) == (done["removed"], done["kept"])
    assert (told["dry_run"], done["dry_run"]) == (True, False)
    assert done["removed"]["conversations"] == 1
    after_it = tables(db)
    assert {name: rows for name, rows in after_it.items() if ".world:" in name} == {
        name: rows for name, rows in before.items() if ".world:" in name
    }
    assert cli.status_of(["purge", "--db", db]) == 0
    assert "wording: 0 removed, 0 kept" in capsys.readouterr().out
    assert tables(db) == after_it
    assert cli.status_of(["purge", "--db", db, "--dry-run"]) == 0
    assert "wording: 0 to remove, 0 kept" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--db", "missing.db"], "there is no database missing.db"),
        (["--db", "postgresql://x"], "databases are SQLite files here"),
        (["--db", "{db}", "--at", "2026-01-01T00:00:00Z"], "does not go back"),
        (["--db", "{db}", "--at", "soon"], "is not an instant"),
        (["--db", "{db}.world"], "holds"),
    ],
)
def test_bad_input_is_one_sentence_and_status_two(db, capsys, arguments, said):
    """A database that is not there, another engine, a clock that would go back, no instant, the company's file."""
    assert cli.status_of(["purge", *(argument.format(db=db) for argument in arguments)]) == 2
    [sentence] = capsys.readouterr().err.splitlines()
    assert said in sentence or "another program" in sentence


def test_an_audit_store_that_takes_no_row_stops_the_purge_with_a_sentence(db):
    """Nothing is removed, and the sentence says so."""
    purge(db, at=after(300), dry_run=True)
    before = tables(db)

    def failing(*_: object) -> None:
        raise AuditUnavailable("disk full")

    with pytest.raises(AuditUnavailable, match=r"takes no row \(disk full\), so nothing was removed"):
        purge(db, policy=NOTHING_KEPT, append=failing)
    assert tables(db) == before


def purge_until_killed(db: str, point: str) -> None:
    """The child of a crash test."""
    purge(db, at=after(300), points=killer(point))


@pytest.mark.slow
@pytest.mark.parametrize("point", POINTS)
def test_a_purge_killed_at_a_point_loses_nothing_and_comes_to_the_same_end_when_run_again(db, point):
    """Kill -9: until the commit every row is there; run again, the tables are those of a purge that was not killed."""
    before = tables(db)
    child = context().Process(target=purge_until_killed, args=(db, point))
    child.start()
    child.join(60)
    assert child.exitcode == -signal.SIGKILL
    words = f"{db}:wording"
    assert (tables(db)[words] == before[words]) == (point != "purge:after_commit")
    report = purge(db)
    assert (report.removed["conversations"] == 1) == (point != "purge:after_commit")
    assert tables(db)[words] == []
    assert reconcile(db).to_dict() == {"settled": [], "open": []}


def purge_often(db: str, times: int) -> None:
    """The child of a race: whatever is not a conversation of this very day goes."""
    for _ in range(times):
        purge(db, policy=replace(NOTHING_KEPT, conversations=timedelta(days=1)))


@pytest.mark.slow
def test_a_purge_beside_a_running_conversation_takes_nothing_from_it(tmp_path):
    """Two processes: one purges again and again, words and tokens at once; the other takes six conversations to their ends."""
    path = str(tmp_path / "lab.db")
    with open_lab(db=path):
        pass
    child = context().Process(target=purge_often, args=(path, 15))
    child.start()
    ends = [
        demo(plan="individual", confirm=True, db=path, conversation_id=f"C-{number}").states["I3"]
        for number in range(6)
    ]
    child.join(120)
    assert child.exitcode == 0
    assert ends == [
        "scheduled",
        *["handed_off"] * 5,
    ]  # a change that is scheduled already is a person's to look at
    with open_lab(db=path, conversation_id="C-0") as lab:
        assert lab.run().mutations == 1
