"""Claims, and the ledger row that each material claim needs before a reply is drafted (001 §5)."""

from relay_lab.contracts.base import Code, Contract, Ident, Scalar, Utc
from relay_lab.contracts.enums import ClaimStatus


class Claim(Contract):
    """One thing a reply may say: `subject` has `value` for `predicate` (`INV-202608`, `settled_charges`, 2)."""

    subject: Ident
    predicate: Code
    value: Scalar


class LedgerRow(Contract):
    """A claim and what it rests on.

    Correct when the linked evidence entails the value; a ledger is complete when every material claim has a row.
    `evidence_ids` is empty when nothing was found; `source_at` is the oldest source time among them; `policy_version`
    is set when the claim follows from a policy; `qualifier` is the reason code that a reply must name when `status` is
    not supported.
    """

    claim_id: Ident
    issue_id: Ident
    claim: Claim
    evidence_ids: tuple[Ident, ...]
    source_at: Utc | None
    policy_version: Ident | None
    status: ClaimStatus
    qualifier: Code | None


class Ledger(Contract):
    """All rows of a turn, in the order of their issues."""

    rows: tuple[LedgerRow, ...]

    def of(self, issue_id: str) -> tuple[LedgerRow, ...]:
        """The rows of one issue, in order."""
        return tuple(row for row in self.rows if row.issue_id == issue_id)
