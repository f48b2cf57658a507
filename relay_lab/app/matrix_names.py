"""What the two files of the failure matrix may name. A wrong name is refused, or a row would hold because nothing was tried."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import get_args

from relay_lab.app import matrix_kinds as kinds
from relay_lab.app.matrix_kinds import Row
from relay_lab.contracts.base import canonical_json
from relay_lab.contracts.enums import IssueState
from relay_lab.contracts.errors import BadInput
from relay_lab.core.guards import Guards
from relay_lab.evaluation.expected import RowExpectation
from relay_lab.world.data import WorldData
from relay_lab.world.faults import LOOKUP_TOOLS, READ_TOOLS, WRITE_TOOLS

CHECKPOINTS = {
    "say": "said",
    "pick": "picked",
    "confirm": "confirmed",
    "confirm_again": "confirmed again",
    "reconcile": "reconciled",
    "restart": "restarted",
    "exchange": "exchanged",
    "transfer": "transferred",
    "advance": "advanced",
    "search": "searched",
    "deliver_again": "delivered again",
    "hand_off_for": "attempted",
    "forge": "forged",
    "click_elsewhere": "clicked elsewhere",
    "meanwhile": "changed",
}
"""What a checkpoint is called after each step; the second of a kind is "said 2"."""

FACTS = (
    "message",
    "customer",
    "other_customer",
    "plan",
    "charge",
    "second_charge",
    "other_cycle",
    "another_time",
)
"""The names that a row may use in braces; `injection.facts_of` says what each is in a world."""

_BRACES = re.compile(r"\{([a-z_]+)\}")


def checkpoints(script: Sequence[kinds.Step]) -> list[str]:
    """The checkpoints of a script, one a step, in order."""
    counted: Counter[str] = Counter()
    names = []
    for step in script:
        counted[step.do] += 1
        names.append(CHECKPOINTS[step.do] + (f" {counted[step.do]}" if counted[step.do] > 1 else ""))
    return names


def refuse_wrong_names(rows: Sequence[Row], expected: Sequence[RowExpectation]) -> None:
    """Raises `BadInput` for the first name that there is not, or for a row that one of the two files lacks."""
    for sentence in _wrong(rows, expected):
        raise BadInput(f"fixtures/matrix: {sentence}")


def _wrong(rows: Sequence[Row], expected: Sequence[RowExpectation]) -> Iterator[str]:
    for file, ids in (
        ("rows.json", [row.id for row in rows]),
        ("expected.json", [row.id for row in expected]),
    ):
        yield from (f"row {row_id!r} stands twice in {file}." for row_id in ids if ids.count(row_id) > 1)
    by_id = {row.id: row for row in expected}
    for row in rows:
        if row.id not in by_id:
            yield f"row {row.id!r} is in rows.json and not in expected.json; write there what should come of it."
            continue
        yield from (f"rows.json, {row.id}: {each}" for each in (*_braces(row), *_columns(row)))
        yield from (f"expected.json, {row.id}: {each}" for each in _of_expected(row, by_id.pop(row.id)))
    for row_id in by_id:
        yield f"row {row_id!r} is in expected.json and not in rows.json; write there what is injected."


def _of_expected(row: Row, expected: RowExpectation) -> Iterator[str]:
    there = checkpoints(row.script)
    for point in expected.checkpoints:
        if point.at not in there:
            yield f"there is no checkpoint {point.at!r}; this script has {', '.join(there)}."
        for state in set(point.states.values()) - set(IssueState):
            yield f"there is no state {state!r}; there is {', '.join(IssueState)}."
    guards = [each.name for each in fields(Guards)]
    if expected.stopped_by is not None and not set(expected.stopped_by.split(", ")) <= set(guards):
        yield f"there is no guard {expected.stopped_by!r}; there is {', '.join(guards)}."
    tools = (*READ_TOOLS, *WRITE_TOOLS, *LOOKUP_TOOLS)
    for tool in (*expected.must.calls, *expected.must.never, *(expected.must.only or ())):
        if tool not in tools:
            yield f"there is no call of {tool!r}; there is {', '.join(tools)}."
    yield from _braces(expected)


def _braces(entry: Row | RowExpectation) -> Iterator[str]:
    for name in _BRACES.findall(canonical_json(entry)):
        if name not in FACTS:
            yield f"{{{name}}} stands for nothing; there is {', '.join(f'{{{each}}}' for each in FACTS)}."


def _columns(row: Row) -> Iterator[str]:
    for injection in row.inject:
        if isinstance(injection, kinds.Change):
            there = get_args(WorldData.model_fields[injection.table].annotation)[0].model_fields
            for name in injection.fields.keys() - there.keys():
                yield f"{injection.table} has no field {name!r}; it has {', '.join(there)}."
