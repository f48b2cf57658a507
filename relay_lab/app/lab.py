"""A lab: one company, one runtime, one support desk and one conversation, put together from settings."""

import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from relay_lab.app.run import Moment, Run
from relay_lab.app.settings import LONGEST, Files, Setting, keep, opened, remembered
from relay_lab.app.trace import TraceList
from relay_lab.contracts.enums import TargetPlan
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.evidence import ReadSuccess, Subscription
from relay_lab.contracts.ports import Points, Tx
from relay_lab.contracts.proposals import Propose
from relay_lab.contracts.record import RunRecord
from relay_lab.contracts.session import Context, Session
from relay_lab.contracts.steps import Steps
from relay_lab.core import audit
from relay_lab.core.confirmation import OPEN
from relay_lab.core.guards import STANDING, Guards
from relay_lab.core.runtime import Runtime, nowhere
from relay_lab.desks.support.desk import SupportDesk, reference_steps
from relay_lab.desks.support.retrieve import ATTEMPT_TIMEOUT_S
from relay_lab.desks.support.tools import registry
from relay_lab.proposers.rules import rules_proposer
from relay_lab.world.data import Scenario
from relay_lab.world.faults import Fault, Faults
from relay_lab.world.transport import Transport


@dataclass(frozen=True)
class Parts:
    """What a test or a lesson may put in place of the usual: a proposer, a step, faults, a crash, a failing audit store."""

    propose: Propose | None = None
    steps: Steps | None = None
    faults: tuple[Fault, ...] = ()
    points: Points = nowhere
    append: Callable[[Tx, audit.AuditEvent], None] = audit.append
    token: Callable[[], str] = lambda: secrets.token_urlsafe(32)
    guards: Guards = STANDING


