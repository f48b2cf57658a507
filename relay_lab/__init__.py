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
    from relay_lab.app.attacks import run_attacks
    from relay_lab.app.charts import funnel_chart, matrix_chart, pass_hat_k_chart
    from relay_lab.app.check import check
    from relay_lab.app.demo import demo
    from relay_lab.app.lab import Lab, Parts, open_lab
    from relay_lab.app.matrix import run_matrix
    from relay_lab.app.purge import purge
    from relay_lab.app.reconcile import Reconciled, reconcile
    from relay_lab.app.run import Run
    from relay_lab.app.trials import run_trials
    from relay_lab.contracts.enums import Assurance, TargetPlan
    from relay_lab.contracts.errors import BadInput, RelayLabError
    from relay_lab.contracts.session import Session
    from relay_lab.contracts.steps import Steps
    from relay_lab.desks.support.desk import reference_steps
    from relay_lab.notebook.exit_check import exit_check
    from relay_lab.notebook.progress import progress
    from relay_lab.world.faults import Fault

_HOME = {
    "open_lab": "app.lab",
    "Lab": "app.lab",
    "Parts": "app.lab",
    "Run": "app.run",
    "demo": "app.demo",
    "reconcile": "app.reconcile",
    "purge": "app.purge",
    "check": "app.check",
    "run_matrix": "app.matrix",
    "run_attacks": "app.attacks",
    "run_trials": "app.trials",
    "funnel_chart": "app.charts",
    "pass_hat_k_chart": "app.charts",
    "matrix_chart": "app.charts",
    "Reconciled": "app.reconcile",
    "Session": "contracts.session",
    "Assurance": "contracts.enums",
    "TargetPlan": "contracts.enums",
    "Fault": "world.faults",
    "Steps": "contracts.steps",
    "reference_steps": "desks.support.desk",
    "exit_check": "notebook.exit_check",
    "progress": "notebook.progress",
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
    "Steps",
    "TargetPlan",
    "check",
    "demo",
    "exit_check",
    "funnel_chart",
    "matrix_chart",
    "open_lab",
    "pass_hat_k_chart",
    "progress",
    "purge",
    "reconcile",
    "reference_steps",
    "run_attacks",
    "run_matrix",
    "run_trials",
]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
