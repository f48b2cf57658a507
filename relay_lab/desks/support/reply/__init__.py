"""The reply: composed from ledger and states, and held against them whoever drafted it (001 §5 to §7)."""

from relay_lab.desks.support.reply.compose import compose
from relay_lab.desks.support.reply.material import RefusedDraft, ReplyMaterial, Verdict, Verified

__all__ = ["RefusedDraft", "ReplyMaterial", "Verdict", "Verified", "compose"]
