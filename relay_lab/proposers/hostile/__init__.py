"""A proposer that proposes what must never happen: every kind that the types allow, and raw text that no type allows."""

from relay_lab.proposers.hostile.proposer import Hostile, hostile_kinds

__all__ = ["Hostile", "hostile_kinds"]
