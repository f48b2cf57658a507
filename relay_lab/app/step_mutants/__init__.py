"""Wrong versions of each step, and right ones written differently: what the checks of the steps are held against."""

from dataclasses import dataclass


@dataclass(frozen=True)
class StepMutantResult:
    """How one wrong version came out. `caught`: the expected check failed, and none that it was not declared to touch."""

    id: str
    step: str
    expected_check: str
    caught_by: tuple[str, ...]
    caught: bool


@dataclass(frozen=True)
class VariantResult:
    """How one right version came out."""

    id: str
    step: str
    passed: bool
