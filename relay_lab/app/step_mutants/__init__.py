"""Wrong versions of each step, and right ones written differently: what the checks of the steps are held against."""

from relay_lab.app.step_mutants.results import StepMutantResult, VariantResult
from relay_lab.app.step_mutants.run import run_step_mutants

__all__ = ["StepMutantResult", "VariantResult", "run_step_mutants"]
