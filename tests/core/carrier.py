"""The receiving side of the tests: another system that ships parcels, and answers what a test tells it to."""

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from core.watched import Watched

from relay_lab.contracts.base import Scalar, fingerprint
from relay_lab.contracts.operations import Absent, Accepted, LookupAnswer, Lost, Receipt, Refused, WriteAnswer

Answer = str | WriteAnswer | LookupAnswer | Callable[[], WriteAnswer | LookupAnswer | None]
"""An answer to give instead of doing anything, an answer `lost_before` or `lost_after` the effect, what happens meanwhile."""


class Carrier:
    """A remote port that keeps one effect for each key, however often it is asked.

    `plan[call]` holds what the next calls of that name (deliver, find, close) do instead; `asked` is every delivery as it
    was sent; a forgetful carrier causes an effect each time. No call runs while a transaction of the runtime is open.
    """

    def __init__(self, store: Watched, *, forgetful: bool = False) -> None:
        self._store, self._forgetful = store, forgetful
        self.effects: list[str] = []
        self.receipts: dict[str, tuple[str, Receipt]] = {}
        self.closed: set[str] = set()
        self.calls: list[str] = []
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.plan: dict[str, deque[Answer]] = {"deliver": deque(), "find": deque(), "close": deque()}
        self.echo: dict[str, Scalar] = {}

    def will(self, call: str, *answers: Answer) -> None:
        """What the next calls of this name do."""
        self.plan[call].extend(answers)

    def deliver(self, key: str, envelope: Mapping[str, Any]) -> WriteAnswer:
        self.asked.append((key, dict(envelope)))
        planned = self._next("deliver")
        if isinstance(planned, Accepted | Refused | Lost):
            return planned
        if planned == "lost_before":
            return Lost(code="timeout")
        answer = self.arrive(key, envelope)
        return Lost(code="timeout") if planned == "lost_after" else answer

    def arrive(self, key: str, envelope: Mapping[str, Any]) -> WriteAnswer:
        """What this system does with a delivery, whoever hears the answer."""
        if key in self.closed:
            return Refused(code="key_closed")
        asked = fingerprint(dict(envelope))
        if key in self.receipts and not self._forgetful:
            known, receipt = self.receipts[key]
            return Accepted(receipt=receipt) if known == asked else Refused(code="key_reused")
        self.effects.append(key)
        receipt = Receipt(
            receipt_id=f"R-{len(self.effects)}",
            recorded_at=self._store.clock.now(),
            echo=dict(envelope) | self.echo,
        )
        self.receipts[key] = asked, receipt
        return Accepted(receipt=receipt)

    def find(self, key: str) -> LookupAnswer:
        planned = self._next("find")
        if isinstance(planned, Accepted | Absent | Refused | Lost):
            return planned
        if key in self.receipts:
            return Accepted(receipt=self.receipts[key][1])
        return Refused(code="key_closed") if key in self.closed else Absent()

    def close(self, key: str) -> LookupAnswer:
        planned = self._next("close")
        if isinstance(planned, Accepted | Absent | Refused | Lost):
            return planned
        if key in self.receipts:
            return Accepted(receipt=self.receipts[key][1])
        self.closed.add(key)
        return Refused(code="key_closed")

    def _next(self, call: str) -> str | WriteAnswer | LookupAnswer | None:
        self.calls.append(call)
        self._store.must_be_closed()
        planned = self.plan[call].popleft() if self.plan[call] else None
        return planned() if callable(planned) else planned
