"""A lab as a display uses it: looking without a turn, the clock, the challenge beside a quote, the service read again."""

from datetime import UTC, datetime, timedelta

import pytest

import relay_lab
from relay_lab import BadInput, Fault, Parts


def told(lab: relay_lab.Lab) -> None:
    lab.say(lab.scenario.message)
    lab.choose("individual")


def test_looking_makes_no_turn_and_sees_what_another_process_wrote(tmp_path):
    with relay_lab.open_lab(db=tmp_path / "a.db") as lab, relay_lab.open_lab(db=tmp_path / "a.db") as other:
        told(lab)
        other.confirm()
        assert lab.run().states["I3"] == "awaiting_confirmation"
        assert lab.look().states["I3"] == "scheduled"
        assert lab.turns == 3


def test_a_closed_lab_says_that_it_cannot_be_read():
    with relay_lab.open_lab() as lab:
        told(lab)
    with pytest.raises(BadInput, match="this lab is closed"):
        lab.look()


def test_the_clock_that_is_moved_on_stays_there_for_the_next_process(tmp_path):
    with relay_lab.open_lab(db=tmp_path / "a.db") as lab:
        assert lab.advance(timedelta(hours=2)) == datetime(2026, 9, 10, 12, tzinfo=UTC)
    with relay_lab.open_lab(db=tmp_path / "a.db") as lab:
        assert lab.clock.now() == datetime(2026, 9, 10, 12, tzinfo=UTC)


def test_a_clock_that_another_process_moved_further_is_not_put_back(tmp_path):
    with relay_lab.open_lab(db=tmp_path / "a.db") as lab, relay_lab.open_lab(db=tmp_path / "a.db") as other:
        other.advance(timedelta(hours=5))
        lab.advance(timedelta(hours=1))
    with relay_lab.open_lab(db=tmp_path / "a.db") as lab:
        assert lab.clock.now() == datetime(2026, 9, 10, 15, tzinfo=UTC)


@pytest.mark.parametrize("by", [timedelta(seconds=-1), timedelta(days=4000), timedelta.max])
def test_the_clock_takes_no_step_back_and_none_beyond_its_end(by):
    with relay_lab.open_lab() as lab:
        before = lab.clock.now()
        with pytest.raises(BadInput, match="the clock goes forward only"):
            lab.advance(by)
        assert lab.clock.now() == before


def test_a_challenge_is_given_for_a_quote_that_waits_and_for_no_other():
    with relay_lab.open_lab() as lab:
        told(lab)
        [quote_id] = lab.waiting
        challenge = lab.challenge(quote_id)
        assert lab.confirm_with(quote_id, challenge).states["I3"] == "scheduled"
        assert lab.challenge(quote_id) is None
        assert lab.challenge("DG-9999-v9") is None


def test_a_quote_is_rejected_by_its_id_and_another_stays():
    with relay_lab.open_lab() as lab:
        told(lab)
        lab.reject("DG-9999-v9")
        assert lab.waiting == ("DG-1042-v1",)
        lab.reject("DG-1042-v1")
        assert lab.waiting == ()


def test_the_subscription_is_read_through_the_runtime_like_any_record():
    with relay_lab.open_lab() as lab:
        told(lab)
        assert lab.read_subscription().scheduled_plan is None
        lab.confirm()
        rows = len(lab.run().trace)
        assert lab.read_subscription().scheduled_plan == "individual"
        assert [row.tool for row in lab.run().trace[rows:]] == ["get_plan_and_entitlements"] * 2


def test_a_subscription_that_cannot_be_read_is_none():
    with relay_lab.open_lab(parts=Parts(faults=(Fault("get_plan_and_entitlements", "fail"),))) as lab:
        assert lab.read_subscription() is None
    with relay_lab.open_lab() as lab:
        session = lab.session.model_copy(update={"allowed_scopes": ()})
    with relay_lab.open_lab(session=session) as lab:
        assert lab.read_subscription() is None
        assert [row.kind for row in lab.run().trace] == ["decision"]


def test_a_run_remembers_each_turn_that_its_lab_saw():
    with relay_lab.open_lab() as lab:
        told(lab)
        lab.look()
        run = lab.confirm()
    assert [moment.turn for moment in run.moments] == [1, 2, 3]
    assert [moment.mutations for moment in run.moments] == [0, 0, 1]
    assert run.moments[-1].rows == len(run.trace)
