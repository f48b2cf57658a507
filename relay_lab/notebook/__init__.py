"""What a notebook imports besides the public API: widgets and displays. They translate; they decide nothing.

Each name brings its module when it is first used, so that importing this package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from relay_lab.notebook.bench import attack_bench
    from relay_lab.notebook.card import confirmation_card
    from relay_lab.notebook.ledger import ledger_explorer
    from relay_lab.notebook.matrix import heat_map, matrix_explorer
    from relay_lab.notebook.turns import timeline

_HOME = {
    "attack_bench": "bench",
    "confirmation_card": "card",
    "ledger_explorer": "ledger",
    "heat_map": "matrix",
    "matrix_explorer": "matrix",
    "timeline": "turns",
}

__all__ = ["attack_bench", "confirmation_card", "heat_map", "ledger_explorer", "matrix_explorer", "timeline"]


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
