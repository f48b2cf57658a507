"""Train the proposer `rules`: `python -m benchmarks.learn` reads benchmarks/messages/learn.json and writes the weights.

Two log-linear classifiers, one of clauses and one of messages. The second sees how the first scored clauses that it had not
learned from (five parts by the hash of a message's id), as it will on messages that nobody has seen. No chance is in it.
"""

import argparse
import base64
import hashlib
import json
import sys
import zlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from struct import pack
from typing import Any

import numpy as np

from benchmarks.decomposer import LANGUAGES, Read, read_of
from relay_lab.proposers.rules.alone import standing_alone
from relay_lab.proposers.rules.classifier import CLAUSE, FILE, MESSAGE, UNIT, Classifier, Weights, hashed
from relay_lab.proposers.rules.clauses import Text
from relay_lab.proposers.rules.cues import SHARE, Cues, Reading, weighed
from relay_lab.proposers.rules.findings import Finding
from relay_lab.proposers.rules.judged import Scores, decided, sure
from relay_lab.proposers.rules.proposer import by_rules, numbered, text_of
from relay_lab.proposers.rules.spans import span

ROOT = Path(__file__).parents[1]
MESSAGES = ROOT / "benchmarks" / "messages" / "learn.json"
TUNED = (
    MESSAGES.with_name("develop.json"),
    *(ROOT / "tests" / "proposers" / f"messages_{name}.json" for name in sorted(LANGUAGES)),
)
RULES = ROOT / "relay_lab" / "proposers" / "rules"
WEIGHTS = RULES / FILE
PARTS = 5
PASSES = 6
RATE = 0.1
DECAY = 3e-3
SCALE = 0.3
ELSEWHERE = 0.15
"""How much a clause counts against a type that its message has in another clause: it may be about it too."""
LEAST = 3
"""A cue has to stand in so many examples."""
OF_RULES = ("R0", "R1", "R-1", "RM:", "RN:", "V:", "E:", "r:", "rn:", "slot:")
"""How the cues begin that say what the rules found."""
LIMITS = dict.fromkeys(MESSAGE, 0.5) | {
    "feature_access": 0.4,
    "subscription_change": 0.6,
    "human_request": 0.3,
    "nothing": 0.25,
    "other": 0.65,
    "refund": 0.25,
    "refund_declined": 0.25,
    "before_renewal": 0.35,
    "stated": 0.8,
    "outside": 0.3,
}
"""From which score on each output counts, chosen in cross-validation; for a plan high on purpose."""

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Example:
    """One labelled message as the rules read it."""

    id: str
    text: Text
    ruled: Reading
    issues: Sequence[dict[str, Any]]
    tuned: bool = False
    """The rules were tuned on it: what they find in it says nothing of what they are worth, and is no cue."""

    @property
    def part(self) -> int:
        return int(hashlib.sha256(f"f{self.id}".encode()).hexdigest(), 16) % PARTS


@dataclass(frozen=True)
class Table:
    """Examples as numbers: the hashed cues of each with their shares, what is wanted of each output, how much it counts."""

    cues: list[tuple[Array, Array]]
    wanted: Array
    counts: Array
    parts: Array


def examples(rows: Iterable[dict[str, Any]], tuned: bool = False) -> list[Example]:
    """The labelled messages, read by the rules."""
    made = []
    for number, row in enumerate(rows):
        text = text_of(row["message"])
        example = Example(row.get("id", str(number)), text, by_rules(text, set()), row["issues"], tuned)
        if text.clauses and (not tuned or _agree(example)):
            made.append(example)
    return made


def _agree(example: Example) -> bool:
    """Whether the rules find the types of the label, so that the clauses they rest them on are those that raise them."""
    wanted = [issue["type"] for issue in example.issues]
    return wanted == [finding.type for finding in _in_order(example)]


def _in_order(example: Example) -> list[Finding]:
    found = example.ruled.found
    return sorted(found, key=lambda finding: (span(example.text, finding, found)["start"], finding.at))


def stated(example: Example) -> list[list[tuple[int, bool]]]:
    """For each clause the numbers of the issues that it raises, and whether it is the first that raises the issue."""
    text, found = example.text, [list[tuple[int, bool]]() for _ in example.text.clauses]
    if example.tuned:
        for number, finding in enumerate(_in_order(example)):
            for index in finding.clauses:
                found[index].append((number, index == min(finding.clauses)))
        return found
    for number, issue in enumerate(example.issues):
        start = text.message.find(issue["at"])
        end = start + len(issue["at"])
        common = [
            (min(text.tokens[c.end - 1].end, end) - max(text.tokens[c.start].start, start), c)
            for c in text.clauses
        ]
        raised = [
            clause.index
            for size, clause in common
            if size > 0
            and (
                2 * size >= text.tokens[clause.end - 1].end - text.tokens[clause.start].start
                or 5 * size >= 3 * (end - start)
            )
        ]
        best = max(common, key=lambda pair: pair[0])
        for place, index in enumerate(raised or ([best[1].index] if best[0] > 0 else [])):
            found[index].append((number, not place))
    return found


