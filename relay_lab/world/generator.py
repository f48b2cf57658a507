"""Worlds made from a seed: other customers, dates, plans, ids, troubles and words, each consistent and with its expected end."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import TypeVar
from zoneinfo import ZoneInfo

from relay_lab.contracts.base import Contract, Scalar
from relay_lab.contracts.enums import Assurance, Feature, Plan, TargetPlan
from relay_lab.contracts.evidence import Source
from relay_lab.contracts.session import Session
from relay_lab.world import data, holdings, wording
from relay_lab.world.crowds import PRICES, Crowd, crowd
from relay_lab.world.dice import Dice
from relay_lab.world.expectations import Asked, Expected, expect, is_open
from relay_lab.world.ledgers import books
from relay_lab.world.setting import Setting, set_up
from relay_lab.world.troubles import Change, Duplicate, NoAccess, Person, Something, Wish, wishes

SCOPES = (
    "billing:read", "entitlements:read", "incidents:read", "policy:read", "subscription:prepare",
    "subscription:schedule", "support:handoff",
)  # fmt: skip
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip

_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

W = TypeVar("W")


class GeneratedWorld(Contract):
    """A scenario, and what should come of it, which no code under judgement may see."""

    scenario: data.Scenario
    expected: Expected


def generate(seed: int) -> GeneratedWorld:
    """The world of a seed: the same on every machine and version of Python."""
    dice = Dice(seed)
    setting = set_up(dice)
    name = f"world-{seed}" if seed >= 0 else f"world-minus-{-seed}"
    return _world(name, dice, setting, wishes(dice, setting))


def generate_answerable(seed: int) -> GeneratedWorld:
    """A world whose customer has the three concerns of the fixture, in its order, and every right: each can be dealt with.

    A duplicate that reconciliation confirms, a feature that a beta gave once, and a smaller plan that is not named; what
    else a world has follows from the seed. Made for failures to be injected into.
    """
    dice = Dice(seed)
    setting = set_up(dice)
    while setting.plan is not Plan.TEAM:  # only from there is there both less to have and more to miss
        setting = set_up(dice)
    missed = dice.one_of([feature for feature in Feature if feature not in setting.features[Plan.TEAM]])
    wanted = (
        Duplicate("excess", "in_force", None),
        NoAccess(missed, "ended_beta"),
        Change(None, dice.chance(0.5), None),
    )
    made = _world(f"answerable-{seed}", dice, setting, wanted, troubled=False)
    scenario = made.scenario.model_copy(update={"pick": TargetPlan.INDIVIDUAL})
    asked = tuple(
        Asked(**{name: getattr(issue, name) for name in Asked.model_fields}) for issue in made.expected.issues
    )
    return GeneratedWorld(scenario=scenario, expected=expect(scenario, asked))


def _world(
    name: str, dice: Dice, setting: Setting, wanted: tuple[Wish, ...], troubled: bool = True
) -> GeneratedWorld:
    """One world of these wishes; a troubled one may lack scopes, assurance or a fresh source."""
    written = [_written(dice, setting, wish) for wish in wanted]
    message = wording.compose(dice, [clause for clause, _, _ in written])
    asked = tuple(
        Asked(type=kind, slots=slots, span_text=span)
        for (_, kind, slots), span in zip(written, message.spans, strict=True)
    )
    stale = _stale(dice, setting, wanted) if troubled else None
    scenario = data.Scenario(
        name=name,
        now=setting.now,
        session=_session(dice, setting, wanted) if troubled else _full_session(setting),
        message=message.message,
        pick=None,
        data=_holdings(dice, setting, wanted, stale),
    )
    pick = _pick(dice, setting, wanted) if is_open(scenario, asked) else None
    scenario = scenario.model_copy(update={"pick": pick})
    return GeneratedWorld(scenario=scenario, expected=expect(scenario, asked))


def _full_session(setting: Setting) -> Session:
    return Session(
        authenticated_customer_id=setting.customer_id,
        session_assurance=Assurance.RECENT_MFA,
        tenant_id=setting.tenant_id,
        allowed_scopes=SCOPES,
    )


def _of(kind: type[W], wanted: Iterable[Wish]) -> W | None:
    return next((wish for wish in wanted if isinstance(wish, kind)), None)


def _written(dice: Dice, setting: Setting, wish: Wish) -> tuple[wording.Clause, str, dict[str, Scalar]]:
    """What the customer writes of a wish, its issue type, and its slots."""
    match wish:
        case Duplicate(refund_requested=refund):
            follow_up = {None: ("",), True: wording.REFUND_ASKED, False: wording.REFUND_DECLINED}[refund]
            text = dice.one_of(wording.DUPLICATES).format(
                month=_month(dice, setting), plan=setting.plan.capitalize(), amount=_amount(setting)
            )
            slots: dict[str, Scalar] = {
                "requested_outcome": "investigate_duplicate",
                "refund_requested": refund,
            }
            return wording.Clause(text, dice.one_of(follow_up)), "billing_duplicate", slots
        case NoAccess(feature=feature):
            if feature is None:
                return (
                    wording.Clause(dice.one_of(wording.NO_ACCESS_UNNAMED)),
                    "feature_access",
                    {"feature": None},
                )
            words = dice.one_of(wording.FEATURE_WORDS[feature])
            text = dice.one_of(wording.NO_ACCESS).format(feature=words)
            return wording.Clause(text), "feature_access", {"feature": feature.value}
        case Change():
            return _written_change(dice, setting, wish)
        case Person():
            return wording.Clause(dice.one_of(wording.A_PERSON)), "human_request", {}
        case Something(about_account=about):
            text = dice.one_of(wording.ABOUT_ACCOUNT if about else wording.OUTSIDE)
            return wording.Clause(text), "other", {"about_account": about}


def _written_change(
    dice: Dice, setting: Setting, wish: Change
) -> tuple[wording.Clause, str, dict[str, Scalar]]:
    phrases: tuple[str, ...] = wording.NAMED_PLAN
    if wish.target is None:
        phrases = wording.SMALLER_PLAN
    elif wish.target is TargetPlan.CANCEL:
        phrases = wording.CANCEL
    elif Plan(wish.target.value).rank > setting.plan.rank:
        phrases = (*wording.HIGHER_PLAN, *wording.NAMED_PLAN)
    when = dice.one_of(wording.BEFORE_RENEWAL if wish.before_renewal else wording.NO_DEADLINE)
    # A weekday alone means the next one; it is said only of a renewal that comes before that day's name returns.
    if setting.renews_at - setting.now < timedelta(days=6) and dice.chance(0.4):
        day = _DAYS[setting.renews_at.astimezone(ZoneInfo(setting.zone)).weekday()]
        when = f" before the renewal on {day}" if wish.before_renewal else f" on {day}"
    target = wish.target.capitalize() if wish.target else ""
    slots: dict[str, Scalar] = {
        "target_plan": wish.target and wish.target.value,
        "deadline": "before_renewal" if wish.before_renewal else None,
        "needs_clarification": wish.target is None,
    }
    return wording.Clause(dice.one_of(phrases).format(target=target, when=when)), "subscription_change", slots


def _month(dice: Dice, setting: Setting) -> str:
    named = _MONTHS[setting.last_month(15, 12, 0).month - 1]
    return dice.one_of((" last month", " last month", f" in {named}", ""))


def _amount(setting: Setting) -> str:
    return f"{setting.currency} {setting.prices[setting.plan] / 100:.2f}"


def _session(dice: Dice, setting: Setting, wanted: tuple[Wish, ...]) -> Session:
    assurance = dice.weighted(
        [(Assurance.RECENT_MFA, 0.82), (Assurance.PASSWORD, 0.11), (Assurance.NONE, 0.07)]
    )
    missing = dice.some_of(SCOPES, dice.weighted([(0, 0.78), (1, 0.18), (2, 0.04)]))
    change = _of(Change, wanted)
    if change and change.target == setting.plan.value:
        # Whether a question comes before a reading that only the answer needs is not for the rules to say.
        missing = [scope for scope in missing if scope not in {"entitlements:read", "policy:read"}]
    return Session(
        authenticated_customer_id=setting.customer_id,
        session_assurance=assurance,
        tenant_id=setting.tenant_id,
        allowed_scopes=tuple(scope for scope in SCOPES if scope not in missing),
    )


def _stale(dice: Dice, setting: Setting, wanted: tuple[Wish, ...]) -> Source | None:
    """A source that lags beyond its bound, now and then; only one whose effect on every wish follows from the rules."""
    if not dice.chance(0.12):
        return None
    change, feature = _of(Change, wanted), _of(NoAccess, wanted)
    candidates = [Source.BILLING, Source.INCIDENTS]
    if not change or change.target != setting.plan.value:
        candidates += [Source.POLICIES, Source.CATALOGUE]
        if not feature:
            candidates += [Source.ACCOUNTS, Source.SUBSCRIPTIONS]
    if not change:
        candidates.append(Source.ENTITLEMENTS)
    return dice.one_of(candidates)


def _pick(dice: Dice, setting: Setting, wanted: tuple[Wish, ...]) -> TargetPlan | None:
    """A plan other than the present one, most often a lower one; or none."""
    if any(isinstance(wish, NoAccess) and wish.case == "conflict" for wish in wanted) or dice.chance(0.1):
        return None
    lower = [TargetPlan(plan.value) for plan in Plan if plan.rank < setting.plan.rank]
    higher = [TargetPlan(plan.value) for plan in Plan if plan.rank > setting.plan.rank]
    kinds = [(lower, 0.8), (higher, 0.1), ([TargetPlan.CANCEL], 0.1)]
    return dice.one_of(dice.weighted([(targets, weight) for targets, weight in kinds if targets]))


def _holdings(dice: Dice, setting: Setting, wanted: tuple[Wish, ...], stale: Source | None) -> data.WorldData:
    change, duplicate = _of(Change, wanted), _of(Duplicate, wanted)
    kept = books(dice, setting, duplicate)
    neighbours = _neighbours(dice, setting)
    return data.WorldData(
        sources=holdings.sources(dice, stale),
        accounts=(holdings.account(setting, change), *neighbours.accounts),
        subscriptions=(holdings.subscription(setting, change), *neighbours.subscriptions),
        prices=holdings.prices(setting),
        plan_maps=holdings.plan_maps(dice, setting),
        entitlements=(holdings.entitlement(setting, wanted), *neighbours.entitlements),
        enrolments=holdings.enrolments(dice, setting, wanted),
        invoices=(*kept.invoices, *neighbours.invoices),
        transactions=(*kept.transactions, *neighbours.transactions),
        reconciliations=(*kept.reconciliations, *neighbours.reconciliations),
        incidents=holdings.incidents(dice, setting, wanted),
        refund_policies=holdings.refund_policies(dice, setting, duplicate),
        subscription_policies=holdings.subscription_policies(dice, setting, change),
    )


def _neighbours(dice: Dice, setting: Setting) -> Crowd:
    """A second customer of the tenant and one of another tenant, to be refused."""
    members = ((f"n{setting.mark}-a", setting.tenant_id), (f"n{setting.mark}-b", f"{setting.tenant_id}-2"))
    return crowd(dice, setting.now, members, setting.map_version, setting.features, setting.currency)


def generate_many(count: int, seed: int) -> data.WorldData:
    """The records of a company with `count` customers (`C000001`, …) in ten tenants, for measuring."""
    dice = Dice(seed)
    now = datetime(2026, 9, 10, 10, tzinfo=UTC)
    features = {
        Plan.INDIVIDUAL: tuple(Feature)[:1],
        Plan.TEAM: tuple(Feature)[:4],
        Plan.BUSINESS: tuple(Feature),
    }
    members = ((f"C{number:06}", f"tenant-{number % 10}") for number in range(1, count + 1))
    many = crowd(dice, now, members, "PM-1", features, "USD")
    return data.WorldData(
        sources=holdings.sources(dice, None),
        accounts=tuple(many.accounts),
        subscriptions=tuple(many.subscriptions),
        prices=tuple(
            data.PriceRow(
                plan=plan,
                price_cents=cents,
                currency="USD",
                tax_terms="no tax is added",
                seats_included=1 + 9 * plan.rank,
            )
            for plan, cents in PRICES.items()
        ),
        plan_maps=(
            data.PlanMapRow(map_version="PM-1", in_force_at=now - timedelta(days=90), features=features),
        ),
        entitlements=tuple(many.entitlements),
        invoices=tuple(many.invoices),
        transactions=tuple(many.transactions),
        reconciliations=tuple(many.reconciliations),
        refund_policies=(holdings.refund_policy("RP-1", now - timedelta(days=200)),),
        subscription_policies=(
            holdings.subscription_policy("SP-1", now - timedelta(days=200), allowed=True),
        ),
    )
