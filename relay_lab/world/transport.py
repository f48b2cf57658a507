"""The transport in front of each system of record: latency, faults, and the call rows of the trace (001 §4, §7).

A caller that gets no answer cannot know how far its call came, so every lost answer looks the same to it; the trace, which
is not the caller's, also keeps the place.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeVar

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.errors import DatabaseError
from relay_lab.contracts.evidence import ReadAnswer, ReadError
from relay_lab.contracts.operations import Absent, Accepted, LookupAnswer, Lost, Refused, WriteAnswer
from relay_lab.contracts.ports import Points, Trace
from relay_lab.world import reading
from relay_lab.world.clock import VirtualClock
from relay_lab.world.company import Company
from relay_lab.world.faults import READ_TOOLS, Faults
from relay_lab.world.line import Line
from relay_lab.world.receipts import Receipts
from relay_lab.world.system import no_points

LATENCY_S = 0.05
WRITE_TIMEOUT_S = 5.0


class _Interrupted(Exception):
    """The process of the service dies before its transaction commits."""


class _Service(Protocol):
    receipts: Receipts

    def find(self, key: str) -> Accepted | Absent | Refused: ...

    def close(self, key: str) -> Accepted | Refused: ...


_Answer = TypeVar("_Answer", Accepted | Refused, Accepted | Absent | Refused)
_Act = Callable[[str, Mapping[str, Any], Points], Accepted | Refused]


class Transport:
    """Every system of record of one company, as the runtime reaches it: `read`, `subscriptions`, `handoff_queue`.

    Each call costs `latency_s` on the virtual clock, an unanswered write `write_timeout_s`. `points` is called at the
    company's named points (`COMPANY_POINTS`), the before_commit ones inside the open transaction.
    """

    def __init__(
        self,
        company: Company,
        clock: VirtualClock,
        trace: Trace,
        faults: Faults | None = None,
        points: Points = no_points,
        latency_s: float = LATENCY_S,
        write_timeout_s: float = WRITE_TIMEOUT_S,
    ) -> None:
        self._company = company
        self._line = line = Line(clock, trace, faults or Faults(), latency_s)
        self.subscriptions = RemoteService(
            line, points, write_timeout_s, company.subscriptions, company.subscriptions.schedule,
            prefix="schedule", tools=("schedule_downgrade", "find_schedule", "close_schedule"),
            customer="runtime_customer_id",
        )  # fmt: skip
        self.handoff_queue = RemoteService(
            line, points, write_timeout_s, company.handoff_queue, company.handoff_queue.enqueue,
            prefix="handoff", tools=("hand_off", "find_handoff", "close_handoff"), customer="customer_id",
        )  # fmt: skip

    def read(
        self, tool: str, tenant_id: str, customer_id: str, arguments: Mapping[str, Scalar], timeout_s: float
    ) -> ReadAnswer:
        """One attempt at a read-only tool. `ReadError` with timeout or unavailable may be tried again; other codes not.

        An answer that would come after `timeout_s` seconds is a timeout, and what it said is thrown away.
        """
        named = tool if tool in READ_TOOLS else "unknown_tool"
        faults = self._line.attempt(named)
        faults.run("before_arrival")
        answer, place = self._answered(tool, named, (tenant_id, customer_id), arguments, timeout_s, faults)
        outcome = "success" if answer.kind == "success" else answer.code
        self._line.show(named, outcome, customer_id, place=place)
        return answer

    def _answered(
        self,
        tool: str,
        named: str,
        whose: tuple[str, str],
        arguments: Mapping[str, Scalar],
        timeout_s: float,
        faults: Faults,
    ) -> tuple[ReadAnswer, str | None]:
        clock, latency_s = self._line.clock, self._line.latency_s
        if faults.has("timeout"):
            clock.advance(timeout_s)
            return _unanswered(named, clock, "timeout"), None
        if faults.has("late") or latency_s > timeout_s:
            # The system was reached and did its work; nobody was waiting any more.
            self._read(tool, whose, arguments)
            clock.advance(timeout_s)
            return _unanswered(named, clock, "timeout"), "late"
        clock.advance(latency_s)
        if faults.has("fail"):
            return _unanswered(named, clock, "unavailable"), None
        answer = self._read(tool, whose, arguments)
        return (faults.spoilt(answer) if answer.kind == "success" else answer), None

    def _read(self, tool: str, whose: tuple[str, str], arguments: Mapping[str, Scalar]) -> ReadAnswer:
        try:
            return reading.answer(self._company, tool, *whose, arguments)
        except DatabaseError:
            return _unanswered(tool, self._line.clock, "unavailable")


class RemoteService:
    """One system of record that can be asked for an effect, behind its transport. Implements `contracts.ports.Remote`."""

    def __init__(
        self,
        line: Line,
        points: Points,
        timeout_s: float,
        service: _Service,
        act: _Act,
        prefix: str,
        tools: tuple[str, str, str],
        customer: str,
    ) -> None:
        self._line, self._points, self._timeout_s = line, points, timeout_s
        self._service, self._act, self._prefix, self._customer = service, act, prefix, customer
        self._tool, self._finding, self._closing = tools

    def deliver(self, key: str, envelope: Mapping[str, Any]) -> WriteAnswer:
        """Ask for the effect under a key. `Lost` says nothing about whether it was made."""
        faults = self._line.attempt(self._tool)
        self._points(f"{self._prefix}:before_arrival")
        faults.run("before_arrival")
        if faults.has("unreachable"):
            return self._lost(key, envelope, "unreachable", None, 0.0)
        if faults.has("before_arrival"):
            return self._lost(key, envelope, "no_answer", "before_arrival", self._timeout_s)
        self._line.clock.advance(self._line.latency_s)
        try:
            answer = self._reached(key, envelope, faults)
            if faults.has("answered_twice"):
                self._shown(key, envelope, answer, None)
                self._reached(key, envelope, faults)
        except _Interrupted:
            return self._lost(key, envelope, "no_answer", "before_commit", self._timeout_s)
        except DatabaseError:
            # The service could not be asked, or could not answer: to its caller both are silence.
            return self._lost(key, envelope, "unavailable", None, 0.0)
        late_s = faults.seconds_late()
        if late_s is not None:
            return self._lost(key, envelope, "no_answer", "answered_late", self._timeout_s + late_s)
        if faults.has("after_commit"):
            return self._lost(key, envelope, "no_answer", "after_commit", self._timeout_s)
        self._shown(key, envelope, answer, "answered_twice" if faults.has("answered_twice") else None)
        return _spoilt(answer, faults)

    def find(self, key: str) -> LookupAnswer:
        """The receipt under a key, if there is one."""
        return self._looked_up(self._finding, key, self._service.find)

    def close(self, key: str) -> LookupAnswer:
        """Refuse whatever arrives under this key later; the receipt, when the effect exists already."""
        return self._looked_up(self._closing, key, self._service.close)

    def _reached(self, key: str, envelope: Mapping[str, Any], faults: Faults) -> Accepted | Refused:
        def at(name: str) -> None:
            point = name.partition(":")[2]
            self._points(name)
            faults.run(point)
            if point == "before_commit":
                if faults.has("before_commit"):
                    raise _Interrupted
                spoilt = faults.echo()
                if spoilt is not None:
                    self._service.receipts.alter_echo(key, *spoilt)

        return self._act(key, envelope, at)

    def _lost(
        self, key: str, envelope: Mapping[str, Any], code: str, place: str | None, waited_s: float
    ) -> Lost:
        self._line.clock.advance(waited_s)
        self._line.show(self._tool, code, envelope.get(self._customer), key, place)
        return Lost(code=code)

    def _shown(
        self, key: str, envelope: Mapping[str, Any], answer: Accepted | Refused, place: str | None
    ) -> None:
        self._line.show(self._tool, _outcome(answer), envelope.get(self._customer), key, place)

    def _looked_up(
        self, tool: str, key: str, look: Callable[[str], Accepted | Absent | Refused]
    ) -> Accepted | Absent | Refused | Lost:
        faults = self._line.attempt(tool)
        faults.run("before_arrival")
        if faults.has("unreachable"):
            self._line.show(tool, "unreachable", key=key)
            return Lost(code="unreachable")
        self._line.clock.advance(self._line.latency_s)
        try:
            answer = look(key)
        except DatabaseError:
            self._line.show(tool, "unavailable", key=key)
            return Lost(code="unavailable")
        self._line.show(tool, _outcome(answer), key=key)
        return _spoilt(answer, faults)


def _unanswered(tool: str, clock: VirtualClock, code: str) -> ReadError:
    return ReadError(tool=tool, source_at=clock.now(), code=code, retryable=True)


def _outcome(answer: Accepted | Absent | Refused) -> str:
    match answer:
        case Accepted():
            return "success"
        case Absent():
            return "absent"
        case Refused(code=code):
            return code


def _spoilt(answer: _Answer, faults: Faults) -> _Answer:
    spoilt = faults.echo()
    if spoilt is None or not isinstance(answer, Accepted):
        return answer
    field, value = spoilt
    receipt = answer.receipt.model_copy(update={"echo": {**answer.receipt.echo, field: value}})
    return answer.model_copy(update={"receipt": receipt})
