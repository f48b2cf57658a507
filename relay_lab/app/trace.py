"""The trace of a run: rows in the order in which they were added, numbered from 1."""

import threading
from collections.abc import Callable

from relay_lab.contracts.record import TraceRow


class TraceList:
    """Implements `contracts.ports.Trace` in memory."""

    def __init__(self) -> None:
        self._rows: list[TraceRow] = []
        self._lock = threading.Lock()

    def add(self, make: Callable[[int], TraceRow]) -> None:
        """Keep the row that `make` gives for the next number."""
        with self._lock:
            self._rows.append(make(len(self._rows) + 1))

    @property
    def rows(self) -> tuple[TraceRow, ...]:
        """All rows so far."""
        return tuple(self._rows)
