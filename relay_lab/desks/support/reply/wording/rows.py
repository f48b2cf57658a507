"""The rows of one issue, as the wording asks for them, and how a sentence is made of text and rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from relay_lab.contracts.enums import ClaimStatus, IssueState, OperationState
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import IssueView, Sentence
from relay_lab.desks.support.reply.ids import printable
from relay_lab.desks.support.reply.material import ReplyMaterial

SENT = (OperationState.SUBMITTED, OperationState.COMPLETED, OperationState.FAILED_UNKNOWN)
"""An operation in one of these states may have changed the subscription."""


def say(text: str, *rows: LedgerRow | None) -> Sentence:
    """A sentence that rests on these rows, each cited once."""
    return Sentence(
        text=text, claim_ids=tuple(dict.fromkeys(row.claim_id for row in rows if row is not None))
    )


def named(noun: str, identifier: str, otherwise: str) -> str:
    """`invoice INV-1`, or other words when the id cannot be told from a word."""
    return f"{noun} {identifier}" if printable(identifier) else otherwise


@dataclass(frozen=True)
class Known:
    """What is known of one issue."""

    view: IssueView
    material: ReplyMaterial

    @property
    def issue_id(self) -> str:
        """The id of the issue."""
        return self.view.issue.id

    @cached_property
    def _own(self) -> tuple[LedgerRow, ...]:
        return self.material.ledger.of(self.issue_id)

    @cached_property
    def _supported(self) -> tuple[LedgerRow, ...]:
        return tuple(row for row in self._own if row.status is ClaimStatus.SUPPORTED)

    def rows(self, *predicates: str) -> tuple[LedgerRow, ...]:
        """The supported rows under these predicates, in the order of the ledger."""
        return tuple(row for row in self._supported if row.claim.predicate in predicates)

    def row(self, predicate: str, subject: str | None = None) -> LedgerRow | None:
        """The first supported row under a predicate, of a subject when one is given."""
        for row in self._supported:
            if row.claim.predicate == predicate and subject in (None, row.claim.subject):
                return row
        return None

    def blocked(self) -> tuple[LedgerRow, ...]:
        """The rows that may only be named as not known."""
        return tuple(row for row in self._own if row.status is not ClaimStatus.SUPPORTED)

    def may_have_changed(self) -> bool:
        """Whether a scheduling of this issue was sent that may have had an effect, or a change is scheduled already."""
        sent = any(
            one.subject_id == self.issue_id and one.tool == "schedule_downgrade" and one.state in SENT
            for one in self.material.operations
        )
        there = any(truth(row) is True for row in self.rows("change_scheduled"))
        return sent or there or self.view.state in (IssueState.SCHEDULED, IssueState.UNKNOWN)

    @property
    def state(self) -> LedgerRow | None:
        """The row that holds the state of the issue."""
        return self.row("issue_state")


def whole(row: LedgerRow | None) -> int | None:
    """The value of a row that holds a whole number."""
    value = row.claim.value if row else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def text(row: LedgerRow | None) -> str | None:
    """The value of a row that holds text."""
    value = row.claim.value if row else None
    return value if isinstance(value, str) else None


def truth(row: LedgerRow | None) -> bool | None:
    """The value of a row that holds yes or no."""
    value = row.claim.value if row else None
    return value if isinstance(value, bool) else None


def present(*sentences: Sentence | None) -> tuple[Sentence, ...]:
    """The sentences that there are."""
    return tuple(sentence for sentence in sentences if sentence is not None)


def joined(groups: Iterable[tuple[Sentence, ...]]) -> tuple[Sentence, ...]:
    """The sentences of several groups in order."""
    return tuple(sentence for group in groups for sentence in group)
