"""Whether each value in a clause is one that its claims hold, in the role in which the clause uses it."""

from relay_lab.contracts.enums import Feature, Plan
from relay_lab.desks.support.reply.checks.grammar import Reading, concept_at
from relay_lab.desks.support.reply.checks.grounds import Ground
from relay_lab.desks.support.reply.checks.instants import Written, same
from relay_lab.desks.support.reply.checks.lexicon import ADJECTIVES
from relay_lab.desks.support.reply.checks.tokens import Token
from relay_lab.desks.support.reply.checks.values import Amount
from relay_lab.desks.support.reply.checks.wordlist import words
from relay_lab.desks.support.reply.material import RefusalCode

AMOUNT_ROLES = words("charge excess refund due invoice settled price month cost submit refund_done reverse")
DATE_ROLES = words(
    """
    renew renewal effect scheduled schedule stay open expire end charge charged settled incident refund refund_done submit
    pass change move recorded reverse
    """
)
ID_NOUNS = {
    "charge": ("settled", "unsettled"), "invoice": ("invoice",), "record": ("record",), "policy": ("policy",),
    "beta": ("beta",), "incident": ("incident",), "schedule": ("schedule",), "quote": ("quote",), "ticket": ("ticket",),
    "seat": ("seat_kept", "seat_ended"),
}  # fmt: skip
PLAN_MARKERS = {
    "to": "target", "choose": "target", "for": "target", "or": "target", "on": "current", "from": "current", "your": "current",
    "is": "current", "are": "current", "current": "current", "have": "current", "has": "current", "target": "target",
    "new": "target",
}  # fmt: skip
KEEPS, ENDS = frozenset({"stay", "active", "keep"}), frozenset({"end", "lose"})
NEAR = 4


def ungrounded(reading: Reading, ground: Ground) -> RefusalCode | None:
    """Why a value in the clause is refused, or None when each one holds."""
    for at, token in enumerate(reading.clause.tokens):
        match token.kind:
            case "amount":
                held, code = _amount(reading, at, token, ground), "ungrounded_amount"
            case "date":
                held, code = _date(reading, at, token, ground), "ungrounded_date"
            case "number":
                held, code = _number(reading, at, token, ground), "ungrounded_number"
            case "id":
                held, code = _id(reading, at, token, ground), "ungrounded_id"
            case "plan":
                held, code = _plan(reading, at, token, ground), "ungrounded_plan"
            case "feature":
                held, code = _feature(reading, token, ground), "ungrounded_feature"
            case "word" | "mark":
                continue
            case _:
                return "ungrounded_date"
        if not held:
            return code  # type: ignore[return-value]
    return None


def _nearest(reading: Reading, at: int, roles: frozenset[str]) -> str | None:
    tokens = reading.clause.tokens
    for distance in range(1, len(tokens)):
        for place in (at - distance, at + distance):
            if 0 <= place < len(tokens):
                concept = concept_at(reading, place, tokens[place])
                if concept in roles:
                    return concept
    return None


def _amount(reading: Reading, at: int, token: Token, ground: Ground) -> bool:
    amount, role = token.value, _nearest(reading, at, AMOUNT_ROLES)
    plan = next((one.value for one in reversed(reading.clause.tokens[:at]) if one.kind == "plan"), None)
    return isinstance(amount, Amount) and any(
        amount.cents == cents and amount.currency == currency and role in roles and plan in (None, of)
        for cents, currency, roles, of in ground.facts.amounts
    )


def _date(reading: Reading, at: int, token: Token, ground: Ground) -> bool:
    written, role = token.value, _nearest(reading, at, DATE_ROLES)
    zone = ground.material.display_zone
    return isinstance(written, Written) and any(
        role in roles and same(written, instant, zone) for instant, roles in ground.facts.instants
    )


def _number(reading: Reading, at: int, token: Token, ground: Ground) -> bool:
    role = _counted(reading, at)
    if role == "charged" and any(head.name == "charged" and head.mood == "unsure" for head in reading.heads):
        return token.text == "twice"
    return any(token.value == count and role in roles for count, roles in ground.facts.counts)


