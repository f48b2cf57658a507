"""A whole confirmed conversation, beside a plain loop that trusts everything."""

from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks import bare, labs
from benchmarks.measure import Answer, Row, aim, interleaved, ms, timed, times, worked
from relay_lab.app.lab import Lab
from relay_lab.contracts.proposals import Propose
from relay_lab.world import reading

ROUNDS = {"memory": 80, "files": 21}
AIM = 4
CUSTOMER = "CUST-1042"

Call = tuple[str, str, str, Mapping[str, Any]]


def clocked(folder: Path | None) -> Callable[[Callable[[], object]], float]:
    """In memory nothing is waited for: processor time. On files the waiting is what is asked about."""
    return worked if folder is None else timed


def reads_of_a_conversation() -> list[Call]:
    """The calls of read-only tools that reach the company in one conversation: tool, tenant, customer, arguments."""
    calls: list[Call] = []
    with labs.new_lab(None) as lab:
        transport: Any = lab.runtime._reads
        reach = transport.read

        def listening(
            tool: str, tenant: str, customer: str, arguments: Mapping[str, Any], timeout_s: float
        ) -> Any:
            calls.append((tool, tenant, customer, dict(arguments)))
            return reach(tool, tenant, customer, arguments, timeout_s)

        transport.read = listening
        labs.converse(lab)
    return calls


class Loop:
    """The same reads by the company's own read functions, and one keyed transaction in plain sqlite3. Nothing else."""

    def __init__(self, folder: Path | None) -> None:
        self._calls, self._keys = reads_of_a_conversation(), count(1)
        self._folder = folder
        self._plain = bare.with_customers(folder and folder / "keyed.db", [CUSTOMER])

    def time(self) -> float:
        """The seconds of one pass over a company of its own."""
        with labs.new_lab(self._folder) as lab:
            return clocked(self._folder)(lambda: self._run(lab))

    def _run(self, lab: Lab) -> None:
        for tool, tenant, customer, arguments in self._calls:
            reading.answer(lab.company, tool, tenant, customer, arguments)
        bare.schedule(self._plain, f"key-{next(self._keys)}", CUSTOMER)

    def close(self) -> None:
        """Give the file back."""
        self._plain.close()


def _taken(folder: Path | None, rounds: int, script: Callable[[], Propose]) -> tuple[Row, Row]:
    where = "in memory" if folder is None else "on files"
    loop = Loop(folder)

    def conversation(propose: Callable[[], Propose] | None) -> float:
        with labs.new_lab(folder, propose) as lab:
            return clocked(folder)(lambda: labs.converse(lab))

    taken = interleaved(
        {"rules": lambda: conversation(None), "scripted": lambda: conversation(script), "loop": loop.time},
        rounds,
    )
    loop.close()
    against = ms(taken.of("loop"))
    ratios = {name: taken.ratio(name, "loop") for name in ("rules", "scripted")}
    rules, scripted = (
        Row(
            what,
            ms(taken.of(name)),
            against,
            times(ratios[name]),
            aim(f"at most {AIM} ×", ratios[name] <= AIM),
        )
        for name, what in (
            ("rules", f"a confirmed conversation {where}"),
            ("scripted", f"the same {where}, the proposer's answers given"),
        )
    )
    return rules, scripted


def answer(folder: Path) -> Answer:
    """Time conversation and loop, in memory and on files, with the rules and with answers that cost nothing."""
    script = labs.scripted(labs.rules_answers())
    rows = (*_taken(None, ROUNDS["memory"], script), *_taken(folder, ROUNDS["files"], script))
    return Answer(
        "A whole confirmed conversation beside a plain loop",
        rows,
        "The conversation is the fixture's: the message, a pick, the click, three verified replies. The loop makes the "
        "same nine reads by the company's own read functions, then one keyed transaction in plain `sqlite3`. What the "
        "second and fourth row are quicker by is the decomposer's share. In memory it is processor time that is compared.",
        "That the loop could replace it: it finds no issue, checks nothing, asks nobody, keeps no conversation and writes "
        "no audit. On files it waits for the disk once, the conversation for every commit of three turns.",
    )
