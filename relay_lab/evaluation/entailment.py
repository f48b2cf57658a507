"""Whether the evidence that a claim links entails its value, worked out from the records and from nothing of the desk's.

One rule a predicate. A rule gives the value that the linked records entail, or None when they entail none; where a claim is
about all records of a kind ("two charges were settled"), it also sees those that were read and not linked.
"""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime

from relay_lab.contracts.base import Scalar, iso
from relay_lab.contracts.enums import ClaimStatus
from relay_lab.contracts.evidence import (
    Account,
    Article,
    Enrolment,
    Entitlement,
    IncidentReport,
    Invoice,
    PlanMap,
    PlanPrice,
    Reconciliation,
    RefundPolicy,
    Statement,
    Subscription,
    SubscriptionPolicy,
)
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.evaluation.grounds import Grounds, Records, V


def unsupported(row: LedgerRow, records: Records, now: datetime) -> Iterator[str]:
    """Why a row that calls itself supported is not, in words; nothing when its evidence entails it (or it claims no support)."""
    if row.status is not ClaimStatus.SUPPORTED:
        return
    name = f"{row.claim_id} ({row.claim.subject} {row.claim.predicate} {row.claim.value})"
    absent = [key for key in row.evidence_ids if key not in records]
    linked = {key: records[key] for key in row.evidence_ids if key in records}
    rule = RULES.get(row.claim.predicate)
    if absent:
        yield f"{name} links {', '.join(absent)}, which nobody has read"
    elif any(isinstance(record.value, Article) for record in linked.values()):
        yield f"{name} rests on prose"
    elif rule is None:
        yield f"{name}: no record can say such a thing"
    elif any((now - record.source_at).total_seconds() > record.fresh_for_s for record in linked.values()):
        yield f"{name} rests on a record beyond its bound"
    else:
        entailed = rule(Grounds(row.claim.subject, row.claim.value, linked, records, now))
        if entailed is None:
            yield f"{name} does not follow from {', '.join(row.evidence_ids) or 'nothing'}"
        elif entailed != row.claim.value or isinstance(entailed, bool) is not isinstance(
            row.claim.value, bool
        ):
            yield f"{name}: the evidence says {entailed}"


# -- billing ---------------------------------------------------------------------------------------------------------------


def _count(settled: bool) -> Callable[[Grounds], Scalar]:
    def rule(on: Grounds) -> Scalar:
        charges = on.charges(on.subject, settled)
        return len(charges) if set(charges) <= set(on.linked) else None

    return rule


def _amount(on: Grounds) -> Scalar:
    charges = on.charges(on.subject, True)
    amounts = {charge.amount_cents for charge in charges.values()}
    return amounts.pop() if len(amounts) == 1 and set(charges) <= set(on.linked) else None


def _no_duplicate(on: Grounds) -> Scalar:
    """False when the records exclude a duplicate on the invoice; never True: only a reconciliation can say that."""
    if isinstance(on.the(Statement), Statement):
        return False if not on.all(Invoice) else None
    invoice, settled = on.the(Invoice), on.charges(on.subject, True)
    findings = {key: each for key, each in on.all(Reconciliation).items() if each.invoice_id == on.subject}
    if invoice is None or any(each.excess_captures for each in findings.values()):
        return None
    if findings:
        return False if set(findings) <= set(on.linked) else None
    amounts = [charge.amount_cents for charge in settled.values()]
    alike = len(amounts) > 1 and (len(set(amounts)) < len(amounts) or sum(amounts) > invoice.due_cents)
    return False if not alike and set(settled) <= set(on.linked) else None


def _excess(on: Grounds) -> Scalar:
    found = on.the(Reconciliation)
    if found is None or found.excess_captures >= max(len(on.charges(found.invoice_id, True)), 1):
        return None
    return found.excess_captures


def _eligible(on: Grounds) -> Scalar:
    policy = on.the(RefundPolicy)
    disputed = {each.invoice_id for each in on.all(Reconciliation).values() if each.excess_captures}
    charges = [charge for invoice in disputed for charge in on.charges(invoice, True).values()]
    if policy is None or not charges:
        return None
    in_force = all(policy.effective_at <= charge.charged_at for charge in charges)
    return policy.duplicate_capture_eligible and in_force


# -- features --------------------------------------------------------------------------------------------------------------


def _in_plan(on: Grounds) -> Scalar:
    subscription, plan_map = on.the(Subscription), on.the(PlanMap)
    if subscription is None or plan_map is None or _contradicted(on):
        return None
    return on.subject in plan_map.features.get(subscription.plan, ())


