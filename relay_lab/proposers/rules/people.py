"""A wish for a person (scenarios: human_request)."""

from relay_lab.proposers.rules.clauses import Clause, Text
from relay_lab.proposers.rules.findings import Finding, overlap


def people(text: Text) -> list[Finding]:
    """At most one finding: asking twice for a person is one request."""
    found: Finding | None = None
    for clause in text.clauses:
        if clause.has("praise", "social_thanks") and not clause.has("request", "directive", "conditional"):
            continue
        for match in clause.signals.get("human_ask", ()):
            if any(overlap(match, voided) for voided in clause.signals.get("human_not", ())) and not _insists(
                clause
            ):
                continue
            if found is None:
                found = Finding("human_request", match.start, [], topics={"person"})
            found.add(clause, match.start, match.end)
    return [found] if found else []


def _insists(clause: Clause) -> bool:
    """Whether a plain request stands in the clause, clear of every word that would void one."""
    voids = clause.signals.get("human_not", [])
    return any(
        not any(overlap(ask, void) for void in voids) for ask in clause.signals.get("human_strong", ())
    )
