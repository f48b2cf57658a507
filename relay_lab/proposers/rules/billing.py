"""One thing charged more than once, and whether the money is asked back (scenarios: billing_duplicate)."""

from relay_lab.proposers.rules.clauses import Clause, Match, Text
from relay_lab.proposers.rules.features import mentions
from relay_lab.proposers.rules.findings import Finding, near, overlap, sentence
from relay_lab.proposers.rules.plain import told

_REFUND_DISTANCE = 6
_PAID = ("charged", "charge_noun", "doc_noun", "money")
_SIGNALS = ("duplicate", "duplicate_loose", "duplicate_weak", "again")


def duplicates(text: Text) -> list[Finding]:
    """At most one finding: two mentions of a double charge are one issue."""
    found: Finding | None = None
    for clause in text.clauses:
        match = _match(text, clause, found is not None) if clause.signals else None
        if match is None:
            continue
        if found is None:
            found = Finding("billing_duplicate", match.start, [], {"refund_requested": None}, {"charge"})
        found.add(clause, match.start, match.end)
    if found is not None:
        refund(text, found)
    return [found] if found else []


def _match(text: Text, clause: Clause, said_before: bool) -> Match | None:
    """The words of the clause that report or suspect a duplicate, if it does, clear of what would void them."""
    voids = [m for name in ("no_duplicate", "not_twice") for m in clause.signals.get(name, ())]
    for name in _SIGNALS:
        for match in clause.signals.get(name, ()):
            clear = not any(overlap(match, void) for void in voids)
            if clear and _reports(text, clause, name, match, said_before):
                return match
    return clause.first("charged") if _repeats(text, clause) else None


def _reports(text: Text, clause: Clause, name: str, match: Match, said_before: bool) -> bool:
    """Whether the words report a duplicate, rather than imagine or explain one, or speak of something else."""
    whole = sentence(text, clause)
    around = near(text, clause, 1)
    explained = [*whole, *near(text, clause, 1 if name == "duplicate" else 3)]
    imagined = any(c.has("maybe_duplicate") for c in whole) and not clause.has("happened_before")
    if imagined or any(c.has("resolved") for c in around):
        return False
    if not said_before and any(c.has("one_charge") for c in near(text, clause, 2)):
        return False
    if any(c.has("separate") for c in explained if c.index >= clause.index or c in whole):
        return False
    if _names_feature(text, clause, match):
        return False
    money = said_before or any(c.has("money_context") for c in [*whole, *around])
    if name in ("duplicate", "duplicate_loose"):
        paid = any(text.classes(word, clause.start, clause.end) for word in _PAID)
        return money or (name == "duplicate" and paid)
    if "after_cancel" in text.said:
        return False
    if name == "duplicate_weak":
        return said_before or any(c.has("money_context") for c in near(text, clause, 2))
    return any(c.has("already_paid") for c in around)


def _repeats(text: Text, clause: Clause) -> bool:
    """Whether this clause and the one before each report a charge, for the same month or sum."""
    before = text.clauses[clause.index - 1] if clause.index else clause
    if before is clause or not (clause.has("charged") and before.has("charged")):
        return False
    if any(c.has("separate", "after_cancel") for c in near(text, clause, 2)):
        return False
    months = [{text.tokens[i].text for i in text.classes("month", c.start, c.end)} for c in (before, clause)]
    return months[0] == months[1] != set()


def _names_feature(text: Text, clause: Clause, match: Match) -> bool:
    """Whether what is said to be double belongs to a feature: an automation that runs twice costs nothing."""
    if any(text.classes(name, match.start, match.end) for name in ("charged_strict", "money_noun")):
        return False
    return any(match.start - 4 <= named.at < match.end + 4 for named in mentions(text, clause))


def refund(text: Text, found: Finding) -> None:
    """Set `refund_requested`: true asked, false declined, else null. A later word on it wins over an earlier one."""
    home = max(found.clauses)
    for clause in text.clauses:
        if not found.reaches(clause.index, _REFUND_DISTANCE):
            continue
        other = clause.has("refund_other") and clause.index not in found.clauses
        asks, declines = clause.first("refund_ask"), clause.first("refund_decline")
        if declines is not None:
            match, value = declines, False
        elif asks and not (other or clause.has("refund_info", "resolved") or told(text, clause)):
            match, value = asks, True
        else:
            continue
        found.slots["refund_requested"] = value
        if abs(clause.index - home) <= 1 or clause.index in found.clauses or value:
            found.evidence.append((match.start, match.end))
        found.clauses.add(clause.index)
