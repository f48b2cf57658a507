"""What a runtime is given in the tests: a clock that only a test moves, a trace in a list, a store that knows it is open."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from relay_lab.contracts.errors import DatabaseError
from relay_lab.contracts.ports import Store, Tx
from relay_lab.contracts.record import TraceRow

NOON = datetime(2030, 1, 1, 12, tzinfo=UTC)


class Clock:
    """The desk's clock, at noon until it is moved."""

    def __init__(self) -> None:
        self._now = NOON

    def now(self) -> datetime:
        return self._now

    def pass_s(self, seconds: float) -> None:
        """Let time pass."""
        self._now += timedelta(seconds=seconds)


@dataclass
class Rows:
    """A trace that numbers its rows."""

    rows: list[TraceRow] = field(default_factory=list)

    def add(self, make: Callable[[int], TraceRow]) -> None:
        self.rows.append(make(len(self.rows) + 1))


class Watched:
    """A store that knows whether a transaction is open, and that cannot open one while it is `failing`."""

    def __init__(self, inner: Store, clock: Clock) -> None:
        self._inner, self.clock = inner, clock
        self.open = False
        self.failing: DatabaseError | None = None

    @contextmanager
    def transaction(self) -> Iterator[Tx]:
        if self.failing:
            raise self.failing
        with self._inner.transaction() as tx:
            self.open = True
            try:
                yield tx
            finally:
                self.open = False

    def must_be_closed(self) -> None:
        """Fail when a transaction is open; if this flag were wrong, the second transaction could not begin."""
        assert not self.open, "a port was called inside a transaction"
        with self._inner.transaction() as tx:
            assert tx.one("SELECT 1 AS one") == {"one": 1}
