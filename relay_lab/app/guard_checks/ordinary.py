"""What must go on working whatever is broken: a mutant that ends the ordinary conversation is a broken desk, no broken guard."""

from collections.abc import Iterator

from relay_lab.app.guard_checks.base import check, differs
from relay_lab.app.guard_checks.scene import calls, quoted

ORDINARY = "desk.an_ordinary_change"


@check("desk")
def an_ordinary_change() -> Iterator[str]:
    """A message, a pick and a click schedule one change, and the reply says so."""
    with quoted() as lab:
        run = lab.confirm()
        yield from differs("the issue", run.states.get("I3"), "scheduled")
        yield from differs("changes", run.mutations, 1)
        yield from differs("deliveries", calls(lab), ["success"])
