"""The reply: composed from ledger and states, and held against them whoever drafted it (001 §5 to §7)."""

from relay_lab.desks.support.reply.compose import compose
from relay_lab.desks.support.reply.material import RefusedDraft, ReplyMaterial, Verdict, Verified
from relay_lab.desks.support.reply.verify import verify

__all__ = ["RefusedDraft", "ReplyMaterial", "Verdict", "Verified", "compose", "verify"]
