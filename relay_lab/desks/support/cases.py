"""The issues of a conversation between turns: how a new mention joins an old issue, and what is kept of each (001 §2)."""

import json
from dataclasses import dataclass, field

from relay_lab.contracts.base import Contract
from relay_lab.contracts.enums import IssueState, Outcome
from relay_lab.contracts.evidence import VerifiedRecord
from relay_lab.contracts.issues import Issue, ProposedIssues
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import IssueView, Reply

TERMINAL = (IssueState.SCHEDULED, IssueState.HANDED_OFF)


@dataclass
class Case:
    """One issue and where it stands. `turn` is the turn whose message its span is of; `seat` the seat picked, if any."""

    issue: Issue
    turn: int
    outcome: Outcome = Outcome.CLARIFY
    state: IssueState = IssueState.NEEDS_INPUT
    reason: str = "new"
    unanswered: int = 0
    seat: str | None = None
    rows: tuple[LedgerRow, ...] = ()
    voided: str | None = field(default=None, compare=False)
    """Why the quote that stood before this turn no longer does; of this turn only."""
    voided_cycle: str | None = field(default=None, compare=False)

    @property
    def id(self) -> str:
        """The issue's id."""
        return self.issue.id

    @property
    def asking(self) -> bool:
        """Whether a question about this issue is open."""
        return self.state is IssueState.NEEDS_INPUT and self.outcome is Outcome.CLARIFY

    def stand(self, outcome: Outcome, state: IssueState, reason: str) -> None:
        """Where the issue stands from now on."""
        self.outcome, self.state, self.reason = outcome, state, reason

    def view(self) -> IssueView:
        """What is shown of it."""
        return IssueView(issue=self.issue, outcome=self.outcome, state=self.state, reason=self.reason)


class StoredCase(Contract):
    """A case as it is kept: the span by its offsets, the words themselves in the wording table alone."""

    issue: str
    turn: int
    outcome: Outcome
    state: IssueState
    reason: str
    unanswered: int
    seat: str | None
    rows: tuple[LedgerRow, ...]


class Document(Contract):
    """What the desk keeps of a conversation between turns. No field for a mood, and none for the customer's words."""

    cases: tuple[StoredCase, ...] = ()
    evidence: tuple[VerifiedRecord, ...] = ()
    replies: tuple[Reply, ...] = ()
    display_zone: str = "UTC"


_LATELY: dict[str, Document] = {}
"""The documents that this process wrote last, by their text: whoever goes on where it left off need not read them again."""
_REMEMBERED = 8


def written(document: Document) -> str:
    """The text of a document, as the runtime keeps it."""
    text = document.model_dump_json()
    _LATELY[text] = document
    for oldest in list(_LATELY)[:-_REMEMBERED]:
        _LATELY.pop(oldest, None)
    return text


def read(text: str | None) -> Document:
    """The document of a text that `written` gave, here or in another process; an empty one for a new conversation."""
    if text is None:
        return Document()
    return _LATELY.get(text) or Document.model_validate_json(text)


def stored(case: Case) -> StoredCase:
    """A case without the customer's words."""
    return StoredCase(
        issue=case.issue.model_dump_json(exclude={"span": {"text"}}),
        turn=case.turn,
        outcome=case.outcome,
        state=case.state,
        reason=case.reason,
        unanswered=case.unanswered,
        seat=case.seat,
        rows=case.rows,
    )


def restored(kept: StoredCase, wording: str | None) -> Case:
    """A case with its words back; once the wording has expired, a dash for every character."""
    plain = json.loads(kept.issue)
    start, end = plain["span"]["start"], plain["span"]["end"]
    plain["span"]["text"] = wording[start:end] if wording else "-" * (end - start)
    issue = ProposedIssues.model_validate_json(json.dumps({"issues": [plain]})).issues[0]
    return Case(
        issue=issue,
        turn=kept.turn,
        outcome=kept.outcome,
        state=kept.state,
        reason=kept.reason,
        unanswered=kept.unanswered,
        seat=kept.seat,
        rows=kept.rows,
    )


def join(cases: list[Case], new: Issue, turn: int) -> tuple[Case, bool]:
    """The case a mention belongs to and whether it told something new; a case of its own when it belongs to none.

    Two mentions of one problem are one issue; two features are two; a change to another plan after one was scheduled is a
    new request, as is every `other`.
    """
    for case in reversed(cases):
        joined = _joined(case, new)
        if joined is not None:
            told = joined != case.issue
            case.issue = joined
            return case, told
    case = Case(issue=new.model_copy(update={"id": f"I{len(cases) + 1}"}), turn=turn)
    cases.append(case)
    return case, True


def same_request(case: Case, new: Issue) -> bool:
    """Whether a mention is one of this case."""
    return _joined(case, new) is not None


def _joined(case: Case, new: Issue) -> Issue | None:
    """The case's issue with what `new` adds to its slots, or None when the two are different requests."""
    old = case.issue
    if old.type != new.type or new.type == "other":
        return None
    slots = new.model_dump(exclude={"id", "span", "type", "needs_clarification"}, exclude_none=True)
    known = old.model_dump(exclude={"id", "span", "type", "needs_clarification"}, exclude_none=True)
    if case.state in TERMINAL:
        differs = any(known.get(name) != value for name, value in slots.items() if name != "refund_requested")
        return None if differs else old
    if "feature" in slots and known.get("feature", slots["feature"]) != slots["feature"]:
        return None
    return with_slots(old, **slots)


def with_slots(issue: Issue, **slots: object) -> Issue:
    """The same issue with some slots changed; what is computed from them is computed again."""
    updated = issue.model_copy(update=slots)
    if updated.type == "subscription_change":
        return updated.model_copy(update={"needs_clarification": updated.target_plan is None})
    return updated
