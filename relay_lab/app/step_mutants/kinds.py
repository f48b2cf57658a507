"""What a mutant and a variant are."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from relay_lab.evaluation.checks.kinds import Step

StepFunction = Callable[..., Any]
Break = Callable[[StepFunction], StepFunction]
"""From the reference to a version of it that is wrong in one way."""


@dataclass(frozen=True)
class StepMutant:
    """One wrong version of a step.

    The docstring of `make` says what somebody who writes it believes; `expected_check` names the boundary that it breaks;
    `related` are the checks that it may well fail besides.
    """

    step: Step
    make: Break
    expected_check: str
    related: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The step, and the name of the function that makes it."""
        return f"{self.step}:{self.make.__name__}"

    @property
    def misconception(self) -> str:
        """What somebody who writes it believes, to be put behind "you may believe that"."""
        believed = (self.make.__doc__ or "").strip().removesuffix(".")
        return believed[:1].lower() + believed[1:]


@dataclass(frozen=True)
class Variant:
    """One right version of a step, written on its own."""

    step: Step
    function: StepFunction

    @property
    def id(self) -> str:
        """The step, and the name of the function."""
        return f"{self.step}:{self.function.__name__}"