def _on_account(on: Grounds) -> Scalar:
    entitlement = on.the(Entitlement)
    return None if entitlement is None or _contradicted(on) else on.subject in entitlement.features


def _contradicted(on: Grounds) -> bool:
    """Whether plan map and entitlement contradict each other on the feature, and no running enrolment explains it.

    What the claim links is what it means; of what it does not link, anything that was read may contradict it.
    """
    listed = {
        on.subject in plan_map.features.get(subscription.plan, ())
        for subscription in on.meant(Subscription)
        for plan_map in on.meant(PlanMap)
    }
    held = {on.subject in entitlement.features for entitlement in on.meant(Entitlement)}
    return len(listed | held) > 1 and not (held == {True} and _running(on))


def _running(on: Grounds) -> bool:
    return any(
        each.feature == on.subject and (each.ended_at is None or each.ended_at > on.now)
        for each in on.all(Enrolment).values()
    )


def _enrolment(on: Grounds, ended: bool) -> Enrolment | None:
    for record in on.linked.values():
        each = record.value
        if isinstance(each, Enrolment) and each.feature == on.subject:
            over = each.ended_at is not None and each.ended_at <= on.now
            return each if over is ended else None
    return None


def _prior(on: Grounds) -> Scalar:
    found = _enrolment(on, True)
    return found.programme if found else None


def _prior_end(on: Grounds) -> Scalar:
    found = _enrolment(on, True)
    return iso(found.ended_at) if found and found.ended_at else None


def _report(on: Grounds) -> IncidentReport | None:
    found = on.the(IncidentReport)
    return found if found and found.feature == on.subject else None


def _incidents(on: Grounds) -> Scalar:
    report = _report(on)
    return len(report.active) if report else None


def _incident(on: Grounds) -> Scalar:
    report = _report(on)
    known = {incident.incident_id for incident in report.active} if report else set()
    return on.value if on.value in known else None


# -- subscription ----------------------------------------------------------------------------------------------------------


def _own(kind: type[V], say: Callable[[V], Scalar]) -> Callable[[Grounds], Scalar]:
    def rule(on: Grounds) -> Scalar:
        found = on.the(kind)
        return None if found is None else say(found)

    return rule


def _lower(on: Grounds) -> Scalar:
    subscription, ranks = on.the(Subscription), {"individual": 0, "team": 1, "business": 2}
    return ranks[on.subject] < ranks[subscription.plan] if subscription and on.subject in ranks else None


def _offered(on: Grounds) -> Scalar:
    price = on.the(PlanPrice)
    current = [each.plan.rank for each in on.all(Subscription).values()]
    allowed = any(
        "schedule_downgrade" in each.allowed_operations and each.contract_terms == "self_service"
        for each in on.all(Account).values()
    ) and any(each.downgrade_allowed for each in on.all(SubscriptionPolicy).values())
    return price.plan.value if price and allowed and current and price.plan.rank < min(current) else None


RULES: Mapping[str, Callable[[Grounds], Scalar]] = {
    "settled_charges": _count(True),
    "unsettled_charges": _count(False),
    "charge_cents": _amount,
    "invoice_due_cents": _own(Invoice, lambda invoice: invoice.due_cents),
    "currency": _own(Invoice, lambda invoice: invoice.currency),
    "duplicate_found": _no_duplicate,
    "excess_captures": _excess,
    "excess_reversed": _own(Reconciliation, lambda finding: finding.reversed),
    "excess_refunded": _own(Reconciliation, lambda finding: finding.refunded),
    "refund_eligible": _eligible,
    "current_plan": _own(Subscription, lambda own: own.plan.value),
    "feature_in_plan": _in_plan,
    "feature_on_account": _on_account,
    "prior_access": _prior,
    "prior_access_ended_at": _prior_end,
    "enrolment_active": lambda on: True if _enrolment(on, False) else None,
    "active_incidents": _incidents,
    "incident_id": _incident,
    "renews_at": _own(Subscription, lambda own: iso(own.renews_at)),
    "change_scheduled": _own(Subscription, lambda own: own.scheduled_plan is not None),
    "offered_plan": _offered,
    "target_is_lower": _lower,
    "operation_allowed": _own(Account, lambda own: "schedule_downgrade" in own.allowed_operations),
    "self_service": _own(Account, lambda own: own.contract_terms == "self_service"),
    "downgrade_allowed": _own(SubscriptionPolicy, lambda policy: policy.downgrade_allowed),
}
"""Predicate -> what its linked evidence entails."""
