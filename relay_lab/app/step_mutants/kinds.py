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

    `misconception` says what somebody who writes it believes; `expected_check` names the boundary that it breaks; `related`
    are the checks that it may well fail besides.
    """

    step: Step
    make: Break
    misconception: str
    expected_check: str
    related: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The step, and the name of the function that makes it."""
        return f"{self.step}:{self.make.__name__}"


@dataclass(frozen=True)
class Variant:
    """One right version of a step, written on its own."""

    step: Step
    function: StepFunction

    @property
    def id(self) -> str:
        """The step, and the name of the function."""
        return f"{self.step}:{self.function.__name__}"
