"""A right version of step 5, written on its own: each record says what it can, and the issue keeps what concerns it."""

from collections import defaultdict
from collections.abc import Iterator
from datetime import datetime
from typing import TypeVar

from relay_lab.contracts.base import Contract, Scalar, iso
from relay_lab.contracts.enums import ClaimStatus, Feature, TargetPlan
from relay_lab.contracts.evidence import (
    Account,
    Enrolment,
    Entitlement,
    IncidentReport,
    Invoice,
    NoPolicy,
    PlanMap,
    PlanPrice,
    Reconciliation,
    RefundPolicy,
    Retrieval,
    Subscription,
    SubscriptionPolicy,
    Transaction,
    VerifiedRecord,
)
from relay_lab.contracts.issues import BillingDuplicate, FeatureAccess, Issue, SubscriptionChange
from relay_lab.contracts.ledger import Claim, Ledger, LedgerRow

V = TypeVar("V", bound=Contract)
Said = tuple[str, str, Scalar, tuple[str, ...], ClaimStatus, str | None]
OK, CONFLICT, NO = ClaimStatus.SUPPORTED, ClaimStatus.CONFLICTING, ClaimStatus.UNSUPPORTED


def by_record(issues: tuple[Issue, ...], retrieval: Retrieval, now: datetime) -> Ledger:
    """Rows of each issue, in order."""
    shelf = _Shelf(retrieval.records, now)
    rows = []
    for issue in issues:
        said = [*_says(issue, shelf), *_lacks(issue, retrieval)]
        linked = {key for each in said for key in each[3]}
        said += _unused(issue, shelf, linked)
        rows += [shelf.row(issue.id, n, each) for n, each in enumerate(said, start=1)]
    return Ledger(rows=tuple(rows))


class _Shelf:
    """The records by kind, and what is too old among them."""

    def __init__(self, records: tuple[VerifiedRecord, ...], now: datetime) -> None:
        self.now, self.records = now, {record.evidence_id: record for record in records}
        self._kinds: dict[type, dict[str, Contract]] = defaultdict(dict)
        for key, record in self.records.items():
            self._kinds[type(record.value)][key] = record.value

    def all(self, kind: type[V]) -> dict[str, V]:
        return {key: value for key, value in self._kinds[kind].items() if isinstance(value, kind)}

    def old(self, key: str) -> bool:
        record = self.records[key]
        return (self.now - record.source_at).total_seconds() > record.fresh_for_s

    def row(self, issue_id: str, number: int, said: Said) -> LedgerRow:
        subject, predicate, value, keys, status, why = said
        if status is OK and any(self.old(key) for key in keys):
            status, why = ClaimStatus.STALE, "stale"
        policies = [key for key in keys if "policy" in self.records[key].value.kind and value is not None]
        return LedgerRow(
            claim_id=f"{issue_id}-C{number}",
            issue_id=issue_id,
            claim=Claim(subject=subject, predicate=predicate, value=value),
            evidence_ids=keys,
            source_at=min((self.records[key].source_at for key in keys), default=None),
            policy_version=policies[0] if policies else None,
            status=status,
            qualifier=why,
        )


def _says(issue: Issue, shelf: _Shelf) -> Iterator[Said]:
    if isinstance(issue, BillingDuplicate):
        yield from _billing(shelf)
    elif isinstance(issue, FeatureAccess) and issue.feature:
        yield from _feature(issue.feature, shelf)
    elif isinstance(issue, SubscriptionChange):
        yield from _subscription(issue, shelf)


def _billing(shelf: _Shelf) -> Iterator[Said]:
    charged = shelf.all(Transaction)
    invoices = shelf.all(Invoice)
    if not invoices:
        return
    per = {key: [c for c, each in charged.items() if each.invoice_id == key] for key in invoices}
    which = max(invoices, key=lambda key: (len(per[key]) > 1, invoices[key].month, key))
    done = tuple(key for key in per[which] if charged[key].settlement == "settled")
    open_ = tuple(key for key in per[which] if key not in done)
    yield which, "settled_charges", len(done), (which, *done), OK, None
    yield which, "invoice_due_cents", invoices[which].due_cents, (which,), OK, None
    yield which, "currency", invoices[which].currency, (which,), OK, None
    cents = [charged[key].amount_cents for key in done]
    if len(set(cents)) == 1:
        yield which, "charge_cents", cents[0], done, OK, None
    if open_:
        yield which, "unsettled_charges", len(open_), open_, OK, None
    findings = {key: each for key, each in shelf.all(Reconciliation).items() if each.invoice_id == which}
    for key, finding in findings.items():
        yield key, "excess_captures", finding.excess_captures, (key,), OK, None
        yield key, "excess_reversed", finding.reversed, (key,), OK, None
        yield key, "excess_refunded", finding.refunded, (key,), OK, None
        if not finding.reversed and not finding.refunded:
            yield from _refund(shelf, [charged[each].charged_at for each in done])
    if (
        not findings
        and len(cents) > 1
        and (len(set(cents)) < len(cents) or sum(cents) > invoices[which].due_cents)
    ):
        yield which, "excess_captures", None, (which, *done), NO, "no_reconciliation"
    elif not findings:
        yield which, "duplicate_found", False, (which, *done, *open_), OK, None


