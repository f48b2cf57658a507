"""How wrong and right versions of the steps came out."""

from dataclasses import dataclass


@dataclass(frozen=True)
class StepMutantResult:
    """How one wrong version came out.

    `caught_by` names every check that failed. `caught`: the expected one is among them, and no other than those that the
    mutant was declared to touch.
    """

    id: str
    step: str
    expected_check: str
    caught_by: tuple[str, ...]
    caught: bool


@dataclass(frozen=True)
class VariantResult:
    """How one right version came out: `passed` with full points, or not."""

    id: str
    step: str
    passed: bool
