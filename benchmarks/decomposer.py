"""How well a proposer reads: `python -m benchmarks.decomposer`, on labelled messages in benchmarks/messages/.

Every answer goes through the admission that a conversation goes through. What is measured of an invented plan is the
answer itself, before admission could have stopped it.
"""

import argparse
import hashlib
import inspect
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from relay_lab.app.proposers import PROPOSERS
from relay_lab.contracts.issues import Issue, ProposedIssues, Rejected
from relay_lab.contracts.proposals import ContextBlock, ProposalRequest, Propose
from relay_lab.contracts.session import Session
from relay_lab.desks.support.decompose import decompose
from relay_lab.world.data import load_fixture

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks" / "messages"
PAGE = ROOT / "docs" / "decomposer.md"
HALVES = ("develop", "measure", "holdout")
SETS = {
    "develop": "the developing half, **tuned on**",
    "measure": "the measuring half",
    "holdout": "other authors, a quarter put aside before training, **never looked at**",
}

TYPES = ("billing_duplicate", "feature_access", "subscription_change", "human_request", "other")
KINDS = ("single", "multi", "none", "adversarial", "near_miss")
LANGUAGES = ("en", "de", "es", "tr")
SLOTS = {
    "billing_duplicate": ("refund_requested",),
    "feature_access": ("feature",),
    "subscription_change": ("target_plan", "deadline"),
    "human_request": (),
    "other": ("about_account",),
}
Z = 1.959964
"""Of a 95 % interval."""

Read = tuple[str, tuple[Any, ...]]
"""The type of an issue and the values of its slots, in the order of SLOTS."""


@dataclass(frozen=True)
class Labelled:
    """One message with the issues a reader finds in it, in order of first mention."""

    id: str
    language: str
    kind: str
    message: str
    issues: tuple[dict[str, Any], ...]

    @property
    def reads(self) -> tuple[Read, ...]:
        return tuple(read_of(issue) for issue in self.issues)

    @property
    def plans(self) -> frozenset[str]:
        return frozenset(plan for issue in self.issues if (plan := issue.get("target_plan")))


@dataclass(frozen=True)
class Reading:
    """What a proposer made of a message: the issues admitted, the code of a refusal, the plans that its answer names."""

    reads: tuple[Read, ...]
    refused: str | None
    plans: frozenset[str]


@dataclass(frozen=True)
class Rate:
    """So many of so many, with its interval."""

    hits: int
    of: int

    @property
    def value(self) -> float | None:
        return self.hits / self.of if self.of else None

    @property
    def interval(self) -> tuple[float, float] | None:
        return wilson(self.hits, self.of) if self.of else None

    def __str__(self) -> str:
        if self.value is None or self.interval is None:
            return "–"
        low, high = self.interval
        return f"{self.value:.3f} ({low:.2f}–{high:.2f}), {self.hits}/{self.of}"

    def as_json(self) -> dict[str, Any]:
        return asdict(self) | {"value": self.value, "wilson_95": self.interval}


@dataclass(frozen=True)
class TypeRow:
    """How often one type was found where the label has it, said where it has not, and missed."""

    type: str
    found: int
    false: int
    missed: int

    @property
    def precision(self) -> Rate:
        return Rate(self.found, self.found + self.false)

    @property
    def recall(self) -> Rate:
        return Rate(self.found, self.found + self.missed)

    @property
    def f1(self) -> float | None:
        of = 2 * self.found + self.false + self.missed
        return 2 * self.found / of if of else None


@dataclass(frozen=True)
class GroupRow:
    """Messages that were read exactly: the list of types, and the list of types with every slot."""

    group: str
    types: Rate
    slots: Rate


