"""The virtual clock."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from relay_lab.world.clock import VirtualClock

START = datetime(2026, 9, 10, 10, tzinfo=UTC)


def test_a_clock_moves_only_when_it_is_told_to() -> None:
    clock = VirtualClock(START)
    assert clock.now() == clock.now() == START
    clock.advance(90.5)
    assert clock.now() == START + timedelta(seconds=90.5)
    clock.set(START + timedelta(days=1))
    assert clock.now() == START + timedelta(days=1)


def test_a_clock_never_goes_back() -> None:
    clock = VirtualClock(START)
    with pytest.raises(ValueError, match="cannot go back"):
        clock.advance(-1)
    with pytest.raises(ValueError, match="cannot go back"):
        clock.set(START - timedelta(microseconds=1))
    assert clock.now() == START


def test_a_clock_speaks_utc_whatever_zone_it_was_set_in() -> None:
    clock = VirtualClock(START.astimezone(timezone(timedelta(hours=-7))))
    assert clock.now().utcoffset() == timedelta(0)
    assert clock.now() == START


def test_a_clock_refuses_an_instant_without_a_zone() -> None:
    naive = START.replace(tzinfo=None)
    with pytest.raises(ValueError, match="aware"):
        VirtualClock(naive)
    with pytest.raises(ValueError, match="aware"):
        VirtualClock(START).set(naive)
