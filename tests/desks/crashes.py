"""Processes that are killed at a named point, and processes that race: run from a clean fork server."""

import json
import multiprocessing
import os
import signal
from multiprocessing.context import ForkServerContext
from pathlib import Path

from relay_lab import Lab, Parts, Run, open_lab


def context() -> ForkServerContext:
    """A way to start processes fast and without this one's threads."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(["relay_lab.app.lab", "desks.crashes"])
    return found


def killer(point: str, passing: int = 1):
    """Kills this process, with no chance to clean up, when it passes `point` for the `passing`-th time."""
    left = [passing]

    def at(name: str) -> None:
        if name == point:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return at


def go_on(lab: Lab) -> Run:
    """Take the conversation on from wherever it stands, to its end."""
    if lab.turns == 0:
        lab.say(lab.scenario.message + " I would like to talk to a human.")
    if lab.run().states["I3"] == "needs_input":
        lab.choose("individual")
    if lab.waiting and lab.run().states["I3"] == "awaiting_confirmation":
        lab.confirm()
    lab.reconcile()
    return lab.run()


def run_until_killed(db: str, point: str, passing: int) -> None:
    """The child of a crash test. It ends by the signal, or by exit status 3 when the point was never passed."""
    with open_lab(db=db, parts=Parts(points=killer(point, passing))) as lab:
        go_on(lab)
    os._exit(3)


def confirm_at_once(db: str, quote: str, challenge: str, out: str) -> None:
    """The child of a race: one click on Confirm. It leaves what it was told in `out`."""
    with open_lab(db=db) as lab:
        try:
            run = lab.confirm_with(quote, challenge)
            told = {"states": run.states, "operation": run.to_dict()["operation"]}
        except Exception as error:  # noqa: BLE001 - the parent reads what went wrong
            told = {"error": f"{type(error).__name__}: {error}"}
    Path(out).write_text(json.dumps(told), encoding="utf-8")
