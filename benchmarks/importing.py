"""What it costs to import the package."""

import subprocess
import sys
from functools import partial
from pathlib import Path

from benchmarks.measure import Answer, Row, interleaved, ms, timed, times

ROUNDS = 11


def _python(code: str) -> float:
    return timed(lambda: subprocess.run([sys.executable, "-c", code], check=True))


def answer(folder: Path) -> Answer:
    """Time fresh processes that import, and fresh processes that do nothing."""
    codes = {
        "import relay_lab": "import relay_lab",
        "from relay_lab import open_lab": "from relay_lab import open_lab",
        "import pydantic, for comparison": "from pydantic import BaseModel",
        "nothing": "pass",
    }
    taken = interleaved({name: partial(_python, code) for name, code in codes.items()}, ROUNDS)
    rows = tuple(
        Row(
            f"`python -c` {name}",
            ms(taken.of(name)),
            ms(taken.of("nothing")),
            times(taken.ratio(name, "nothing")),
        )
        for name in codes
        if name != "nothing"
    )
    return Answer(
        "`import relay_lab` against `python -c pass`",
        rows,
        "Fresh processes, their start included. The package imports its parts when they are first named, so the second row "
        "is what a program pays that opens a lab.",
        "What the first import costs before there are `.pyc` files.",
        against="`pass`",
    )
