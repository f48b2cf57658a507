"""The setting of a generated world: when it is, who the customer is, what they have, and what is on sale."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from relay_lab.contracts.enums import Feature, Plan
from relay_lab.contracts.evidence import Seat
from relay_lab.world.dice import Dice

_DIGITS, _LOWER = "0123456789", "abcdefghjkmnpqrstuvwxyz23456789"
_ZONES = (
    "UTC", "Europe/Berlin", "America/New_York", "America/Sao_Paulo", "Asia/Tokyo", "Asia/Kolkata",
    "Australia/Sydney", "Pacific/Auckland",
)  # fmt: skip
_TENANTS = ("northgate", "relay-eu", "lab.prod", "harbour-prod", "t7")
_NAMES = (
    "Amara Diallo",
    "Jonas Weber",
    "Lucía Romero",
    "Yuki Tanaka",
    "Priya Nair",
    "Ewa Nowak",
    "Sam Carter",
    "Zoé Martin",
)
_TAX_TERMS = ("no tax is added", "VAT is included", "sales tax is added on the invoice")
# Where calendars are awkward: ends of months and years, leap days, clock changes, midnight in one zone and not another.
_AWKWARD = (
    (2027, 12, 31, 23, 40), (2028, 1, 1, 0, 20), (2028, 2, 29, 12, 0), (2028, 3, 1, 0, 5), (2025, 3, 1, 3, 0),
    (2026, 3, 29, 1, 30), (2026, 10, 25, 1, 30), (2029, 1, 31, 22, 0), (2030, 7, 31, 23, 59), (2024, 2, 28, 23, 0),
)  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """Everything about one customer's world that is not yet a problem of theirs."""

    now: datetime
    zone: str
    tenant_id: str
    customer_id: str
    mark: str
    plan: Plan
    renews_at: datetime
    subscription_version: int
    seats: tuple[Seat, ...]
    currency: str
    prices: dict[Plan, int]
    seats_included: dict[Plan, int]
    tax_terms: str
    map_version: str
    features: dict[Plan, tuple[Feature, ...]]

    def last_month(self, day: int, hour: int, minute: int) -> datetime:
        """An instant of the calendar month before this one, as the customer counts months."""
        first = self.now.astimezone(ZoneInfo(self.zone)).replace(day=1)
        before = first - timedelta(days=1)
        return datetime(before.year, before.month, day, hour, minute, tzinfo=ZoneInfo(self.zone)).astimezone(
            UTC
        )


def set_up(dice: Dice) -> Setting:
    """A setting in which nothing is wrong."""
    now = _now(dice)
    plan = dice.weighted([(Plan.INDIVIDUAL, 0.15), (Plan.TEAM, 0.5), (Plan.BUSINESS, 0.35)])
    mark, customer_id = _identity(dice)
    prices = _prices(dice)
    included = {Plan.INDIVIDUAL: 1, Plan.TEAM: dice.between(5, 10), Plan.BUSINESS: dice.between(15, 50)}
    renews_at = now + timedelta(
        minutes=dice.weighted([(dice.between(45, 1200), 0.2), (dice.between(1200, 38000), 0.8)])
    )
    return Setting(
        now=now,
        zone=dice.one_of(_ZONES),
        tenant_id=dice.one_of(_TENANTS),
        customer_id=customer_id,
        mark=mark,
        plan=plan,
        renews_at=renews_at.replace(second=0, microsecond=0),
        subscription_version=dice.between(1, 60),
        seats=_seats(dice, 1 if plan is Plan.INDIVIDUAL else dice.between(1, 5), mark),
        currency=dice.one_of(("USD", "EUR", "GBP", "CHF")),
        prices=prices,
        seats_included=included,
        tax_terms=dice.one_of(_TAX_TERMS),
        map_version=dice.one_of(("PM-{}", "features.{}", "map-v{}")).format(dice.between(2, 40)),
        features=_features(dice),
    )


def _now(dice: Dice) -> datetime:
    if dice.chance(0.3):
        year, month, day, hour, minute = dice.one_of(_AWKWARD)
    else:
        year, month, day = dice.between(2024, 2031), dice.between(1, 12), dice.between(1, 28)
        hour, minute = dice.between(0, 23), dice.between(0, 59)
    return datetime(year, month, day, hour, minute, dice.between(0, 59), tzinfo=UTC)


def _identity(dice: Dice) -> tuple[str, str]:
    digits = dice.text(_DIGITS[1:], 4)
    styles = (
        f"CUST-{digits}",
        f"C00{digits}",
        f"acct_{dice.text(_LOWER, 6)}",
        f"cus.{digits[:2]}-{digits[2:]}",
    )
    return digits, dice.one_of(styles)


def _seats(dice: Dice, count: int, mark: str) -> tuple[Seat, ...]:
    style = dice.one_of(("SEAT-{}-{}", "s{}.{}", "seat_{}_{}"))
    holders = dice.some_of(_NAMES, count)
    return tuple(
        Seat(seat_id=style.format(mark, number), holder=name) for number, name in enumerate(holders, start=1)
    )


def _prices(dice: Dice) -> dict[Plan, int]:
    individual = dice.between(5, 30) * 100 - dice.one_of((0, 1, 50))
    team = individual + dice.between(10, 60) * 100
    return {Plan.INDIVIDUAL: individual, Plan.TEAM: team, Plan.BUSINESS: team + dice.between(20, 120) * 100}


def _features(dice: Dice) -> dict[Plan, tuple[Feature, ...]]:
    """Each plan has all that a lower one has, and more: no step down costs nothing."""
    features = dice.shuffled(list(Feature))
    first = dice.between(1, 3)
    second = dice.between(first + 1, 5)
    return {
        Plan.INDIVIDUAL: tuple(features[:first]),
        Plan.TEAM: tuple(features[:second]),
        Plan.BUSINESS: tuple(features),
    }
