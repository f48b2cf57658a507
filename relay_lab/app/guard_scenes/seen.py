"""What is seen of an attempt: what stopped it, and what it did all the same."""

from relay_lab.app.lab import Lab

Seen = tuple[str, ...]
"""What stopped the attempt (empty: nothing), then what it did."""


def effects(lab: Lab) -> list[str]:
    """What was done to the company's records, by its own journal."""
    own = lab.session.authenticated_customer_id
    made = [
        row.customer_id
        for row in lab.company.journal()
        if row.cause == "request" and "close" not in row.operation
    ]
    changes, tickets = lab.company.mutations(), lab.company.tickets()
    found = [f"{changes} change of plan"] if changes else []
    found += [f"{tickets} ticket{'s' if tickets > 1 else ''}"] if tickets else []
    return found + [f"for another customer ({each})" for each in made if each != own]


def last_stop(lab: Lab) -> str:
    """The last guard that the trace names, and its code."""
    named = [row for row in lab.run().trace if row.guard]
    return f"{named[-1].guard}: {named[-1].outcome}" if named else ""


def kept_from(came: str) -> str:
    """What stopped a call; empty for one that was carried out."""
    return "" if came == "completed" else came