def clause_table(made: Sequence[Example]) -> Table:
    cues, wanted, counts, parts = [], [], [], []
    for example in made:
        types = {issue["type"] for issue in example.issues}
        raised, looked_at = stated(example), Cues(example.text, example.ruled)
        for clause in weighed(example.text):
            row = dict.fromkeys(CLAUSE, 0.0)
            for number, first in raised[clause.index]:
                issue = example.issues[number]
                row[_output(issue["type"], first)] = 1
                row["outside"] = float(issue.get("about_account") is False)
            other = bool(row["begins"] or row["goes_on"])
            count = {name: ELSEWHERE if name in types and not row[name] else 1.0 for name in CLAUSE}
            cues.append(_numbers(looked_at.of_clause(clause), example.tuned))
            wanted.append([row[name] for name in CLAUSE])
            counts.append([*(count[name] for name in CLAUSE[:-1]), float(other)])
            parts.append(example.part)
    return Table(cues, np.array(wanted), np.array(counts), np.array(parts))


def _output(name: str, first: bool) -> str:
    return name if name != "other" else ("begins" if first else "goes_on")


def message_table(made: Sequence[Example], scores: Sequence[Array]) -> Table:
    cues, wanted, counts = [], [], []
    for example, rows in zip(made, scores, strict=True):
        row, count = _of_message(example, rows)
        looked_at = Cues(example.text, example.ruled).of_message(rows.tolist())
        cues.append(_numbers(looked_at, example.tuned))
        wanted.append([row[name] for name in MESSAGE])
        counts.append([count[name] for name in MESSAGE])
    return Table(cues, np.array(wanted), np.array(counts), np.array([example.part for example in made]))


def _of_message(example: Example, rows: Array) -> tuple[dict[str, float], dict[str, float]]:
    """What is wanted of each output for the message, and how much it counts: a slot only where its issue is."""
    types = Counter(issue["type"] for issue in example.issues)
    slots = {name: value for issue in example.issues for name, value in issue.items()}
    row = {name: float(types[name] > 0) for name in MESSAGE} | {
        "nothing": float(not types),
        "other_2": float(types["other"] > 1),
        "other_3": float(types["other"] > 2),
        "refund": float(slots.get("refund_requested") is True),
        "refund_declined": float(slots.get("refund_requested") is False),
        "before_renewal": float(slots.get("deadline") is not None),
    }
    target = _named(example, rows)
    row["stated"] = float(target is not None and slots.get("target_plan") == target)
    count = dict.fromkeys(MESSAGE, 1.0)
    count["refund"] = count["refund_declined"] = row["billing_duplicate"]
    count["before_renewal"] = row["subscription_change"]
    count["stated"] = float(target is not None)
    return row, count


def _named(example: Example, rows: Array) -> str | None:
    """The plan that would be taken for stated, by the listed forms or because it stands alone."""
    target = next((f.slots["target_plan"] for f in example.ruled.found if "target_plan" in f.slots), None)
    alone = standing_alone(
        example.text, sure(example.text, rows[:, CLAUSE.index("subscription_change")].tolist())
    )
    return target or (alone.value if alone else None)


def _numbers(cues: set[str], tuned: bool) -> tuple[Array, Array]:
    kept = [cue for cue in sorted(cues) if not (tuned and cue.startswith(OF_RULES))]
    shares = {hashed(cue): SHARE.get(cue.partition(":")[0], 1.0) * SCALE for cue in kept}
    return np.array(sorted(shares)), np.array([shares[key] for key in sorted(shares)])


def fit(table: Table, chosen: Array) -> tuple[dict[int, Array], Array]:
    """Weights of cues and outputs: logistic loss, one example at a time, steps that shrink with use (AdaGrad)."""
    seen = Counter(int(key) for index in chosen for key in table.cues[index][0])
    rows = {key: number for number, key in enumerate(sorted(key for key, n in seen.items() if n >= LEAST))}
    outputs = table.wanted.shape[1]
    weight, used = np.zeros((len(rows), outputs)), np.full((len(rows), outputs), 1e-2)
    bias, bias_used = np.zeros(outputs), np.full(outputs, 1e-6)
    known = []
    for index in chosen:
        keys, shares = table.cues[index]
        kept = [(rows[key], share) for key, share in zip(keys.tolist(), shares, strict=True) if key in rows]
        known.append((np.array([row for row, _ in kept], dtype=int), np.array([s for _, s in kept])[:, None]))
    chance = np.random.default_rng(1)
    for _ in range(PASSES):
        for place in chance.permutation(len(known)):
            at, share = known[place]
            held = weight[at]
            sums = bias + (share * held).sum(0)
            error = (1 / (1 + np.exp(-sums)) - table.wanted[chosen[place]]) * table.counts[chosen[place]]
            bias_used += error**2
            bias -= RATE * error / np.sqrt(bias_used)
            slope = share * error + DECAY * held * (table.counts[chosen[place]] > 0)
            grown = used[at] + slope**2
            used[at] = grown
            weight[at] = held - RATE * slope / np.sqrt(grown)
    shares = {int(k): float(s) for i in chosen for k, s in zip(*table.cues[i], strict=True)}
    return {key: weight[row] * shares[key] for key, row in rows.items()}, bias


