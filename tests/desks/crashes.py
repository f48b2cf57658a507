"""Processes that are killed at a named point, and processes that race: run from a clean fork server, on any desk.

A subject is a desk under test: `go_on` takes it from wherever its database stands to its end, `click` confirms what waits.
"""

import importlib.util
import json
import multiprocessing
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import ForkServerContext
from pathlib import Path
from types import ModuleType
from typing import Any

from relay_lab import BadInput, Parts, open_lab, reconcile
from relay_lab.contracts.ports import COMPANY_POINTS, RUNTIME_POINTS, Points
from relay_lab.core.runtime import nowhere

EXAMPLES = Path(__file__).parents[2] / "examples"


@dataclass(frozen=True)
class Subject:
    """`go_on(db, points)` gives what the desk stands at when all is done; `end` is what that must be, whatever happened."""

    points: tuple[str, ...]
    end: dict[str, Any]
    go_on: Callable[[str, Points], dict[str, Any]]
    prepare: Callable[[str], tuple[str, str]]
    click: Callable[[str, str, str], dict[str, Any]]
    settle: Callable[[str], object]


def context() -> ForkServerContext:
    """A way to start processes fast and without this one's threads."""
    found = multiprocessing.get_context("forkserver")
    found.set_forkserver_preload(["relay_lab.app.lab", "desks.crashes"])
    return found


def killer(point: str, passing: int = 1) -> Points:
    """Kills this process, with no chance to clean up, when it passes `point` for the `passing`-th time."""
    left = [passing]

    def at(name: str) -> None:
        if name == point:
            left[0] -= 1
            if left[0] == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    return at


def run_until_killed(subject: str, db: str, point: str, passing: int) -> None:
    """The child of a crash test. It ends by the signal, or by exit status 3 when the point was never passed."""
    SUBJECTS[subject].go_on(db, killer(point, passing))
    os._exit(3)


def click_at_once(subject: str, db: str, offer: str, challenge: str, out: str) -> None:
    """The child of a race: one click on Confirm. It leaves what it was told in `out`."""
    try:
        told = SUBJECTS[subject].click(db, offer, challenge)
    except Exception as error:  # noqa: BLE001 - the parent reads what went wrong
        told = {"error": f"{type(error).__name__}: {error}"}
    Path(out).write_text(json.dumps(told), encoding="utf-8")


def open_world(world: str, db: str) -> str:
    """One of several that open one new database at once: the world it got, or the sentence why it did not."""
    try:
        with open_lab(world, db=db):
            return world
    except BadInput as error:
        return str(error)


def example(name: str) -> ModuleType:
    """One of the programs in examples/, as a module."""
    spec = importlib.util.spec_from_file_location(f"example_{name}", EXAMPLES / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _support_go_on(db: str, points: Points) -> dict[str, Any]:
    with open_lab(db=db, parts=Parts(points=points)) as lab:
        if lab.turns == 0:
            lab.say(lab.scenario.message + " I would like to talk to a human.")
        if lab.run().states["I3"] == "needs_input":
            lab.choose("individual")
        if lab.waiting and lab.run().states["I3"] == "awaiting_confirmation":
            lab.confirm()
        lab.reconcile()
        run = lab.run()
        return {"states": run.states, "mutations": run.mutations, "tickets": run.tickets}


def _support_prepare(db: str) -> tuple[str, str]:
    with open_lab(db=db) as lab:
        lab.say(lab.scenario.message)
        lab.choose("individual")
        quote = lab.waiting[0]
        return quote, str(lab.runtime.show(lab.context, quote))


def _support_click(db: str, offer: str, challenge: str) -> dict[str, Any]:
    with open_lab(db=db) as lab:
        run = lab.confirm_with(offer, challenge)
        return {"states": run.states, "operation": run.to_dict()["operation"], "mutations": run.mutations}


def _own_go_on(db: str, points: Points) -> dict[str, Any]:
    own = example("own_desk")
    wanted = own.Rename(workspace_id="W-1", name="New")
    desk = own.Desk(Path(db), points)
    desk.confirm(desk.offer(wanted), wanted)
    with desk.store.transaction() as tx:
        return dict(tx.one("SELECT name, renames FROM workspace") or {})


def _own_prepare(db: str) -> tuple[str, str]:
    own = example("own_desk")
    return own.Desk(Path(db)).offer(own.Rename(workspace_id="W-1", name="New")), ""


def _own_click(db: str, offer: str, _: str) -> dict[str, Any]:
    own = example("own_desk")
    desk = own.Desk(Path(db))
    answer = desk.confirm(offer, own.Rename(workspace_id="W-1", name="New"))
    with desk.store.transaction() as tx:
        return {"answer": answer.answer, **dict(tx.one("SELECT name, renames FROM workspace") or {})}


_STATES = {"I1": "evidence_ready", "I2": "evidence_ready", "I3": "scheduled", "I4": "handed_off"}

SUBJECTS = {
    "support": Subject(
        (*RUNTIME_POINTS, *COMPANY_POINTS),
        {"states": _STATES, "mutations": 1, "tickets": 1},
        _support_go_on,
        _support_prepare,
        _support_click,
        reconcile,
    ),
    "own_desk": Subject(
        ("local:before_commit", "local:after_commit", "exchange:before_commit", "exchange:after_commit"),
        {"name": "New", "renames": 1},
        _own_go_on,
        _own_prepare,
        _own_click,
        lambda db: None,
    ),
}


def go_on(subject: str, db: str) -> dict[str, Any]:
    """The subject taken to its end, without a crash."""
    return SUBJECTS[subject].go_on(db, nowhere)
