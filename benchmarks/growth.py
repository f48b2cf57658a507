"""How turn, schedule and conversation grow with the number of customers in the world, and with its past."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from benchmarks import crowds, labs, scheduling
from benchmarks.measure import Answer, Row, Times, interleaved, ms, timed, times
from relay_lab.app.lab import Lab

SIZES = (1, 10_000, 100_000)
DELIVERIES = 4
ROUNDS = 21


@dataclass(frozen=True)
class World:
    """A company's file of one size, to be used again and again."""

    name: str
    path: Path
    folder: Path

    def turn(self) -> float:
        """The seconds of the first turn."""
        return self._over(lambda lab: lab.say(lab.scenario.message))

    def conversation(self) -> float:
        """The seconds of the whole conversation."""
        return self._over(labs.converse)

    def schedule(self) -> float:
        """The seconds of one delivery to the subscription service, by one process, as the mean of several."""
        deliver = scheduling.ours(self.path, crowds.orders(self.path, 1, "CUST-1042"))
        return sum(self._delivery(deliver) for _ in range(DELIVERIES)) / DELIVERIES

    def _delivery(self, deliver: Callable[[], object]) -> float:
        crowds.undo(self.path)
        return timed(deliver)

    def _over(self, act: Callable[[Lab], object]) -> float:
        crowds.undo(self.path)
        with labs.lab_over(self.path, self.folder) as lab:
            return timed(lambda: act(lab))


def worlds(folder: Path) -> list[World]:
    """The same customer among more and more others; last, among others who all have a change behind them."""
    found = []
    for size in SIZES:
        path = crowds.fixture_among(size, folder / f"among-{size}.world")
        found.append(World(f"{size:,} customer{'s' if size > 1 else ''}", path, folder))
    past = crowds.copied(found[-1].path, folder / "past.world")
    crowds.remember_changes(past, SIZES[-1])
    return [*found, World(f"{SIZES[-1]:,} customers and as many changes in the journal", past, folder)]


def _rows(what: str, sizes: list[World], taken: Times) -> list[Row]:
    first = sizes[0].name
    return [
        Row(
            f"{what}, {world.name}",
            ms(taken.of(world.name)),
            ms(taken.of(first)),
            times(taken.ratio(world.name, first)),
        )
        for world in sizes[1:]
    ]


def answer(folder: Path) -> Answer:
    """Time turn, schedule and conversation of one customer in worlds of several sizes, all on files."""
    sizes = worlds(folder)
    rows: list[Row] = []
    for what, of in (
        ("a turn", World.turn), ("a schedule", World.schedule), ("a confirmed conversation", World.conversation)
    ):  # fmt: skip
        pieces = {world.name: lambda world=world, of=of: of(world) for world in sizes}
        rows += _rows(what, sizes, interleaved(pieces, ROUNDS))
    return Answer(
        "How it grows with the customers in the world",
        tuple(rows),
        "The fixture's customer, alone in the company or among more and more others, everything on files; each row stands "
        "against the same act in the world of one customer. A ratio near one is what is wanted: whatever is read or "
        "written is found by an index.",
        "Anything about many customers at once: that is the question on scheduling, above.",
        against="one customer",
    )
