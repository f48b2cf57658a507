"""The lines of the grammar, looked up."""

from dataclasses import dataclass
from functools import cache
from itertools import product

from relay_lab.desks.support.reply.checks.tables import CLAIMING, FORMS, LICENCES, TOPICS
from relay_lab.desks.support.reply.checks.wordlist import lines


@dataclass(frozen=True)
class Licence:
    """One line: who may be the subject (empty: anyone), the condition, and the nouns -> whether they are only mentioned."""

    subject: str
    condition: str
    nouns: dict[str, bool]


@cache
def forms() -> dict[str, str]:
    """Surface -> head."""
    return {surface: head for head, *surfaces in lines(FORMS) for surface in surfaces}


@cache
def licences() -> dict[tuple[str, str], tuple[Licence, ...]]:
    """(head, mood) -> the licences that may apply; any one of them is enough."""
    table: dict[tuple[str, str], tuple[Licence, ...]] = {}
    for head, moods, condition, *nouns in lines(LICENCES):
        names, _, subject = moods.partition("@")
        licence = Licence(subject, condition, {noun.rstrip("!"): noun.endswith("!") for noun in nouns})
        for key, mood in product([head], names.split("/")):
            table[key, mood] = (*table.get((key, mood), ()), licence)
    return table


@cache
def claiming() -> dict[tuple[str, str], str]:
    """(claiming noun, mood) -> condition."""
    return {(noun, mood): condition for noun, mood, condition in lines(CLAIMING)}


@cache
def topics() -> dict[str, str]:
    """Concept -> the one type of issue it belongs to."""
    return {concept: kind for kind, concepts in TOPICS.items() for concept in concepts}
