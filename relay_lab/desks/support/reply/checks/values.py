"""Amounts, numbers, plans and features in any writing, each read into one token with its value."""

from dataclasses import dataclass
from decimal import Decimal

from relay_lab.contracts.enums import Feature, Plan
from relay_lab.desks.support.reply.checks.instants import read_date
from relay_lab.desks.support.reply.checks.tokens import Token
from relay_lab.desks.support.reply.checks.wordlist import ranked

SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY"}
CURRENCY_WORDS = {
    "usd": "USD", "dollar": "USD", "dollars": "USD", "eur": "EUR", "euro": "EUR", "euros": "EUR",
    "gbp": "GBP", "pound": "GBP", "pounds": "GBP", "jpy": "JPY", "yen": "JPY", "chf": "CHF", "francs": "CHF",
}  # fmt: skip
SMALL = ranked(
    """
    zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
    nineteen
    """,
    start=0,
) | {
    word: 10 * n
    for word, n in ranked("twenty thirty forty fifty sixty seventy eighty ninety", start=2).items()
}
SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
ODD = {
    "once": 1,
    "twice": 2,
    "thrice": 3,
    "pair": 2,
    "couple": 2,
    "dozen": 12,
    "double": 2,
    "triple": 3,
}
ODD |= ranked("first second third fourth fifth sixth", start=1)
FEATURES = {
    ("gantt",): Feature.GANTT_CHART, ("calendar",): Feature.CALENDAR_VIEW, ("time", "tracking"): Feature.TIME_TRACKING,
    ("automation",): Feature.AUTOMATIONS, ("automations",): Feature.AUTOMATIONS,
    ("guest", "access"): Feature.GUEST_ACCESS, ("api",): Feature.API_ACCESS,
}  # fmt: skip
FEATURE_TAILS = {
    Feature.GANTT_CHART: ("chart", "charts"), Feature.CALENDAR_VIEW: ("view", "views"), Feature.API_ACCESS: ("access",),
}  # fmt: skip
PLANS = {plan.value: plan for plan in Plan}
OUR_TEAMS = frozenset({"billing", "support", "specialist"})


@dataclass(frozen=True, slots=True)
class Amount:
    """Money as read: cents (possibly broken) and a currency code, None when the currency is missing."""

    cents: Decimal
    currency: str


def read_values(tokens: list[Token], currencies: frozenset[str]) -> list[Token]:
    """The tokens with every value read; what is half a value (a currency alone, a bare weekday) becomes a bad token.

    `currencies` are the codes that occur in the material, beside the ones known by name.
    """
    read: list[Token] = []
    at = 0
    while at < len(tokens):
        value, width = _value(tokens, at, currencies)
        read.append(value)
        at += width
    return read


def _value(tokens: list[Token], at: int, currencies: frozenset[str]) -> tuple[Token, int]:
    for reader in (read_date, _feature, _plan):
        found = reader(tokens, at)
        if found is not None:
            return found
    return _amount(tokens, at, currencies) or _number(tokens, at) or (tokens[at], 1)


def _word(tokens: list[Token], at: int) -> str:
    return tokens[at].text if 0 <= at < len(tokens) and tokens[at].kind == "word" else ""


def _feature(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    for words, feature in FEATURES.items():
        if all(_word(tokens, at + n) == word for n, word in enumerate(words)):
            tail = _word(tokens, at + len(words)) in FEATURE_TAILS.get(feature, ())
            return Token("feature", feature.value, feature), len(words) + tail
    return None


def _plan(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    word = _word(tokens, at)
    if word not in PLANS or (word == "team" and _word(tokens, at - 1) in OUR_TEAMS):
        return None
    return Token("plan", word, PLANS[word]), 1


def _currency(token: Token, currencies: frozenset[str]) -> str | None:
    if token.kind == "mark":
        return SIGNS.get(token.text)
    if token.kind != "word":
        return None
    upper = token.text.upper()
    return CURRENCY_WORDS.get(token.text) or (upper if upper in currencies else None)


def _amount(tokens: list[Token], at: int, currencies: frozenset[str]) -> tuple[Token, int] | None:
    front = _currency(tokens[at], currencies)
    figure = _figure(tokens, at + (front is not None))
    if figure is None:
        return (Token("bad", tokens[at].text, code="ungrounded_amount"), 1) if front else None
    number, width = figure
    end = at + (front is not None) + width
    back = _currency(tokens[end], currencies) if end < len(tokens) and tokens[end].kind == "word" else None
    currency = front or back
    if currency is None:
        return None
    if front is not None and back is not None and back != front:
        return Token("bad", tokens[at].text, code="ungrounded_amount"), end + 1 - at
    return Token("amount", currency, Amount(number * 100, currency)), end + (back is not None) - at


def _number(tokens: list[Token], at: int) -> tuple[Token, int] | None:
    word = _word(tokens, at)
    if word in ODD and not (
        word == "once" and _word(tokens, at + 1) in ("you", "i", "it", "this", "that", "the")
    ):
        return Token("number", word, ODD[word]), 1
    figure = _figure(tokens, at)
    if figure is None:
        return None
    number, width = figure
    whole = int(number) if number == number.to_integral_value() else None
    if whole is None:
        return Token("bad", tokens[at].text, code="ungrounded_number"), width
    return Token("number", tokens[at].text, whole), width


def _figure(tokens: list[Token], at: int) -> tuple[Decimal, int] | None:
    """The number that starts here, in figures or in words, and how many tokens it takes."""
    if at < len(tokens) and tokens[at].kind == "number" and tokens[at].value is None:
        return Decimal(tokens[at].text), 1
    total, current, width = 0, 0, 0
    while True:
        word = _word(tokens, at + width)
        if word in SMALL:
            current += SMALL[word]
        elif word == "hundred":
            current = max(current, 1) * 100
        elif word in SCALES:
            total, current = total + max(current, 1) * SCALES[word], 0
        elif not (word == "and" and width and _joins(tokens, at + width)):
            break
        width += 1
    return (Decimal(total + current), width) if width else None


def _joins(tokens: list[Token], at: int) -> bool:
    """Whether this `and` stands inside a number ("a hundred and two")."""
    return _word(tokens, at - 1) in SCALES and _word(tokens, at + 1) in SMALL
