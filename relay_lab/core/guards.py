"""The lines of defence, by name. All of them stand unless a test or the ablation runner builds another value."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Guards:
    """One switch for each guard; a decision row of the trace names the guard that stopped an attempt.

    strict_json, grounding: what admission refuses · ownership, scope, assurance: what policy refuses · confirmation, binding,
    expiry, rechecks: what execution refuses · receipt: one effect for each key · audit: no write before its audit row ·
    echo: a success that says something else · reply, packet: what a desk says. The schema of a proposal, the registry and
    the schema of a tool's arguments have no switch: without them there is nothing to run.
    """

    strict_json: bool = True
    grounding: bool = True
    ownership: bool = True
    scope: bool = True
    assurance: bool = True
    confirmation: bool = True
    binding: bool = True
    expiry: bool = True
    rechecks: bool = True
    receipt: bool = True
    audit: bool = True
    echo: bool = True
    reply: bool = True
    packet: bool = True


STANDING = Guards()
"""All of them: what everything runs with that serves anybody or keeps a database."""
