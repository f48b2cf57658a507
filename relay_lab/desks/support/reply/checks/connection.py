"""How a clause hangs on the ones before it: causes, conditions, relative clauses, pronouns, and words that presuppose."""

from relay_lab.desks.support.reply.checks.clauses import EITHER
from relay_lab.desks.support.reply.checks.grammar import Head, Reading
from relay_lab.desks.support.reply.checks.lexicon import NEGATORS
from relay_lab.desks.support.reply.checks.tables import EFFECTS
from relay_lab.desks.support.reply.checks.wordlist import lines, words

SUBJECTS = {
    head: frozenset(nouns)
    for head, *nouns in lines(
        """
        end        beta access
        active     beta incident
        affect     incident
        reverse    charge excess
        refunded   charge excess
        eligible   charge excess
        settled    charge
        due        invoice
        include    plan plan_name account
        have       invoice account
        scheduled  change
        recorded   change
        take       change
        renew      plan plan_name
        cost       plan plan_name change
        open       quote
        void       quote
        expired    quote
        keep       data
        be         price quote plan change ticket
        """
    )
}
"""Head -> what `it`, `they`, `which` and `that` must stand for in front of it."""

WITH = {
    "again": words("confirm try write"),
    "still": words("want stay open"),
    "already": words("scheduled have"),
    "yet": words("pass submit requested changed moved scheduled know"),
}
"""Adverbs that take something for granted -> the verbs they may stand beside."""

SO = words("know offer read void take help prove confirm")
BECAUSE = words("outside changed")
"""What may follow `so` and `because`: nothing else is said to be the cause of anything."""

CONSEQUENCES = words("end lose stay take keep be cost")
NOTHING_UNTIL = ("move", "denied")
"""`Nothing changes until you confirm` is true whatever the customer does next."""

RELATIVE = ("that", "which")
POINTING = words("it they this that these those")
STATED = ("said", "denied")


def connected(reading: Reading) -> bool:
    """Whether the clause may stand where it stands."""
    return (
        _caused(reading)
        and _unconditional(reading)
        and _takes_nothing_back(reading)
        and _points_back(reading)
        and _presupposes_nothing(reading)
        and _leaves_no_choice(reading)
        and _completes(reading)
    )


def _names(reading: Reading) -> set[str]:
    return {head.name for head in reading.heads}


def _caused(reading: Reading) -> bool:
    """`so` and `because` say that one thing is the cause of another: only a few things may be said to be."""
    match reading.clause.lead:
        case "so":
            return _names(reading) <= SO
        case "because":
            return _names(reading) <= BECAUSE
        case _:
            return True


def _unconditional(reading: Reading) -> bool:
    """Beside a condition stands what somebody may do, never a fact or a consequence: neither hangs on a next word."""
    sentence = (*reading.before, reading)
    supposed = {head.name for clause in sentence for head in clause.heads if head.mood == "supposed"}
    confirming = supposed == {"confirm"}
    threatened = any(
        token.text in ("or", "otherwise") for clause in sentence for token in clause.clause.tokens
    )
    if not supposed and not threatened:
        return True
    return not any(
        (supposed and head.mood in STATED and not (confirming and (head.name, head.mood) == NOTHING_UNTIL))
        or (head.mood == "offered" and head.name in CONSEQUENCES)
        for clause in sentence
        for head in _stated_in(clause)
    )


def _stated_in(clause: Reading) -> list[Head]:
    """The heads of a clause that are not part of its condition (`if you want a seat to stay active` states nothing)."""
    supposed = min((head.at for head in clause.heads if head.mood == "supposed"), default=None)
    return [head for head in clause.heads if supposed is None or head.at < supposed]


def _takes_nothing_back(reading: Reading) -> bool:
    """No relative clause on what was not done ("I have not submitted a refund that was submitted")."""
    if reading.clause.lead not in RELATIVE or not reading.before:
        return True
    return not any(head.name in EFFECTS and head.mood == "denied" for head in reading.before[-1].heads)


def _points_back(reading: Reading) -> bool:
    """A pronoun, or no subject at all, stands for a thing in the same sentence, of the kind that the verb is said of."""
    first = min((head.at for head in reading.heads), default=0)
    front = [token.text for token in reading.clause.tokens[:first]]
    named = any(noun.at < first for noun in reading.nouns)
    if named or (front and not POINTING & set(front)):
        return True
    meant = next(
        ({noun.concept for noun in one.nouns} for one in reversed(reading.before) if one.nouns), set()
    )
    return all(
        bool(SUBJECTS[head.name] & meant)
        for head in reading.heads
        if head.mood in STATED and head.name in SUBJECTS
    )


def _presupposes_nothing(reading: Reading) -> bool:
    """`again`, `still`, `already` and `yet` take something for granted; they stand beside a few verbs only."""
    texts = {token.text for token in reading.clause.tokens}
    if "again" in texts and any(head.name == "confirm" and head.mood != "denied" for head in reading.heads):
        return False  # nobody is asked to confirm twice
    return all(bool(_names(reading) & heads) for word, heads in WITH.items() if word in texts)


def _completes(reading: Reading) -> bool:
    """`it is` and `you have` say something only with what follows."""
    tokens = reading.clause.tokens
    return all(
        any(noun.at > head.at for noun in reading.nouns)
        or any(token.kind not in ("word", "mark") for token in tokens[head.at :])
        for head in reading.heads
        if head.name in ("be", "have")
    )


def _leaves_no_choice(reading: Reading) -> bool:
    """`or` between facts states neither; it may join what can be chosen, or what is denied."""
    either = any(token is EITHER for token in reading.clause.tokens)
    denied = any(token.text in NEGATORS for token in reading.clause.tokens)
    return not either or denied or "choose" in _names(reading)
