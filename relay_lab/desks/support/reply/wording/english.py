"""Values in plain English: money, instants, plans, features, counts and lists."""

from collections.abc import Sequence
from datetime import UTC, datetime

from relay_lab.contracts.enums import Feature
from relay_lab.desks.support.reply.zones import zone_of

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
COUNTS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
)  # fmt: skip
FEATURES = {
    Feature.GANTT_CHART: "the Gantt chart",
    Feature.CALENDAR_VIEW: "the calendar view",
    Feature.TIME_TRACKING: "time tracking",
    Feature.AUTOMATIONS: "automations",
    Feature.GUEST_ACCESS: "guest access",
    Feature.API_ACCESS: "API access",
}


def money(cents: int, currency: str) -> str:
    """An amount (`USD 49`, `USD 1,049.50`): the currency in front, cents only when there are any."""
    whole, part = divmod(cents, 100)
    return f"{currency} {whole:,}" + (f".{part:02}" if part else "")


def count(number: int) -> str:
    """A number in words up to twelve, in figures beyond."""
    return COUNTS[number] if 0 <= number < len(COUNTS) else f"{number:,}"


def listed(items: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return " and ".join(([", ".join(items[:-1])] if len(items) > 1 else []) + list(items[-1:]))


def plan(name: str) -> str:
    """The name of a plan as it is written (`Team`)."""
    return name.capitalize()


def feature(name: str) -> str:
    """A feature with its article where it has one, or "this feature" when the name is of no known feature."""
    return FEATURES[Feature(name)] if name in set(Feature) else "this feature"


def instant(moment: datetime | str, zone_name: str) -> str:
    """An instant with weekday, date, time and zone (`Friday, 11 September 2026 at 10:00 UTC`).

    Seconds are shown when there are any. In the hour that a clock change repeats, the time in UTC is added.
    """
    aware = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    zone = zone_of(zone_name)
    local = aware.astimezone(zone or UTC)
    date = f"{WEEKDAYS[local.weekday()]}, {local.day} {MONTHS[local.month - 1]} {local.year:04}"
    if zone is None:
        return f"{date} at {_time(local)} UTC"
    repeated = local.replace(fold=1 - local.fold).utcoffset() != local.utcoffset()
    also = f" ({_time(aware.astimezone(UTC))} UTC)" if repeated else ""
    return f"{date} at {_time(local)} {zone_name} time{also}"


def _time(moment: datetime) -> str:
    return f"{moment:%H:%M:%S}" if moment.second else f"{moment:%H:%M}"
