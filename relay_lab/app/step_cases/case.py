"""A case: what one call of a step gets, the tools it may use, and what is expected of it."""

import pickle
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Protocol

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.change import Envelope
from relay_lab.contracts.evidence import ReadAnswer, ReadError
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.session import Authentication
from relay_lab.evaluation.checks.kinds import Call, Step
from relay_lab.evaluation.tools import SCOPES
from relay_lab.world import reading
from relay_lab.world.clock import VirtualClock
from relay_lab.world.company import Company
from relay_lab.world.data import Scenario

LATENCY_S = 0.05

Troubles = Mapping[str, tuple[str, ...]]
"""Tool -> what goes wrong in its first attempts, in order: `timeout` or `unavailable`."""


class Recorder(Protocol):
    """A tools port that remembers what was asked of it."""

    calls: list[Call]

    def offered(self) -> object:
        """What a step is given of it: the tools alone. What they answer is the step's own copy, and `calls` is not there."""


@dataclass(frozen=True)
class Case:
    """One call of a step.

    `arguments` are its inputs without the tools; `tools` makes a fresh port for every call, None for a step that has none.
    `visible`: it stems from the fixture that everybody has, so that a message may show it; the others stay hidden.
    """

    id: str
    step: Step
    kind: str
    arguments: tuple[Any, ...]
    expected: Any
    visible: bool
    tools: Callable[[], Recorder] | None = None

    def fresh_arguments(self) -> tuple[Any, ...]:
        """A copy of the arguments, down to the last record: a step may write into it."""
        copied: tuple[Any, ...] = pickle.loads(self._frozen)
        return copied

    @cached_property
    def _frozen(self) -> bytes:
        return pickle.dumps(self.arguments)  # half the time of a deep copy for each call


class Archive:
    """What one company answers to reads, as of its scenario's instant. Asked once, remembered afterwards."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._company = Company.create(None, scenario.data, VirtualClock(scenario.now), scenario.name)
        self._answers: dict[tuple[str, str], ReadAnswer] = {}

    def answer(self, tool: str, arguments: Mapping[str, Scalar]) -> ReadAnswer:
        """The answer to one tool for the scenario's own customer."""
        session = self._scenario.session
        key = tool, repr(sorted(arguments.items()))
        if key not in self._answers:
            customer = session.authenticated_customer_id or ""
            self._answers[key] = reading.answer(
                self._company, tool, session.tenant_id, customer, dict(arguments)
            )
        return self._answers[key]


@dataclass
class ReadPort:
    """The read-only tools of one session: scopes first, then troubles by attempt (`timeout`, `unavailable`), then answers."""

    archive: Archive
    rights: Authentication
    clock: datetime
    troubles: Troubles = field(default_factory=dict)
    calls: list[Call] = field(default_factory=list)

    def now(self) -> datetime:
        """The present instant."""
        return self.clock

    def read(self, tool: str, arguments: Mapping[str, Scalar], timeout_s: float) -> ReadAnswer:
        """One attempt; a call that waits for nothing costs its timeout on the clock."""
        began, tried = self.clock, sum(call.tool == tool for call in self.calls)
        answer = self._answer(str(tool), arguments, timeout_s, tried)
        self.calls.append(Call(str(tool), dict(arguments), answer, began, float(timeout_s)))
        return answer

    def offered(self) -> object:
        """See `Recorder`."""
        port = self

        class ReadTools:
            """The present instant, and one attempt of one read."""

            def now(self) -> datetime:
                return port.now()

            def read(self, tool: str, arguments: Mapping[str, Scalar], timeout_s: float) -> ReadAnswer:
                return deepcopy(port.read(tool, arguments, timeout_s))

        return ReadTools()

    def _answer(self, tool: str, arguments: Mapping[str, Scalar], timeout_s: float, tried: int) -> ReadAnswer:
        code = None if self.rights.may_read else "assurance_too_low"
        if tool in SCOPES and SCOPES[tool] not in self.rights.scopes:
            code = "scope_missing"
        if code:
            return ReadError(tool=tool, source_at=self.clock, code=code, retryable=False)
        troubles = self.troubles.get(tool, ())
        if tried < len(troubles):
            waited = timeout_s if troubles[tried] == "timeout" else LATENCY_S
            self.clock += timedelta(seconds=waited)
            return ReadError(tool=tool, source_at=self.clock, code=troubles[tried], retryable=True)
        self.clock += timedelta(seconds=LATENCY_S)
        return self.archive.answer(tool, arguments)


@dataclass
class WritePort:
    """The one write of step 7: it answers what it was made to answer, every time."""

    says: Operation | tuple[str, ...]
    calls: list[Call] = field(default_factory=list)

    def schedule_downgrade(self, envelope: Envelope) -> Operation | tuple[str, ...]:
        """Keep the envelope, and answer."""
        self.calls.append(Call("schedule_downgrade", envelope.model_dump(mode="json"), self.says))
        return deepcopy(self.says)

    def offered(self) -> object:
        """See `Recorder`."""
        port = self

        class WriteTools:
            """The one write."""

            def schedule_downgrade(self, envelope: Envelope) -> Operation | tuple[str, ...]:
                return port.schedule_downgrade(envelope)

        return WriteTools()


@dataclass
class HandoffPort:
    """The queue of step 8: it answers what it was made to answer, every time."""

    says: Operation | tuple[str, ...]
    calls: list[Call] = field(default_factory=list)

    def hand_off(self, packet: HandoffPacket) -> Operation | tuple[str, ...]:
        """Keep the packet, and answer."""
        self.calls.append(Call("hand_off", {"packet": packet}, self.says))
        return deepcopy(self.says)

    def offered(self) -> object:
        """See `Recorder`."""
        port = self

        class HandoffTools:
            """The one queue."""

            def hand_off(self, packet: HandoffPacket) -> Operation | tuple[str, ...]:
                return port.hand_off(packet)

        return HandoffTools()
