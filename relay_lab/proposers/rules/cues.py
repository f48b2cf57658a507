"""What the trained part looks at: cues of a clause and of a message, as short texts (001 §2).

A cue is either of the words (words, pairs, runs of letters) or of what the rules made of them (classes, signals, findings).
The second kind is the same in every language, so that what is learned in one helps in the others.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise

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
"""Of a longer message only so many clauses are weighed; what the rules find in the others stands."""
_STEPS = 10


def weighed(text: Text) -> Sequence[Clause]:
    """The clauses that the trained part looks at."""
    return text.clauses[:_MOST_CLAUSES]


def clause_cues(
    text: Text,
    clause: Clause,
    found: Sequence[Finding],
    voided: dict[int, str],
    elsewhere: dict[int, set[str]],
) -> set[str]:
    """The cues of one clause: its own, its neighbours', what the rules found in it and what the message says."""
    words, index, last = _words(text, clause), clause.index, len(text.clauses) - 1
    cues = {*_lexical(text, clause, words, ""), *(f"M:{signal}" for signal in text.said)}
    cues.update(f"b:{a} {b}" for a, b in pairwise(["^", *words, "$"]))
    cues.update(f"k:{a} {b}" for a, b in zip(words, words[2:], strict=False))
    for word in words:
        run = f"<{word}>"
        cues.update(f"g:{run[at : at + size]}" for size in _RUNS for at in range(len(run) - size + 1))
    cues.update(f"ss:{a}+{b}" for a, b in combinations(sorted(clause.signals), 2))
    flags = {
        "asks": clause.asks, "opens": clause.opens, "first": not index, "last": index == last,
        "only": not last, "mentions": bool(mentions(text, clause)),
    }  # fmt: skip
    cues.update(name for name, is_set in flags.items() if is_set)
    cues |= {f"len:{min(len(words) // 3, 5)}", f"n:{min(last + 1, 6)}"}
    for step, side in ((-1, "<"), (1, ">")):
        if 0 <= index + step <= last:
            other = text.clauses[index + step]
            cues.update(_lexical(text, other, _words(text, other), side))
            cues.add(f"{side}same:{other.sentence == clause.sentence}")
            cues.add(f"{side}asks:{other.asks}")
    return cues | set(_rules(index, found, voided, elsewhere))


def message_cues(text: Text, found: Sequence[Finding], scores: Sequence[Sequence[float]]) -> set[str]:
    """The cues of a whole message: how its clauses were scored, what the rules found, its words."""
    cues = {f"ms:{signal}" for signal in text.said}
    columns = list(zip(*scores, strict=True))
    for number, column in enumerate(columns):
        for rank, score in enumerate(sorted(column, reverse=True)[:2]):
            cues.update(f"p:{number}.{rank}>{step}" for step in range(int(score * _STEPS) + 1))
    likely = [number for number, column in enumerate(columns) if max(column) > 0.4]
    cues.update(f"pp:{a}+{b}" for a, b in combinations(likely, 2))
    for name, total in (("begun", sum(columns[4])), ("other", sum(columns[4]) + sum(columns[5]))):
        cues.update(f"{name}>{step}" for step in range(1, min(12, int(total * 4) + 1)))
    types = Counter(finding.type for finding in found)
    cues.update(f"r:{name}{number}" for name, count in types.items() for number in range(min(count, 4)))
    for finding in found:
        cues.update(
            f"slot:{name}={value}" for name, value in finding.slots.items() if finding.type != "other"
        )
    cues.update(f"clauses>{step}" for step in range(min(len(text.clauses), 10)))
    cues |= {f"rn:{min(len(found), 4)}"} | (
        {"asks"} if any(clause.asks for clause in text.clauses) else set()
    )
    for clause in weighed(text):
        words = _words(text, clause)
        cues.update(f"mw:{word}" for word in words)
        cues.update(f"mb:{a} {b}" for a, b in pairwise(words))
        cues.update(f"mc:{name}" for name in _classes(text, clause))
    return cues


def _lexical(text: Text, clause: Clause, words: list[str], side: str) -> Iterator[str]:
    yield from (f"{side}w:{word}" for word in words)
    yield from (f"{side}s:{signal}" for signal in clause.signals)
    yield from (f"{side}c:{name}" for name in _classes(text, clause))


def _rules(
    index: int, found: Sequence[Finding], voided: dict[int, str], elsewhere: dict[int, set[str]]
) -> Iterator[str]:
    """What the rules made of the clause and of those beside it."""
    for finding in found:
        yield f"RM:{finding.type}"
        for step in (-1, 0, 1):
            if index + step in finding.clauses:
                yield f"R{step}:{finding.type}"
                yield f"R{step}:{finding.type}{'@' if min(finding.clauses) == index + step else '~'}"
    if not any(index in finding.clauses for finding in found):
        yield "R0"
    yield f"RN:{min(len(found), 4)}"
    yield f"V:{voided.get(index, '')}"
    yield from (f"E:{said.partition(':')[0]}" for said in elsewhere.get(index, ()))


def _words(text: Text, clause: Clause) -> list[str]:
    tokens = text.tokens[clause.start : clause.end]
    return [plain(t.text) if t.kind == WORD else "#" for t in tokens if t.kind in (WORD, NUMBER)]


def _classes(text: Text, clause: Clause) -> set[str]:
    return {name for marks in text.marks[clause.start : clause.end] for name in marks if name[0] != "="}