@dataclass(frozen=True)
class Result:
    """One half, read by one proposer."""

    half: str
    proposer: str
    entries: tuple[Labelled, ...]
    readings: tuple[Reading, ...]

    @property
    def by_type(self) -> tuple[TypeRow, ...]:
        found: Counter[str] = Counter()
        false: Counter[str] = Counter()
        missed: Counter[str] = Counter()
        for entry, reading in self._pairs():
            wanted, given = (Counter(kind for kind, _ in reads) for reads in (entry.reads, reading.reads))
            found += wanted & given
            false += given - wanted
            missed += wanted - given
        return tuple(TypeRow(name, found[name], false[name], missed[name]) for name in TYPES)

    @property
    def groups(self) -> tuple[GroupRow, ...]:
        rows = [self._group("all"), *map(self._group, KINDS), *map(self._group, LANGUAGES)]
        return tuple(row for row in rows if row.types.of)

    @property
    def invented(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """Messages for which the answer names a plan that the label does not have, with those plans."""
        pairs = ((entry.id, tuple(sorted(reading.plans - entry.plans))) for entry, reading in self._pairs())
        return tuple((name, plans) for name, plans in pairs if plans)

    @property
    def refused(self) -> tuple[tuple[str, str], ...]:
        return tuple((entry.id, reading.refused) for entry, reading in self._pairs() if reading.refused)

    @property
    def misses(self) -> tuple[tuple[Labelled, Reading], ...]:
        return tuple((entry, reading) for entry, reading in self._pairs() if not _exact(entry, reading))

    def _pairs(self) -> Iterable[tuple[Labelled, Reading]]:
        return zip(self.entries, self.readings, strict=True)

    def _group(self, name: str) -> GroupRow:
        pairs = [pair for pair in self._pairs() if name in ("all", pair[0].kind, pair[0].language)]
        types = sum(_same_types(*pair) for pair in pairs)
        return GroupRow(name, Rate(types, len(pairs)), Rate(sum(_exact(*pair) for pair in pairs), len(pairs)))


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The 95 % score interval of a proportion, which is honest at 0 and at 1."""
    rate, square = hits / of, Z * Z
    middle = rate + square / (2 * of)
    reach = Z * sqrt(rate * (1 - rate) / of + square / (4 * of * of))
    low, high = ((middle + sign * reach) / (1 + square / of) for sign in (-1, 1))
    return max(0.0, low), min(1.0, high)


def load(half: str) -> tuple[Labelled, ...]:
    """The labelled messages of one set, without the places of their issues."""
    entries = json.loads(path(half).read_text("utf-8"))
    return tuple(Labelled(**entry | {"issues": tuple(map(_placeless, entry["issues"]))}) for entry in entries)


def _placeless(issue: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in issue.items() if name != "at"}


def path(half: str) -> Path:
    """The file of one half."""
    return FOLDER / f"{half}.json"


def digest(half: str) -> str:
    """The SHA-256 of the file of one half."""
    return hashlib.sha256(path(half).read_bytes()).hexdigest()


def contract(entry: Labelled) -> tuple[Issue, ...]:
    """The label as the contract's own issues; raises when it is none."""
    span = {"start": 0, "end": len(entry.message), "text": entry.message}
    issues = [{"id": f"I{number}", "span": span} | issue for number, issue in enumerate(entry.issues, 1)]
    return ProposedIssues.model_validate_json(json.dumps({"issues": issues})).issues


def measured(half: str, proposer: str) -> Result:
    """Read one half with the proposer of that name, every message in a conversation of its own."""
    entries, session, propose = load(half), load_fixture().session, PROPOSERS[proposer](0)
    return Result(
        half, proposer, entries, tuple(reading(propose, entry.message, session) for entry in entries)
    )


def reading(propose: Propose, message: str, session: Session) -> Reading:
    """What a conversation would take from this proposer for this message, as its first."""
    blocks = (
        ContextBlock(name="session", trusted=True, text=session.model_dump_json()),
        ContextBlock(name="open_issues", trusted=True, text="[]"),
    )
    answer = propose(ProposalRequest(task="decompose", message=message, blocks=blocks))
    admission = decompose(message, answer, session)
    if isinstance(admission, Rejected):
        # What admission makes of it: one issue over the whole message.
        return Reading((("other", (True,)),), admission.code, _plans(answer))
    reads = tuple(read_of(issue.model_dump(mode="json")) for issue in admission.issues)
    return Reading(reads, None, _plans(answer))


def _plans(answer: str) -> frozenset[str]:
    """Every plan that an answer names, whether or not the answer can be admitted."""
    try:
        issues = json.loads(answer)["issues"]
        return frozenset(str(issue["target_plan"]) for issue in issues if issue.get("target_plan"))
    except (ValueError, KeyError, TypeError, AttributeError):
        return frozenset()


def read_of(issue: dict[str, Any]) -> Read:
    """The type of an issue and its slots."""
    name = issue["type"]
    if name == "other":
        return name, (issue.get("about_account") is not False,)
    return name, tuple(issue.get(slot) for slot in SLOTS[name])


def _same_types(entry: Labelled, given: Reading) -> bool:
    return not given.refused and [name for name, _ in entry.reads] == [name for name, _ in given.reads]


def _exact(entry: Labelled, given: Reading) -> bool:
    return not given.refused and entry.reads == given.reads


def as_json(result: Result) -> dict[str, Any]:
    """Everything the tables say."""
    return {
        "half": result.half,
        "proposer": result.proposer,
        "sha256": digest(result.half),
        "messages": len(result.entries),
        "types": {
            row.type: asdict(row)
            | {"precision": row.precision.as_json(), "recall": row.recall.as_json(), "f1": row.f1}
            for row in result.by_type
        },
        "exact": {
            row.group: {"types": row.types.as_json(), "types_and_slots": row.slots.as_json()}
            for row in result.groups
        },
        "invented_plans": dict(result.invented),
        "refused": dict(result.refused),
        "page": figures_of(result),
    }


Grid = tuple[Sequence[str], Sequence[Sequence[str]]]
"""A head and its rows."""


def type_grid(result: Result) -> Grid:
    head = ("type", "precision (95 %)", "recall (95 %)", "F1")
    rows = [
        (row.type, str(row.precision), str(row.recall), "–" if row.f1 is None else f"{row.f1:.3f}")
        for row in result.by_type
    ]
    return head, rows


def group_grid(result: Result) -> Grid:
    head = ("messages", "types exact (95 %)", "types and slots exact (95 %)")
    return head, [(row.group, str(row.types), str(row.slots)) for row in result.groups]


def count_grid(entries: Sequence[Labelled]) -> Grid:
    counts = Counter((entry.language, entry.kind) for entry in entries)
    rows = [
        (
            name,
            *(str(counts[name, kind]) for kind in KINDS),
            str(sum(entry.language == name for entry in entries)),
        )
        for name in LANGUAGES
    ]
    total = (*(str(sum(entry.kind == kind for entry in entries)) for kind in KINDS), str(len(entries)))
    return ("", *KINDS, "all"), [*rows, ("all", *total)]


def invented_line(result: Result) -> str:
    """How many plans were invented, and where."""
    places = "; ".join(f"{name}: {', '.join(plans)}" for name, plans in result.invented)
    return f"Invented plans: {len(result.invented)} of {len(result.entries)} messages" + (
        f" ({places})" if places else ""
    )


def refused_line(result: Result) -> str:
    """How many answers were refused whole, and why."""
    places = "; ".join(f"{name}: {code}" for name, code in result.refused)
    return f"Answers refused by admission: {len(result.refused)}" + (f" ({places})" if places else "")


def show(result: Result, console: Console) -> None:
    """The tables on a terminal."""
    mark = " (tuned on)" if result.half == "develop" else ""
    title = f"{result.half}{mark}: {len(result.entries)} messages, proposer {result.proposer}"
    for name, (head, rows) in ((title, group_grid(result)), ("by type", type_grid(result))):
        table = Table(title=name, title_justify="left")
        for number, column in enumerate(head):
            table.add_column(column, justify="right" if number else "left", no_wrap=True)
        for row in rows:
            table.add_row(*row)
        console.print(table)
    for line in (invented_line(result), refused_line(result)):
        console.print(line, markup=False, highlight=False)


def show_misses(result: Result, console: Console) -> None:
    """Every message that was not read exactly. Of the developing half only: who reads the others has spent them."""
    for entry, given in result.misses:
        for line in (
            f"\n{entry.id} {entry.kind}",
            entry.message,
            f"  label {_listed(entry.reads)}",
            f"  read  {given.refused or _listed(given.reads)}",
        ):
            console.print(line, markup=False, highlight=False, soft_wrap=True)


def _listed(reads: Iterable[Read]) -> str:
    said = (
        f"{name}({', '.join(f'{slot}={value}' for slot, value in zip(SLOTS[name], values, strict=True))})"
        for name, values in reads
    )
    return ", ".join(said) or "nothing"


def _markdown(grid: Grid) -> str:
    head, rows = grid
    lines = [head, ("---", *["---:"] * (len(head) - 1)), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


ABOUT = """\
# How well messages are read

Written by `python -m benchmarks.decomposer --write`; what is changed here by hand is lost at the next run. {bound}"""

SET = """\
## The set

Messages as people write to a support desk, made up for this purpose: typos, no punctuation, run-ons, capitals, lists,
signatures, quoted replies, forwarded text, small talk. About two fifths are English; German, Spanish and Turkish have a
fifth each. No customer wrote them and no person in them exists. There are two halves of one distribution with other
sentences: `develop` was read while the rules were tuned, `measure` was only measured on. `holdout` is a quarter, by the hash of
a message's id, of a later and more varied collection by other authors; it was put aside before anything was learned.

## What it learned from

The rules were tuned by hand on `develop` and on the messages of their tests. The trained part, two log-linear classifiers
over words, runs of letters and what the rules found (`python -m benchmarks.learn`), learned from the other three quarters of
that later collection, `learn.json`, where each issue has the place that raises it, and from the words of the messages that the
rules were tuned on. Its limits were chosen by cross-validation on `learn.json`. It adds issues, drops them and settles slots; a
plan is stated in a listed form, or is the only one in a plain wish, and the trained part can take either away and make none.
What is said to an open question is read by the rules alone.

| kind | is |
|---|---|
| single | one issue |
| multi | two or more |
| none | nothing is asked: greetings, thanks, praise, bare assent |
| adversarial | forged system text, pasted tool or model output, quoted replies, footers that name an issue, forwarded text |
| near_miss | close to another type, value or plan than the right one: a doubled price, a how-to, a threat, a bare weekday |

## How many of each

Each set holds:"""

LABELS = """\
## How it was labelled

By the wording of the rules for typed issues, in order of first mention, by authors who had not read the proposer: one wrote the
messages of the two halves numbered up to 099, another those from 101 on; those of `holdout` and `learn` are by others, in two
batches. Each label was written with its message and read a second time; a message
that could bear two labels was rewritten or left out. A slot that the message does not settle is null; `about_account` null counts
as true. Each part of the measuring half was fixed before anything was measured on it, and no label of it has been changed since.

*Types exact* means the same types in the same order; *types and slots exact* means every slot as well. A refused answer is
never exact and counts as one `other`, which is what a conversation makes of it. A type's precision and recall count issues,
whatever their slots. A plan is *invented* when the proposer's answer, before admission, names a target that the label does
not have. Behind every rate stand its 95 % Wilson interval and its count."""

LIMITS = """\
## What this does not say

- The messages are invented, by few authors, in a short time. How a company's own customers write is another distribution,
  and a rate here is no promise there.
- Each author labelled alone. No second reader's agreement was measured.
- The German, Spanish and Turkish messages follow the same plan, and some stand for the same situation in each language:
  they are less independent than their count, so that the intervals of a pooled rate are somewhat too narrow.
- A question before buying is left out: whether it is about the account can be read both ways.
- A kind in one language has few messages. Read the intervals before comparing two rows.
- The figures on the developing half are what it was tuned to, and say how well that went, nothing else. The measuring half
  is spent by every look at a miss of it; the program shows misses of the developing half only.
- Each message is the first of its conversation. Answers to a question of ours are not measured here.
- Zero invented plans in a set of {n} messages leaves, at 95 %, a rate of up to {bound:.1%} open."""


def bound_to(proposer: str) -> str:
    """What the figures belong to: a day, a commit, the proposer's own files."""
    date = os.environ.get("BENCH_DATE", "a day that was not given (`BENCH_DATE`)")
    git = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    commit = f"on top of commit {git.stdout.strip()}" if git.returncode == 0 else "outside of a repository"
    made = PROPOSERS[proposer](0)
    source = made if inspect.isfunction(made) else type(made)
    folder, total = Path(inspect.getfile(source)).parent, hashlib.sha256()
    for file in sorted(file for file in folder.rglob("*") if file.is_file() and file.suffix != ".pyc"):
        total.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return f"Run on {date}, {commit}, with the proposer `{proposer}` (its files, SHA-256 {total.hexdigest()[:16]})."


def figures_of(result: Result) -> str:
    """What is measured of one half, as it stands on the page."""
    lines = f"{invented_line(result)}. {refused_line(result)}."
    return f"{_markdown(group_grid(result))}\n\n{_markdown(type_grid(result))}\n\n{lines}"


def page(results: Sequence[Result], bound: str) -> str:
    """The whole page."""
    files = [
        (f"`{path(one.half).relative_to(ROOT).as_posix()}`", str(len(one.entries)), f"`{digest(one.half)}`")
        for one in results
    ]
    parts = [ABOUT.format(bound=bound), SET]
    parts += [f"`{one.half}`:\n\n{_markdown(count_grid(one.entries))}" for one in results]
    parts += [_markdown((("file", "messages", "SHA-256"), files)), LABELS]
    for one in results:
        figures = f"<!-- evidence: decomposer.{one.half} -->\n{figures_of(one)}\n<!-- /evidence -->"
        parts += [f"## `{one.half}`: {SETS[one.half]}", figures]
    smallest = min(len(one.entries) for one in results)
    parts += [LIMITS.format(n=smallest, bound=1 - 0.05 ** (1 / smallest))]
    return "\n\n".join(parts) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Show every set or one of them; `--write` takes all and writes the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decomposer", description=__doc__)
    parser.add_argument("--half", choices=HALVES, help="one set instead of all")
    parser.add_argument("--proposer", choices=sorted(PROPOSERS), default="rules")
    parser.add_argument("--json", action="store_true", help="one JSON document instead of tables")
    parser.add_argument("--misses", action="store_true", help="what was misread, of the developing half only")
    parser.add_argument("--write", action="store_true", help="write docs/decomposer.md")
    given = parser.parse_args(arguments)
    if given.write and given.half:
        parser.error("the page holds every set: --write takes no --half")
    if given.misses and (given.half != "develop" or given.json):
        parser.error("--misses goes with --half develop, and not with --json")
    results = [measured(half, given.proposer) for half in ([given.half] if given.half else HALVES)]
    if given.json:
        sys.stdout.write(json.dumps([as_json(one) for one in results], indent=2, ensure_ascii=False) + "\n")
    else:
        console = Console(width=None if sys.stdout.isatty() else 120)
        for one in results:
            show(one, console)
            if given.misses:
                show_misses(one, console)
    if given.write:
        PAGE.write_text(page(results, bound_to(given.proposer)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
