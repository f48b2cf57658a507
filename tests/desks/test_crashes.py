"""Kill -9 at every named point; races of many processes: one mutation, one ticket, nothing lost."""

import json
import signal

import pytest
from desks.crashes import confirm_at_once, context, go_on, run_until_killed

from relay_lab import open_lab, reconcile
from relay_lab.contracts.ports import COMPANY_POINTS, RUNTIME_POINTS


def kill_at(db: str, point: str, passing: int = 1) -> int | None:
    child = context().Process(target=run_until_killed, args=(db, point, passing))
    child.start()
    child.join(60)
    return child.exitcode


@pytest.mark.parametrize("point", [*RUNTIME_POINTS, *COMPANY_POINTS])
def test_a_process_killed_at_this_point_and_restarted_makes_one_mutation_and_loses_nothing(point, tmp_path):
    db = str(tmp_path / "lab.db")
    assert kill_at(db, point) == -signal.SIGKILL, f"{point} was never passed"
    reconcile(db)
    with open_lab(db=db) as lab:
        run = go_on(lab)
    assert run.states == {
        "I1": "evidence_ready",
        "I2": "evidence_ready",
        "I3": "scheduled",
        "I4": "handed_off",
    }
    assert (run.mutations, run.tickets) == (1, 1)
    assert run.to_dict()["operation"]["state"] == "completed"
    assert reconcile(db).open == ()


@pytest.mark.parametrize("passing", [2, 3, 4])
@pytest.mark.parametrize("point", ["turn:before_save", "turn:after_save", "settle:before_commit"])
def test_a_later_passing_of_a_point_is_survived_too(point, passing, tmp_path):
    db = str(tmp_path / "lab.db")
    assert kill_at(db, point, passing) in (-signal.SIGKILL, 3)
    reconcile(db)
    with open_lab(db=db) as lab:
        run = go_on(lab)
    assert run.states["I3"] == "scheduled"
    assert (run.mutations, run.tickets) == (1, 1)


def test_a_process_killed_again_and_again_still_comes_to_one_mutation(tmp_path):
    db = str(tmp_path / "lab.db")
    for point in (
        "prepare:after_commit",
        "submit:before_commit",
        "submit:after_commit",
        "schedule:after_commit",
    ):
        kill_at(db, point)
    with open_lab(db=db) as lab:
        run = go_on(lab)
    assert run.states["I3"] == "scheduled"
    assert (run.mutations, run.tickets) == (1, 1)


def test_sixteen_processes_that_confirm_at_once_get_the_same_schedule(tmp_path):
    db = str(tmp_path / "lab.db")
    with open_lab(db=db) as lab:
        lab.say(lab.scenario.message)
        lab.choose("individual")
        quote = lab.waiting[0]
        challenge = lab.runtime.show(lab.context, quote)
    outs = [tmp_path / f"{n}.json" for n in range(16)]
    children = [
        context().Process(target=confirm_at_once, args=(db, quote, challenge, str(out))) for out in outs
    ]
    for child in children:
        child.start()
    for child in children:
        child.join(120)
    told = [json.loads(out.read_text(encoding="utf-8")) for out in outs]
    assert all(answer == told[0] for answer in told), told
    assert told[0]["states"]["I3"] == "scheduled"
    assert told[0]["operation"]["schedule_id"] == "SCH-000001"
    with open_lab(db=db) as lab:
        assert lab.run().mutations == 1
