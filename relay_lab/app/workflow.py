"""Workflows for the bench: the desk behind the protocol, and finding one by name."""

import importlib
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

from relay_lab.app.fence import words_of
from relay_lab.app.lab import Lab
from relay_lab.app.run import Run
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.workflow import Click, Factory, Turn

DESK, NAIVE = "desk", "naive"


class DeskWorkflow:
    """The support desk as one workflow among others. Its offer is the id of the quote that waits."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self._challenges: dict[str, str] = {}

    def say(self, message: str) -> Turn:
        """The customer writes."""
        return self._turn(self.lab.say(message))

    def click(self, click: Click) -> Turn | None:
        """The customer clicks; None where no question is open and no quote waits."""
        run = self._clicked(click)
        return self._turn(run) if run else None

    def states(self) -> Mapping[str, str] | None:
        """Where each issue stands, by the tables."""
        return self.lab.run().states

    def _clicked(self, click: Click) -> Run | None:
        match click.do:
            case "pick":
                return self.lab.choose(click.value)
            case "confirm":
                return (
                    self.lab.confirm_with(click.value, self._challenge(click.value)) if click.value else None
                )
            case "reject":
                return self.lab.reject() if self.lab.waiting else None
            case "transfer":
                return self.lab.transfer(click.value)
            case "reconcile":
                return self.lab.reconcile()

    def _challenge(self, quote_id: str) -> str:
        """What the page holds beside the quote: a click that is sent again sends the same."""
        if quote_id not in self._challenges:
            self._challenges[quote_id] = self.lab.runtime.show(self.lab.context, quote_id) or ""
        return self._challenges[quote_id]

    def _turn(self, run: Run) -> Turn:
        return Turn(reply=run.reply, offer=next(reversed(self.lab.waiting), None))


def workflow_named(name: str) -> Factory | None:
    """The factory that a name stands for: None for `desk`, which is built by the bench itself; `naive`; `module:factory`.

    A module is looked for in the folder one is in, and then where Python looks. Raises `BadInput`, naming what cannot be
    found, imported or called.
    """
    if name == DESK:
        return None
    if name == NAIVE:
        from relay_lab.app.naive import naive

        return naive
    module, colon, attribute = name.partition(":")
    if not (module and colon and attribute):
        raise BadInput(f"there is no workflow {name!r}; give {DESK}, {NAIVE}, or module:factory.")
    factory = getattr(_module(module), attribute, None)
    if not callable(factory):
        raise BadInput(f"{module} has no function {attribute!r}; name the one that makes the workflow.")
    return _checked(factory, name)


def _module(name: str) -> Any:
    if os.getcwd() not in sys.path:
        sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a stranger's module may do anything
        raise BadInput(
            f"the module {name!r} cannot be imported ({type(error).__name__}: {words_of(error)}); mend it, or name another."
        ) from error


def _checked(factory: Callable[..., Any], name: str) -> Factory:
    """The factory, with what it makes looked at: three functions, or one sentence."""

    def make(company: Any) -> Any:
        try:
            made = factory(company)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise BadInput(
                f"{name} made no workflow ({type(error).__name__}: {words_of(error)}); it is called with a company."
            ) from error
        missing = [part for part in ("say", "click", "states") if not callable(getattr(made, part, None))]
        if missing:
            raise BadInput(
                f"what {name} made has no function {' and no '.join(missing)}; see docs/workflow.md."
            )
        return made

    return make
