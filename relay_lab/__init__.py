"""A support desk in which a model proposes, trusted code decides, systems of record act, and a person confirms.

    import relay_lab

    with relay_lab.open_lab() as lab:
        print(lab.say(lab.scenario.message).reply)
        lab.choose("individual")
        print(lab.confirm().reply)

Importing this package loads nothing else: each name below brings its module when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relay_lab.app.demo import demo
    from relay_lab.app.lab import Lab, Parts, open_lab
    from relay_lab.app.matrix import run_matrix
    from relay_lab.app.reconcile import Reconciled, reconcile
    from relay_lab.app.run import Run
    from relay_lab.contracts.enums import Assurance, TargetPlan
    from relay_lab.contracts.errors import BadInput, RelayLabError
    from relay_lab.contracts.session import Session
    from relay_lab.world.faults import Fault

_HOME = {
    "open_lab": "app.lab",
    "Lab": "app.lab",
    "Parts": "app.lab",
    "Run": "app.run",
    "demo": "app.demo",
    "reconcile": "app.reconcile",
    "run_matrix": "app.matrix",
    "Reconciled": "app.reconcile",
    "Session": "contracts.session",
    "Assurance": "contracts.enums",
    "TargetPlan": "contracts.enums",
    "Fault": "world.faults",
    "RelayLabError": "contracts.errors",
    "BadInput": "contracts.errors",
}

__all__ = [
    "Assurance",
    "BadInput",
    "Fault",
    "Lab",
    "Parts",
    "Reconciled",
    "RelayLabError",
    "Run",
    "Session",
    "TargetPlan",
    "demo",
    "open_lab",
    "reconcile",
    "run_matrix",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
