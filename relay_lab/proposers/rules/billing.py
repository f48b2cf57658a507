"""One thing charged more than once, and whether the money is asked back (scenarios: billing_duplicate)."""

from relay_lab.proposers.rules.clauses import Clause, Text
from relay_lab.proposers.rules.features import mentions
from relay_lab.proposers.rules.findings import Finding, near, sentence

_REFUND_DISTANCE = 6
_SIGNALS = ("duplicate", "duplicate_loose", "duplicate_weak", "again")


def duplicates(text: Text) -> list[Finding]:
    """At most one finding: two mentions of a double charge are one issue."""
    found: Finding | None = None
    for clause in text.clauses:
        match = next((m for m in map(clause.first, _SIGNALS) if m is not None), None)
        if match is None or not _reports(text, clause, found is not None):
            continue
        if found is None:
            found = Finding("billing_duplicate", match.start, [], {"refund_requested": None}, {"charge"})
        found.add(clause, match.start, match.end)
    if found is not None:
        _refund(text, found)
    return [found] if found else []


def _reports(text: Text, clause: Clause, said_before: bool) -> bool:
    """Whether the clause reports or suspects a duplicate, rather than denies, imagines or explains one."""
    whole = sentence(text, clause)
    if clause.has("no_duplicate", "not_twice") or any(c.has("maybe_duplicate") for c in whole):
        return False
    around = near(text, clause, 1)
    if any(c.has("separate") for c in [*whole, *around[-1:]]) or any(c.has("resolved") for c in around):
        return False
    if clause.has("duplicate"):
        return True
    about_feature = _names_feature(text, clause)
    money = said_before or any(c.has("money_context") for c in [*whole, *around])
    if clause.has("duplicate_loose") and money and not about_feature:
        return True
    if any(c.has("after_cancel") for c in text.clauses):
        return False
    if clause.has("duplicate_weak"):
        close = any(c.has("money_context") for c in near(text, clause, 2))
        return said_before or (close and not about_feature)
    return any(c.has("already_paid") for c in around)


def _names_feature(text: Text, clause: Clause) -> bool:
    """Whether what is said to be double belongs to a feature: an automation that runs twice costs nothing."""
    matches = [m for name in _SIGNALS for m in clause.signals.get(name, ())]
    return any(m.start - 4 <= named.at < m.end for named in mentions(text, clause) for m in matches)


def _refund(text: Text, found: Finding) -> None:
    """Set `refund_requested`: true asked, false declined, else null. A later word on it wins over an earlier one."""
    home = max(found.clauses)
    for clause in text.clauses:
        if not found.reaches(clause.index, _REFUND_DISTANCE):
            continue
        other = clause.has("refund_other") and clause.index not in found.clauses
        asks, declines = clause.first("refund_ask"), clause.first("refund_decline")
        if declines is not None:
            match, value = declines, False
        elif asks is not None and not other and not clause.has("refund_info", "resolved"):
            match, value = asks, True
        else:
            continue
        found.slots["refund_requested"] = value
        if abs(clause.index - home) <= 1 or clause.index in found.clauses or value:
            found.evidence.append((match.start, match.end))
        found.clauses.add(clause.index)
