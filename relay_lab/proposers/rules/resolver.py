"""The one plan, or the end, that the customer settles on: exactly one candidate is left, or none is stated (001 §2)."""

from typing import NamedTuple

from relay_lab.proposers.rules.clauses import Clause, Match, Text
from relay_lab.proposers.rules.findings import Finding, near, overlap, sentence
from relay_lab.proposers.rules.plain import plainly_ends, plainly_picks
from relay_lab.proposers.rules.plans import named, targets

END = "cancel"
"""The end of the subscription stands among the plans."""
_DISTANCE = 3
_AFTERTHOUGHT = 2
"""`Move me to Team. Or no, wait`: a correction so many clauses after a plan takes it back."""
_OTHER_MATTER = ("third_party", "hypothetical", "duplicate", "hard_block", "done", "not_change")
_NOT_WISHED = ("howto", "hypothetical", "denied", "third_party", "done", "stays")


class Ask(NamedTuple):
    """A wish that counts: its clause, its words, and whether it is for a change, an end or only thought of."""

    clause: Clause
    match: Match
    kind: str


class Candidate(NamedTuple):
    """A plan, or the end, that the message names as wanted, and where; `mine` is false when somebody else wants it."""

    value: str
    clause: Clause
    match: Match
    mine: bool = True


def settled(text: Text, found: Finding, asks: list[Ask], voided: dict[int, str]) -> Candidate | None:
    """The only candidate that is left once what a later word corrects is taken away; None in any doubt."""
    candidates = _ends(asks) + _plans(text, found, asks, voided)
    corrected = _corrected(text, candidates)
    left = [one for one in candidates if one.match.end > corrected]
    homes = [ask.clause for ask in asks if ask.clause.end > corrected] or [left[-1].clause for _ in left[:1]]
    if len({one.value for one in left}) > 1:
        left = _without_replaced(text, left)
    rivals = {one.value for one in _rivals(text, found) if one.match.end > corrected}
    mine = [one for one in left if one.mine]
    if not mine or len({one.value for one in left} | rivals) > 1:
        return None
    plain = [one for one in mine if _is_plain(text, one)]
    if not plain:
        return None
    chosen = plain[-1]
    unsure = any(ask.kind == "think" and ask.clause.index >= chosen.clause.index for ask in asks)
    if unsure or _undecided(text, homes, chosen, corrected) or _depends(text, chosen):
        return None
    return chosen


def _is_plain(text: Text, one: Candidate) -> bool:
    if one.value == END:
        return plainly_ends(text, one.clause)
    return plainly_picks(text, one.clause, one.match)


def _ends(asks: list[Ask]) -> list[Candidate]:
    return [
        Candidate(END, ask.clause, ask.match, _is_mine(ask.clause, ask.match))
        for ask in asks
        if ask.kind == END
    ]


def _is_mine(clause: Clause, match: Match) -> bool:
    return not any(overlap(wish, match) for wish in clause.signals.get("others_wish", ()))


def _plans(text: Text, found: Finding, asks: list[Ask], voided: dict[int, str]) -> list[Candidate]:
    """Every plan that is named as wanted in a clause close by that is about no other matter."""
    homes = {ask.clause.index for ask in asks}
    return [
        Candidate(plan, clause, match, _is_mine(clause, match))
        for clause in text.clauses
        if found.reaches(clause.index, _DISTANCE) and voided.get(clause.index) not in _NOT_WISHED
        if clause.index in homes or not clause.has(*_OTHER_MATTER)
        for plan, match in targets(text, clause).items()
    ]


def _rivals(text: Text, found: Finding) -> list[Candidate]:
    """What somebody else on the customer's side wants: it competes, as they have to agree."""
    return [
        Candidate(value, clause, match, mine=False)
        for clause in text.clauses
        if found.reaches(clause.index, _DISTANCE)
        for wish in clause.signals.get("others_wish", ())
        for value, match in [*named(text, clause), (END, clause.first("any_end"))]
        if match is not None and overlap(wish, match)
    ]


def _corrected(text: Text, candidates: list[Candidate]) -> int:
    """The token from which candidates count: the last correction (`no, make that`). One that nothing follows takes all back."""
    last = max((one.clause.index for one in candidates), default=0)
    close = text.clauses[: last + _AFTERTHOUGHT + 1]
    return max((match.start for clause in close for match in clause.signals.get("correction", ())), default=0)


def _without_replaced(text: Text, left: list[Candidate]) -> list[Candidate]:
    """Without an end that is only of the plan that another one replaces (`cancel Team and put us on Individual`)."""
    return [
        one
        for one in left
        if one.value != END
        or not any(one.match.start < plan.end <= one.match.end + 1 for _, plan in named(text, one.clause))
    ]


def _undecided(text: Text, homes: list[Clause], chosen: Candidate, corrected: int) -> bool:
    """Whether doubt is said close by; an end is doubted only in its own words and the next ones."""
    return any(
        c.has("undecided")
        and c.end > corrected
        and (chosen.value != END or home.index <= c.index <= home.index + 1)
        for home in homes
        for c in near(text, home, 2)
    )


def _depends(text: Text, chosen: Candidate) -> bool:
    """Whether the choice hangs on a condition, other than a courtesy (`if possible`)."""
    around = [c for c in sentence(text, chosen.clause) if c.index <= chosen.clause.index + 1]
    return any(c.has("condition") and not c.has("courtesy_if") for c in around)
