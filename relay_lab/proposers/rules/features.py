"""A feature that cannot be seen, opened or used, or is asked about on the own account (scenarios: feature_access)."""

from dataclasses import dataclass

from relay_lab.proposers.rules.clauses import Clause, Match, Text
from relay_lab.proposers.rules.findings import Finding, near, sentence

_OTHER_WISHES = ("change_ask", "cancel_ask", "human_ask", "duplicate", "duplicate_loose", "refund_ask")
_BRIEF = 5
"""`It has gone from ours`: so short a clause speaks of the feature that was named right before it."""
ACCESS, MISBEHAVES, ASKS_FIRST, USAGE, WORKS = "access", "misbehaves", "prebuy", "usage", "works"


@dataclass(frozen=True, slots=True)
class Mention:
    """A feature named at token `at` (length `size`)."""

    feature: str
    at: int
    size: int


def mentions(text: Text, clause: Clause) -> list[Mention]:
    """The features that the clause names, in order, each once."""
    found: dict[str, Mention] = {}
    if not any("feature" in text.marks[index] for index in range(clause.start, clause.end)):
        return []
    voids = clause.signals.get("feature_not", ())
    for index in range(clause.start, clause.end):
        if any(void.start <= index < void.end for void in voids):
            continue
        named = [
            (max(sizes), name) for name, sizes in text.marks[index].items() if name.startswith("feature:")
        ]
        for size, name in sorted(named, reverse=True)[:1]:
            found.setdefault(name, Mention(name.partition(":")[2], index, size))
    return list(found.values())


def features(text: Text) -> tuple[list[Finding], dict[int, set[str]]]:
    """One finding for each feature without access; and for each clause, the features of which it says something else."""
    found: dict[str | None, Finding] = {}
    elsewhere: dict[int, set[str]] = {}
    last: list[tuple[Clause, Mention]] = []
    some: Clause | None = None
    for clause in text.clauses:
        named = mentions(text, clause)
        if not (named or clause.signals):
            continue
        reading = _reading(text, clause, bool(named))
        if named:
            last = [(clause, mention) for mention in named]
            reading = reading or _heading(text, clause)
        about = [(clause, m) for m in named] or (_meant(text, clause, last) if reading else [])
        about = _listed_before(text, about) + about if named and reading == ACCESS else about
        if reading == ACCESS:
            for home, mention in about:
                finding = found.setdefault(mention.feature, _finding(mention.feature, mention.at))
                finding.at = min(finding.at, mention.at)
                _rest(finding, home, mention, clause)
            spoken_of = clause if clause.has("feature_some") else _unnamed(clause, some)
            if not about and spoken_of is not None and not _wishes_change(text, clause):
                finding = found.setdefault(None, _finding(None, spoken_of.start))
                for part in dict.fromkeys((spoken_of.index, clause.index)):
                    stated = text.clauses[part]
                    finding.add(stated, stated.start, stated.end)
        elif reading:
            for _, mention in about:
                elsewhere.setdefault(clause.index, set()).add(f"{reading}:{mention.feature}")
                if reading in (MISBEHAVES, WORKS) and mention.feature in found:
                    _reconsider(found, mention.feature, clause, reading, elsewhere)
        some = clause if clause.has("feature_some") and not named else some
    unnamed = found.get(None)
    if unnamed is not None and any(
        other is not unnamed and any(other.reaches(index, 1) for index in unnamed.clauses)
        for other in found.values()
    ):
        del found[None]
    return list(found.values()), elsewhere


def _unnamed(clause: Clause, some: Clause | None) -> Clause | None:
    """The clause just before, of the same sentence, that speaks of a feature without its name and goes on here."""
    if some is None or clause.index - some.index > 3 or some.sentence != clause.sentence:
        return None
    return some if clause.has("hard_block", "soft_block") else None


def _wishes_change(text: Text, clause: Clause) -> bool:
    """`I want to downgrade but would lose features` asks for no access."""
    wish = any(c.has("change_ask", "cancel_ask", "change_think") for c in sentence(text, clause))
    return wish or clause.has("would_lose")


def _finding(feature: str | None, at: int) -> Finding:
    return Finding("feature_access", at, [], {"feature": feature}, {f"feature:{feature}"})


def _rest(finding: Finding, home: Clause, mention: Mention, clause: Clause) -> None:
    finding.add(home, mention.at, mention.at + mention.size)
    for name in ("hard_block", "soft_block", "access_ask"):
        match = clause.first(name)
        if match is not None:
            finding.add(clause, match.start, match.end)
            break


