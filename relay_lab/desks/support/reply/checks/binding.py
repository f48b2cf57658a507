"""Whether each value in a clause is one that its claims hold, in the role in which the clause uses it."""

from collections.abc import Iterator

from relay_lab.contracts.enums import Plan
from relay_lab.desks.support.reply.checks.grammar import Reading, concept_at
from relay_lab.desks.support.reply.checks.grounds import Ground
from relay_lab.desks.support.reply.checks.instants import Written, same
from relay_lab.desks.support.reply.checks.lexicon import ADJECTIVES
from relay_lab.desks.support.reply.checks.tokens import Token
from relay_lab.desks.support.reply.checks.values import Amount
from relay_lab.desks.support.reply.checks.wordlist import words
from relay_lab.desks.support.reply.material import RefusalCode

AMOUNT_ROLES = words(
    "charge excess refund due invoice settled price month cost submit refunded reverse request repay charged"
)
DATE_ROLES = words(
    """
    renew renewal effect scheduled schedule stay open expired end charge charged settled incident refund refunded submit pass
    change changed moved recorded reverse request
    """
)
COUNT_ROLES = words("due charged charge settled submit refunded reverse refund request")
"""Words that a value may belong to: the nearest one decides, and most of them have no value at all."""

BEFORE_AMOUNT = words("of for at was is be been cost costs a the settled it |") | {""}
BEFORE_DATE = {
    "stay": words("until"),
    "open": words("until"),
    "effect": words("on from |"),
    "scheduled": words("for on |"),
}
"""What may stand in front of a date by its role; elsewhere `on` may, or nothing."""

VAGUE = words("under about by from to against through per before until with in on")
"""Words that change a number when they stand in front of it."""

ID_NOUNS = {
    "charge": ("settled", "unsettled"),
    "invoice": ("invoice",),
    "record": ("record",),
    "policy": ("policy",),
    "beta": ("beta",),
    "incident": ("incident",),
    "schedule": ("schedule",),
    "quote": ("quote",),
    "ticket": ("ticket",),
    "seat": ("seat_kept", "seat_ended"),
    "excess": (),
    "refund": (),
}
PLAN_MARKERS = dict.fromkeys(words("to choose pick for or"), "target") | dict.fromkeys(
    words("on from your is are current have has"), "current"
)
OF_ALL = words("eligible reverse refunded confirm show")
"""What is said of the excess charge, which no record identifies: no single charge may be named beside it."""

OF_TODAY = words("renew stay include")
"""What is said of the current plan only."""

KEEPS, ENDS = words("stay active keep"), words("end lose")
NEAR = 4


def ungrounded(reading: Reading, ground: Ground) -> Iterator[RefusalCode]:
    """The codes of the values in the clause that do not hold; none when each one does."""
    binder = _Binder(reading, ground)
    for at, token in enumerate(reading.clause.tokens):
        match token.kind:
            case "amount" if not binder.amount(at, token):
                yield "ungrounded_amount"
            case "date" if not binder.date(at, token):
                yield "ungrounded_date"
            case "number" if not binder.number(at, token):
                yield "ungrounded_number"
            case "id" if not binder.id(at, token):
                yield "ungrounded_id"
            case "plan" if not binder.plan(at, token):
                yield "ungrounded_plan"
            case "feature" if not binder.feature(token):
                yield "ungrounded_feature"
            case "zone" | "iso" | "clock" | "ordinal":
                yield "ungrounded_date"
            case _:
                pass


