"""Who is speaking, how that was verified, and what that allows (001 §1)."""

from typing import Annotated

from pydantic import AfterValidator

from relay_lab.contracts.base import Contract, Ident
from relay_lab.contracts.enums import ActorType, Assurance


def _sorted_unique(scopes: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(set(scopes)))


Scopes = Annotated[tuple[Ident, ...], AfterValidator(_sorted_unique)]


class Session(Contract):
    """The verified session that the runtime injects (001 §1). A model may read it; nothing a model writes can widen it.

    `actor_id` is the person acting; null means the customer.
    """

    authenticated_customer_id: Ident | None
    session_assurance: Assurance
    tenant_id: Ident
    allowed_scopes: Scopes
    actor_type: ActorType = ActorType.CUSTOMER
    actor_id: Ident | None = None

    @property
    def actor(self) -> str | None:
        """The id of the person acting."""
        return self.actor_id or self.authenticated_customer_id


class Context(Contract):
    """One conversation under one session: what every call through the runtime is bound to."""

    session: Session
    conversation_id: Ident
    run_id: Ident


class Authentication(Contract):
    """What step 1 decides from the session, and from nothing else (001 §1).

    `foreign_ids` are account ids found in text that nobody verified: they are recorded and never used.
    """

    customer_id: Ident | None
    tenant_id: Ident
    assurance: Assurance
    scopes: Scopes
    may_read: bool
    may_change: bool
    foreign_ids: tuple[str, ...] = ()