def _reconsider(
    found: dict[str | None, Finding],
    feature: str,
    clause: Clause,
    reading: str,
    elsewhere: dict[int, set[str]],
) -> None:
    """A feature that works again, or turns out to open, was no access problem, if that is said right after."""
    close = found[feature].reaches(clause.index, 2)
    if close and (reading == WORKS or clause.has("opens_but")):
        for index in found.pop(feature).clauses:
            elsewhere.setdefault(index, set()).add(f"{reading}:{feature}")


def _reading(text: Text, clause: Clause, named: bool) -> str:
    """What the clause says of the features that it names or means; empty when nothing."""
    whole = sentence(text, clause)
    own = any(c.has("own") for c in whole)
    blocked = _blocked(clause)
    if clause.has("opens_but") or (clause.has("misbehaves") and not blocked):
        return MISBEHAVES
    if clause.has("works") and not blocked:
        return ACCESS if clause.has("condition") else WORKS
    if any(c.has("resolved") for c in near(text, clause, 1)[-2:]) and blocked:
        return WORKS
    if any(c.has("prebuy_sure") for c in whole) and not blocked:
        return ASKS_FIRST
    if clause.has("prebuy") and not (own and clause.has("own") and _own_plan(text, clause)) and not blocked:
        return ASKS_FIRST
    if clause.has("usage") and not blocked:
        return USAGE
    if blocked or clause.has("soft_block") or (clause.asks and clause.has("feature_alone")):
        return ACCESS
    meant = clause.has("it") and not clause.has(*_OTHER_WISHES)
    if clause.has("access_ask") and (named or meant):
        return ACCESS if own or not text.classes("plan", clause.start, clause.end) else ASKS_FIRST
    denied = named and text.classes("not", clause.start, clause.end)
    return ACCESS if denied and not clause.has(*_OTHER_WISHES, "not_change", "stays", "social_assent") else ""


def _blocked(clause: Clause) -> bool:
    """Whether the feature itself is out of reach, and not only something in it (`tasks are missing from the chart`)."""
    inside = clause.signals.get("misbehaves", [])
    return any(
        not any(
            m.start <= block.start and block.end <= m.end and m != block for m in inside if _wider(m, block)
        )
        for block in clause.signals.get("hard_block", ())
    )


def _wider(one: Match, other: Match) -> bool:
    return one.end - one.start > other.end - other.start


def _own_plan(text: Text, clause: Clause) -> bool:
    return clause.has("plan_current") or not text.classes("plan", clause.start, clause.end)


def _heading(text: Text, clause: Clause) -> str:
    """The reading of the clause that introduces a list, when this one is an item of it."""
    for before in reversed(text.clauses[max(0, clause.index - 4) : clause.index]):
        if mentions(text, before) and not before.opens:
            continue
        if before.has("hard_block", "soft_block", "feature_some") and (
            before.opens or before.sentence != clause.sentence
        ):
            return ACCESS if before.opens or clause.end - clause.start <= 4 else ""
        return ""
    return ""


def _listed_before(text: Text, about: list[tuple[Clause, Mention]]) -> list[tuple[Clause, Mention]]:
    """The features of the clause before, where it is nothing but the beginning of this list (`API and guests are gone`)."""
    clause, first = about[0]
    before = text.clauses[clause.index - 1] if clause.index else clause
    opens = before.sentence == clause.sentence and first.at <= clause.start + 1 and before is not clause
    if not opens or not before.has("feature_alone") or before.has("hard_block", "soft_block", "works"):
        return []
    return [(before, mention) for mention in mentions(text, before)]


def _meant(text: Text, clause: Clause, last: list[tuple[Clause, Mention]]) -> list[tuple[Clause, Mention]]:
    """The features that a clause without a name is about: those named just before, if it can be read so."""
    if not last or clause.index - last[0][0].index > 3:
        return []
    follows = clause.sentence == last[0][0].sentence or clause.has("it")
    brief = clause.has("hard_block") and clause.end - clause.start <= _BRIEF
    follows = follows or (brief and clause.index == last[-1][0].index + 1)
    own_topic = text.classes("topic:login", clause.start, clause.end) or text.classes(
        "topic:invoice", clause.start, clause.end
    )
    return last if follows and not own_topic else []
