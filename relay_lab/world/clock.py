"""A clock that moves only when it is told to: a deadline or a renewal costs no waiting."""

import threading
from datetime import UTC, datetime, timedelta


class VirtualClock:
    """The present instant, aware and in UTC, held until someone moves it. It never runs backwards."""

    def __init__(self, start: datetime) -> None:
        if start.tzinfo is None:
            raise ValueError("A clock starts at an aware instant; this one names no time zone.")
        self._now = start.astimezone(UTC)
        self._lock = threading.Lock()

    def now(self) -> datetime:
        """The present instant."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move on by `seconds`, zero or more; `ValueError` when negative."""
        if seconds < 0:
            raise ValueError(f"A clock cannot go back: {seconds} seconds were asked for.")
        with self._lock:
            self._now += timedelta(seconds=seconds)

    def set(self, instant: datetime) -> None:
        """Move on to `instant`, aware and not before now; `ValueError` otherwise."""
        if instant.tzinfo is None:
            raise ValueError("A clock is set to an aware instant; this one names no time zone.")
        with self._lock:
            if instant < self._now:
                raise ValueError(
                    f"A clock cannot go back: it is {self._now.isoformat()}, not yet {instant.isoformat()}."
                )
            self._now = instant.astimezone(UTC)
