"""Whether a change is tied to the renewal (scenarios: before_renewal)."""

from relay_lab.proposers.rules.clauses import Clause, Text
from relay_lab.proposers.rules.findings import Finding, near, sentence


def deadline(text: Text, found: Finding, homes: list[Clause]) -> str | None:
    """`before_renewal` when the wish is tied to the renewal, the next bill or the end of the period; else null."""
    clauses = {c.index: c for home in homes for c in [*sentence(text, home), *near(text, home, 1)]}
    for clause in clauses.values():
        if clause.has("renewal_after"):
            return None
    said = any(c.has("renewal_said") for home in homes for c in near(text, home, 3))
    for clause in (clauses[index] for index in sorted(clauses)):
        match = clause.first("renewal_tie")
        if match is None and said:
            match = clause.first("named_day") or clause.first("renewal_said")
        if match is not None:
            found.add(clause, match.start, match.end)
            return "before_renewal"
    return None
