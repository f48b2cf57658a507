"""A clause beside the ground of its sentence: the questions that a condition may ask."""

from dataclasses import dataclass

from relay_lab.contracts.enums import IssueState, OperationState
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.desks.support.reply import reasons
from relay_lab.desks.support.reply.checks.grammar import Reading
from relay_lab.desks.support.reply.checks.grounds import Ground
from relay_lab.desks.support.reply.families import Family, family

SENT = (OperationState.SUBMITTED, OperationState.COMPLETED, OperationState.FAILED_UNKNOWN)
"""An operation in one of these states may have changed the subscription."""


@dataclass(frozen=True)
class Scene:
    """One clause, what it cites and how its issue stands. `following` is the word that opens the clause after it."""

    reading: Reading
    ground: Ground
    following: str = ""

    @property
    def nouns(self) -> set[str]:
        """The concepts named, framing nouns aside."""
        return {noun.concept for noun in self.reading.nouns}

    @property
    def texts(self) -> set[str]:
        """The words of the clause."""
        return {token.text for token in self.reading.clause.tokens}

    @property
    def kinds(self) -> set[str]:
        """The kinds of the clause's tokens."""
        return {token.kind for token in self.reading.clause.tokens}

    @property
    def issue_id(self) -> str:
        """The id of the issue, empty for a sentence that cites nothing."""
        return self.ground.view.issue.id if self.ground.view else ""

    @property
    def state(self) -> IssueState | None:
        """The state of the issue."""
        return self.ground.view.state if self.ground.view else None

    @property
    def reason(self) -> str:
        """The reason of the issue's routing."""
        return self.ground.view.reason if self.ground.view else ""

    @property
    def features(self) -> set[str]:
        """The features that the clause names."""
        return {str(token.value) for token in self.reading.clause.tokens if token.kind == "feature"}

    def type_is(self, name: str) -> bool:
        """Whether the sentence is about an issue of this type."""
        return self.ground.view is not None and self.ground.view.issue.type == name

    def true(self, predicate: str) -> bool:
        """Whether a cited claim says yes."""
        return self.ground.value(predicate) is True

    def false(self, predicate: str) -> bool:
        """Whether a cited claim says no."""
        return self.ground.value(predicate) is False

    def number(self, predicate: str) -> int:
        """The largest number that a cited claim gives; -1 when none does."""
        values = [v for v in self.ground.values(predicate) if isinstance(v, int) and not isinstance(v, bool)]
        return max(values, default=-1)

    def cites(self, *predicates: str) -> bool:
        """Whether a supported claim under one of these predicates is cited."""
        return any(row.claim.predicate in predicates for row in self.ground.rows)

    def in_issue(self, predicate: str, value: object) -> bool:
        """Whether the issue's ledger supports this value, cited or not."""
        return any(
            r.claim.predicate == predicate and r.claim.value == value for r in self.ground.issue_rows()
        )

    def family(self, row: LedgerRow) -> Family:
        """The records behind a row of the issue."""
        return family(self.ground.view.issue.type if self.ground.view else "", row.claim.predicate)

    def open_family(self, name: Family) -> bool:
        """Whether a cited claim from these records is not supported."""
        return any(self.family(row) == name for row in self.ground.blocked)

    def operation(self, *states: OperationState) -> bool:
        """Whether the issue has a scheduling in one of these states."""
        return any(
            one.subject_id == self.issue_id and one.tool == "schedule_downgrade" and one.state in states
            for one in self.ground.material.operations
        )

    def voided(self) -> set[str]:
        """Why the issue's earlier quote no longer holds, in the words of `reasons.VOIDED`; empty text for another reason."""
        found = (code for issue, code in self.ground.material.voided if issue == self.issue_id)
        return {reasons.VOIDED.get(code, "") for code in found}
