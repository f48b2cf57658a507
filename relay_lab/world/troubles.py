"""What is wrong, or is thought to be, in a generated world: the wishes of its customer and the cases behind them."""

from dataclasses import dataclass, replace
from typing import Literal

from relay_lab.contracts.enums import Feature, Plan, TargetPlan
from relay_lab.world.dice import Dice
from relay_lab.world.setting import Setting

BillingCase = Literal[
    "excess", "excess_twice", "reversed", "refunded", "separate", "single", "unsettled", "unreconciled"
]
FeatureCase = Literal["not_entitled", "ended_beta", "incident", "unexplained", "conflict"]
Obstacle = Literal[
    "seats_missing", "owner_unknown", "negotiated", "not_allowed", "policy_forbids", "no_policy"
]
PolicyCase = Literal["in_force", "too_late", "none"]


@dataclass(frozen=True)
class Duplicate:
    """The customer reports a duplicate charge."""

    case: BillingCase
    policy: PolicyCase
    refund_requested: bool | None


@dataclass(frozen=True)
class NoAccess:
    """The customer misses a feature; None when they do not say which."""

    feature: Feature | None
    case: FeatureCase


@dataclass(frozen=True)
class Change:
    """The customer wants another plan, or an end."""

    target: TargetPlan | None
    before_renewal: bool
    obstacle: Obstacle | None


@dataclass(frozen=True)
class Person:
    """The customer asks for a person."""


@dataclass(frozen=True)
class Something:
    """The customer wants something else."""

    about_account: bool


Wish = Duplicate | NoAccess | Change | Person | Something


def wishes(dice: Dice, setting: Setting) -> tuple[Wish, ...]:
    """One to four wishes in the order of the message: no kind twice, save that two features may be missed."""
    count = dice.weighted([(1, 0.2), (2, 0.35), (3, 0.3), (4, 0.15)])
    kinds = ["duplicate", "no_access", "change", "person", "something"]
    weights = {"duplicate": 0.26, "no_access": 0.26, "change": 0.28, "person": 0.08, "something": 0.12}
    chosen: list[str] = []
    while len(chosen) < count:
        chosen.append(dice.weighted([(kind, weights[kind]) for kind in kinds if kind not in chosen]))
    if "no_access" in chosen and len(chosen) < 4 and dice.chance(0.15):
        chosen.append("no_access")
    twice = chosen.count("no_access") > 1
    made: list[Wish] = []
    for kind in dice.shuffled(chosen):
        match kind:
            case "duplicate":
                made.append(_duplicate(dice))
            case "no_access":
                made.append(_no_access(dice, setting, made, named=twice))
            case "change":
                made.append(_change(dice, setting))
            case "person":
                made.append(Person())
            case _:
                made.append(Something(about_account=dice.chance(0.6)))
    return _untangled(tuple(made), setting)


def _duplicate(dice: Dice) -> Duplicate:
    cases: list[tuple[BillingCase, float]] = [
        ("excess", 0.36), ("excess_twice", 0.05), ("reversed", 0.08), ("refunded", 0.1), ("separate", 0.11),
        ("single", 0.08), ("unsettled", 0.1), ("unreconciled", 0.12),
    ]  # fmt: skip
    policies: list[tuple[PolicyCase, float]] = [("in_force", 0.84), ("too_late", 0.1), ("none", 0.06)]
    asked: list[tuple[bool | None, float]] = [(None, 0.5), (True, 0.3), (False, 0.2)]
    return Duplicate(dice.weighted(cases), dice.weighted(policies), dice.weighted(asked))


def _no_access(dice: Dice, setting: Setting, made: list[Wish], named: bool) -> NoAccess:
    # Beside a named feature an unnamed one could be the same: then it is one issue or two, and nobody can tell.
    if not named and dice.chance(0.12):
        return NoAccess(None, "not_entitled")
    missed = [wish.feature for wish in made if isinstance(wish, NoAccess)]
    within = [feature for feature in setting.features[setting.plan] if feature not in missed]
    beyond = [
        feature
        for feature in Feature
        if feature not in setting.features[setting.plan] and feature not in missed
    ]
    cases: list[tuple[FeatureCase, float]] = [
        ("not_entitled", 0.25), ("ended_beta", 0.25), ("incident", 0.2), ("unexplained", 0.16), ("conflict", 0.14),
    ]  # fmt: skip
    case = dice.weighted(cases)
    if case in {"not_entitled", "ended_beta"} and not beyond:
        case = "incident"
    elif case in {"incident", "unexplained"} and not within:
        case = "not_entitled"
    pool = (
        beyond
        if case in {"not_entitled", "ended_beta"}
        else within
        if case != "conflict"
        else within + beyond
    )
    return NoAccess(dice.one_of(pool), case)


def _change(dice: Dice, setting: Setting) -> Change:
    lower = [TargetPlan(plan.value) for plan in Plan if plan.rank < setting.plan.rank]
    higher = [TargetPlan(plan.value) for plan in Plan if plan.rank > setting.plan.rank]
    wanted: list[tuple[TargetPlan | None, float]] = [(None, 0.42), (TargetPlan.CANCEL, 0.12)]
    wanted.append((TargetPlan(setting.plan.value), 0.08))
    wanted += [(target, 0.3 / len(lower)) for target in lower]
    wanted += [(target, 0.1 / len(higher)) for target in higher]
    obstacles: list[tuple[Obstacle | None, float]] = [
        (None, 0.7), ("seats_missing", 0.07), ("owner_unknown", 0.03), ("negotiated", 0.06), ("not_allowed", 0.06),
        ("policy_forbids", 0.04), ("no_policy", 0.04),
    ]  # fmt: skip
    return Change(dice.weighted(wanted), dice.chance(0.5), dice.weighted(obstacles))


def _untangled(made: tuple[Wish, ...], setting: Setting) -> tuple[Wish, ...]:
    """Without what the rules do not decide: which features a step down costs while two records contradict each other."""
    steps_down = any(
        isinstance(wish, Change)
        and wish.target in {plan.value for plan in Plan if plan.rank < setting.plan.rank}
        for wish in made
    )
    if not steps_down:
        return made
    return tuple(_settled(wish, setting) if isinstance(wish, NoAccess) else wish for wish in made)


def _settled(wish: NoAccess, setting: Setting) -> NoAccess:
    if wish.case != "conflict":
        return wish
    return replace(
        wish, case="unexplained" if wish.feature in setting.features[setting.plan] else "not_entitled"
    )