def _counted(reading: Reading, at: int) -> str | None:
    """What a number counts: the first noun after it, or for `once` and `twice` the verb nearest to them."""
    tokens = reading.clause.tokens
    if tokens[at].text in ("once", "twice"):
        return _nearest(
            reading,
            at,
            frozenset({"due", "charged", "submit", "refund_done", "reverse", "settled", "charge"}),
        )
    for place in range(at + 1, min(at + 1 + NEAR, len(tokens))):
        concept = concept_at(reading, place, tokens[place])
        if concept == "charge":
            unsettled = any(head.name == "settled" and head.mood == "denied" for head in reading.heads)
            return "unsettled" if unsettled else "charge"
        if concept == "seat":
            return _seat_role(reading)
        if concept is not None and concept != "settled":
            return concept
        if tokens[place].kind not in ("amount", "feature") and tokens[place].text not in ADJECTIVES:
            return None
    return None


def _seat_role(reading: Reading) -> str | None:
    names = {head.name for head in reading.heads}
    if names & KEEPS and not names & ENDS:
        return "seat_kept"
    return "seat_ended" if names & ENDS and not names & KEEPS else None


def _id(reading: Reading, at: int, token: Token, ground: Ground) -> bool:
    kinds = {kind for name, kind in ground.facts.ids if name == token.text}
    noun = _noun_before(reading, at)
    if noun is not None:
        kinds &= set(ID_NOUNS.get(noun, ()))
    if kinds & {"seat_kept", "seat_ended"}:
        kinds &= {_seat_role(reading) or ""}
    for head in reading.heads:
        if head.name == "settled":
            kinds -= {"settled"} if head.mood == "denied" else {"unsettled"}
    return bool(kinds)


def _noun_before(reading: Reading, at: int) -> str | None:
    """The noun that names the kind of an id, over other ids, amounts and small words in between ("charges of USD 49: TX-1")."""
    tokens = reading.clause.tokens
    for place in range(at - 1, -1, -1):
        concept = concept_at(reading, place, tokens[place])
        if concept in ID_NOUNS:
            return concept
        passes = tokens[place].kind in ("id", "amount", "mark") or tokens[place].text in (
            "and",
            "each",
            "of",
            "is",
            "are",
        )
        if not passes:
            return None
    return None


def _plan(reading: Reading, at: int, token: Token, ground: Ground) -> bool:
    roles = {role for plan, role in ground.facts.plans if plan is token.value}
    wanted = _plan_role(reading, at)
    names = {head.name for head in reading.heads}
    if "topic" in roles:
        roles |= {"target"} if names <= {"need", "pass", "allow", "offer", "know", "recorded"} else set()
    if wanted is not None:
        return wanted in roles
    return bool(roles - {"topic"}) and bool(names & {"include", "cost", "choose"})


def _plan_role(reading: Reading, at: int) -> str | None:
    """Whether a plan is named as the current one or as a target, by the words just before it."""
    tokens = reading.clause.tokens
    if tokens[at - 1].text == "|" and any(head.name == "choose" for head in reading.heads):
        return "target"
    for place in range(at - 1, max(at - 1 - NEAR, -1), -1):
        role = PLAN_MARKERS.get("choose" if tokens[place].text == "pick" else tokens[place].text)
        if role is not None:
            return role
    return None


def _feature(reading: Reading, token: Token, ground: Ground) -> bool:
    roles = {role for feature, role in ground.facts.features if feature is token.value}
    if any(head.name == "lose" for head in reading.heads):
        return "lost" in roles
    return bool(roles & {"asked", "topic"})


def mentioned(reading: Reading, kind: str) -> set[object]:
    """The values of one kind that the clause names."""
    return {token.value for token in reading.clause.tokens if token.kind == kind}


def features_of(reading: Reading) -> set[Feature]:
    """The features that the clause names."""
    return {value for value in mentioned(reading, "feature") if isinstance(value, Feature)}


def plans_of(reading: Reading) -> set[Plan]:
    """The plans that the clause names."""
    return {value for value in mentioned(reading, "plan") if isinstance(value, Plan)}
