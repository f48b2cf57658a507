"""A stranger's function behind the core: renamed once when it was confirmed, and not at all otherwise."""

import subprocess
import sys
from pathlib import Path

import pytest
from desks.crashes import EXAMPLES, example

from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.operations import Answered, Denied, NeedsConfirmation, Stopped

PROGRAM = EXAMPLES / "own_desk.py"
OWN = example("own_desk")


def wish(name: str):
    return OWN.Rename(workspace_id="W-1", name=name)


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def workspace(desk) -> tuple[str, int] | None:
    """The name and how often it was set, or None."""
    with desk.store.transaction() as tx:
        row = tx.one("SELECT name, renames FROM workspace")
    return (row["name"], row["renames"]) if row else None


@pytest.fixture
def desk(tmp_path):
    made = OWN.Desk(tmp_path / "desk.db")
    yield made
    made.store.close()


def test_the_example_has_at_most_eighty_lines():
    assert len(PROGRAM.read_text("utf-8").splitlines()) <= 80


@pytest.mark.slow
def test_as_a_program_the_same_name_twice_is_set_once_and_an_older_name_again(tmp_path):
    db = tmp_path / "desk.db"
    done = [run(db, name) for name in ("First", "First", "Second", "First")]
    assert [(one.returncode, one.stderr) for one in done] == [(0, "")] * 4
    assert ["replayed=True" in one.stdout for one in done] == [False, True, False, False]
    desk = OWN.Desk(db)
    assert workspace(desk) == ("First", 3)
    desk.store.close()
    bare = run(db)
    assert bare.returncode != 0 and "own_desk.py DESK.db" in bare.stderr and "Traceback" not in bare.stderr


def test_an_offer_changes_nothing_and_asked_for_again_is_the_same_offer(desk):
    offer = desk.offer(wish("New"))
    assert offer and desk.offer(wish("New")) == offer
    assert workspace(desk) is None


def test_the_same_click_twice_is_one_rename_with_one_answer(desk):
    offer = desk.offer(wish("New"))
    first, second = desk.confirm(offer, wish("New")), desk.confirm(offer, wish("New"))
    assert isinstance(first, Answered) and isinstance(second, Answered)
    assert (first.replayed, second.replayed) == (False, True)
    assert first.answer == second.answer
    assert workspace(desk) == ("New", 1)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"allowed_scopes": ()}, "scope_missing"),
        ({"session_assurance": Assurance.PASSWORD}, "assurance_too_low"),
        ({"authenticated_customer_id": None, "session_assurance": Assurance.NONE}, "no_customer"),
    ],
)
def test_a_session_that_may_not_rename_is_denied_offer_and_rename(desk, changes, code, tmp_path):
    offer = desk.offer(wish("New"))
    weaker = OWN.HERE.model_copy(update={"session": OWN.OWNER.model_copy(update=changes)})
    other = OWN.Desk(tmp_path / "desk.db", here=weaker)
    assert other.offer(wish("New")) == ""
    denied = other.confirm(offer, wish("New"))
    other.store.close()
    assert isinstance(denied, Denied) and denied.code == code
    assert workspace(desk) is None


@pytest.mark.parametrize("other", ["tenant_id", "authenticated_customer_id"])
def test_an_offer_to_one_is_no_offer_to_another(desk, other, tmp_path):
    offer = desk.offer(wish("New"))
    stranger = OWN.HERE.model_copy(update={"session": OWN.OWNER.model_copy(update={other: "OTHER"})})
    theirs = OWN.Desk(tmp_path / "desk.db", here=stranger)
    assert not isinstance(theirs.confirm(offer, wish("New")), Answered)
    theirs.store.close()
    assert workspace(desk) is None


def test_without_a_confirmation_the_core_asks_for_one(desk):
    desk.offer(wish("New"))
    answer = desk.runtime.call(OWN.HERE, "rename_workspace", wish("New"), "a-key")
    assert isinstance(answer, NeedsConfirmation)
    assert workspace(desk) is None


def test_an_expired_offer_changes_nothing(desk):
    offer = desk.offer(wish("New"))
    desk.clock.advance(301)
    assert isinstance(desk.confirm(offer, wish("New")), Stopped)
    assert workspace(desk) is None


def test_another_name_than_the_confirmed_one_changes_nothing_and_the_confirmed_one_still_can(desk):
    offer = desk.offer(wish("New"))
    assert isinstance(desk.confirm(offer, wish("Other")), Stopped)
    assert workspace(desk) is None
    assert isinstance(desk.confirm(offer, wish("New")), Answered)
    assert workspace(desk) == ("New", 1)


def test_a_newer_offer_voids_the_older_one(desk):
    old, new = desk.offer(wish("Old")), desk.offer(wish("New"))
    assert isinstance(desk.confirm(old, wish("Old")), Stopped)
    assert workspace(desk) is None
    assert isinstance(desk.confirm(new, wish("New")), Answered)
    assert workspace(desk) == ("New", 1)
