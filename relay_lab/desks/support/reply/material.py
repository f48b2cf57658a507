"""What a reply is made of and held against, and what holding it gives."""

from typing import Literal

from relay_lab.contracts.base import Code, Contract, Ident
from relay_lab.contracts.change import Quote
from relay_lab.contracts.evidence import VerifiedRecord
from relay_lab.contracts.ledger import Ledger
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.record import IssueView

Note = Literal[
    "no_issue",
    "ambiguous_confirmation",
    "rejected_quote",
    "refused_proposal",
    "not_executed",
]
"""An event of the turn that the reply must mention, beside the issues.

no_issue: the message asks for nothing · ambiguous_confirmation: an assent that confirms nothing, the same quote is shown
again · rejected_quote: the customer said no, the quote is withdrawn · refused_proposal: the message could not be read
reliably · not_executed: a confirmation could not be carried out and nothing was written.
"""


class ReplyMaterial(Contract):
    """Everything one reply may rest on. The desk makes it; nothing of it comes from a model or from the customer's words.

    `display_zone` is an IANA name: instants are shown in it and the zone is named (an unknown one is shown as UTC).
    `quotes` holds the current pending quote of an issue; `tickets` pairs an issue with the ticket the queue acknowledged;
    `voided` pairs an issue with the reason its earlier quote no longer holds. `courtesy` asks for one civil sentence;
    `asked` says that the message put a question beside an approval, so that the approval was not taken; `may_hand_off` that the
    session may reach a specialist at all, so that trying again can help.
    """

    display_zone: str
    views: tuple[IssueView, ...]
    ledger: Ledger
    evidence: tuple[VerifiedRecord, ...] = ()
    quotes: tuple[Quote, ...] = ()
    operations: tuple[Operation, ...] = ()
    tickets: tuple[tuple[Ident, Ident], ...] = ()
    voided: tuple[tuple[Ident, Code], ...] = ()
    courtesy: bool = False
    asked: bool = False
    notes: tuple[Note, ...] = ()
    may_hand_off: bool = True

    def view(self, issue_id: str) -> IssueView | None:
        """The issue as it stands, or None."""
        return next((view for view in self.views if view.issue.id == issue_id), None)

    def quote(self, issue_id: str) -> Quote | None:
        """The quote of an issue that waits for a confirmation, or None."""
        return next((quote for quote in self.quotes if quote.issue_id == issue_id), None)

    def ticket(self, issue_id: str) -> str | None:
        """The ticket under which an issue was acknowledged, or None."""
        return next((ticket for issue, ticket in self.tickets if issue == issue_id), None)


RefusalCode = Literal[
    "empty",
    "forbidden_content",
    "not_english",
    "unknown_claim",
    "foreign_claim",
    "unsupported_fact",
    "ungrounded_amount",
    "ungrounded_date",
    "ungrounded_id",
    "ungrounded_plan",
    "ungrounded_feature",
    "ungrounded_number",
    "early_completion",
    "promise",
    "blocked_claim_as_fact",
    "issue_unaddressed",
]
"""Why a draft was refused."""


class Verified(Contract):
    """Every sentence of the draft is accounted for."""

    kind: Literal["verified"] = "verified"


class RefusedDraft(Contract):
    """The draft may not be shown. `sentence_index` counts from 0 and is null when no one sentence is at fault.

    `place` is a path without any of the draft's words (`sentences[2].text`, `issues.I3`).
    """

    kind: Literal["refused"] = "refused"
    code: RefusalCode
    sentence_index: int | None
    place: str


Verdict = Verified | RefusedDraft
