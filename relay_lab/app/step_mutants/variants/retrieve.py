"""Two right versions of steps 3 and 4, written on their own."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta

from relay_lab.contracts.base import Scalar, iso
from relay_lab.contracts.enums import TargetPlan
from relay_lab.contracts.evidence import (
    Missing,
    ReadAnswer,
    ReadError,
    ReadSuccess,
    Reconciliation,
    Retrieval,
    Statement,
    Transaction,
    VerifiedRecord,
)
from relay_lab.contracts.issues import BillingDuplicate, FeatureAccess, Issue, SubscriptionChange
from relay_lab.contracts.ports import ReadTools
from relay_lab.contracts.session import Authentication

Arguments = dict[str, Scalar]
Need = tuple[str, Arguments, tuple[str, ...]]
"""A tool, its arguments, and the kinds of record that are missing without it."""

_PLAN, _BILLING = "get_plan_and_entitlements", "get_billing_transactions"


def call_by_call(authentication: Authentication, issues: tuple[Issue, ...], tools: ReadTools) -> Retrieval:
    """For each issue a list of needs; each call made once, and its failure noted for every issue that needs it."""
    answers: dict[str, ReadAnswer] = {}
    reads: list[ReadAnswer] = []
    missing: list[Missing] = []
    for issue in issues if authentication.may_read else ():
        for tool, arguments, kinds in _needs(issue, tools, answers):
            name = f"{tool} {arguments}"
            if name not in answers:
                reads.append(tools.read(tool, arguments, 5.0))
                if isinstance(reads[-1], ReadError) and reads[-1].retryable:
                    reads.append(tools.read(tool, arguments, 5.0))
                answers[name] = reads[-1]
            answer = answers[name]
            if isinstance(answer, ReadError):
                missing += [Missing(issue_id=issue.id, record=kind, code=answer.code) for kind in kinds]
    records = [
        each for answer in answers.values() if isinstance(answer, ReadSuccess) for each in answer.records
    ]
    unique = {each.evidence_id: each for each in records}
    return Retrieval(records=tuple(unique.values()), reads=tuple(reads), missing=tuple(missing))


def _needs(issue: Issue, tools: ReadTools, answers: dict[str, ReadAnswer]) -> Iterator[Need]:
    now = tools.now()
    match issue:
        case BillingDuplicate():
            window: Arguments = {"from_at": iso(now - timedelta(days=95)), "until_at": iso(now)}
            yield _BILLING, window, ("transaction", "invoice", "reconciliation")
            at = _first_charge(answers[f"{_BILLING} {window}"])
            if at is not None:
                yield "get_policy", {"policy_id": "refund", "effective_at": iso(at)}, ("refund_policy",)
        case FeatureAccess(feature=feature) if feature:
            yield _PLAN, {}, ("plan_map", "entitlement", "enrolment")
            yield "get_active_incidents", {"feature": str(feature.value)}, ("incident_report",)
        case SubscriptionChange(target_plan=target):
            known = target is not None
            yield _PLAN, {}, ("account", "subscription") if known else ()
            if target is not TargetPlan.CANCEL:
                policy: Arguments = {"policy_id": "subscription", "effective_at": iso(now)}
                yield "get_policy", policy, ("subscription_policy", "plan_price") if known else ()
        case _:
            pass


def _first_charge(answer: ReadAnswer) -> datetime | None:
    """Of the invoice that billing found something on, else of the one charged most often, last month's first."""
    if isinstance(answer, ReadError):
        return None
    charges: dict[str, list[datetime]] = defaultdict(list)
    disputed, last = set(), None
    for record in answer.records:
        match record.value:
            case Transaction(invoice_id=invoice, charged_at=at):
                charges[invoice].append(at)
            case Reconciliation(invoice_id=invoice):
                disputed.add(invoice)
            case Statement(last_month_invoice_id=invoice):
                last = invoice
            case _:
                pass
    best = max(charges, key=lambda each: (each in disputed, len(charges[each]), each == last), default=None)
    return min(charges[best]) if best is not None else None


class _Session:
    """One retrieval on its way."""

    def __init__(self, tools: ReadTools) -> None:
        self.tools, self.reads, self.known = tools, list[ReadAnswer](), dict[str, ReadAnswer]()

    def ask(self, tool: str, **arguments: Scalar) -> ReadAnswer:
        key = repr((tool, sorted(arguments.items())))
        if key not in self.known:
            tries = [self.tools.read(tool, arguments, 4.5)]
            if isinstance(tries[0], ReadError) and tries[0].retryable:
                tries.append(self.tools.read(tool, arguments, 4.5))
            self.reads += tries
            self.known[key] = tries[-1]
        return self.known[key]


def by_tool(authentication: Authentication, issues: tuple[Issue, ...], tools: ReadTools) -> Retrieval:
    """First which systems must be asked at all, then each of them, then what each issue lacks."""
    if not authentication.may_read:
        return Retrieval(records=(), reads=(), missing=())
    at, now, gaps = _Session(tools), tools.now(), list[Missing]()

    def lacks(answer: ReadAnswer, of: list[Issue], *kinds: str) -> None:
        if isinstance(answer, ReadError):
            gaps.extend(Missing(issue_id=i.id, record=kind, code=answer.code) for i in of for kind in kinds)

    billing: list[Issue] = [each for each in issues if isinstance(each, BillingDuplicate)]
    features = [each for each in issues if isinstance(each, FeatureAccess) and each.feature]
    changes = [each for each in issues if isinstance(each, SubscriptionChange)]
    decided: list[Issue] = [each for each in changes if each.target_plan]
    if billing:
        window = {"from_at": iso(now - timedelta(days=92)), "until_at": iso(now)}
        charges = at.ask(_BILLING, **window)
        lacks(charges, billing, "transaction", "invoice", "reconciliation")
        first = _first_charge(charges)
        if first is not None:
            policy = at.ask("get_policy", policy_id="refund", effective_at=iso(first))
            lacks(policy, billing, "refund_policy")
    if features or changes:
        plan = at.ask(_PLAN)
        lacks(plan, list(features), "plan_map", "entitlement", "enrolment")
        lacks(plan, decided, "account", "subscription")
    for feature in features:
        report = at.ask("get_active_incidents", feature=str(feature.feature))
        lacks(report, [feature], "incident_report")
    if any(each.target_plan is not TargetPlan.CANCEL for each in changes):
        terms = at.ask("get_policy", policy_id="subscription", effective_at=iso(now))
        lacks(terms, decided, "subscription_policy", "plan_price")
    found: dict[str, VerifiedRecord] = {}
    for answer in at.reads:
        if isinstance(answer, ReadSuccess):
            found.update((record.evidence_id, record) for record in answer.records)
    return Retrieval(records=tuple(found.values()), reads=tuple(at.reads), missing=tuple(gaps))
