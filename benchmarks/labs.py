"""Labs as the benchmarks use them: on files or in memory, with the rules or with the answers that the rules gave."""

from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path

from relay_lab import open_lab
from relay_lab.app.lab import Lab, Parts
from relay_lab.app.settings import Files
from relay_lab.contracts.proposals import ProposalRequest, Propose
from relay_lab.proposers.rules import rules_proposer
from relay_lab.proposers.scripted import Scripted
from relay_lab.store.runtime_store import open_store
from relay_lab.world.clock import VirtualClock
from relay_lab.world.company import Company
from relay_lab.world.data import load_fixture

_NUMBERS = count(1)


def rules_answers() -> Mapping[str, list[str]]:
    """What the rules propose for the fixture's message, by task: a proposer that costs nothing says it again."""
    rules, said = rules_proposer(), dict[str, list[str]]()

    def listening(request: ProposalRequest) -> str:
        answer = rules(request)
        if answer:
            said.setdefault(request.task, []).append(answer)
        return answer

    with open_lab(parts=Parts(propose=listening)) as lab:
        converse(lab)
    return said


def scripted(answers: Mapping[str, list[str]]) -> Callable[[], Propose]:
    """A maker of proposers that only repeat `answers`."""
    return lambda: Scripted(answers)


def new_lab(folder: Path | None, propose: Callable[[], Propose] | None = None) -> Lab:
    """A lab of its own: in memory, or on two new files in `folder`."""
    db = None if folder is None else folder / f"lab-{next(_NUMBERS)}.db"
    return open_lab(db=db, parts=Parts(propose=propose() if propose else None))


def lab_over(company: Path, folder: Path) -> Lab:
    """A lab for the fixture's customer over a company's file that is there already, with a new runtime database."""
    scenario = load_fixture()
    clock = VirtualClock(scenario.now)
    store = open_store(folder / f"runtime-{next(_NUMBERS)}.db")
    files = Files(scenario, store, Company.open(company, clock), clock)
    return Lab(files, scenario.session, "C-1", Parts())


def converse(lab: Lab) -> None:
    """The whole conversation: the message, the pick, the click. Raises when it does not end in a schedule."""
    lab.say(lab.scenario.message)
    lab.choose("individual")
    run = lab.confirm()
    if run.states.get("I3") != "scheduled" or run.mutations < 1:
        raise RuntimeError(f"the conversation ended in {run!r}")
