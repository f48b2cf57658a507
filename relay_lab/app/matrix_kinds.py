"""What a row may inject and what its script may do: two closed sets of kinds, as data; and the row itself."""

from typing import Annotated, Literal

from pydantic import Field

from relay_lab.contracts.base import Contract, Scalar
from relay_lab.contracts.enums import Assurance


class Drop(Contract):
    """The customer's rows of a table are gone; of a table without customers, all rows."""

    kind: Literal["drop"]
    table: Literal["reconciliations", "refund_policies"]


class Change(Contract):
    """The customer's rows of a table say something else."""

    kind: Literal["change"]
    table: Literal["accounts", "subscriptions", "reconciliations"]
    fields: dict[str, str | bool | tuple[str, ...] | None]


class Shape(Contract):
    """The records are of another shape: the plan map gives the plan the feature in question; each charge has its own invoice."""

    kind: Literal["plan_map_grants_feature", "separate_invoices"]


class Says(Contract):
    """A text in a place that a desk reads: an article, or a field of a tool's answer."""

    kind: Literal["article_says", "tool_text_says"]
    text: str


class SessionIs(Contract):
    """The session is weaker, or has fewer scopes."""

    kind: Literal["session"]
    assurance: Assurance | None = None
    without: tuple[str, ...] = ()


class Fails(Contract):
    """A fault between the desk and a system of record: see `relay_lab.Fault`."""

    kind: Literal["fault"]
    tool: str
    fault: Literal[
        "timeout", "late", "fail", "stale", "unreachable", "before_arrival", "after_commit", "echo"
    ]
    at: tuple[int, ...] | None = None
    source: str | None = None
    field: str | None = None
    value: str | None = None


class ModelSays(Contract):
    """The model's answer to a task is this text, whatever it was asked."""

    kind: Literal["model_says"]
    task: Literal["decompose", "draft_reply"]
    text: str


class ModelAdds(Contract):
    """The model's decomposition carries further fields."""

    kind: Literal["model_adds"]
    fields: dict[str, Scalar | tuple[str, ...]]


class ModelQuotes(Contract):
    """One issue of the model's decomposition cites other words, said to stand at `start`; `issue` counts from 0."""

    kind: Literal["model_quotes"]
    issue: int
    start: int
    text: str


class AuditFails(Contract):
    """The audit store takes no row of these stages of the change."""

    kind: Literal["audit_fails"]
    stages: tuple[str, ...]


class PacketCarries(Contract):
    """Step 8 puts this text among a packet's commitments."""

    kind: Literal["packet_carries"]
    text: str


class CompanyChanges(Contract):
    """The company's own people change a record."""

    kind: Literal["company_changes"]
    what: Literal["subscription", "price", "policy"]


Injection = Annotated[
    Drop
    | Change
    | Shape
    | Says
    | SessionIs
    | Fails
    | ModelSays
    | ModelAdds
    | ModelQuotes
    | AuditFails
    | PacketCarries
    | CompanyChanges,
    Field(discriminator="kind"),
]


class Say(Contract):
    """The customer writes."""

    do: Literal["say"]
    text: str


class Act(Contract):
    """Pick the smaller plan · click Confirm · click again as the last time · settle what is unknown · start the desk anew."""

    do: Literal["pick", "confirm", "confirm_again", "reconcile", "restart"]


class Exchange(Contract):
    """The click's first half alone: the challenge is traded and nothing is executed yet."""

    do: Literal["exchange"]


class Transfer(Contract):
    """The customer takes the offer of a specialist for one issue."""

    do: Literal["transfer"]
    issue: str


class Advance(Contract):
    """The clock goes on by seconds, or to so many seconds after the renewal."""

    do: Literal["advance"]
    seconds: float
    after: Literal["now", "renewal"] = "now"


class Search(Contract):
    """The desk looks an article up."""

    do: Literal["search"]
    query: str


class DeliverAgain(Contract):
    """The confirmed envelope is delivered again under its key, so many times one after another and then at once; `change`
    alters it first."""

    do: Literal["deliver_again"]
    in_turn: int = 0
    at_once: int = 0
    change: dict[str, str] = Field(default_factory=dict)


class HandOffFor(Contract):
    """The desk's own code sends a packet of the first issue on for this customer, as a text would have it."""

    do: Literal["hand_off_for"]
    customer: str


class Forge(Contract):
    """The desk's own code delivers the waiting quote's envelope itself, under a token that was made up, or was traded for this
    quote while `change` alters the envelope."""

    do: Literal["forge"]
    token: Literal["made_up", "traded"]
    change: dict[str, str] = Field(default_factory=dict)


class ClickElsewhere(Contract):
    """The challenge is traded, and what it stands for is executed, in another conversation or by another person."""

    do: Literal["click_elsewhere"]
    conversation: str | None = None
    actor: str | None = None


class Meanwhile(Contract):
    """Something changes between two steps."""

    do: Literal["meanwhile"]
    inject: Annotated[SessionIs | CompanyChanges, Field(discriminator="kind")]


Step = Annotated[
    Say
    | Act
    | Exchange
    | Transfer
    | Advance
    | Search
    | DeliverAgain
    | HandOffFor
    | Forge
    | ClickElsewhere
    | Meanwhile,
    Field(discriminator="do"),
]


class Row(Contract):
    """One row: `words` say what is injected. What should come of it is not in here."""

    id: str
    words: str
    inject: tuple[Injection, ...] = ()
    script: tuple[Step, ...]