def weights(made: tuple[dict[int, Array], Array]) -> Weights:
    """As they are kept: whole numbers, rows of nothing left out."""
    rows = {
        key: tuple(int(value) for value in np.clip(np.rint(row * UNIT), -127, 127))
        for key, row in sorted(made[0].items())
    }
    kept = {key: row for key, row in rows.items() if any(row)}
    return Weights(tuple(int(value) for value in np.rint(made[1] * UNIT)), kept)


def scored(model: Weights, table: Table, index: int) -> list[float]:
    sums = np.array(model.bias, dtype=float)
    for key in table.cues[index][0].tolist():
        if key in model.rows:
            sums = sums + model.rows[key]
    return [float(value) for value in 1 / (1 + np.exp(-np.clip(sums / UNIT, -30, 30)))]


def apart(table: Table) -> Array:
    """The scores of every example by weights that were made without its part."""
    scores = np.zeros_like(table.wanted)
    for part in range(PARTS):
        model = weights(fit(table, np.flatnonzero(table.parts != part)))
        for index in np.flatnonzero(table.parts == part):
            scores[index] = scored(model, table, int(index))
    return scores


def split(made: Sequence[Example], rows: Array) -> list[Array]:
    """The rows of the clauses, message by message."""
    ends = np.cumsum([len(weighed(example.text)) for example in made])[:-1]
    return list(np.split(rows, ends))


def trained() -> tuple[Classifier, dict[str, Any]]:
    """The classifier that the committed messages give, and what cross-validation says of it."""
    fresh = examples(json.loads(MESSAGES.read_text("utf-8")))
    made = fresh + examples(tuned(), tuned=True)
    clauses = clause_table(made)
    scores = split(made, apart(clauses))
    whole = message_table(made, scores)
    rows = apart(whole)
    every = np.arange(len(clauses.cues)), np.arange(len(whole.cues))
    classifier = Classifier(weights(fit(clauses, every[0])), weights(fit(whole, every[1])), LIMITS, LANGUAGES)
    return classifier, {"messages": len(fresh), "exact": exact(fresh, scores, rows)}


def tuned() -> list[dict[str, Any]]:
    """The messages that the rules were tuned on, without those that answer a question."""
    rows = [row for file in TUNED for row in json.loads(file.read_text("utf-8")) if "question" not in row]
    return [row | {"id": f"tuned-{number}"} for number, row in enumerate(rows)]


def exact(made: Sequence[Example], scores: Sequence[Array], rows: Array) -> int:
    """How many messages are read exactly by these scores."""
    return sum(
        _reads(example, clauses, row) == [read_of(issue) for issue in example.issues]
        for example, clauses, row in zip(made, scores, rows, strict=False)
    )


def _reads(example: Example, clauses: Array, row: Array) -> list[Read]:
    scores = Scores(
        [dict(zip(CLAUSE, one, strict=True)) for one in clauses.tolist()],
        dict(zip(MESSAGE, row.tolist(), strict=True)),
    )
    ruled = example.ruled._replace(found=[replace(f, slots=dict(f.slots)) for f in example.ruled.found])
    return [read_of(issue) for issue in numbered(example.text, decided(example.text, ruled, scores, LIMITS))]


def digest() -> str:
    """The SHA-256 of the messages that the weights are made from, and of what is looked at in them."""
    total = hashlib.sha256()
    for file in (MESSAGES, *TUNED, RULES / "cues.py"):
        total.update(file.name.encode() + b"\0" + file.read_bytes())
    return total.hexdigest()


def _packed(model: Weights) -> dict[str, Any]:
    """Column after column, which packs tighter than row after row and is unpacked faster."""
    rows = [key.to_bytes(3, "big") + pack(f"{len(row)}b", *row) for key, row in sorted(model.rows.items())]
    raw = b"".join(map(bytes, zip(*rows, strict=True)))
    return {"bias": model.bias, "rows": base64.b64encode(zlib.compress(raw, 9)).decode()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Train, say what cross-validation says, and write the weights."""
    argparse.ArgumentParser(prog="python -m benchmarks.learn", description=__doc__).parse_args(arguments)
    classifier, said = trained()
    held = {
        "made_from": digest(),
        "languages": classifier.languages,
        "limits": classifier.limits,
        "clause": _packed(classifier.clause),
        "message": _packed(classifier.message),
    }
    WEIGHTS.write_text(json.dumps(held, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    sys.stdout.write(
        f"{said['exact']} of {said['messages']} exact in cross-validation; "
        f"{WEIGHTS.relative_to(ROOT).as_posix()}: {WEIGHTS.stat().st_size} bytes\n"
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
