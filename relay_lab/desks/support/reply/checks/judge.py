"""Whether a clause is licensed: its verbs in their moods, the nouns beside them, and what those nouns claim."""

from relay_lab.desks.support.reply.checks.conditions import CONDITIONS, Scene
from relay_lab.desks.support.reply.checks.grammar import Head, Noun
from relay_lab.desks.support.reply.checks.licences import (
    EFFECTS,
    SHARED,
    Licence,
    claiming,
    claiming_nouns,
    licences,
    topics,
)
from relay_lab.desks.support.reply.material import RefusalCode


def unlicensed(scene: Scene) -> RefusalCode | None:
    """Why the clause is refused, or None: one finite verb, each head licensed in its mood, each noun in its place."""
    reading = scene.reading
    for head in reading.heads:
        if _foreign(head.name, scene):
            return "foreign_claim"
    for noun in reading.nouns:
        if _foreign(noun.concept, scene):
            return "foreign_claim"
    if reading.loose:
        return _worst(scene)
    held = [(head, _licences(head, scene)) for head in reading.heads]
    for head, found in held:
        if not found:
            return _code(head, scene)
    for noun in reading.nouns:
        code = _noun(noun, [licence for _, found in held for licence in found], scene)
        if code is not None:
            return code
    return None


def _licences(head: Head, scene: Scene) -> list[Licence]:
    found = licences().get((head.name, head.mood), ())
    if head.mood == "said_you":
        found = (*found, *licences().get((head.name, "said"), ()))
    return [licence for licence in found if CONDITIONS[licence.condition](scene)]


def _noun(noun: Noun, held: list[Licence], scene: Scene) -> RefusalCode | None:
    beside = [licence for licence in held if noun.concept in licence.nouns]
    if not beside:
        return _claim_code(noun.concept, scene)
    if noun.reference or any(licence.nouns[noun.concept] for licence in beside):
        return None
    if noun.concept not in claiming_nouns():
        return None
    mood = "past" if noun.concept == "access" and noun.mood == "said" and _past(scene) else noun.mood
    condition = claiming().get((noun.concept, mood))
    if condition is None and noun.concept in ("record", "policy"):
        return None
    if condition is None or not CONDITIONS[condition](scene):
        return _claim_code(noun.concept, scene)
    return None


def _past(scene: Scene) -> bool:
    words = {token.text for token in scene.reading.clause.tokens}
    return scene.reading.past or bool(words & {"prior", "previous", "earlier"})


def _foreign(concept: str, scene: Scene) -> bool:
    kind = scene.ground.view.issue.type if scene.ground.view else None
    of = topics().get(concept)
    return kind is not None and of is not None and of != kind and (concept, kind) not in SHARED


def _code(head: Head, scene: Scene) -> RefusalCode:
    if head.mood == "pledged":
        return "promise"
    if head.name in EFFECTS and head.mood in ("said", "said_you", "loose"):
        return "early_completion"
    return _claim_code(head.name, scene)


def _worst(scene: Scene) -> RefusalCode:
    effects = [head for head in scene.reading.heads if head.name in EFFECTS and head.mood == "said"]
    return "early_completion" if effects else "unsupported_fact"


def _claim_code(concept: str, scene: Scene) -> RefusalCode:
    if scene.ground.blocked or scene.ground.issue_blocked():
        return "blocked_claim_as_fact"
    return "early_completion" if concept in ("refund",) else "unsupported_fact"
