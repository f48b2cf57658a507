"""Claims that the ledger does not support: named as not known, with the reason, and never as fact (001 §5)."""

from relay_lab.contracts.enums import ClaimStatus, IssueState
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import Sentence
from relay_lab.desks.support.reply.families import Family, family
from relay_lab.desks.support.reply.reasons import FORBIDDEN
from relay_lab.desks.support.reply.wording.feature import topic
from relay_lab.desks.support.reply.wording.rows import Known, say

RECORDS = {
    "billing": "your billing records",
    "refund_policy": "the refund policy",
    "entitlements": "your plan and feature records",
    "incidents": "the incident records",
    "change": "the records for this change",
    "other": "your records",
}
OWN_WORDS = {
    "no_policy": ("billing", "refund_policy", "change"),
    "no_reconciliation": ("billing",),
    "seats_unknown": ("change",),
    "price_unknown": ("change",),
    "not_found": tuple(RECORDS),
}
"""Qualifiers with words of their own -> the records of which they are said."""


def not_known(known: Known) -> tuple[Sentence, ...]:
    """One sentence for each kind of record and reason, resting on all the rows it qualifies."""
    groups: dict[tuple[Family, str], list[LedgerRow]] = {}
    for row in known.blocked():
        records = family(known.view.issue.type, row.claim.predicate)
        groups.setdefault((records, _why(row, records)), []).append(row)
    return tuple(
        say(_sentence(known, records, why, rows[0]), *rows) for (records, why), rows in groups.items()
    )


def _why(row: LedgerRow, records: Family) -> str:
    if row.status is ClaimStatus.CONFLICTING:
        return "disagree"
    if row.status is ClaimStatus.STALE:
        return "stale"
    if row.status is ClaimStatus.UNAUTHORIZED or row.qualifier in FORBIDDEN:
        return "permission"
    return row.qualifier if row.qualifier and records in OWN_WORDS.get(row.qualifier, ()) else "read"


def _sentence(known: Known, kind: Family, why: str, row: LedgerRow) -> str:
    records = RECORDS[kind]
    tail = _tail(known, kind, row)
    match why:
        case "disagree":
            disagree = "does not agree with your records" if kind == "refund_policy" else "disagree"
            return f"{records[0].upper()}{records[1:]} {disagree}, so {tail}."
        case "stale":
            be = "is" if kind == "refund_policy" else "are"
            return f"{records[0].upper()}{records[1:]} {be} out of date, so {tail}."
        case "permission":
            return f"I do not have permission to read {records}, so {tail}."
        case "no_policy":
            what = (
                "policy in force for this change"
                if kind == "change"
                else "refund policy in force for these charges"
            )
            return f"I found no {what}, so {tail}."
        case "no_reconciliation":
            return f"I found no reconciliation record for these charges, so {tail}."
        case "seats_unknown":
            return f"I could not find the seats of your plan, so {tail}."
        case "price_unknown":
            return f"I could not find the price of this plan, so {tail}."
        case "not_found":
            return f"I could not find {records}, so {tail}."
        case _:
            return f"I could not read {records}, so {tail}."


def _tail(known: Known, kind: Family, row: LedgerRow) -> str:
    match kind:
        case "billing":
            return "I cannot say whether you were charged twice"
        case "refund_policy":
            return "I cannot say whether you are eligible for a refund"
        case "entitlements":
            return f"I cannot say whether you have access to {topic(known, row)}"
        case "incidents":
            return f"I cannot say whether an incident affects {topic(known, row)}"
        case "change" if known.view.state in (IssueState.HANDED_OFF, IssueState.HANDOFF_PENDING):
            return "I cannot offer it for your confirmation"
        case _:
            return "I cannot say more about it"
