"""Whether a change is tied to the renewal (scenarios: before_renewal)."""

from relay_lab.proposers.rules.clauses import Clause, Text
from relay_lab.proposers.rules.findings import Finding, near, sentence

_OTHER_MATTER = ("duplicate", "duplicate_loose", "hard_block", "human_ask", "refund_ask")
_FURTHER = 3


def deadline(text: Text, found: Finding, homes: list[Clause]) -> str | None:
    """`before_renewal` when the wish is tied to the renewal, the next bill or the end of the period; else null."""
    clauses = {c.index: c for home in homes for c in sentence(text, home)}
    beside = {c.index: c for home in homes for c in near(text, home, 1) if not c.has(*_OTHER_MATTER)}
    clauses = dict(sorted((beside | clauses).items()))
    if any(clause.has("renewal_after") for clause in clauses.values()):
        return None
    around = [c for home in homes for c in near(text, home, _FURTHER) if not c.has(*_OTHER_MATTER)]
    said = any(c.has("renewal_said") for c in [*around, *clauses.values()])
    for clause in clauses.values():
        match = clause.first("renewal_tie")
        if match is None and said:
            match = clause.first("named_day") or clause.first("renewal_said")
        if match is not None:
            found.add(clause, match.start, match.end)
            return "before_renewal"
    return None
