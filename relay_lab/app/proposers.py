"""The proposers that have a name, made from settings, and what a result of each is bound to."""

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from relay_lab.app.settings import DEFAULT_WORLD, scenario_named
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.proposals import Propose
from relay_lab.proposers.rules import rules_proposer
from relay_lab.world.data import fixtures_folder

if TYPE_CHECKING:
    from relay_lab.proposers.recording import Recording


def _rules(_: int) -> Propose:
    return rules_proposer()


def _hostile(trial: int) -> Propose:
    from relay_lab.proposers.hostile import Hostile

    company = scenario_named(DEFAULT_WORLD)
    own = company.session.authenticated_customer_id
    others = [row.customer_id for row in company.data.accounts if row.customer_id != own]
    return Hostile(trial, others=others)


def _replay(trial: int) -> Propose:
    return replay_of(recordings(), trial)


def _openai(trial: int) -> Propose:
    from relay_lab.proposers.endpoint import endpoint

    return endpoint(os.environ, trial)


def _bundled(trial: int) -> Propose:
    from relay_lab.proposers.bundled import Bundled

    return Bundled(trial)


PROPOSERS: Mapping[str, Callable[[int], Propose]] = {
    "rules": _rules,
    "replay": _replay,
    "hostile": _hostile,
    "openai": _openai,
    "bundled": _bundled,
}
"""The proposers that can be named on the command line; each is made for one trial."""


def recordings() -> list[Path]:
    """The recordings that come with the package."""
    folder = fixtures_folder() / "recordings"
    return sorted((*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")))


def recorded_trials(workflow: str) -> int:
    """How many whole trials of this workflow the recordings of the package hold."""
    held = [_read(file, _state(file)) for file in recordings()]
    return max((each.trials for each in held if each.head.workflow == workflow), default=0)


def proposer_named(name: str, trial: int = 0) -> Propose:
    """The proposer of that name for one trial; `replay:FILE` answers from that file.

    A trial changes what a model is seeded with, which answers are replayed, and where a hostile one begins; the rules know no
    trials. Raises `BadInput` for a name that there is not, and where machine or environment lack what the proposer needs.
    """
    kind, _, file = name.partition(":")
    if kind == "replay" and file:
        return replay_of([Path(file)], trial)
    if name not in PROPOSERS:
        raise BadInput(f"there is no proposer {name!r}; there is {', '.join(PROPOSERS)}.")
    return PROPOSERS[name](trial)


def replay_of(files: list[Path], trial: int = 0) -> Propose:
    """A proposer that answers from these recordings."""
    from relay_lab.proposers.replay import Replay

    return Replay([_read(file, _state(file)) for file in files], trial)


def _state(file: Path) -> tuple[int, int] | None:
    try:
        state = file.stat()
    except OSError:
        return None  # reading it says why
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=8)
def _read(file: Path, _state: tuple[int, int] | None) -> "Recording":
    from relay_lab.proposers.recording import read

    return read(file)


@contextmanager
def opened(name: str, trial: int = 0) -> Iterator[Propose]:
    """The proposer of that name, closed at the end; raises `BadInput` there when a replay had no answer for something."""
    propose = proposer_named(name, trial)
    try:
        yield propose
    finally:
        close = getattr(propose, "close", None)
        if close is not None:
            close()
    complain = getattr(propose, "complain", None)
    if complain is not None:
        complain()


@contextmanager
def trials_of(name: str) -> Iterator[Callable[[int], Propose]]:
    """A function from a trial to its proposer: all trials share one running model, or one budget; closed at the end."""
    if name == "bundled":
        from relay_lab.proposers.bundled import Bundled, ModelServer

        server = ModelServer()
        try:
            yield lambda trial: Bundled(trial, server)
        finally:
            server.close()
    elif name == "openai":
        from relay_lab.proposers.endpoint import endpoint, usual_budget

        budget = usual_budget()
        yield lambda trial: endpoint(os.environ, trial, budget)
    else:
        yield partial(proposer_named, name)


def binding_of(propose: Propose, name: str) -> dict[str, Any]:
    """The configuration that a result of this proposer is bound to: a model's, or the name alone."""
    return dict(getattr(propose, "binding", None) or {"proposer": name})
