"""What is left of a run for others to judge: replies, the run record, and the rows of the trace."""

from typing import Literal

from relay_lab.contracts.base import Code, Contract, Ident, Utc
from relay_lab.contracts.change import Quote
from relay_lab.contracts.enums import Decision, IssueState, Outcome, ProposalState
from relay_lab.contracts.evidence import VerifiedRecord
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.issues import Issue
from relay_lab.contracts.ledger import Ledger
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.session import Session


class Sentence(Contract):
    """One sentence of a reply and the claims it rests on. A sentence without facts (a courtesy) may rest on none."""

    text: str
    claim_ids: tuple[Ident, ...]


class Reply(Contract):
    """What the customer reads in one turn. `refused_draft` is the code of the draft that was replaced, if one was."""

    turn: int
    sentences: tuple[Sentence, ...]
    refused_draft: Code | None = None

    @property
    def text(self) -> str:
        """The sentences joined by blanks, with an empty line where another issue begins."""
        text, last = "", ""
        for sentence in self.sentences:
            about = sentence.claim_ids[0].partition("-")[0] if sentence.claim_ids else last
            text += ("\n\n" if last and about != last else " ") + sentence.text
            last = about
        return text.strip()


class ProposedReply(Contract):
    """A model's draft of a reply. Worth nothing until it is verified against the ledger."""

    sentences: tuple[Sentence, ...]


class Routing(Contract):
    """What step 6 decides for one issue (001 §6). `reason` is the row of the routing rules that matched."""

    issue_id: Ident
    outcome: Outcome
    state: IssueState
    reason: Code


class IssueView(Contract):
    """An issue as it stands after a turn."""

    issue: Issue
    outcome: Outcome
    state: IssueState
    reason: Code


class QuoteView(Contract):
    """A quote as it stands after a turn: pending, confirmed, executed, or void for a reason."""

    quote: Quote
    state: ProposalState
    reason: Code | None


class TraceRow(Contract):
    """One decision of the runtime, or one call as a system of record's transport saw it.

    `seq` counts from 1; `outcome` is success or a code; `guard` names the line of defence that stopped an attempt.
    """

    seq: int
    at: Utc
    kind: Literal["decision", "call"]
    tool: Code
    decision: Decision | None = None
    outcome: Code
    guard: Code | None = None
    customer_id: Ident | None = None
    idempotency_key: Ident | None = None
    place: str | None = None


class RunRecord(Contract):
    """Everything a judge needs of one conversation up to its last turn, except the trace and the tables."""

    run_id: Ident
    conversation_id: Ident
    turn: int
    at: Utc
    session: Session
    display_zone: str
    issues: tuple[IssueView, ...]
    ledger: Ledger
    evidence: tuple[VerifiedRecord, ...]
    quotes: tuple[QuoteView, ...]
    operations: tuple[Operation, ...]
    replies: tuple[Reply, ...]
    packets: tuple[HandoffPacket, ...]