def _refund(shelf: _Shelf, charges: list[datetime]) -> Iterator[Said]:
    for key, policy in shelf.all(RefundPolicy).items():
        eligible = policy.duplicate_capture_eligible and policy.effective_at <= min(charges)
        yield key, "refund_eligible", eligible, (key,), OK, None
    for key, none in shelf.all(NoPolicy).items():
        if none.policy_id == "refund":
            yield key, "refund_eligible", None, (key,), NO, "no_policy"


def _feature(feature: Feature, shelf: _Shelf) -> Iterator[Said]:
    trials = {key: each for key, each in shelf.all(Enrolment).items() if each.feature is feature}
    over = {
        key: each.ended_at for key, each in trials.items() if each.ended_at and each.ended_at <= shelf.now
    }
    for (own, plan), (key, given), (map_key, plan_map) in zip(
        shelf.all(Subscription).items(),
        shelf.all(Entitlement).items(),
        shelf.all(PlanMap).items(),
        strict=False,
    ):
        listed, held = feature in plan_map.features[plan.plan], feature in given.features
        clash = listed is not held and not (held and len(over) < len(trials))
        end: tuple[ClaimStatus, str | None] = (CONFLICT, "conflict") if clash else (OK, None)
        yield plan.customer_id, "current_plan", plan.plan.value, (own,), OK, None
        yield feature.value, "feature_in_plan", listed, (own, map_key, *([key] if clash else [])), *end
        yield feature.value, "feature_on_account", held, ((own, map_key, key) if clash else (key,)), *end
    for key, trial in trials.items():
        if key in over:
            yield feature.value, "prior_access", trial.programme, (key,), OK, None
            yield feature.value, "prior_access_ended_at", iso(over[key]), (key,), OK, None
        else:
            yield feature.value, "enrolment_active", True, (key,), OK, None
    for key, report in shelf.all(IncidentReport).items():
        if report.feature is feature:
            yield feature.value, "active_incidents", len(report.active), (key,), OK, None


def _subscription(issue: SubscriptionChange, shelf: _Shelf) -> Iterator[Said]:
    for own, plan in shelf.all(Subscription).items():
        yield plan.customer_id, "current_plan", plan.plan.value, (own,), OK, None
        yield plan.cycle_id, "renews_at", iso(plan.renews_at), (own,), OK, None
        yield plan.customer_id, "change_scheduled", bool(plan.scheduled_plan), (own,), OK, None
        if issue.target_plan in (None, TargetPlan.CANCEL, plan.plan.value):
            continue
        ranks = [
            each.plan.rank for each in shelf.all(PlanPrice).values() if each.plan.value == issue.target_plan
        ]
        if ranks:
            yield str(issue.target_plan), "target_is_lower", ranks[0] < plan.plan.rank, (own,), OK, None
        for key, account in shelf.all(Account).items():
            may = "schedule_downgrade" in account.allowed_operations
            yield key, "operation_allowed", may, (key,), OK, None
            yield key, "self_service", account.contract_terms == "self_service", (key,), OK, None
        for key, policy in shelf.all(SubscriptionPolicy).items():
            yield key, "downgrade_allowed", policy.downgrade_allowed, (key,), OK, None


def _lacks(issue: Issue, retrieval: Retrieval) -> Iterator[Said]:
    for gap in retrieval.missing:
        if gap.issue_id == issue.id:
            barred = gap.code in ("scope_missing", "assurance_too_low")
            yield (
                issue.id,
                f"{gap.record}_read",
                None,
                (),
                ClaimStatus.UNAUTHORIZED if barred else NO,
                gap.code,
            )


def _unused(issue: Issue, shelf: _Shelf, linked: set[str]) -> list[Said]:
    """What the issue needs, is too old, and no claim of it rests on."""
    needs: dict[str, tuple[type, ...]] = {
        "billing_duplicate": (Transaction, Invoice, Reconciliation, RefundPolicy),
        "feature_access": (PlanMap, Entitlement, Enrolment, IncidentReport),
    }
    kinds = needs.get(issue.type, ())
    return [
        (key, f"{record.value.kind}_read", None, (key,), ClaimStatus.STALE, "stale")
        for key, record in shelf.records.items()
        if isinstance(record.value, kinds) and key not in linked and shelf.old(key)
    ]
