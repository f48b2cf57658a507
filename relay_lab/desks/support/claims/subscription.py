"""Subscription: what runs now, until when, and whether the records allow and describe the change asked for (001 §4, §7)."""

from collections.abc import Iterator

from relay_lab.contracts.base import iso
from relay_lab.contracts.enums import ClaimStatus, Plan, TargetPlan
from relay_lab.contracts.evidence import (
    Account,
    PlanPrice,
    Subscription,
    SubscriptionPolicy,
    VerifiedRecord,
)
from relay_lab.contracts.issues import SubscriptionChange
from relay_lab.desks.support.claims.rows import Finding, first, no_policy, of_kind

OPERATION = "schedule_downgrade"
"""The self-service operation that an account must allow."""


def findings(issue: SubscriptionChange, records: tuple[VerifiedRecord, ...]) -> Iterator[Finding]:
    """The claims on the running subscription and, once a target is known, on the change."""
    subscription_id, subscription = first(records, Subscription)
    if subscription_id is None or subscription is None:
        return
    own = (subscription_id,)
    yield Finding(subscription.customer_id, "current_plan", subscription.plan, own)
    yield Finding(subscription.cycle_id, "renews_at", iso(subscription.renews_at), own)
    yield Finding(subscription.customer_id, "change_scheduled", subscription.scheduled_plan is not None, own)
    if issue.target_plan is None or issue.target_plan.value == subscription.plan.value:
        yield from _offers(subscription.plan, records)
    elif issue.target_plan is not TargetPlan.CANCEL:
        yield from _change(Plan(issue.target_plan.value), subscription_id, subscription, records)


def _offers(current: Plan, records: tuple[VerifiedRecord, ...]) -> Iterator[Finding]:
    account, policy = first(records, Account)[1], first(records, SubscriptionPolicy)[1]
    if (
        account is None
        or OPERATION not in account.allowed_operations
        or account.contract_terms != "self_service"
    ):
        return
    if policy is None or not policy.downgrade_allowed:
        return
    for price_id, price in of_kind(records, PlanPrice):
        if price.plan.rank < current.rank:
            yield Finding(price_id, "offered_plan", price.plan, (price_id,))


def _change(
    target: Plan, subscription_id: str, subscription: Subscription, records: tuple[VerifiedRecord, ...]
) -> Iterator[Finding]:
    lower = target.rank < subscription.plan.rank
    yield Finding(target, "target_is_lower", lower, (subscription_id,))
    account_id, account = first(records, Account)
    if account_id is not None and account is not None:
        allowed = OPERATION in account.allowed_operations
        yield Finding(account_id, "operation_allowed", allowed, (account_id,))
        yield Finding(account_id, "self_service", account.contract_terms == "self_service", (account_id,))
    policy_id, policy = first(records, SubscriptionPolicy)
    absent_id = no_policy(records, "subscription")
    if policy_id is not None and policy is not None:
        allowed = policy.downgrade_allowed
        yield Finding(policy_id, "downgrade_allowed", allowed, (policy_id,), policy_version=policy_id)
    elif absent_id is not None:
        yield Finding(
            absent_id, "downgrade_allowed", None, (absent_id,), ClaimStatus.UNSUPPORTED, "no_policy"
        )
    yield from _consequences(target, subscription_id, subscription, records)


def _consequences(
    target: Plan, subscription_id: str, subscription: Subscription, records: tuple[VerifiedRecord, ...]
) -> Iterator[Finding]:
    prices = [(pid, price) for pid, price in of_kind(records, PlanPrice) if price.plan is target]
    if subscription.seats is None:
        yield Finding(
            subscription.cycle_id,
            "seats_known",
            None,
            (subscription_id,),
            ClaimStatus.UNSUPPORTED,
            "seats_unknown",
        )
    if not prices:
        yield Finding(
            subscription.cycle_id,
            "target_price_cents",
            None,
            (subscription_id,),
            ClaimStatus.UNSUPPORTED,
            "price_unknown",
        )
