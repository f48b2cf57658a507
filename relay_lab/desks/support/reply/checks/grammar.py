"""What a clause says: its verbs and the things it names, each with the mood it stands in."""

from dataclasses import dataclass, field

from relay_lab.desks.support.reply.checks.clauses import Clause
from relay_lab.desks.support.reply.checks.lexicon import NOUNS
from relay_lab.desks.support.reply.checks.tokens import Token

EPISTEMIC = frozenset(
    [(name, mood) for name in ("know", "prove", "confirm") for mood in ("denied", "unable")]
    + [("check", "pledged"), ("check", "offered")]
)
"""Verbs after which `whether` leaves open what follows."""


@dataclass(frozen=True)
class Head:
    """A verb or predicate. `mood`: said, denied, unable (cannot), offered, supposed, unsure, pledged, said_you, or loose.

    `subject` is i, you, it, or empty where none stands in front.
    """

    at: int
    name: str
    mood: str
    subject: str
    infinitive: bool = False


@dataclass(frozen=True)
class Noun:
    """A thing named.

    `reference` marks one that only points back ("this charge"); `negated` one with `no` in front, as object; `definite` one
    that is taken for granted ("your refund").
    """

    at: int
    concept: str
    mood: str
    reference: bool = False
    negated: bool = False
    definite: bool = False


@dataclass
class Reading:
    """A clause as read.

    `loose` says that something could not be accounted for: a negation without a verb, a second finite verb. `verbal` are the
    places of verbs and their auxiliaries; `groups` the auxiliaries of each verb, in order, and the verb; `before` are the
    clauses in front of it in its sentence.
    """

    clause: Clause
    heads: list[Head] = field(default_factory=list)
    nouns: list[Noun] = field(default_factory=list)
    past: bool = False
    loose: bool = False
    verbal: frozenset[int] = frozenset()
    groups: list[tuple[tuple[str, ...], str]] = field(default_factory=list)
    before: tuple["Reading", ...] = ()


def concept_at(reading: Reading, at: int, token: Token) -> str | None:
    """The head or noun that stands at a place of the clause."""
    for head in reading.heads:
        if head.at == at:
            return head.name
    return NOUNS.get(token.text) if token.kind == "word" else None
