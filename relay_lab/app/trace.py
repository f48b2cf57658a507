"""The trace of a run: rows in the order in which they were added, numbered from 1."""

import threading

from relay_lab.contracts.record import TraceRow


class TraceList:
    """Implements `contracts.ports.Trace` in memory."""

    def __init__(self) -> None:
        self._rows: list[TraceRow] = []
        self._lock = threading.Lock()

    def add(self, row: TraceRow) -> None:
        """Keep a row under the next number."""
        with self._lock:
            self._rows.append(row.model_copy(update={"seq": len(self._rows) + 1}))

    @property
    def rows(self) -> tuple[TraceRow, ...]:
        """All rows so far."""
        return tuple(self._rows)
