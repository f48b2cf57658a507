"""A turn against the database reads that it cannot do without."""

import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks import bare, labs
from benchmarks.measure import Answer, Row, interleaved, ms, timed, times, worked
from relay_lab.app.lab import Lab
from relay_lab.contracts.proposals import Propose

ROUNDS = 25


def statements_of(lab: Lab) -> list[str]:
    """Every SELECT, its parameters filled in, that the company's connection executes while the customer writes."""
    seen: list[str] = []
    connection = lab.company._db._connection
    connection.set_trace_callback(seen.append)
    try:
        lab.say(lab.scenario.message)
    finally:
        connection.set_trace_callback(None)
    return [statement for statement in seen if statement.lstrip().upper().startswith("SELECT")]


def answer(folder: Path) -> Answer:
    """Time the first turn of the fixture's conversation and its own SELECT statements, replayed on a plain connection."""
    with labs.new_lab(folder) as lab:
        statements = statements_of(lab)
        world = Path(str(lab.company._db._name))
        copy = folder / "replayed.world"
    shutil.copyfile(world, copy)
    plain = bare.connected(copy, statements=512)

    def replayed() -> None:
        for statement in statements:
            plain.execute(statement).fetchall()

    def turn(where: Path | None, propose: Callable[[], Propose] | None) -> float:
        clocked = worked if where is None else timed
        with labs.new_lab(where, propose) as lab:
            return clocked(lambda: lab.say(lab.scenario.message))

    script = labs.scripted(labs.rules_answers())
    taken = interleaved(
        {
            "files": lambda: turn(folder, None),
            "memory": lambda: turn(None, None),
            "scripted": lambda: turn(None, script),
            "reads": lambda: worked(replayed),
        },
        ROUNDS,
    )
    plain.close()
    rows = tuple(
        Row(what, ms(taken.of(name)), ms(taken.of("reads")), times(taken.ratio(name, "reads")))
        for what, name in (
            ("a turn, both databases on files", "files"),
            ("the same in memory", "memory"),
            ("the same in memory, the proposer's answer given", "scripted"),
        )
    )
    return Answer(
        "A turn against the sum of its bare database reads",
        rows,
        f"A turn is `lab.say` of the fixture's message: three issues found, their records read, a ledger, a reply, all of "
        f"it kept. Against it stand the {len(statements)} SELECT statements that the turn had the company's database "
        "execute, replayed by a loop over plain `sqlite3` on a copy of the same file, statements prepared beforehand.",
        "That a turn could cost what its reads cost: the rest is the decomposition, the checks, the reply, the trace and "
        "what is kept. The first row also waits for the disk, and for whoever else uses the machine; the others are "
        "processor time.",
    )
