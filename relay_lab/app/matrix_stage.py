"""Where a row is played: the support desk behind the runtime, or another bot over the bare systems of record."""

from collections.abc import Callable
from typing import Protocol

from relay_lab.app.fence import Fenced
from relay_lab.app.lab import Lab, Parts
from relay_lab.app.matrix_model import asks_noted
from relay_lab.app.raw_company import RawCompany
from relay_lab.app.settings import opened
from relay_lab.app.trace import TraceList
from relay_lab.app.workflow import DeskWorkflow
from relay_lab.contracts.record import RunRecord, TraceRow
from relay_lab.contracts.session import Session
from relay_lab.contracts.workflow import Factory, Workflow
from relay_lab.proposers.rules import rules_proposer
from relay_lab.world.clock import VirtualClock
from relay_lab.world.company import Company
from relay_lab.world.data import Scenario
from relay_lab.world.faults import Faults
from relay_lab.world.transport import Transport


class Stage(Protocol):
    """A workflow on a company of its own, which may be started anew over what it has kept."""

    company: Company
    clock: VirtualClock
    session: Session

    @property
    def workflow(self) -> Workflow:
        """The instance that speaks at present."""

    @property
    def desk(self) -> Lab | None:
        """The desk, where one is played; None for a bot without a runtime."""

    @property
    def asked(self) -> frozenset[str]:
        """The tasks that a bot has put to the model it was given."""

    def trace(self) -> tuple[TraceRow, ...]:
        """The rows since the last start."""

    def record(self) -> RunRecord | None:
        """The run record, which only the desk keeps."""

    def start_anew(self, session: Session) -> None:
        """Another instance over the same tables, perhaps under another session."""


class DeskStage:
    """The support desk, put together by `lab` for a session."""

    asked: frozenset[str] = frozenset()

    def __init__(self, lab: Callable[[Session], Lab], session: Session) -> None:
        self._lab = lab
        self.start_anew(session)
        self.company, self.clock = self.desk.company, self.desk.clock

    def start_anew(self, session: Session) -> None:
        """See `Stage`."""
        self.session, self.desk = session, self._lab(session)
        self.workflow: Workflow = DeskWorkflow(self.desk)

    def trace(self) -> tuple[TraceRow, ...]:
        """See `Stage`."""
        return self.desk.run().trace

    def record(self) -> RunRecord | None:
        """See `Stage`."""
        return self.desk.run().record


class BotStage:
    """Somebody's bot. Only the systems of record and their transport stand behind it."""

    desk = None

    def __init__(self, scenario: Scenario, session: Session, parts: Parts, factory: Factory) -> None:
        self._files, self._parts, self._factory = opened(scenario, None, None), parts, factory
        self.company, self.clock = self._files.company, self._files.clock
        self._memory: dict[str, str] = {}
        self._asked: set[str] = set()
        try:
            self.start_anew(session)
        except BaseException:
            self.close()
            raise

    @property
    def asked(self) -> frozenset[str]:
        """See `Stage`."""
        return frozenset(self._asked)

    def start_anew(self, session: Session) -> None:
        """See `Stage`. What the bot kept in its memory is there still."""
        self.session, self._trace = session, TraceList()
        transport = Transport(self.company, self.clock, self._trace, Faults(self._parts.faults))
        propose = asks_noted(self._parts.propose or rules_proposer(), self._asked)
        self.raw = RawCompany(session, transport, self.clock, propose, self._memory)
        self.workflow = Fenced(self._factory(self.raw))

    def trace(self) -> tuple[TraceRow, ...]:
        """See `Stage`."""
        return self._trace.rows

    def record(self) -> None:
        """See `Stage`."""
        return

    def close(self) -> None:
        """Let everything go."""
        self._files.close()
