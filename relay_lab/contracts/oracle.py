"""What the eighth lesson's judge is given besides record and trace, and what it answers (001, its exit check)."""

from typing import Literal

from relay_lab.contracts.base import Code, Contract

Boundary = Literal["states", "stopped_by", "words", "scopes", "receipt", "once"]
"""What a run can break: where the issues end · which guard stopped an attempt · what a reply may not say · customer and
scopes of every call · nothing done before its receipt · one key for one change."""


class OracleExpectation(Contract):
    """What should come of one row: issue id -> terminal state, the guard that must stop it, what no reply may hold."""

    states: dict[str, str]
    stopped_by: Code | None
    must_not: tuple[str, ...] = ()


class Verdict(Contract):
    """The boundaries that a run broke, each once; none when the row holds. `reasons` say it in words."""

    broken: tuple[Boundary, ...]
    reasons: tuple[str, ...] = ()
