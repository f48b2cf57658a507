"""Kill -9 at every named point; races of many processes: one effect, nothing lost. On the support desk and on a stranger's."""

import json
import signal

import pytest
from desks.crashes import SUBJECTS, click_at_once, context, go_on, run_until_killed

# `make unit` keeps the first point of each desk and the worst one of all: done, committed there, and not yet known here.
QUICK = {(name, subject.points[0]) for name, subject in SUBJECTS.items()} | {
    ("support", "schedule:after_commit")
}


def marked(name: str, *rest: object, slow: bool = True):
    """The parameters of a case: slow or not, and whether its desk stands beside the package."""
    marks = [pytest.mark.slow] * slow + [pytest.mark.checkout] * (name == "own_desk")
    return pytest.param(name, *rest, marks=marks)


DESKS = [marked(name) for name in SUBJECTS]
EVERY_POINT = [
    marked(name, point, slow=(name, point) not in QUICK)
    for name, subject in SUBJECTS.items()
    for point in subject.points
]
OFTEN = (
    "turn:before_save",
    "turn:after_save",
    "settle:before_commit",
    "local:before_commit",
    "local:after_commit",
)


def kill_at(subject: str, db: str, point: str, passing: int = 1) -> int | None:
    child = context().Process(target=run_until_killed, args=(subject, db, point, passing))
    child.start()
    child.join(60)
    return child.exitcode


@pytest.mark.parametrize(("subject", "point"), EVERY_POINT)
def test_a_process_killed_at_this_point_and_restarted_makes_one_effect_and_loses_nothing(
    subject, point, tmp_path
):
    db = str(tmp_path / "lab.db")
    assert kill_at(subject, db, point) == -signal.SIGKILL, f"{point} was never passed"
    SUBJECTS[subject].settle(db)
    assert go_on(subject, db) == SUBJECTS[subject].end
    assert go_on(subject, db) == SUBJECTS[subject].end


@pytest.mark.parametrize("passing", [2, 3, 4])
@pytest.mark.parametrize(
    ("subject", "point"),
    [marked(name, point) for name, subject in SUBJECTS.items() for point in OFTEN if point in subject.points],
)
def test_a_later_passing_of_a_point_is_survived_too(subject, point, passing, tmp_path):
    db = str(tmp_path / "lab.db")
    assert kill_at(subject, db, point, passing) in (-signal.SIGKILL, 3)
    SUBJECTS[subject].settle(db)
    assert go_on(subject, db) == SUBJECTS[subject].end


@pytest.mark.parametrize("subject", DESKS)
def test_a_process_killed_again_and_again_still_comes_to_one_effect(subject, tmp_path):
    db = str(tmp_path / "lab.db")
    for point in SUBJECTS[subject].points:
        kill_at(subject, db, point)
    assert go_on(subject, db) == SUBJECTS[subject].end


@pytest.mark.parametrize("subject", DESKS)
def test_sixteen_processes_that_confirm_at_once_make_one_effect_and_get_the_same_answer(subject, tmp_path):
    db = str(tmp_path / "lab.db")
    offer, challenge = SUBJECTS[subject].prepare(db)
    outs = [tmp_path / f"{n}.json" for n in range(16)]
    children = [
        context().Process(target=click_at_once, args=(subject, db, offer, challenge, str(out)))
        for out in outs
    ]
    for child in children:
        child.start()
    for child in children:
        child.join(120)
    told = [json.loads(out.read_text(encoding="utf-8")) for out in outs]
    assert all(answer == told[0] for answer in told), told
    assert "error" not in told[0]
    assert 1 in (told[0].get("mutations"), told[0].get("renames"))
