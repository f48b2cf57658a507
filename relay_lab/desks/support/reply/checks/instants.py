"""Dates and times in any writing. What does not name a day of a month by itself (a weekday, a month, an hour) is refused."""

from dataclasses import dataclass
from datetime import UTC, date, datetime

from relay_lab.desks.support.reply.checks.tokens import ISO, Token
from relay_lab.desks.support.reply.checks.wordlist import lines, ranked
from relay_lab.desks.support.reply.zones import zone_of

MONTHS = {
    name: number
    for number, names in enumerate(
        lines(
            """
            january jan
            february feb
            march mar
            april apr
            may
            june jun
            july jul
            august aug
            september sept sep
            october oct
            november nov
            december dec
            """
        ),
        start=1,
    )
    for name in names
}
WEEKDAYS = {
    name: number
    for number, names in enumerate(
        lines(
            """
            monday mondays mon
            tuesday tuesdays tue tues
            wednesday wednesdays wed
            thursday thursdays thu thurs
            friday fridays fri
            saturday saturdays sat
            sunday sundays sun
            """
        )
    )
    for name in names
}
DAY_WORDS = ranked(
    """
    first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth
    seventeenth eighteenth nineteenth twentieth
    """,
    start=1,
) | {"thirtieth": 30}


@dataclass(frozen=True, slots=True)
class Written:
    """A date as written. `zone`: utc, display, or None when no hour is given; `utc_time` is an hour added in UTC."""

    weekday: int | None
    day: int
    month: int
    year: int | None
    time: tuple[int, int, int] | None
    zone: str | None
    utc_time: tuple[int, int, int] | None = None


def same(written: Written, instant: datetime, zone_name: str) -> bool:
    """Whether a written date says nothing untrue of the instant. Without an hour, the day in the display zone counts."""
    zone = UTC if written.zone == "utc" else (zone_of(zone_name) or UTC)
    local, utc = instant.astimezone(zone), instant.astimezone(UTC)
    return (
        (written.day, written.month) == (local.day, local.month)
        and written.year in (None, local.year)
        and written.weekday in (None, local.weekday())
        and written.time in (None, (local.hour, local.minute, local.second))
        and written.utc_time in (None, (utc.hour, utc.minute, utc.second))
    )


def read_date(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    """The date that starts here as one token, or a bad token for a piece that is no date by itself, or None."""
    cursor = _Cursor(tokens, at)
    weekday = WEEKDAYS.get(cursor.word())
    if weekday is not None:
        cursor.step()
        cursor.skip(",")
    day = cursor.iso() or cursor.day_month() or cursor.month_day()
    if day is None:
        loose = (
            weekday is not None
            or cursor.word() in MONTHS
            or cursor.token().kind in ("clock", "iso", "ordinal")
        )
        return (Token("bad", tokens[at].text, code="ungrounded_date"), 1) if loose else None
    number, month, year, time, zone = day
    if time is None:
        time, zone = cursor.hour()
    if time is not None and zone is None:
        return Token("bad", tokens[at].text, code="ungrounded_date"), cursor.at - at
    extra = cursor.hour_in_utc() if zone == "display" else None
    return Token("date", "date", Written(weekday, number, month, year, time, zone, extra)), cursor.at - at


Found = tuple[int, int, int | None, tuple[int, int, int] | None, str | None]


class _Cursor:
    """A place among the tokens that moves on only over what it has read."""

    def __init__(self, tokens: list[Token], at: int) -> None:
        self._tokens, self.at = tokens, at

    def token(self, ahead: int = 0) -> Token:
        return self._tokens[self.at + ahead] if self.at + ahead < len(self._tokens) else Token("end", "")

    def word(self, ahead: int = 0) -> str:
        token = self.token(ahead)
        return token.text if token.kind == "word" else ""

    def step(self, width: int = 1) -> None:
        self.at += width

    def skip(self, *texts: str) -> None:
        if self.token().kind in ("mark", "word") and self.token().text in texts:
            self.step()

    def iso(self) -> Found | None:
        token = self.token()
        if token.kind != "iso" or ISO.fullmatch(token.text) is None:
            return None
        day, _, clock = token.text.partition("T")
        if clock and not clock.endswith("Z"):
            return None
        try:
            read = date.fromisoformat(day)
        except ValueError:
            return None
        self.step()
        parts = [int(part) for part in clock.rstrip("Z").split(":")] if clock else []
        time = (parts[0], parts[1], parts[2] if len(parts) > 2 else 0) if parts else None
        return read.day, read.month, read.year, time, "utc" if time else None

    def day_month(self) -> Found | None:
        width = 1 + (self.word(1) == "of")
        day, month = self._day(0), MONTHS.get(self.word(width))
        if day is None or month is None:
            return None
        self.step(width + 1)
        return day, month, self._year(), None, None

    def month_day(self) -> Found | None:
        month = MONTHS.get(self.word())
        width = 1 + (self.word(1) == "the")
        day = self._day(width)
        if month is None or day is None:
            return None
        self.step(width + 1)
        return day, month, self._year(), None, None

    def _day(self, ahead: int) -> int | None:
        token = self.token(ahead)
        if token.kind == "ordinal":
            return int(token.text[:-2])
        if token.kind == "number" and token.text.isdigit() and len(token.text) <= 2:
            return int(token.text)
        return DAY_WORDS.get(self.word(ahead))

    def _year(self) -> int | None:
        comma = self.token().text == ","
        token = self.token(int(comma))
        if token.kind == "number" and token.text.isdigit() and len(token.text) == 4:
            self.step(1 + comma)
            return int(token.text)
        return None

    def hour(self) -> tuple[tuple[int, int, int] | None, str | None]:
        start = self.at
        self.skip(",")
        self.skip("at")
        token = self.token()
        if token.kind != "clock":
            self.at = start
            return None, None
        self.step()
        half = self.word() if self.word() in ("am", "pm") else ""
        self.step(bool(half))
        time = _clock(token.text.lower() + half)
        zone = "utc" if self.word() == "utc" else "display" if self.token().kind == "zone" else None
        self.step(zone is not None)
        if zone == "display":
            self.skip("time")
        return time, zone

    def hour_in_utc(self) -> tuple[int, int, int] | None:
        if self.token().text == "(" and self.token(1).kind == "clock" and self.word(2) == "utc":
            time = _clock(self.token(1).text.lower())
            self.step(3)
            self.skip(")")
            return time
        return None


def _clock(text: str) -> tuple[int, int, int]:
    half = text[-2:] if text[-2:] in ("am", "pm") else ""
    parts = [int(part) for part in text.removesuffix(half).split(":")]
    hour = parts[0] % 12 + 12 * (half == "pm") if half else parts[0]
    return hour, parts[1] if len(parts) > 1 else 0, parts[2] if len(parts) > 2 else 0
