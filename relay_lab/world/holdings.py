"""The records of a generated world: what its systems hold so that every wish has the facts its case needs."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from relay_lab.contracts.enums import Feature, Plan
from relay_lab.contracts.evidence import Source
from relay_lab.world import data
from relay_lab.world.dice import Dice
from relay_lab.world.renewal import cycle_id_of
from relay_lab.world.setting import Setting
from relay_lab.world.troubles import Change, Duplicate, NoAccess, Wish

FRESH_FOR_S = {
    Source.ACCOUNTS: 900,
    Source.SUBSCRIPTIONS: 600,
    Source.CATALOGUE: 86400,
    Source.ENTITLEMENTS: 3600,
    Source.BILLING: 7200,
    Source.INCIDENTS: 600,
    Source.POLICIES: 86400,
    Source.ARTICLES: 604800,
    Source.HANDOFF_QUEUE: 60,
}


def sources(dice: Dice, stale: Source | None) -> tuple[data.SourceTerms, ...]:
    """How fresh each source is; `stale` names the one that lags beyond its own bound."""
    return tuple(
        data.SourceTerms(
            source=source,
            fresh_for_s=fresh_for_s,
            lag_s=fresh_for_s + dice.between(1, 9000) if source is stale else dice.between(0, 30),
        )
        for source, fresh_for_s in FRESH_FOR_S.items()
    )


def account(setting: Setting, change: Change | None) -> data.AccountRow:
    """The customer's account, with whatever stands in the way of their change."""
    obstacle = change.obstacle if change else None
    return data.AccountRow(
        customer_id=setting.customer_id,
        tenant_id=setting.tenant_id,
        display_zone=setting.zone,
        allowed_operations=() if obstacle == "not_allowed" else ("schedule_downgrade",),
        contract_terms="negotiated" if obstacle == "negotiated" else "self_service",
        owner_seat_id=None if obstacle == "owner_unknown" else setting.seats[0].seat_id,
    )


def subscription(setting: Setting, change: Change | None) -> data.SubscriptionRow:
    """The customer's subscription."""
    return data.SubscriptionRow(
        customer_id=setting.customer_id,
        plan=setting.plan,
        cycle_id=cycle_id_of(setting.renews_at),
        renews_at=setting.renews_at,
        subscription_version=setting.subscription_version,
        seats=None if change and change.obstacle == "seats_missing" else setting.seats,
    )


def prices(setting: Setting) -> tuple[data.PriceRow, ...]:
    """The catalogue."""
    return tuple(
        data.PriceRow(
            plan=plan,
            price_cents=setting.prices[plan],
            currency=setting.currency,
            tax_terms=setting.tax_terms,
            seats_included=setting.seats_included[plan],
        )
        for plan in Plan
    )


def entitlement(setting: Setting, wishes: Iterable[Wish]) -> data.EntitlementRow:
    """What the account has been given: what its plan includes, save for a feature whose records are to contradict."""
    given = list(setting.features[setting.plan])
    for wish in wishes:
        if isinstance(wish, NoAccess) and wish.case == "conflict" and wish.feature is not None:
            without = [feature for feature in given if feature is not wish.feature]
            given = without if wish.feature in given else [*given, wish.feature]
    return data.EntitlementRow(
        customer_id=setting.customer_id, map_version=setting.map_version, features=tuple(given)
    )


def plan_maps(dice: Dice, setting: Setting) -> tuple[data.PlanMapRow, ...]:
    """The plan map in force, and sometimes the one that comes after it."""
    now = data.PlanMapRow(
        map_version=setting.map_version,
        in_force_at=setting.now - timedelta(days=dice.between(20, 300)),
        features=setting.features,
    )
    if dice.chance(0.7):
        return (now,)
    everything = dict.fromkeys(Plan, tuple(Feature))
    later = data.PlanMapRow(
        map_version=f"{setting.map_version}.next",
        in_force_at=setting.now + timedelta(days=dice.between(40, 90)),
        features=everything,
    )
    return (later, now)


