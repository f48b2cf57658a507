"""Steps 3 and 4: the records each issue requires, read with narrow read-only tools; what cannot be had is named (001 §3, §4)."""

from collections import Counter
from collections.abc import Mapping
from datetime import datetime, timedelta

from relay_lab.contracts.base import Scalar, iso
from relay_lab.contracts.enums import TargetPlan
from relay_lab.contracts.evidence import (
    Invoice,
    Missing,
    ReadAnswer,
    ReadError,
    Retrieval,
    Statement,
    Transaction,
    VerifiedRecord,
)
from relay_lab.contracts.issues import BillingDuplicate, FeatureAccess, Issue, SubscriptionChange
from relay_lab.contracts.ports import ReadTools
from relay_lab.contracts.session import Authentication

ATTEMPTS = 2
ATTEMPT_TIMEOUT_S = 5.0
DEADLINE_S = 10.0
BILLING_WINDOW = timedelta(days=92)
"""How far back billing is read: it holds last month whole, whatever the day and the zone."""

REQUIRED: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "billing_duplicate": {
        "get_billing_transactions": ("transaction", "invoice", "reconciliation"),
        "get_policy:refund": ("refund_policy",),
    },
    "feature_access": {
        "get_plan_and_entitlements": ("plan_map", "entitlement", "enrolment"),
        "get_active_incidents": ("incident_report",),
    },
    "subscription_change": {
        "get_plan_and_entitlements": ("account", "subscription"),
        "get_policy:subscription": ("subscription_policy", "plan_price"),
    },
}
"""Record kinds by issue type and by the tool that brings them (001 §3, filled in)."""


def retrieve(authentication: Authentication, issues: tuple[Issue, ...], tools: ReadTools) -> Retrieval:
    """Read what the issues require, each tool once whatever the number of issues.

    A retryable failure is tried again, two attempts of at most 5 s within 10 s in all; it is an observation and proves
    nothing. Without a session that may read, nothing is read. Articles are not read here: prose settles no account fact.
    """
    reader = _Reader(tools)
    missing: list[Missing] = []
    if authentication.may_read:
        for issue in issues:
            match issue:
                case BillingDuplicate():
                    missing += _billing(issue, reader)
                case FeatureAccess(feature=feature) if feature is not None:
                    missing += reader.require(issue, "get_plan_and_entitlements", {})
                    missing += reader.require(issue, "get_active_incidents", {"feature": feature.value})
                case SubscriptionChange():
                    missing += _subscription(issue, reader)
                case _:
                    pass
    return Retrieval(
        records=tuple(reader.records.values()), reads=tuple(reader.reads), missing=tuple(missing)
    )


def read_all(tools: ReadTools, *calls: tuple[str, Mapping[str, Scalar]]) -> tuple[ReadAnswer, ...]:
    """The final answers to some reads, with the same retries, for whoever needs current facts outside a turn's issues."""
    reader = _Reader(tools)
    return tuple(reader.read(tool, arguments) for tool, arguments in calls)


class _Reader:
    """One turn's reads: each call once, its answer kept for every issue that asks for it."""

    def __init__(self, tools: ReadTools) -> None:
        self._tools = tools
        self._answers: dict[tuple[str, tuple[tuple[str, Scalar], ...]], ReadAnswer] = {}
        self.records: dict[str, VerifiedRecord] = {}
        self.reads: list[ReadAnswer] = []

    def now(self) -> datetime:
        return self._tools.now()

    def read(self, tool: str, arguments: Mapping[str, Scalar]) -> ReadAnswer:
        call = (tool, tuple(sorted(arguments.items())))
        if call not in self._answers:
            self._answers[call] = self._attempts(tool, arguments)
        return self._answers[call]

    def _attempts(self, tool: str, arguments: Mapping[str, Scalar]) -> ReadAnswer:
        deadline = self._tools.now() + timedelta(seconds=DEADLINE_S)
        answer = self._attempt(tool, arguments, ATTEMPT_TIMEOUT_S)
        for _ in range(ATTEMPTS - 1):
            left = (deadline - self._tools.now()).total_seconds()
            if not isinstance(answer, ReadError) or not answer.retryable or left <= 0:
                break
            answer = self._attempt(tool, arguments, min(ATTEMPT_TIMEOUT_S, left))
        return answer

    def _attempt(self, tool: str, arguments: Mapping[str, Scalar], timeout_s: float) -> ReadAnswer:
        answer = self._tools.read(tool, arguments, timeout_s)
        self.reads.append(answer)
        if not isinstance(answer, ReadError):
            self.records |= {record.evidence_id: record for record in answer.records}
        return answer

    def require(
        self, issue: Issue, tool: str, arguments: Mapping[str, Scalar], *, needed: bool = True
    ) -> list[Missing]:
        answer = self.read(tool, arguments)
        if not needed or not isinstance(answer, ReadError):
            return []
        name = f"{tool}:{arguments['policy_id']}" if tool == "get_policy" else tool
        return [
            Missing(issue_id=issue.id, record=kind, code=answer.code) for kind in REQUIRED[issue.type][name]
        ]


def _billing(issue: Issue, reader: _Reader) -> list[Missing]:
    now = reader.now()
    window = {"from_at": iso(now - BILLING_WINDOW), "until_at": iso(now)}
    missing = reader.require(issue, "get_billing_transactions", window)
    charged_at = first_charge_in_question(tuple(reader.records.values()))
    if charged_at is not None:
        policy: dict[str, Scalar] = {"policy_id": "refund", "effective_at": iso(charged_at)}
        missing += reader.require(issue, "get_policy", policy)
    return missing


def first_charge_in_question(records: tuple[VerifiedRecord, ...]) -> datetime | None:
    """When the earliest charge was made on the invoice that `invoice_in_question` picks: the policy of that instant counts."""
    invoice = invoice_in_question(records)
    charges = [
        record.value.charged_at
        for record in records
        if isinstance(record.value, Transaction)
        and invoice is not None
        and record.value.invoice_id == invoice
    ]
    return min(charges, default=None)


def invoice_in_question(records: tuple[VerifiedRecord, ...]) -> str | None:
    """The invoice that a report of a duplicate is about: one that was charged more than once, else any; last month's first.

    What "last month" is, billing says in a field of its own, and its month labels order the others; nothing is taken from
    the words of the message.
    """
    counts = Counter(record.value.invoice_id for record in records if isinstance(record.value, Transaction))
    last_month = {
        record.value.last_month_invoice_id for record in records if isinstance(record.value, Statement)
    }
    invoices = [
        (
            counts[record.evidence_id] > 1,
            record.evidence_id in last_month,
            record.value.month,
            record.evidence_id,
        )
        for record in records
        if isinstance(record.value, Invoice)
    ]
    return max(invoices)[3] if invoices else None


def _subscription(issue: SubscriptionChange, reader: _Reader) -> list[Missing]:
    # The renewal and the plans on offer make a better question; they are required only once a target is known.
    needed = issue.target_plan is not None
    missing = reader.require(issue, "get_plan_and_entitlements", {}, needed=needed)
    if issue.target_plan is not TargetPlan.CANCEL:
        policy: dict[str, Scalar] = {"policy_id": "subscription", "effective_at": iso(reader.now())}
        missing += reader.require(issue, "get_policy", policy, needed=needed)
    return missing
