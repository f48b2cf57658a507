"""What any bot must offer to be put through the failure rows, and all that it is given: two small surfaces, no framework."""

from collections.abc import Callable, Mapping, MutableMapping
from datetime import datetime
from typing import Any, Literal, Protocol

from relay_lab.contracts.base import Contract
from relay_lab.contracts.proposals import Propose
from relay_lab.contracts.session import Session


class ToolText(Contract):
    """A tool as a model is told of it; `arguments` is a JSON schema."""

    name: str
    description: str
    arguments: dict[str, Any]


class Click(Contract):
    """What a customer does on a page instead of writing.

    pick: `value` is a plan · confirm: `value` is what the last turn offered, "" when it offered nothing · reject · transfer:
    `value` is an issue id (`I1`) · reconcile: nobody's click; whoever runs the bot asks it to find out what it does not know.
    """

    do: Literal["pick", "confirm", "reject", "transfer", "reconcile"]
    value: str = ""


class Turn(Contract):
    """What a turn shows the customer.

    `offer` is what a click on Confirm sends back, word for word; null where there is no such button.
    """

    reply: str
    offer: str | None = None


class Company(Protocol):
    """What a bot is given: who is signed in, the clock, a model to ask, the systems of record, and a place to keep things.

    Nothing here checks a scope, an owner or a confirmation: besides the bot itself, only the systems of record defend.
    """

    @property
    def session(self) -> Session:
        """The verified session. It may be another one after a restart."""

    @property
    def tools(self) -> tuple[ToolText, ...]:
        """Every call that a system of record takes."""

    @property
    def propose(self) -> Propose:
        """The model that the bench hands over; rows that put words into a model's mouth do it here."""

    @property
    def memory(self) -> MutableMapping[str, str]:
        """Text by name that outlives a restart: the bot's own tables."""

    def now(self) -> datetime:
        """The present instant, aware, in UTC."""

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """One call of one tool, as it went: never raises for what a bot passes; `kind` says what came back.

        A read: success (`records`) or error (`code`). A write: accepted (`receipt`), refused (`code`) or lost (`code`: it may
        have been done, or not). A look-up by key: accepted, absent, refused or lost.
        """


class Workflow(Protocol):
    """What a bot offers. A restart is a second call of its factory, over the same company."""

    def say(self, message: str) -> Turn:
        """The customer writes."""

    def click(self, click: Click) -> Turn | None:
        """The customer clicks; None when this click means nothing here."""

    def states(self) -> Mapping[str, str] | None:
        """Issue id (`I1`, in order of first mention) -> state (`IssueState`); None for a bot that keeps no such books."""


Factory = Callable[[Company], Workflow]
"""Makes a workflow over a company: what `--workflow module:factory` names."""
