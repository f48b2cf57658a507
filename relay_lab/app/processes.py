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
    jobs: int | None, things: int, executor: Executor | None = None
) -> Iterator[Callable[..., Iterator[Any]]]:
    """A `map` over `jobs` processes (None: one for each core), in this one where one is enough, or over an `executor`.

    An interrupt is for the process that was asked: it ends the others, and says so once.
    """
    wanted = min(jobs or os.cpu_count() or 1, things)
    if executor is not None:
        yield executor.map
    elif wanted <= 1:
        yield map
    else:
        own = ProcessPoolExecutor(wanted, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_IGN))
        try:
            yield partial(own.map, chunksize=4)
        finally:
            own.shutdown(cancel_futures=True)
