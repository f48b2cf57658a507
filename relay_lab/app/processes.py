"""The same work for many things, spread over processes."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any


@contextmanager
def spread(
    jobs: int | None, things: int, executor: Executor | None = None, apart: bool = False
) -> Iterator[Callable[..., Iterator[Any]]]:
    """A `map` over `jobs` processes (None: one for each core), in this one where one is enough, or over an `executor`.

    `apart`: never in this one, since what is run may end its process. An interrupt is for the process that was asked: it
    ends the others, and says so once. What the others write to standard output arrives on standard error.
    """
    wanted = min(jobs or os.cpu_count() or 1, things)
    if executor is not None:
        yield executor.map
    elif wanted < 1 or (wanted == 1 and not apart):
        yield map
    else:
        own = ProcessPoolExecutor(wanted, initializer=_alone)
        try:
            yield partial(own.map, chunksize=4)
        finally:
            own.shutdown(cancel_futures=True)


def _alone() -> None:
    """In a process of its own: no interrupts, and no part in the document that the first process prints."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    os.dup2(2, 1)
