"""What can go wrong between a caller and a system of record, as data: which tool, what kind, at which attempts."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.evidence import ReadSuccess, Source, VerifiedRecord

ReadKind = Literal["timeout", "late", "fail", "stale", "replace", "run"]
WriteKind = Literal[
    "unreachable",
    "before_arrival",
    "before_commit",
    "after_commit",
    "answered_late",
    "answered_twice",
    "echo",
    "run",
]
Rewrite = Callable[[tuple[VerifiedRecord, ...]], tuple[VerifiedRecord, ...]]
Action = Callable[[], None]
WritePoint = Literal["before_arrival", "before_commit", "after_commit"]

READ_TOOLS = (
    "get_billing_transactions",
    "get_plan_and_entitlements",
    "get_active_incidents",
    "get_policy",
    "search_articles",
)
WRITE_TOOLS = ("schedule_downgrade", "hand_off")
LOOKUP_TOOLS = ("find_schedule", "close_schedule", "find_handoff", "close_handoff")
_READ_KINDS = {"timeout", "late", "fail", "stale", "replace", "run"}
_LOOKUP_KINDS = {"unreachable", "echo", "run"}
_WRITE_KINDS = {
    "before_arrival",
    "before_commit",
    "after_commit",
    "answered_late",
    "answered_twice",
} | _LOOKUP_KINDS


@dataclass(frozen=True)
class Fault:
    """One fault of one tool. `at` names the attempts it strikes, counted from 1; None strikes every one.

    Of a read: timeout (no answer within the caller's bound), late (the answer comes after it and is thrown away), fail
    (unavailable), stale, replace, run. Of a write: before_arrival (nothing reached), before_commit (undone), after_commit
    (done, the answer lost), answered_late, answered_twice (delivered twice, answered once), echo, unreachable, run. Of a
    look-up or a close: unreachable, echo, run.

    `detail` belongs to the kind: stale takes a source, the kind of a value, or None for all; replace a function of the
    records; answered_late the seconds beyond the bound (none by default); echo a pair (field, value), which spoils the
    stored receipt too; run an action, done on arrival, or a pair (point, action) for a write. Raises `ValueError` when
    tool, kind or detail do not fit.
    """

    tool: str
    kind: ReadKind | WriteKind
    at: tuple[int, ...] | None = None
    detail: (
        Source | str | float | Rewrite | Action | tuple[str, Scalar] | tuple[WritePoint, Action] | None
    ) = None

    def __post_init__(self) -> None:
        kinds = (
            _READ_KINDS
            if self.tool in READ_TOOLS
            else _WRITE_KINDS
            if self.tool in WRITE_TOOLS
            else _LOOKUP_KINDS
        )
        if self.tool not in (*READ_TOOLS, *WRITE_TOOLS, *LOOKUP_TOOLS):
            raise ValueError(f"There is no tool {self.tool!r} to fail.")
        if self.kind not in kinds:
            raise ValueError(
                f"{self.tool} cannot fail by {self.kind!r}; it can by {', '.join(sorted(kinds))}."
            )
        if self.kind in {"replace", "run", "echo"} and self.detail is None:
            raise ValueError(f"A fault of kind {self.kind!r} needs its detail.")


@dataclass(frozen=True)
class Faults:
    """All faults of one run, in the order in which they are laid on an answer."""

    faults: tuple[Fault, ...] = field(default=())

    def of(self, tool: str, attempt: int) -> "Faults":
        """Those that strike this attempt (counted from 1) of this tool."""
        if not self.faults:
            return self
        return Faults(tuple(f for f in self.faults if f.tool == tool and (f.at is None or attempt in f.at)))

    def has(self, kind: str) -> bool:
        """Whether there is one of this kind."""
        return any(fault.kind == kind for fault in self.faults)

    def run(self, point: str) -> None:
        """Do the actions that belong to this point."""
        for fault in self.faults:
            if fault.kind == "run":
                where, action = (
                    fault.detail if isinstance(fault.detail, tuple) else ("before_arrival", fault.detail)
                )
                if where == point and callable(action):
                    action()  # type: ignore[call-arg]

    def echo(self) -> tuple[str, Scalar] | None:
        """The field of the echo that is spoilt, and what stands there instead."""
        for fault in self.faults:
            if fault.kind == "echo" and isinstance(fault.detail, tuple):
                name, value = fault.detail
                if not callable(value):
                    return name, value
        return None

    def seconds_late(self) -> float | None:
        """How far beyond the bound the answer to a write comes; None when it comes in time."""
        for fault in self.faults:
            if fault.kind == "answered_late":
                return float(fault.detail) if isinstance(fault.detail, int | float) else 0.0
        return None

    def spoilt(self, answer: ReadSuccess) -> ReadSuccess:
        """The answer of a read as it is after its stale and replace faults."""
        records = answer.records
        for fault in self.faults:
            if fault.kind == "stale":
                records = tuple(_aged(record, answer, fault.detail) for record in records)
            elif fault.kind == "replace" and callable(fault.detail):
                records = fault.detail(records)  # type: ignore[call-arg, assignment]
        if records is answer.records:
            return answer
        source_at = min((record.source_at for record in records), default=answer.source_at)
        return answer.model_copy(update={"records": records, "source_at": source_at})


def _aged(record: VerifiedRecord, answer: ReadSuccess, chosen: object) -> VerifiedRecord:
    if chosen is not None and chosen not in (record.source, record.value.kind):
        return record
    # One second beyond the bound, whatever the bound is.
    age = timedelta(seconds=record.fresh_for_s + 1)
    return record.model_copy(update={"source_at": record.source_at - age})
