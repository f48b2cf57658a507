"""What a claim rests on: its subject and value, the records that it links, and all that were read."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from relay_lab.contracts.base import Contract, Scalar
from relay_lab.contracts.evidence import Transaction, VerifiedRecord

V = TypeVar("V", bound=Contract)
Records = Mapping[str, VerifiedRecord]


@dataclass(frozen=True)
class Grounds:
    """The subject of a claim, the records it links, all that were read, and the instant it was made at."""

    subject: str
    value: Scalar
    linked: Records
    read: Records
    now: datetime

    def the(self, kind: type[V]) -> V | None:
        """The linked record of this kind: the subject's own, or the only one."""
        found = {key: record.value for key, record in self.linked.items() if isinstance(record.value, kind)}
        return found.get(self.subject) or (next(iter(found.values())) if len(found) == 1 else None)

    def all(self, kind: type[V]) -> dict[str, V]:
        """Every record of this kind that was read, by evidence id."""
        return {key: record.value for key, record in self.read.items() if isinstance(record.value, kind)}

    def meant(self, kind: type[V]) -> list[V]:
        """The linked records of this kind; where there is none, every one that was read."""
        found = self.all(kind)
        return [value for key, value in found.items() if key in self.linked] or list(found.values())

    def charges(self, invoice_id: str, settled: bool) -> dict[str, Transaction]:
        """The charges on an invoice, by evidence id."""
        return {
            key: charge
            for key, charge in self.all(Transaction).items()
            if charge.invoice_id == invoice_id and (charge.settlement == "settled") is settled
        }
