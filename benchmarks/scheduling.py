"""Exactly-once scheduling at the subscription service, by one process and by sixteen, beside the same bare transaction."""

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import BaseContext
from pathlib import Path
from time import perf_counter
from typing import Any, Literal

from benchmarks import bare, crowds
from benchmarks.crowds import Order
from benchmarks.measure import Answer, Row, aim, interleaved, ms, times, worked
from relay_lab.contracts.operations import Accepted
from relay_lab.world.clock import VirtualClock
from relay_lab.world.company import Company

CUSTOMERS = 1_000
DELIVERIES = {1: 150, 16: 320}
"""How many deliveries a round makes, by the number of processes that share them."""
ROUNDS = 9
AIM = 0.5

Keys = Literal["distinct keys", "one key"]
Worker = Callable[[Path, list[Order]], Callable[[], None]]


def ours(path: Path, orders: list[Order]) -> Callable[[], None]:
    """A process of the subscription service: open the company, then deliver."""
    company = Company.open(path, VirtualClock(crowds.CROWD_NOW))

    def deliver() -> None:
        for order in orders:
            answer = company.subscriptions.schedule(order.key, order.envelope)
            if not isinstance(answer, Accepted):
                raise RuntimeError(f"{order.key} was answered {answer!r}")

    return deliver


def plain(path: Path, orders: list[Order]) -> Callable[[], None]:
    """The same with plain sqlite3: receipt, subscription, schedule, receipt, commit."""
    connection = bare.connected(path)

    def deliver() -> None:
        for order in orders:
            bare.schedule(connection, order.key, order.customer_id)

    return deliver


@dataclass(frozen=True)
class Bench:
    """Two files with the same customers, and the processes that deliver to them."""

    company: Path
    database: Path
    orders: list[Order]
    processes: BaseContext

    def seconds(self, worker: Worker, path: Path, number: int, keys: Keys) -> float:
        """From the first delivery to the last, `number` processes sharing them; each has opened its connection before."""
        total = DELIVERIES[number]
        orders = self.orders[:total] if keys == "distinct keys" else self.orders[:1] * total
        self.undo(worker, path)
        spans = _raced(self.processes, worker, path, [orders[nth::number] for nth in range(number)])
        self._check(worker, path, len({order.key for order in orders}))
        return max(end for _, end in spans) - min(start for start, _ in spans)

    def undo(self, worker: Worker, path: Path) -> None:
        """Take every schedule out again."""
        if worker is ours:
            crowds.undo(path)
        else:
            connection = bare.connected(path)
            bare.empty(connection)
            connection.close()

    def _check(self, worker: Worker, path: Path, effects: int) -> None:
        connection = bare.connected(path)
        table = "schedules" if worker is ours else "schedule"
        [(made,)] = connection.execute(f"SELECT count(*) FROM {table}").fetchall()
        connection.close()
        if made != effects:
            raise RuntimeError(f"{made} schedules were made under {effects} keys")


def _raced(
    processes: BaseContext, worker: Worker, path: Path, shares: list[list[Order]]
) -> list[tuple[float, float]]:
    if len(shares) == 1:
        deliver = worker(path, shares[0])
        start = perf_counter()
        deliver()
        return [(start, perf_counter())]
    barrier, spans = processes.Barrier(len(shares)), processes.SimpleQueue()
    started = [
        processes.Process(target=_race, args=(worker, path, share, barrier, spans))  # type: ignore[attr-defined]
        for share in shares
    ]
    for process in started:
        process.start()
    found = [spans.get() for _ in started]
    for process in started:
        process.join()
    failed = [span for span in found if isinstance(span, str)]
    if failed:
        raise RuntimeError(failed[0])
    return found


def _race(worker: Worker, path: Path, share: list[Order], barrier: Any, spans: Any) -> None:
    deliver = worker(path, share)
    barrier.wait()
    start = perf_counter()
    try:
        deliver()
    except Exception as error:  # noqa: BLE001 - whatever it is, the process that waits for the answer must hear of it
        spans.put(repr(error))
    else:
        spans.put((start, perf_counter()))


def prepared(folder: Path) -> Bench:
    """The two files."""
    company = crowds.crowd(CUSTOMERS, folder / "crowd.world")
    orders = crowds.orders(company, max(DELIVERIES.values()))
    database = folder / "bare.db"
    bare.with_customers(database, [order.customer_id for order in orders]).close()
    # Forked processes have the modules already; elsewhere they start anew, before the barrier, so that nothing is timed of it.
    way = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
    return Bench(company, database, orders, multiprocessing.get_context(way))


def _row(bench: Bench, number: int, keys: Keys) -> Row:
    taken = interleaved(
        {
            "ours": lambda: bench.seconds(ours, bench.company, number, keys),
            "plain": lambda: bench.seconds(plain, bench.database, number, keys),
        },
        ROUNDS,
    )
    total, share = DELIVERIES[number], taken.ratio("plain", "ours")
    return Row(
        f"{number} process{'es' if number > 1 else ''}, {keys}",
        f"{total / taken.of('ours'):,.0f} a second",
        f"{total / taken.of('plain'):,.0f} a second",
        f"{share:.0%} of the bare rate",
        aim(f"at least {AIM:.0%}", share >= AIM) if keys == "distinct keys" else "",
    )


def _work(bench: Bench) -> Row:
    """The processor time of one delivery."""
    orders = bench.orders[: DELIVERIES[1]]

    def per_delivery(worker: Worker, path: Path) -> float:
        bench.undo(worker, path)
        return worked(worker(path, orders)) / len(orders)

    taken = interleaved(
        {
            "ours": lambda: per_delivery(ours, bench.company),
            "plain": lambda: per_delivery(plain, bench.database),
        },
        ROUNDS,
    )
    figure, against = ms(taken.of("ours")), ms(taken.of("plain"))
    return Row(
        "processor time of one delivery, distinct keys", figure, against, times(taken.ratio("ours", "plain"))
    )


def answer(folder: Path) -> Answer:
    """Race deliveries to the company against the bare transaction, one key and distinct keys, one process and sixteen."""
    bench = prepared(folder)
    rows = tuple(_row(bench, number, keys) for number in DELIVERIES for keys in ("distinct keys", "one key"))
    rows = (*rows, _work(bench))
    return Answer(
        "Exactly-once scheduling at the subscription service",
        rows,
        f"Deliveries to a company of {CUSTOMERS:,} customers on a file, by key, against the bare transaction in plain "
        "`sqlite3` with the same pragmas (WAL, `synchronous = FULL`, `BEGIN IMMEDIATE`: receipt, subscription, schedule, "
        "receipt, commit). After every round the schedules are counted: as many as there were keys.",
        "Anything on a machine with another disk: with distinct keys both sides mostly wait for it, and "
        "the last row says what they do besides. With one key all but "
        "the first delivery are answered from the receipt and nothing is written, so that what is compared is the check "
        "of the envelope with three lines of SQL; there the ratio is lowest, and every answer is still the first one's.",
    )
