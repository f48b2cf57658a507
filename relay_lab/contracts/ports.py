"""Ports: what the trusted core asks of the world around it, and what a step may ask of the core."""

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any, Protocol

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.change import Envelope
from relay_lab.contracts.evidence import ReadAnswer
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.operations import LookupAnswer, Operation, WriteAnswer
from relay_lab.contracts.record import TraceRow

Points = Callable[[str], None]
"""Called with the name of a fault point when execution passes it. It does nothing, except in a crash test."""

RUNTIME_POINTS = (
    "local:before_commit",
    "local:after_commit",
    "exchange:before_commit",
    "exchange:after_commit",
    "submit:before_audit",
    "submit:before_commit",
    "submit:after_commit",
    "settle:before_commit",
    "settle:after_commit",
    "settle:after_audit",
    "turn:before_save",
    "turn:after_save",
)
COMPANY_POINTS = (
    "schedule:before_arrival",
    "schedule:before_commit",
    "schedule:after_commit",
    "handoff:before_arrival",
    "handoff:before_commit",
    "handoff:after_commit",
)


class Clock(Protocol):
    """The desk's clock."""

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""


class Tx(Protocol):
    """An open transaction. `?` stands for a parameter on every engine."""

    def rows(self, sql: str, *parameters: Any) -> list[dict[str, Any]]:
        """Every row of a query."""

    def one(self, sql: str, *parameters: Any) -> dict[str, Any] | None:
        """The first row of a query, or None."""

    def run(self, sql: str, *parameters: Any) -> int:
        """Execute a statement; how many rows it changed."""


class Store(Protocol):
    """The runtime's tables."""

    def transaction(self) -> AbstractContextManager[Tx]:
        """A write transaction from its first statement: committed at the end of the block, rolled back by an exception."""


class Trace(Protocol):
    """Where decision and call rows go, numbered in order."""

    def add(self, make: Callable[[int], TraceRow]) -> None:
        """Keep the row that `make` gives for the next number."""


class Reads(Protocol):
    """The systems of record behind their transport, for reading."""

    def read(
        self, tool: str, tenant_id: str, customer_id: str, arguments: Mapping[str, Scalar], timeout_s: float
    ) -> ReadAnswer:
        """Answer one read-only tool for one customer. A late answer is a timeout: it changes nothing."""


class Remote(Protocol):
    """A system of record behind its transport, for writing. It defends itself, whatever the caller forgot."""

    def deliver(self, key: str, envelope: Mapping[str, Any]) -> WriteAnswer:
        """Ask for the effect. The same key and envelope answer the first receipt again; another envelope is refused.

        A refusal holds for its key: it was written down, or it will be given again. Nothing arrives under it later.
        """

    def find(self, key: str) -> LookupAnswer:
        """The receipt under a key, if there is one."""

    def close(self, key: str) -> LookupAnswer:
        """Refuse whatever arrives later under a key that has no receipt; `Refused(key_closed)` when that holds."""


class ReadTools(Protocol):
    """What step 3 may use."""

    def now(self) -> datetime:
        """The present instant."""

    def read(self, tool: str, arguments: Mapping[str, Scalar], timeout_s: float) -> ReadAnswer:
        """One attempt at a read-only tool for the session's customer; a denial is an error with its code."""


class WriteTools(Protocol):
    """What step 7 may use."""

    def schedule_downgrade(self, envelope: Envelope) -> Operation | tuple[str, ...]:
        """Submit once. The operation as far as it is known, or the names of the checks that stopped it."""


class HandoffTools(Protocol):
    """What step 8 may use."""

    def hand_off(self, packet: HandoffPacket) -> Operation | tuple[str, ...]:
        """Send a packet, or send it again under its own key. The operation, or the names of the checks that stopped it."""
