"""A naive agent to talk to: what it said and what it did, side by side. Always a fresh company in memory."""

from dataclasses import dataclass

from relay_lab.app.lab import Parts
from relay_lab.app.matrix_stage import BotStage
from relay_lab.app.naive import naive
from relay_lab.app.naive_model import tutorial_model
from relay_lab.app.settings import DEFAULT_WORLD, scenario_named
from relay_lab.notebook import html as markup

HEAD = ("call", "whose account", "answer")


@dataclass(frozen=True)
class NaiveTurn:
    """One turn: the reply, and the calls behind it as (tool, customer, answer). `changes` counts business records changed."""

    reply: str
    calls: tuple[tuple[str, str, str], ...]
    changes: int

    @property
    def count(self) -> str:
        """How much was changed, in words."""
        return f"Business records changed in this turn: {self.changes}"

    def __str__(self) -> str:
        return (
            f"It said: {markup.visible(self.reply)}\n\n{markup.plain_table(HEAD, self.calls)}\n\n{self.count}"
        )

    __repr__ = __str__

    def _repr_html_(self) -> str:
        said = markup.text(f"It said: {self.reply}")
        return markup.page(said, markup.table("What it did", HEAD, self.calls), markup.text(self.count))


class NaiveChat:
    """A conversation with the naive agent of `app.naive`, whose model is a scripted stand-in that obeys every text it reads."""

    def __init__(self, world: str | int | None = None) -> None:
        scenario = scenario_named(DEFAULT_WORLD if world is None else str(world))
        self._stage = BotStage(scenario, scenario.session, Parts(propose=tutorial_model()), naive)

    def say(self, message: str) -> NaiveTurn:
        """The customer writes, and the agent does what it does."""
        rows, changed = len(self._stage.trace()), self._stage.company.mutations()
        reply = self._stage.workflow.say(message).reply
        calls = tuple((row.tool, row.customer_id or "", row.outcome) for row in self._stage.trace()[rows:])
        return NaiveTurn(reply, calls, self._stage.company.mutations() - changed)


def naive_agent(world: str | int | None = None) -> NaiveChat:
    """A naive agent with a company of its own: the fixture, or the world of a seed. Raises `BadInput` for another world."""
    return NaiveChat(world)
