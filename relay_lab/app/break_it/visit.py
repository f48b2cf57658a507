"""A customer's visit to a desk that is under attack: what they wrote and clicked is kept apart from what the desk says of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from relay_lab.app.lab import Lab, Parts
from relay_lab.app.run import Run
from relay_lab.contracts.change import Quote
from relay_lab.contracts.errors import BadInput
from relay_lab.world.data import Scenario


class Opens(Protocol):
    """Opens a desk on a fresh company."""

    def __call__(self, parts: Parts, session: dict[str, Any], scenario: Scenario | None = None) -> Lab:
        """A desk with these parts, under the usual session with these fields changed; None: the fixture's company."""


@dataclass(frozen=True)
class Click:
    """A click of the customer on Confirm: the quote as the page showed it, and when."""

    quote: Quote
    at: datetime


@dataclass
class Visit:
    """One visit. `wrote` and `clicks` are what the customer really did; `broke` says why it did not come to its end."""

    lab: Lab
    wrote: list[str] = field(default_factory=list)
    clicks: list[Click] = field(default_factory=list)
    broke: str = ""

    def says(self, message: str | None = None) -> None:
        """The customer writes; without words of their own, the message of the world."""
        text = self.lab.scenario.message if message is None else message
        self.wrote.append(text)
        self.lab.say(text)

    def picks(self) -> None:
        """The customer picks the smaller plan on the page."""
        self.lab.choose(self.lab.scenario.pick or "individual")

    def confirms(self) -> None:
        """The customer clicks Confirm beside the quote that waits; where none does there is no button, and nothing happens."""
        record = self.lab.run().record
        shown = {view.quote.quote_id: view.quote for view in (record.quotes if record else ())}
        waiting = [quote_id for quote_id in self.lab.waiting if quote_id in shown]
        if waiting:
            self.clicks.append(Click(shown[waiting[-1]], self.lab.clock.now()))
            self.lab.confirm()

    def run(self) -> Run:
        """The run as it stands; without a record where a step of the attack's keeps one from being read."""
        try:
            return self.lab.run()
        except KeyboardInterrupt:
            raise
        except BaseException:  # noqa: BLE001 - the attack may sit in a step that runs here as well
            return Run(None, (), self.lab.company.mutations(), self.lab.company.tickets())

    def takes_the_transfer(self, issue_id: str = "I1") -> None:
        """The customer takes the offer of a specialist."""
        self.lab.transfer(issue_id)


Script = Callable[[Visit], None]
Place = Callable[[Opens, object], tuple[Lab, Script]]
"""Where an attack stands: given the attack, the desk that it stands in and what the customer then does."""


@contextmanager
def visiting(place: Place, opens: Opens, attack: object) -> Iterator[Visit]:
    """A visit with an attack in it, played to its end or to where it broke off; the desk is closed afterwards.

    Raises `BadInput` for an attack that its place cannot take.
    """
    lab, script = place(opens, attack)
    with lab:
        visit = Visit(lab)
        try:
            script(visit)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - what an attack provokes is part of what is seen of it
            visit.broke = described(error)
        yield visit


def described(error: BaseException) -> str:
    """An exception in one line: a `BadInput` by its words, any other with its type before them."""
    kind = "" if isinstance(error, BadInput) else type(error).__name__
    try:
        said = " ".join(str(error).split())[:300]
    except BaseException:  # noqa: BLE001 - an exception of an attack's may raise anything when it is printed
        said = "(no message)"
    return ": ".join(filter(None, (kind, said)))


def of_kind(attack: object, kinds: type | tuple[type, ...], words: str) -> Any:
    """The attack, if it is what its place takes. Raises `BadInput` otherwise."""
    if not isinstance(attack, kinds) or isinstance(attack, bool):
        raise BadInput(f"this level takes {words}, and got {type(attack).__name__}.")
    return attack


def function(attack: object, arguments: str) -> Callable[..., Any]:
    """The attack, if it is a function. Raises `BadInput` otherwise."""
    if not callable(attack):
        raise BadInput(f"this level takes a function of ({arguments}), and got {type(attack).__name__}.")
    return attack
