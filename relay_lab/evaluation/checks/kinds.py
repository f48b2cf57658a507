"""What a check is, and what it judges: one call of one step, as the side that owns the world saw it."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from relay_lab.contracts.base import Scalar
from relay_lab.evaluation.checks.arrived import as_it_arrived
from relay_lab.evaluation.measure import Measure


class Step(StrEnum):
    """The seven steps of 001, and the judge of a row as the eighth."""

    AUTHENTICATE = "authenticate"
    DECOMPOSE = "decompose"
    RETRIEVE = "retrieve"
    BUILD_LEDGER = "build_ledger"
    ROUTE = "route"
    EXECUTE = "execute"
    HAND_OFF = "hand_off"
    ORACLE = "oracle"


@dataclass(frozen=True)
class Mishap:
    """What came instead of a value: `code` is raised, wrong_type, missing, or what a grader adds (timeout, memory, …)."""

    code: str
    words: str


@dataclass(frozen=True)
class Call:
    """One call of a tool that the step made. `answer` is the contract value it got; a write has no `timeout_s`.

    All of it is taken down as it stands at that moment, apart from the step's own objects. Raises `ValueError` or `TypeError`
    for arguments that are no values.
    """

    tool: str
    arguments: dict[str, Any]
    answer: Any
    at: datetime | None = None
    timeout_s: float | None = None

    def __post_init__(self) -> None:
        arguments = {
            str.encode(name).decode(): as_it_arrived(name, value) for name, value in self.arguments.items()
        }
        object.__setattr__(self, "tool", str.encode(self.tool).decode())
        object.__setattr__(self, "arguments", arguments)
        object.__setattr__(self, "answer", deepcopy(self.answer))


@dataclass(frozen=True)
class Performance:
    """One call of one step.

    `kind` says what was special about it (`plain`, `one_timeout`); `sent` are its arguments; `returned` is a value of the
    step's return type, read from JSON, or a mishap; `calls` are those that arrived; `expected` is the step's own type of
    expectation, worked out by other code than the step.
    """

    case: str
    kind: str
    sent: tuple[Any, ...]
    returned: Any
    calls: tuple[Call, ...]
    expected: Any

    def asked(self, tool: str) -> tuple[Call, ...]:
        """The calls of one tool, in order."""
        return tuple(call for call in self.calls if call.tool == tool)


@dataclass(frozen=True)
class Hints:
    """Three hints, each saying more than the one before: a question, where to look, and what the answer looks like."""

    question: str
    pointer: str
    shape: str

    def at(self, attempt: int) -> str:
        """The hint for this attempt, counted from 1; the last one stays."""
        return (self.question, self.pointer, self.shape)[max(1, min(attempt, 3)) - 1]


Judge = Callable[[Performance], Iterable[str]]
"""What is wrong with a performance, in words; nothing when it is right. It is never given a mishap."""


@dataclass(frozen=True)
class Check:
    """One boundary of a step. It looks at the cases of the kinds it names and at no other, and is passed when all hold."""

    name: str
    step: Step
    measure: Measure
    kinds: tuple[str, ...]
    points: int
    hints: Hints
    judge: Judge

    def failures(self, performance: Performance) -> tuple[str, ...]:
        """What is wrong, in words; a mishap fails every check that looks at its case."""
        if performance.kind not in self.kinds:
            return ()
        if isinstance(performance.returned, Mishap):
            return (performance.returned.words,)
        return tuple(self.judge(performance))


def values(arguments: dict[str, Any]) -> tuple[Scalar, ...]:
    """Every scalar in the arguments of a call, however deep, and every name that one stands under."""
    found: list[Scalar] = []
    waiting: list[Any] = [arguments]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting += (*part, *part.values())
        elif isinstance(part, list | tuple):
            waiting += part
        else:
            found.append(part)
    return tuple(found)