class _Binder:
    """The values of one clause beside the facts of its sentence."""

    def __init__(self, reading: Reading, ground: Ground) -> None:
        self._reading, self._ground, self._facts = reading, ground, ground.facts
        self._tokens = reading.clause.tokens
        self._heads = {head.name for head in reading.heads}
        named = {token.text for token in self._tokens if token.kind == "id"}
        self._invoices = {name for name, kind, _ in ground.facts.ids if kind == "invoice"} & named

    def amount(self, at: int, token: Token) -> bool:
        """An amount of money: currency, cents, what it is the amount of, and nothing like `up to` in front."""
        amount, role = token.value, self._nearest(at, AMOUNT_ROLES)
        plan = next((one.value for one in reversed(self._tokens[:at]) if one.kind == "plan"), None)
        front = self._tokens[at - 1] if at else Token("word", "")
        if front.kind != "number" and front.text not in BEFORE_AMOUNT:
            return False
        return isinstance(amount, Amount) and any(
            amount.cents == cents and amount.currency == currency and role in roles and self._of(owner, plan)
            for cents, currency, roles, owner in self._facts.amounts
        )

    def _of(self, owner: Plan | str, plan: object) -> bool:
        if isinstance(owner, Plan):
            monthly = any(token.text == "month" for token in self._tokens)
            return monthly and plan in (None, owner)
        return not self._invoices or owner in self._invoices

    def date(self, at: int, token: Token) -> bool:
        """A date: the instant, what happens then, and a preposition that does not move it."""
        written, role = token.value, self._nearest(at, DATE_ROLES)
        front = self._tokens[at - 1].text if at else "|"
        if role == "stay" and any(noun.concept == "seat" for noun in self._reading.nouns):
            return False
        if front not in BEFORE_DATE.get(role or "", words("on |")):
            return False
        zone = self._ground.material.display_zone
        return isinstance(written, Written) and any(
            role in roles and same(written, instant, zone) for instant, roles in self._facts.instants
        )

    def number(self, at: int, token: Token) -> bool:
        """A number: how many, of what, of which invoice."""
        role = self._counted(at)
        if at and self._tokens[at - 1].text in VAGUE:
            return False
        if role == "charged" and any(
            head.name == "charged" and head.mood == "unsure" for head in self._reading.heads
        ):
            return token.text == "twice"
        if token.text == "twice" and role != "charged":
            return False  # one charge is made once; only an invoice can be charged twice
        return any(
            token.value == count and role in roles and self._of(owner, None)
            for count, roles, owner in self._facts.counts
        )

    def _counted(self, at: int) -> str | None:
        if self._tokens[at].text in ("once", "twice"):
            return self._nearest(at, COUNT_ROLES)
        for place in range(at + 1, min(at + 1 + NEAR, len(self._tokens))):
            concept = concept_at(self._reading, place, self._tokens[place])
            if concept == "charge" and self._heads & OF_ALL - words("show confirm"):
                return "excess"
            if concept == "charge":
                return "unsettled" if self._settled() == "denied" else "charge"
            if concept == "seat":
                return self._seats()
            if concept is not None and concept != "settled":
                return concept
            if (
                self._tokens[place].kind not in ("amount", "feature")
                and self._tokens[place].text not in ADJECTIVES
            ):
                return None
        return None

    def _settled(self) -> str | None:
        return next((head.mood for head in self._reading.heads if head.name == "settled"), None)

    def _seats(self) -> str | None:
        if self._heads & KEEPS and not self._heads & ENDS:
            return "seat_kept"
        return "seat_ended" if self._heads & ENDS and not self._heads & KEEPS else None

    def id(self, at: int, token: Token) -> bool:
        """An id: of the kind that the noun beside it says, and in the part that the verb gives it."""
        kinds = {
            kind
            for name, kind, owner in self._facts.ids
            if name == token.text and self._of_invoice(kind, owner)
        }
        for step in (-1, 1):
            noun = self._noun_beside(at, step)
            kinds &= set(ID_NOUNS[noun]) if noun is not None else kinds
        if kinds & {"seat_kept", "seat_ended"}:
            kinds &= {self._seats() or ""}
        if self._settled() is not None:
            kinds -= {"settled"} if self._settled() == "denied" else {"unsettled"}
        if self._heads & OF_ALL or any(noun.concept == "excess" for noun in self._reading.nouns):
            kinds -= {"settled", "unsettled"}
        return bool(kinds)

    def _of_invoice(self, kind: str, owner: str) -> bool:
        return kind not in ("settled", "unsettled") or not self._invoices or owner in self._invoices

    def _noun_beside(self, at: int, step: int) -> str | None:
        """The noun that names an id's kind, over ids, amounts and small words in between ("charges of USD 49 each: TX-1")."""
        place = at + step
        while 0 <= place < len(self._tokens):
            token = self._tokens[place]
            concept = concept_at(self._reading, place, token)
            if concept in ID_NOUNS:
                return concept
            between = token.kind in ("id", "amount") or token.text in BESIDE[step] or token.text in ADJECTIVES
            if not between:
                return None
            place += step
        return None

    def plan(self, at: int, token: Token) -> bool:
        """A plan: the current one or a target, as the words in front say; without such words only where a price is named."""
        roles = {role for plan, role in self._facts.plans if plan is token.value}
        wanted = self._plan_role(at)
        if wanted == "target" and self._heads & OF_TODAY:
            return False
        if wanted is not None:
            return wanted in roles
        return bool(roles - {"topic"}) and bool(self._heads & {"include", "cost"})

    def _plan_role(self, at: int) -> str | None:
        if at and self._tokens[at - 1].kind == "mark" and "choose" in self._heads:
            return "target"
        for place in range(at - 1, max(at - 1 - NEAR, -1), -1):
            role = PLAN_MARKERS.get(self._tokens[place].text)
            if role is not None:
                return role
        return None

    def feature(self, token: Token) -> bool:
        """A feature: one the quote takes away where that is said, else the one that was asked about."""
        roles = {role for feature, role in self._facts.features if feature is token.value}
        return "lost" in roles if "lose" in self._heads else bool(roles & {"asked", "topic"})

    def _nearest(self, at: int, roles: frozenset[str]) -> str | None:
        for distance in range(1, len(self._tokens)):
            for place in (at - distance, at + distance):
                if 0 <= place < len(self._tokens):
                    concept = concept_at(self._reading, place, self._tokens[place])
                    if concept in roles:
                        return concept
        return None


BESIDE = {
    -1: words("and each of is are was were a the your | both"),
    1: words("and is are was were a an the your both |"),
}
"""Words over which an id is joined to a noun on its left, and on its right."""
