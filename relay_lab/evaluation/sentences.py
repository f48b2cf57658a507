"""Whether a sentence of a reply says more than the rows it rests on: amounts, instants, ids, plans, features and counts.

It reads what can be read without understanding English: what looks like a fact must be one of the facts that the sentence
cites. A sentence that cites nothing may hold none.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.enums import ClaimStatus, Feature, Plan
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import RunRecord, Sentence

_MONEY = re.compile(r"\b([A-Z]{3}) (\d[\d,]*)(?:\.(\d\d))?(?![\w-])")
_INSTANT = re.compile(r"\b(\d{1,2}) ([A-Z][a-z]+) (\d{4})(?: at (\d\d):(\d\d)(?::(\d\d))?)?")
_COUNT = re.compile(r"\b(two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b", re.IGNORECASE)
_NUMBERS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_FEATURES = {
    Feature.GANTT_CHART: "gantt",
    Feature.CALENDAR_VIEW: "calendar view",
    Feature.TIME_TRACKING: "time tracking",
    Feature.AUTOMATIONS: "automations",
    Feature.GUEST_ACCESS: "guest access",
    Feature.API_ACCESS: "api access",
}


_SAYINGS: tuple[tuple[str, str, Scalar], ...] = (
    (r"\bno duplicate\b|\bnot charged twice\b", "duplicate_found", False),
    (r"\bnot eligible for a refund\b", "refund_eligible", False),
    (r"(?<!not )\beligible for a refund\b", "refund_eligible", True),
    (r"\bno active incident\b", "active_incidents", 0),
    (r"\bdoes not include\b", "feature_in_plan", False),
    (
        r"\b(?:have|had) not been (?:reversed|refunded)\b|\bhas not been (?:reversed|refunded)\b",
        "excess_refunded",
        False,
    ),
    (r"\bhas been refunded\b", "excess_refunded", True),
    (r"\bno change is scheduled\b|^Nothing is scheduled", "change_scheduled", False),
)
"""What a sentence says in words, and the claim that it must cite for it; one that says that it cannot say is passed over."""
_NOT_SAID = re.compile(r"\b(?:cannot say|whether|if you)\b", re.IGNORECASE)


@dataclass(frozen=True)
class _Facts:
    """All that the cited rows say, and the records and quotes behind them: every scalar, as text."""

    texts: frozenset[str]
    zone: ZoneInfo

    def holds(self, text: str) -> bool:
        return text in self.texts

    def says(self, part: str) -> bool:
        return any(part in text.split(",") for text in self.texts)


def overstated(sentence: Sentence, record: RunRecord) -> Iterator[str]:
    """What a sentence says beyond its rows, in words; nothing when it says no more."""
    rows = {row.claim_id: row for row in record.ledger.rows}
    for claim_id in sentence.claim_ids:
        if claim_id not in rows:
            yield f"{sentence.text!r} rests on {claim_id}, which is no row"
    cited = [rows[claim_id] for claim_id in sentence.claim_ids if claim_id in rows]
    facts = _Facts(frozenset(_texts(cited, record)), ZoneInfo(record.display_zone))
    yield from _unsaid(sentence.text, cited)
    for what in _unknown(sentence.text, facts, _ids(record)):
        yield f"{sentence.text!r} says {what}, and no row that it rests on does"


def _unsaid(text: str, cited: list[LedgerRow]) -> Iterator[str]:
    claims = {(row.claim.predicate, row.claim.value) for row in cited if row.status is ClaimStatus.SUPPORTED}
    for pattern, predicate, value in _SAYINGS:
        if not _NOT_SAID.search(text) and re.search(pattern, text) and (predicate, value) not in claims:
            yield f"{text!r} says {predicate} {value}, and cites no supported row that does"


def _unknown(text: str, facts: _Facts, ids: frozenset[str]) -> Iterator[str]:
    for money in _MONEY.finditer(text):
        cents = int(money[2].replace(",", "")) * 100 + int(money[3] or 0)
        if not (facts.holds(str(cents)) and facts.holds(money[1])):
            yield money[0]
    for instant in _INSTANT.finditer(text):
        if instant[2] in _MONTHS and not _known_instant(instant, facts):
            yield instant[0]
    for known in ids:
        if re.search(rf"(?<![\w-]){re.escape(known)}(?![\w-])", text) and not facts.says(known):
            yield known
    for plan in Plan:
        if re.search(rf"\b{plan.value.capitalize()}\b", text) and not facts.says(plan.value):
            yield plan.value.capitalize()
    for feature, words in _FEATURES.items():
        if words in text.casefold() and not facts.says(feature.value):
            yield words
    for count in _COUNT.finditer(text):
        if not facts.holds(str(_NUMBERS.index(count[1].lower()))):
            yield count[0]


def _known_instant(said: re.Match[str], facts: _Facts) -> bool:
    wanted = (int(said[1]), _MONTHS.index(said[2]) + 1, int(said[3]))
    clock = tuple(int(part) for part in said.groups()[3:] if part)
    for text in facts.texts:
        try:
            at = datetime.fromisoformat(text).astimezone(facts.zone)
        except ValueError:
            continue
        if (at.day, at.month, at.year) == wanted and (at.hour, at.minute, at.second)[: len(clock)] == clock:
            return True
    return False


def _ids(record: RunRecord) -> frozenset[str]:
    """The ids that a reply could name: records, quotes, receipts and seats."""
    found = {each.evidence_id for each in record.evidence}
    for view in record.quotes:
        found |= {view.quote.quote_id, *view.quote.terms.seats_kept, *view.quote.terms.seats_ended}
    found |= {operation.receipt.receipt_id for operation in record.operations if operation.receipt}
    return frozenset(text for text in found if any(letter.isdigit() for letter in text))


def _texts(rows: Iterable[LedgerRow], record: RunRecord) -> Iterator[str]:
    evidence = {each.evidence_id: each for each in record.evidence}
    quotes = {view.quote.quote_id: view.quote for view in record.quotes}
    asked = {view.issue.id: view.issue for view in record.issues}
    for row in rows:
        if row.issue_id in asked:  # what the customer asked about may be named: they said it themselves
            yield from _scalars(asked[row.issue_id].model_dump(mode="json", exclude={"span"}))
        yield from (row.claim.subject, *row.evidence_ids, str(row.claim.value))
        for key in row.evidence_ids:
            if key in evidence:
                yield from _scalars(evidence[key].value.model_dump(mode="json"))
            if key in quotes:
                yield from _scalars(quotes[key].model_dump(mode="json"))


def _scalars(value: Any) -> Iterator[str]:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    if parts is None:
        yield str(value)
    else:
        for part in parts:
            yield from _scalars(part)