def enrolments(dice: Dice, setting: Setting, wishes: Iterable[Wish]) -> tuple[data.EnrolmentRow, ...]:
    """Betas that gave access once and have ended."""
    made: list[data.EnrolmentRow] = []
    for wish in wishes:
        if isinstance(wish, NoAccess) and wish.case == "ended_beta" and wish.feature is not None:
            ended_at = setting.now - timedelta(days=dice.between(1, 60), minutes=dice.between(0, 1400))
            style = dice.one_of(("BETA-{}", "preview-{}", "trial.{}"))
            made.append(
                data.EnrolmentRow(
                    customer_id=setting.customer_id,
                    programme=style.format(10 * dice.between(1, 9) + len(made)),
                    feature=wish.feature,
                    started_at=ended_at - timedelta(days=dice.between(14, 120)),
                    ended_at=ended_at,
                )
            )
    return tuple(made)


def incidents(dice: Dice, setting: Setting, wishes: Iterable[Wish]) -> tuple[data.IncidentRow, ...]:
    """Active incidents where a case wants one; over ones elsewhere, which explain nothing."""
    made: list[data.IncidentRow] = []
    for wish in wishes:
        if not isinstance(wish, NoAccess) or wish.feature is None:
            continue
        active = wish.case == "incident"
        if not active and not dice.chance(0.3):
            continue
        started_at = setting.now - timedelta(minutes=dice.between(5, 4000))
        made.append(
            data.IncidentRow(
                incident_id=f"INC-{setting.mark}-{len(made) + 1}",
                started_at=started_at,
                affected_features=(wish.feature,),
                status=dice.one_of(("investigating", "identified", "monitoring")) if active else "resolved",
                ended_at=None if active else started_at + timedelta(minutes=4),
            )
        )
    return tuple(made)


def refund_policies(
    dice: Dice, setting: Setting, duplicate: Duplicate | None
) -> tuple[data.RefundPolicyRow, ...]:
    """The refund policy in force at last month's charges; or one that came later; or none."""
    case = duplicate.policy if duplicate else "in_force"
    if case == "none":
        return ()
    number = dice.between(2, 60)
    style = dice.one_of(("RP-{}", "refund-2.{}", "RPv{}"))
    late = case == "too_late"
    # The latest charge is on the 28th; this month's first hours are after every charge in any zone.
    effective_at = (
        setting.now - timedelta(hours=1) if late else setting.now - timedelta(days=dice.between(100, 700))
    )
    return (refund_policy(style.format(number), effective_at),)


def refund_policy(version: str, since: datetime) -> data.RefundPolicyRow:
    """A refund policy under which a confirmed duplicate is eligible."""
    return data.RefundPolicyRow(
        policy_version=version,
        effective_at=since,
        duplicate_capture_eligible=True,
        approval=("verified_self_service", "billing_agent"),
    )


def subscription_policies(
    dice: Dice, setting: Setting, change: Change | None
) -> tuple[data.SubscriptionPolicyRow, ...]:
    """The subscription policy in force now, and sometimes the one before it; or none."""
    obstacle = change.obstacle if change else None
    if obstacle == "no_policy":
        return ()
    number = dice.between(2, 60)
    style = dice.one_of(("SP-{}", "subscription-1.{}", "SPv{}"))
    since = setting.now - timedelta(days=dice.between(3, 400))
    now = subscription_policy(style.format(number), since, allowed=obstacle != "policy_forbids")
    if dice.chance(0.6):
        return (now,)
    before = subscription_policy(
        style.format(number - 1), since - timedelta(days=200), allowed=not now.downgrade_allowed
    )
    return (before, now)


def subscription_policy(version: str, since: datetime, allowed: bool) -> data.SubscriptionPolicyRow:
    """A subscription policy that allows a downgrade at the renewal, or does not."""
    return data.SubscriptionPolicyRow(
        policy_version=version,
        effective_at=since,
        downgrade_allowed=allowed,
        takes_effect="renewal_boundary",
        confirmation_required=True,
        data_retained=True,
        immediate_refund="none",
    )
