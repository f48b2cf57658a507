"""What the readers hand on: a finding, not yet an issue."""

from dataclasses import dataclass, field
from typing import Any

from relay_lab.proposers.rules.clauses import Clause, Match, Text

_MENTIONS = 40
_SENTENCE = 8
"""A sentence without an end is read this many clauses to each side."""


@dataclass(slots=True)
class Finding:
    """One matter the customer raises: its type, its slots, and the token ranges that state it."""

    type: str
    at: int
    evidence: list[tuple[int, int]]
    slots: dict[str, Any] = field(default_factory=dict)
    topics: set[str] = field(default_factory=set)
    clauses: set[int] = field(default_factory=set)

    def add(self, clause: Clause, start: int, end: int) -> None:
        """Rest the finding on these tokens of the clause too."""
        self.clauses.add(clause.index)
        if len(self.evidence) < _MENTIONS:
            self.evidence.append((start, end))

    def reaches(self, index: int, distance: int) -> bool:
        """Whether the clause of that index is at most `distance` clauses away from one the finding rests on."""
        return any(place in self.clauses for place in range(index - distance, index + distance + 1))


def overlap(one: Match, other: Match) -> bool:
    """Whether two matches share a token."""
    return one.start < other.end and other.start < one.end


def near(text: Text, clause: Clause, distance: int) -> list[Clause]:
    """The clauses at most `distance` away, itself included, in order."""
    return text.clauses[max(0, clause.index - distance) : clause.index + distance + 1]


def sentence(text: Text, clause: Clause) -> list[Clause]:
    """The clauses of the sentence that the clause is in."""
    found = [clause]
    for step in (-1, 1):
        index = clause.index + step
        last = clause.index + step * _SENTENCE
        while (
            index != last
            and 0 <= index < len(text.clauses)
            and text.clauses[index].sentence == clause.sentence
        ):
            found.append(text.clauses[index])
            index += step
    return sorted(found, key=lambda c: c.index)
