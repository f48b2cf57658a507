"""What the trained part looks at: cues of a clause and of a message, as short texts (001 §2).

A cue is either of the words (words, pairs, runs of letters) or of what the rules made of them (classes, signals, findings).
The second kind is the same in every language, so that what is learned in one helps in the others.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from typing import NamedTuple

from relay_lab.proposers.rules.clauses import Clause, Text
from relay_lab.proposers.rules.features import mentions
from relay_lab.proposers.rules.findings import Finding
from relay_lab.proposers.rules.tokens import NUMBER, WORD, plain

SHARE = {"g": 0.35, "b": 0.6, "k": 0.4, "w": 0.8, "ss": 0.5, "M": 0.4, "mw": 0.3, "mc": 0.3, "ms": 0.3} | {
    f"{side}{kind}": 0.6 if kind == "s" else 0.4 for side in "<>" for kind in "wcs"
}
"""How much a cue of a kind counts in training; the others count whole. What is plentiful counts less."""
_RUNS = (3, 4, 5)
_MOST_CLAUSES = 60
"""A message of more clauses is left to the rules; in training its first ones are looked at."""
_STEPS = 10
_LONG = 24
"""The runs of a longer word are not kept, so that no message fills the memory with them."""


class Reading(NamedTuple):
    """What the rules made of a message: findings, why a wish is none, what else is said of a feature."""

    found: list[Finding]
    voided: dict[int, str]
    elsewhere: dict[int, set[str]]


def weighed(text: Text) -> Sequence[Clause]:
    """The clauses that the trained part looks at: all of them, but in a very long message."""
    return text.clauses[:_MOST_CLAUSES]


class Cues:
    """The cues of one message that the rules have read. What its clauses share is worked out once."""

    def __init__(self, text: Text, read: Reading) -> None:
        self._text, self._read = text, read
        self._words = [_words(text, clause) for clause in text.clauses]
        self._classes = [_classes(text, clause) for clause in text.clauses]
        self._lexical = [
            [
                *[f"w:{word}" for word in words],
                *[f"s:{signal}" for signal in clause.signals],
                *[f"c:{name}" for name in classes],
            ]
            for clause, words, classes in zip(text.clauses, self._words, self._classes, strict=True)
        ]
        self._shared = {
            *[f"M:{signal}" for signal in text.said],
            *[f"RM:{finding.type}" for finding in read.found],
            f"RN:{min(len(read.found), 4)}",
            f"n:{min(len(text.clauses), 6)}",
        }

    def of_clause(self, clause: Clause) -> set[str]:
        """The cues of one clause: its own, its neighbours', what the rules found in it and what the message says."""
        words, index, last = self._words[clause.index], clause.index, len(self._text.clauses) - 1
        cues = {*self._shared, *self._lexical[index], f"len:{min(len(words) // 3, 5)}"}
        cues.update([f"b:{a} {b}" for a, b in pairwise(["^", *words, "$"])])
        cues.update([f"k:{a} {b}" for a, b in zip(words, words[2:], strict=False)])
        cues.update(*[_kept_runs(word) if len(word) <= _LONG else _runs(word) for word in words])
        cues.update([f"ss:{a}+{b}" for a, b in combinations(sorted(clause.signals), 2)])
        flags = {
            "asks": clause.asks, "opens": clause.opens, "first": not index, "last": index == last,
            "only": not last, "mentions": bool(mentions(self._text, clause)),
        }  # fmt: skip
        cues.update([name for name, is_set in flags.items() if is_set])
        for step, side in ((-1, "<"), (1, ">")):
            if 0 <= index + step <= last:
                other = self._text.clauses[index + step]
                cues.update([side + cue for cue in self._lexical[index + step]])
                cues |= {f"{side}same:{other.sentence == clause.sentence}", f"{side}asks:{other.asks}"}
        cues.update(self._ruled(index))
        return cues

    def of_message(self, scores: Sequence[Sequence[float]]) -> set[str]:
        """The cues of the whole message: how its clauses were scored, what the rules found, its words."""
        text, found, clauses = self._text, self._read.found, weighed(self._text)
        cues = {f"ms:{signal}" for signal in text.said}
        columns = list(zip(*scores, strict=True))
        for number, column in enumerate(columns):
            for rank, score in enumerate(sorted(column, reverse=True)[:2]):
                cues.update([f"p:{number}.{rank}>{step}" for step in range(int(score * _STEPS) + 1)])
        likely = [number for number, column in enumerate(columns) if max(column) > 0.4]
        cues.update([f"pp:{a}+{b}" for a, b in combinations(likely, 2)])
        for name, total in (("begun", sum(columns[4])), ("other", sum(columns[4]) + sum(columns[5]))):
            cues.update([f"{name}>{step}" for step in range(1, min(12, int(total * 4) + 1))])
        types = Counter(finding.type for finding in found)
        cues.update([f"r:{name}{number}" for name, count in types.items() for number in range(min(count, 4))])
        for finding in found:
            if finding.type != "other":
                cues.update([f"slot:{name}={value}" for name, value in finding.slots.items()])
        cues.update([f"clauses>{step}" for step in range(min(len(text.clauses), 10))])
        cues.add(f"rn:{min(len(found), 4)}")
        if any(clause.asks for clause in text.clauses):
            cues.add("asks")
        for words, classes in zip(self._words[: len(clauses)], self._classes, strict=False):
            cues.update([f"mw:{word}" for word in words])
            cues.update([f"mb:{a} {b}" for a, b in pairwise(words)])
            cues.update([f"mc:{name}" for name in classes])
        return cues

    def _ruled(self, index: int) -> Iterator[str]:
        """What the rules made of the clause and of those beside it."""
        found, voided, elsewhere = self._read
        for finding in found:
            for step in (-1, 0, 1):
                if index + step in finding.clauses:
                    yield f"R{step}:{finding.type}"
                    yield f"R{step}:{finding.type}{'@' if min(finding.clauses) == index + step else '~'}"
        if not any(index in finding.clauses for finding in found):
            yield "R0"
        yield f"V:{voided.get(index, '')}"
        yield from (f"E:{said.partition(':')[0]}" for said in elsewhere.get(index, ()))


def _runs(word: str) -> tuple[str, ...]:
    """The runs of letters of a word."""
    run = f"<{word}>"
    return tuple(f"g:{run[at : at + size]}" for size in _RUNS for at in range(len(run) - size + 1))


_kept_runs = lru_cache(maxsize=4096)(_runs)
"""The same few words make up most of any message."""


def _words(text: Text, clause: Clause) -> list[str]:
    tokens = text.tokens[clause.start : clause.end]
    return [plain(t.text) if t.kind == WORD else "#" for t in tokens if t.kind in (WORD, NUMBER)]


def _classes(text: Text, clause: Clause) -> set[str]:
    return {name for marks in text.marks[clause.start : clause.end] for name in marks if name[0] != "="}
