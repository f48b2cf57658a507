"""The seven steps as replaceable functions, with what goes in and what comes out (001 §1 to §8).

A reference step, a student's and a deliberately broken one plug into the same place; the effect stays safe whichever it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from relay_lab.contracts.base import Contract, Ident
from relay_lab.contracts.change import Quote
from relay_lab.contracts.evidence import Retrieval
from relay_lab.contracts.handoff import PacketAction
from relay_lab.contracts.issues import Admission, Issue
from relay_lab.contracts.ledger import Ledger
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.ports import HandoffTools, ReadTools, WriteTools
from relay_lab.contracts.record import Routing
from relay_lab.contracts.session import Authentication, Session

Failures = tuple[str, ...]
"""The codes of the checks that stopped a write; nothing was changed."""


class ExecutionOrder(Contract):
    """A confirmed quote, to be executed for this customer and no other."""

    tenant_id: Ident
    customer_id: Ident
    quote: Quote
    confirmation_id: Ident


class HandoffCase(Contract):
    """One issue that goes to a specialist, with all a packet may be made of. `reason` is the routing's."""

    conversation_id: Ident
    issue_id: Ident
    reason: str
    authentication: Authentication
    issues: tuple[Issue, ...]
    ledger: Ledger
    retrieval: Retrieval
    proposed_action: PacketAction | None
    commitments: tuple[str, ...]


@dataclass(frozen=True)
class Steps:
    """One function for each step of 001; the eighth lesson is the judge.

    authenticate (§1): session and message -> what this session may do · decompose (§2): message, a model's answer and
    session -> admitted issues or a rejection · retrieve (§3, §4): reads with the given tools · build_ledger (§5): issues,
    what was read, the present instant -> rows · route (§6): what the session may do, issues, ledger, unanswered questions
    by issue id -> one routing each · execute (§7): submits a confirmed quote once · hand_off (§8): sends a minimised packet.
    """

    authenticate: Callable[[Session, str], Authentication]
    decompose: Callable[[str, str, Session], Admission]
    retrieve: Callable[[Authentication, tuple[Issue, ...], ReadTools], Retrieval]
    build_ledger: Callable[[tuple[Issue, ...], Retrieval, datetime], Ledger]
    route: Callable[[Authentication, tuple[Issue, ...], Ledger, Mapping[str, int]], tuple[Routing, ...]]
    execute: Callable[[ExecutionOrder, WriteTools], Operation | Failures]
    hand_off: Callable[[HandoffCase, HandoffTools], Operation | Failures]
