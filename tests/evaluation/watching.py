"""What a run leaves behind, caught while it runs: each turn's packets, every secret minted, answers, tables, traces."""

import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from desks.test_worlds import knowing

from relay_lab import Parts, open_lab
from relay_lab.app.lab import Lab
from relay_lab.app.matrix import _world
from relay_lab.app.matrix_rows import chosen
from relay_lab.app.matrix_run import observe
from relay_lab.app.settings import Files
from relay_lab.contracts.enums import IssueState
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.record import RunRecord, TraceRow
from relay_lab.core.guards import STANDING
from relay_lab.core.runtime import Runtime
from relay_lab.store.sqlite import SqliteDatabase
from relay_lab.world.generator import generate


@dataclass
class Watched:
    """`made`: each packet with the record and the trace rows of the turn that made it · `tables`: every row of both databases
    as it stood at the end, by table · `minted`: every challenge and token · `answers`: what the model answered.
    """

    made: list[tuple[HandoffPacket, RunRecord, tuple[TraceRow, ...]]] = field(default_factory=list)
    tables: list[dict[str, list[dict[str, Any]]]] = field(default_factory=list)
    traces: list[tuple[TraceRow, ...]] = field(default_factory=list)
    records: list[RunRecord] = field(default_factory=list)
    minted: list[str] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)


def tables_of(store: SqliteDatabase) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table of a runtime's database."""
    with store.transaction() as tx:
        names = [row["name"] for row in tx.rows("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: tx.rows(f'SELECT * FROM "{name}"') for name in sorted(names)}


@contextmanager
def watching() -> Iterator[Watched]:
    """Catch all of that for every lab that is opened meanwhile."""
    seen, mint, answer = Watched(), secrets.token_urlsafe, Runtime.propose
    run, close = Lab._run, Files.close
    counted: dict[int, int] = {}

    def minting(size: int | None = None) -> str:
        seen.minted.append(mint(size))
        return seen.minted[-1]

    def answering(self: Runtime, *arguments: Any) -> str:
        seen.answers.append(answer(self, *arguments))
        return seen.answers[-1]

    def running(self: Lab, record: RunRecord | None) -> Any:
        result = run(self, record)
        rows = result.trace[counted.get(id(self._trace), 0) :]
        counted[id(self._trace)] = len(result.trace)
        old = [packet for packet, _, _ in seen.made]
        if record is not None:
            seen.made += [(packet, record, rows) for packet in record.packets if packet not in old]
        return result

    def closing(self: Files) -> None:
        seen.tables.append(tables_of(self.store))
        queue = [packet.model_dump(mode="json") for packet in self.company.handoff_queue.packets()]
        seen.tables.append({"tickets": [{"packet": json.dumps(packet)} for packet in queue]})
        close(self)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "token_urlsafe", minting)
        patch.setattr(Runtime, "propose", answering)
        patch.setattr(Lab, "_run", running)
        patch.setattr(Files, "close", closing)
        yield seen


def watched_row(row_id: str, world: str | None = None) -> Watched:
    """One row of the matrix, run on the fixture or on another world."""
    scenario, usual = _world(world)
    [row] = chosen((row_id,))
    with watching() as seen:
        last = observe(row, scenario, usual, STANDING)
    seen.traces.append(last.trace)
    seen.records += [last.record] if last.record else []
    return seen


def watched_world(seed: int) -> Watched:
    """A generated world taken to its end, and whatever is still open then handed to a specialist."""
    made = generate(seed)
    propose = knowing(made.expected)
    with watching() as seen, open_lab(made.scenario, parts=Parts(propose=propose)) as lab:
        run = lab.say(made.scenario.message)
        run = (lab.choose(made.scenario.pick) if made.scenario.pick else None) or run
        run = lab.confirm() if lab.waiting else run
        for view in run.record.issues if run.record else ():
            if view.state in (IssueState.EVIDENCE_READY, IssueState.NEEDS_INPUT):
                run = lab.transfer(view.issue.id)
        seen.traces.append(run.trace)
        seen.records += [run.record] if run.record else []
    return seen
