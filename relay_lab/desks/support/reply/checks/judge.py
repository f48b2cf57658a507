"""Whether a clause is licensed: its verbs in their moods, the nouns beside them, and what those nouns claim."""

from collections.abc import Iterator
from itertools import pairwise, product

from relay_lab.desks.support.reply.checks.conditions import CONDITIONS
from relay_lab.desks.support.reply.checks.connection import connected
from relay_lab.desks.support.reply.checks.grammar import Head, Noun
from relay_lab.desks.support.reply.checks.licences import Licence, claiming, licences, topics
from relay_lab.desks.support.reply.checks.scene import Scene
from relay_lab.desks.support.reply.checks.shape import shaped
from relay_lab.desks.support.reply.checks.tables import EFFECTS, PAIRS, SHARED
from relay_lab.desks.support.reply.material import RefusalCode

CLAIMED = frozenset(noun for noun, mood in claiming() if mood != "none")
ADVERBIAL = frozenset({"prior", "previous", "earlier"})


def unlicensed(scene: Scene) -> Iterator[RefusalCode]:
    """The codes of what the clause may not say; none when each verb is licensed in its mood and each noun in its place."""
    reading = scene.reading
    concepts = [head.name for head in reading.heads] + [noun.concept for noun in reading.nouns]
    if any(_foreign(concept, scene) for concept in concepts) or _foreign_pair(scene):
        yield "foreign_claim"
    if reading.loose or not shaped(reading) or not connected(reading):
        yield "unsupported_fact"
    held = [_licences(head, scene) for head in reading.heads]
    for head, found in zip(reading.heads, held, strict=True):
        if not found:
            yield _code(head, scene)
    if not reading.heads or not all(held):
        yield from (_noun_code(noun, scene) for noun in reading.nouns if noun.concept in EFFECTS)
    elif not any(_nouns_fit(choice, scene) for choice in product(*held)):
        yield from {_noun_code(noun, scene) for noun in reading.nouns} or {"unsupported_fact"}


def _licences(head: Head, scene: Scene) -> list[Licence]:
    found = licences().get((head.name, head.mood), ())
    if head.mood == "said_you":
        found = (*found, *licences().get((head.name, "said"), ()))
    return [
        one
        for one in found
        if one.subject in ("", head.subject) or not head.subject
        if CONDITIONS[one.condition](scene)
    ]


def _nouns_fit(choice: tuple[Licence, ...], scene: Scene) -> bool:
    return all(_noun_fits(noun, choice, scene) for noun in scene.reading.nouns)


def _noun_fits(noun: Noun, choice: tuple[Licence, ...], scene: Scene) -> bool:
    beside = [licence for licence in choice if noun.concept in licence.nouns]
    if not beside:
        return False
    if noun.reference or any(licence.nouns[noun.concept] for licence in beside):
        return True
    mood = (
        "past"
        if noun.concept in ("access", "beta") and noun.mood == "said" and _past(noun, scene)
        else noun.mood
    )
    if noun.definite and noun.mood == "denied" and noun.concept in ("refund", "incident"):
        return False  # "I have not submitted your refund" takes for granted that there is one
    table = claiming()
    condition = table.get((noun.concept, mood))
    if noun.negated:
        condition = table.get((noun.concept, "none"), condition or "never")
    if condition is not None:
        return CONDITIONS[condition](scene)
    return noun.concept not in CLAIMED


def _past(noun: Noun, scene: Scene) -> bool:
    before = scene.reading.clause.tokens[noun.at - 1].text if noun.at else ""
    return scene.reading.past or before in ADVERBIAL


def _foreign(concept: str, scene: Scene) -> bool:
    kind = scene.ground.view.issue.type if scene.ground.view else None
    of = topics().get(concept)
    return kind is not None and of is not None and of != kind and (concept, kind) not in SHARED


def _foreign_pair(scene: Scene) -> bool:
    texts = [token.text for token in scene.reading.clause.tokens]
    return any(pair in PAIRS and not scene.type_is(PAIRS[pair]) for pair in pairwise(texts))


def _code(head: Head, scene: Scene) -> RefusalCode:
    if head.mood == "pledged":
        return "promise"
    if head.name in EFFECTS and head.mood in ("said", "said_you", "loose", "supposed", "unsure"):
        return "early_completion"
    return _blocked_or_not(scene)


def _noun_code(noun: Noun, scene: Scene) -> RefusalCode:
    if noun.concept in EFFECTS and noun.mood in ("said", "said_you"):
        return "early_completion"
    return _blocked_or_not(scene)


def _blocked_or_not(scene: Scene) -> RefusalCode:
    return "blocked_claim_as_fact" if scene.ground.issue_blocked() else "unsupported_fact"
