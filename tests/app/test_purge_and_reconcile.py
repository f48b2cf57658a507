"""A purge beside a reconciliation, each killed wherever it stands: what is live stays, and both come to the same end."""

import random
import shutil
import signal
import sqlite3
import time
from contextlib import closing, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from desks.crashes import context, killer

from relay_lab import Fault, Parts, open_lab, reconcile
from relay_lab.app.purge import purge
from relay_lab.contracts.errors import ConversationExpired
from relay_lab.core.retention import POINTS, Retention

LATER = datetime(2026, 9, 10, 10, tzinfo=UTC) + timedelta(days=500)
FOR_EVER = Retention(*[timedelta(days=9999)] * 7)
SETTLING = (
    "settle:before_commit",
    "settle:after_commit",
    "settle:after_audit",
    "turn:before_save",
    "turn:after_save",
)
LIVE = "C-1"
RANDOM_RUNS, WORDS = 12, "zebra-striped umbrella"


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """A database of 500 days ago: one operation of which nothing is known, and a conversation that ended with a ticket."""
    path = str(tmp_path_factory.mktemp("old") / "lab.db")
    fault = Fault("schedule_downgrade", "after_commit", at=(1,))
    with open_lab(db=path, conversation_id="C-2") as lab:
        lab.say(f"{lab.scenario.message} I would like to talk to a human about my {WORDS}.")
        lab.transfer("I1")
    with open_lab(db=path, conversation_id=LIVE, parts=Parts(faults=(fault,))) as lab:
        lab.say(lab.scenario.message)
        lab.choose("individual")
        assert lab.confirm().states["I3"] == "unknown"
    assert not any(purge(path, at=LATER, policy=FOR_EVER).removed.values())
    return path


def copied(old, folder):
    """A copy of it with the company beside it."""
    for path in Path(old).parent.glob("lab.db*"):
        shutil.copy(path, folder)
    return str(folder / "lab.db")


def purging(db, point):
    """The child that purges."""
    purge(db, points=killer(point))


def settling(db, point):
    """The child that reconciles."""
    lab = open_lab(db=db, conversation_id=LIVE, parts=Parts(points=killer(point)))
    # Where the purge was quicker, the conversation is gone and there is no turn to be saved.
    with lab, suppress(ConversationExpired):
        lab.reconcile()


def both(db, purge_dies, settle_dies, within_s=None):
    """Start both at once; kill what still runs after `within_s`."""
    children = [
        context().Process(target=purging, args=(db, purge_dies)),
        context().Process(target=settling, args=(db, settle_dies)),
    ]
    for child in children:
        child.start()
    if within_s is not None:
        children[0].join(within_s)
        for child in children:
            child.kill()
    for child in children:
        child.join(120)
    return tuple(child.exitcode for child in children)


def select(db, query):
    with closing(sqlite3.connect(db)) as connection:
        return connection.execute(query).fetchall()


def nothing_live_is_lost(db):
    """Whatever was killed: the operation and its proposal are whole, and its conversation as long as the outcome is open.

    A reconciliation that is killed between the settlement and the save of its turn leaves a conversation of 500 days ago in
    which nothing is open: that one goes by the policy, and the operation with its receipt stays.
    """
    for path in (db, f"{db}.world"):
        assert select(path, "PRAGMA integrity_check") == [("ok",)]
    [(state, receipt)] = select(db, f"SELECT state, receipt FROM operation WHERE conversation_id = '{LIVE}'")
    assert (state, receipt is not None) in (("failed_unknown", False), ("completed", True))
    [(terms,)] = select(db, f"SELECT payload FROM proposal WHERE conversation_id = '{LIVE}'")
    [(document,)] = select(db, f"SELECT document FROM conversation WHERE conversation_id = '{LIVE}'")
    assert terms and (document or state == "completed")
    gone = select(db, "SELECT document FROM conversation WHERE conversation_id = 'C-2'") == [("",)]
    events = select(db, "SELECT stage, outcome FROM audit WHERE tool = 'purge'")
    assert set(events) == ({("attempt", "submitted")} if gone else set()) and len(events) <= 2
    told = select(db, "SELECT outcome FROM audit WHERE tool = 'schedule_downgrade' AND stage = 'outcome'")
    assert told[0] == ("failed_unknown",) and told[1:] in ([], [("completed",)])
    assert state == "completed" or len(told) == 1
    assert (select(db, "SELECT COUNT(*) FROM wording") == [(0,)]) == gone
    return gone, state


def right_in_the_end(db):
    """Both run again: the change is known, what had expired is gone, and nothing is left to do."""
    reconcile(db)
    purge(db)
    assert nothing_live_is_lost(db) == (True, "completed")
    assert reconcile(db).to_dict() == {"settled": [], "open": []}
    assert not any(purge(db).removed.values())
    assert select(f"{db}.world", "SELECT COUNT(*) FROM schedules") == [(1,)]
    if select(db, f"SELECT document FROM conversation WHERE conversation_id = '{LIVE}'") != [("",)]:
        with open_lab(db=db, conversation_id=LIVE) as lab:
            assert (lab.run().states["I3"], lab.run().mutations) == ("scheduled", 1)
    assert WORDS.encode() not in b"".join(path.read_bytes() for path in Path(db).parent.glob("lab.db*"))


@pytest.mark.slow
@pytest.mark.parametrize("settle_dies", SETTLING)
@pytest.mark.parametrize("purge_dies", POINTS)
def test_a_purge_and_a_reconciliation_killed_at_their_points_lose_nothing_live(
    old, tmp_path, purge_dies, settle_dies
):
    """Kill -9 of both, each where it stands."""
    db = copied(old, tmp_path)
    purged, settled = both(db, purge_dies, settle_dies)
    assert purged == -signal.SIGKILL
    expired = select(db, f"SELECT document FROM conversation WHERE conversation_id = '{LIVE}'") == [("",)]
    assert settled == -signal.SIGKILL or (settled == 0 and expired)
    nothing_live_is_lost(db)
    right_in_the_end(db)


def test_a_purge_between_the_settlement_and_the_save_of_its_turn_costs_the_turn_alone(old, tmp_path):
    """The operation is settled by then, nothing is open any more, and the conversation's time is over."""
    db = copied(old, tmp_path)

    def purging_before_the_save(point):
        if point == "turn:before_save":
            purge(db)

    lab = open_lab(db=db, conversation_id=LIVE, parts=Parts(points=purging_before_the_save))
    with lab, pytest.raises(ConversationExpired):
        lab.reconcile()
    assert nothing_live_is_lost(db) == (True, "completed")
    right_in_the_end(db)


@pytest.mark.slow
def test_a_purge_beside_a_reconciliation_killed_at_random_moments_loses_nothing_live(old, tmp_path):
    """The first pair is left to end and gives the time that there is; the others are killed within it."""
    moments, whole = random.Random(7), 0.0
    for number in range(RANDOM_RUNS):
        folder = tmp_path / str(number)
        folder.mkdir()
        db = copied(old, folder)
        began = time.monotonic()
        both(db, "", "", moments.uniform(0.1, 1.0) * whole if whole else None)
        whole = whole or time.monotonic() - began
        nothing_live_is_lost(db)
        right_in_the_end(db)
