"""What is expected of a failure row, as data that no code under judgement gets to see."""

from pydantic import Field

from relay_lab.contracts.base import Contract, Scalar


class Checkpoint(Contract):
    """Where each issue stood after one part of the script."""

    at: str
    states: dict[str, str]


class ExpectedCheckpoint(Checkpoint):
    """Where each issue should stand, and what no reply up to then may hold."""

    must_not: tuple[str, ...] = ()


class Seen(Contract):
    """A row that the trace must hold."""

    tool: str
    outcome: str
    place: str | None = None


class Must(Contract):
    """What must hold at the end besides states. A field that is left out is not looked at.

    `calls`: outcomes of every call of a tool, in order · `never`: tools that no call row may name · `only`: tools that
    every call row names · `ledger`: issue -> a status that one of its rows has · `packet_lists`: kinds of record that one
    conflict of a packet names · `reply_holds`: of the last reply · `one_answer`: every repetition of a delivery was
    answered as the first.
    """

    quotes: tuple[str, ...] | None = None
    tickets: int | None = None
    operation: dict[str, Scalar] | None = None
    calls: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    never: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    within_s: float | None = None
    keys: int | None = None
    ledger: dict[str, str] = Field(default_factory=dict)
    reasons: dict[str, str] = Field(default_factory=dict)
    trace: tuple[Seen, ...] = ()
    packet_lists: tuple[str, ...] = ()
    reply_holds: tuple[str, ...] = ()
    refused_draft: bool | None = None
    whole_message: bool | None = None
    one_answer: bool | None = None


class RowExpectation(Contract):
    """What should come of a row. The last checkpoint is the terminal one; `stopped_by` is null where nothing is to be stopped."""

    id: str
    checkpoints: tuple[ExpectedCheckpoint, ...]
    mutations: int
    stopped_by: str | None
    must_not: tuple[str, ...] = ()
    must: Must = Must()
