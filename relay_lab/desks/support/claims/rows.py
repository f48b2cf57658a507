"""A finding: a claim with the evidence that entails it, before it is given its number and checked for age."""

from collections.abc import Iterable
from typing import NamedTuple, TypeVar

from relay_lab.contracts.base import Contract, Scalar
from relay_lab.contracts.enums import ClaimStatus
from relay_lab.contracts.evidence import NoPolicy, VerifiedRecord

V = TypeVar("V", bound=Contract)


class Finding(NamedTuple):
    """One future ledger row. `evidence` holds evidence ids; `qualifier` is set when `status` is not supported."""

    subject: str
    predicate: str
    value: Scalar
    evidence: tuple[str, ...]
    status: ClaimStatus = ClaimStatus.SUPPORTED
    qualifier: str | None = None
    policy_version: str | None = None


def of_kind(records: Iterable[VerifiedRecord], kind: type[V]) -> list[tuple[str, V]]:
    """The values of one kind with their evidence ids, in the order in which they were read."""
    return [(record.evidence_id, record.value) for record in records if isinstance(record.value, kind)]


def first(records: Iterable[VerifiedRecord], kind: type[V]) -> tuple[str, V] | tuple[None, None]:
    """The first value of one kind with its evidence id, or (None, None)."""
    for record in records:
        if isinstance(record.value, kind):
            return record.evidence_id, record.value
    return None, None


def no_policy(records: Iterable[VerifiedRecord], policy_id: str) -> str | None:
    """The evidence id of the answer that no policy of this family was in force, if that was the answer."""
    found = (eid for eid, absent in of_kind(records, NoPolicy) if absent.policy_id == policy_id)
    return next(found, None)
