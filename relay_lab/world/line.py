"""What every call to a system of record shares: the time it costs, the faults that may strike it, the trace that shows it."""

import threading
from collections import Counter

from relay_lab.contracts.ports import Trace
from relay_lab.contracts.record import TraceRow
from relay_lab.world.clock import VirtualClock
from relay_lab.world.faults import Faults
from relay_lab.world.receipts import is_ident


class Line:
    """The line to all systems of one company. Threads may share it."""

    def __init__(self, clock: VirtualClock, trace: Trace, faults: Faults, latency_s: float) -> None:
        self.clock, self.latency_s = clock, latency_s
        self._trace, self._faults = trace, faults
        self._attempts: Counter[str] = Counter()
        self._lock = threading.Lock()

    def attempt(self, tool: str) -> Faults:
        """Count an attempt at a tool; the faults that strike it."""
        with self._lock:
            self._attempts[tool] += 1
            return self._faults.of(tool, self._attempts[tool])

    def show(
        self,
        tool: str,
        outcome: str,
        customer_id: object = None,
        key: str | None = None,
        place: str | None = None,
    ) -> None:
        """Add a call row. What is no id (a malformed key, a customer that is not one) is left out of it."""
        self._trace.add(
            lambda seq: TraceRow(
                seq=seq,
                at=self.clock.now(),
                kind="call",
                tool=tool,
                outcome=outcome,
                customer_id=customer_id if isinstance(customer_id, str) and is_ident(customer_id) else None,
                idempotency_key=key if key is not None and is_ident(key) else None,
                place=place,
            )
        )
