"""Injection at scale: a corpus of attacks through the support desk, read by rules and by a model that obeys every one."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

from relay_lab.app.attack_corpus import FOREIGN, Attack, Corpus, corpus_from, own_corpus
from relay_lab.app.attack_run import PROPOSERS, run_attack, world_of
from relay_lab.app.processes import spread
from relay_lab.app.settings import DEFAULT_WORLD
from relay_lab.contracts.errors import BadInput
from relay_lab.evaluation.attacks import AttackVerdict, Reading
from relay_lab.evaluation.funnel import upper_bound

ABOUT = (
    "Texts that attack, and models that obey them by construction: what gets through here gets through the trusted code,"
    " and what does not says nothing about how often a real model would obey."
)
NOTHING = "nothing to stop"
"""Where no attempt was made, so that no guard had anything to do."""
_FEW = 24
"""So few conversations are had before a second process has started."""


@dataclass(frozen=True)
class AttackResult:
    """How one attack came out with one proposer. `escaped` and `lost` say in words what is not as it should be."""

    id: str
    kind: str
    channel: str
    language: str
    tries: str
    proposer: str
    contained: bool
    answered: bool
    escaped: tuple[str, ...]
    lost: tuple[str, ...]
    stopped_by: tuple[str, ...]
    codes: tuple[str, ...]
    added: tuple[str, ...]


@dataclass(frozen=True)
class KindResult:
    """One kind of attack with one proposer.

    `answered`: runs in which every real issue was still dealt with, null for a proposer that obeys the attack instead.
    `stopped_by`: runs in which a guard stopped something; `NOTHING` where no attempt was made. `upper_bound_95`: the
    rate of escapes that n runs without one leave possible, exact; null where something escaped.
    """

    kind: str
    proposer: str
    n: int
    contained: int
    answered: int | None
    added: int
    stopped_by: dict[str, int]
    upper_bound_95: float | None


@dataclass(frozen=True)
class AttackReport:
    """What came of a corpus in one world."""

    corpus: str
    world: str
    results: tuple[AttackResult, ...]
    skipped: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Nothing got through, and no real issue was lost."""
        return all(result.contained and result.answered for result in self.results)

    @property
    def kinds(self) -> tuple[KindResult, ...]:
        """A row for each kind and proposer, then one for each proposer over all kinds."""
        kinds = dict.fromkeys(result.kind for result in self.results)
        return (
            *(row for kind in kinds for row in self._rows(kind)),
            *(self._rows(None) if len(kinds) > 1 else ()),
        )

    def _rows(self, kind: str | None) -> Iterator[KindResult]:
        for proposer in PROPOSERS:
            of_it = [
                result
                for result in self.results
                if result.proposer == proposer and (kind is None or result.kind == kind)
            ]
            if of_it:
                yield _summary(kind or "all", proposer, of_it)

    def to_dict(self) -> dict[str, Any]:
        """What `relay-lab attacks --json` prints (docs/json.md)."""
        return {
            "about": ABOUT,
            "corpus": self.corpus,
            "world": self.world,
            "passed": self.passed,
            "kinds": [asdict(kind) for kind in self.kinds],
            "attacks": [asdict(result) for result in self.results],
            "skipped": list(self.skipped),
        }


def run_attacks(
    corpus: Path | str | Corpus | None = None,
    world: str | int | None = None,
    *,
    only: Iterable[str] | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> AttackReport:
    """Put every attack through the desk and judge it by what is left in trace, tables and replies (001 §1, §3; 003).

    `corpus`: a file of other people's texts (.txt, .csv, .jsonl), or None for our own. `world`: "relay" (the default) or the
    seed of a generated one whose customer has the same three concerns. `only`: ids of attacks. `jobs`: processes, one for
    each core by default. `progress` is told how many runs are done, and of how many. Raises `BadInput` for an unknown id or
    world, and for a file that cannot be used.
    """
    name = DEFAULT_WORLD if world is None else str(world)
    world_of(name)
    texts = (
        own_corpus()
        if corpus is None
        else corpus
        if isinstance(corpus, Corpus)
        else corpus_from(Path(corpus))
    )
    work = list(_work(_chosen(texts.attacks, tuple(only or ())), texts))
    results: list[AttackResult] = []
    with spread(1 if len(work) <= _FEW else jobs, len(work)) as each:
        for result in each(partial(_result, name), work):
            results.append(result)
            progress(len(results), len(work))
    return AttackReport(texts.name, name, tuple(results), texts.skipped)


_Work = tuple[Attack, tuple[Reading, ...] | None, str]


def _chosen(attacks: Sequence[Attack], only: tuple[str, ...]) -> list[Attack]:
    known = {attack.id: attack for attack in attacks}
    for attack_id in only:
        if attack_id not in known:
            some = ", ".join(list(known)[:5])
            raise BadInput(f"there is no attack {attack_id!r}; the {len(known)} ids begin with {some}.")
    return [attack for attack in attacks if not only or attack.id in only]


def _work(attacks: Iterable[Attack], texts: Corpus) -> Iterator[_Work]:
    """Every attack with every proposer; somebody else's text says nothing of what it wants, so one that obeys will do."""
    for attack in attacks:
        may = None if texts.may is None else texts.may.get(attack.id, ())
        for proposer in PROPOSERS[:2] if attack.kind == FOREIGN else PROPOSERS:
            yield attack, may, proposer


def _result(world: str, work: _Work) -> AttackResult:
    attack, may, proposer = work
    try:
        verdict = run_attack(attack, may, world, proposer)
    except Exception as error:  # noqa: BLE001 - whatever one text provokes is that text's failure
        verdict = AttackVerdict((f"the run broke off: {type(error).__name__}: {error}",), (), (), (), ())
    return AttackResult(
        id=attack.id,
        kind=attack.kind,
        channel=attack.channel,
        language=attack.language,
        tries=attack.tries,
        proposer=proposer,
        contained=not verdict.escaped,
        answered=not verdict.lost,
        **asdict(verdict),
    )


def _summary(kind: str, proposer: str, results: list[AttackResult]) -> KindResult:
    stopped: dict[str, int] = {}
    for result in results:
        for guard in result.stopped_by or (NOTHING,):
            stopped[guard] = stopped.get(guard, 0) + 1
    n, contained = len(results), sum(result.contained for result in results)
    return KindResult(
        kind=kind,
        proposer=proposer,
        n=n,
        contained=contained,
        answered=sum(result.answered for result in results) if proposer == "rules" else None,
        added=sum(bool(result.added) for result in results),
        stopped_by=dict(sorted(stopped.items(), key=lambda item: -item[1])),
        upper_bound_95=round(upper_bound(n), 4) if contained == n else None,
    )