class Lab:
    """One conversation of one customer with the support desk, on a company of its own.

    Use it as a context manager, or call `close`. Every method gives a `Run`: the record, the trace and the counts so far.
    """

    def __init__(self, files: Files, session: Session, conversation_id: str, parts: Parts) -> None:
        self.scenario: Scenario = files.scenario
        self.session, self.clock, self.company = session, files.clock, files.company
        self._files, self._trace = files, TraceList()
        transport = Transport(files.company, files.clock, self._trace, Faults(parts.faults), parts.points)
        self.context = Context(session=session, conversation_id=conversation_id, run_id=conversation_id)
        self.runtime = Runtime(
            files.store,
            registry(transport.subscriptions, transport.handoff_queue),
            transport,
            files.clock,
            self._trace,
            parts.token,
            guards=parts.guards,
            points=parts.points,
            append=parts.append,
        )
        steps = parts.steps or reference_steps(parts.guards)
        self._desk = SupportDesk(self.runtime, parts.propose or rules_proposer(), steps)
        self._last: RunRecord | None = None
        self._moments: tuple[Moment, ...] = ()
        self._closed = False

    def __enter__(self) -> "Lab":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close both databases. What was committed stays."""
        self._closed = True
        self._files.close()

    def say(self, message: str) -> Run:
        """The customer writes. Raises `BadInput` for what cannot be a message."""
        return self._run(self._desk.say(self.context, message))

    def choose(self, plan: TargetPlan | str, seat: str | None = None) -> Run | None:
        """The customer picks a plan on a page, and perhaps the seat that stays; None when no such question is open."""
        record = self._desk.choose(self.context, plan_named(plan), seat)
        return self._run(record) if record else None

    def confirm(self) -> Run:
        """The customer clicks Confirm beside the one quote that waits. Raises `BadInput` when there is none."""
        quote_id = self._quote_id()
        return self.confirm_with(quote_id, self._desk.challenge(self.context, quote_id) or "")

    def confirm_with(self, quote_id: str, challenge: str) -> Run:
        """A click on Confirm as a page sends it: the quote that was shown and the challenge beside it."""
        return self._run(self._desk.confirm(self.context, quote_id, challenge))

    def reject(self, quote_id: str | None = None) -> Run:
        """The customer clicks Reject beside a quote; None: the one that waits. One that waits no more stays as it is."""
        return self._run(self._desk.reject(self.context, quote_id or self._quote_id()))

    def transfer(self, issue_id: str) -> Run:
        """The customer takes the offer of a specialist for one issue."""
        return self._run(self._desk.transfer(self.context, issue_id))

    def reconcile(self) -> Run | None:
        """Settle what is not known in this conversation; None when nothing was open."""
        record = self._desk.reconcile(self.context)
        return self._run(record) if record else None

    def settle(self, idempotency_key: str) -> None:
        """Settle one operation by its key, whether or not a conversation still speaks of it."""
        self.runtime.reconcile(self.context, idempotency_key)

    def run(self) -> Run:
        """The run as it stands, without a new turn."""
        return self._run(self._last or self._desk.record(self.context))

    def look(self) -> Run:
        """The run as the tables stand now, whoever wrote them last: another process may have gone on. No turn is made.

        Raises `BadInput` once the lab is closed.
        """
        if self._closed:
            raise BadInput("this lab is closed and cannot be read any more; open it again.")
        return self._run(self._desk.record(self.context))

    def challenge(self, quote_id: str) -> str | None:
        """What a page holds beside a quote that it shows, for `confirm_with`; None when that quote does not wait here."""
        return self._desk.challenge(self.context, quote_id)

    def read_subscription(self) -> Subscription | None:
        """What the subscription service says now, read like any other record; None when it gives no answer."""
        answer = self.runtime.read(self.context, "get_plan_and_entitlements", {}, ATTEMPT_TIMEOUT_S)
        records = answer.records if isinstance(answer, ReadSuccess) else ()
        return next((each.value for each in records if isinstance(each.value, Subscription)), None)

    def advance(self, by: timedelta) -> datetime:
        """Move the desk's clock on, here and for whoever opens the database next; where it stands then.

        Raises `BadInput` for a step back, and for one that ends more than ten years after the start of the world.
        """
        if not timedelta() <= by <= LONGEST or self.clock.now() + by > self.scenario.now + LONGEST:
            raise BadInput(
                f"the clock goes forward only, and ten years at most; {by} is no such step, so it stays."
            )
        self.clock.set(self.clock.now() + by)
        kept = remembered(self._files.store, Setting.CLOCK)
        if kept is None or datetime.fromisoformat(kept) < self.clock.now():
            keep(self._files.store, Setting.CLOCK, self.clock.now().isoformat())
        return self.clock.now()

    @property
    def turns(self) -> int:
        """How many turns this conversation has had."""
        return self.runtime.load(self.context)[0]

    @property
    def waiting(self) -> tuple[str, ...]:
        """The ids of the quotes that wait for a confirmation."""
        return self._desk.waiting(self.context)

    def _quote_id(self) -> str:
        seen = [
            view.quote.quote_id for view in (self._last.quotes if self._last else ()) if view.state in OPEN
        ]
        if seen:
            # What was shown here counts; if another process has replaced it, the new one is shown first.
            return seen[-1]
        waiting = self.waiting
        if not waiting:
            raise BadInput("no quote waits for a confirmation; pick a plan first.")
        if len(waiting) > 1:
            raise BadInput(
                f"several quotes wait ({', '.join(waiting)}); confirm one by its id and challenge."
            )
        return waiting[0]

    def _run(self, record: RunRecord | None) -> Run:
        self._last = record
        trace, mutations = self._trace.rows, self.company.mutations()
        if record is not None and record.replies:
            turn = record.replies[-1].turn
            if not self._moments or turn > self._moments[-1].turn:
                moment = Moment(turn=turn, record=record, rows=len(trace), mutations=mutations)
                self._moments = (*self._moments, moment)
        return Run(
            record=record,
            trace=trace,
            mutations=mutations,
            tickets=self.company.tickets(),
            moments=self._moments,
        )


def open_lab(
    world: str | int | Scenario | None = None,
    *,
    db: Path | str | None = None,
    at: datetime | None = None,
    session: Session | None = None,
    conversation_id: str = "C-1",
    parts: Parts | None = None,
) -> Lab:
    """Open a lab.

    `world`: "relay" (the fixture, and the default), the seed of a generated world, or a scenario of your own.
    `db`: a file that keeps everything, with the company beside it in `FILE.world`; None keeps both in memory. `at` moves the
    desk's clock on, which persists. Raises `BadInput` for an unknown world, a clock that would go back or a database of
    another world, and a `DatabaseError` when a file cannot serve.
    """
    parts = parts or Parts()
    if db is not None and parts.guards != STANDING:
        raise ValueError("a desk with a guard removed runs in memory only")
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}", conversation_id):
        raise BadInput(
            f"{conversation_id!r} is no name of a conversation: take up to 40 letters, figures, dots and dashes."
        )
    files = opened(world, db, at)
    return Lab(files, session or files.scenario.session, conversation_id, parts)


def plan_named(plan: str) -> TargetPlan:
    """The plan of that name. Raises `BadInput` naming the plans there are."""
    try:
        return TargetPlan(plan.strip().lower())
    except ValueError:
        names = ", ".join(TargetPlan)
        raise BadInput(f"there is no plan {plan!r}; the plans are {names}.") from None
