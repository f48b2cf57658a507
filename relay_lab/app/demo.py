"""One conversation from settings: a message, perhaps a pick, perhaps a click on Confirm."""

from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from relay_lab.app.lab import Lab, Parts, open_lab, plan_named
from relay_lab.app.proposers import opened
from relay_lab.app.run import Run
from relay_lab.contracts.enums import TargetPlan
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.issues import SubscriptionChange

Show = Callable[[str, Run, str], None]


def nothing(_: str, __: Run, ___: str) -> None:
    """Show nothing on the way."""


def demo(
    message: str | None = None,
    *,
    plan: str | None = None,
    seat: str | None = None,
    confirm: bool = False,
    proposer: str = "rules",
    world: str | int | None = None,
    at: datetime | None = None,
    db: Path | str | None = None,
    conversation_id: str = "C-1",
    show: Show = nothing,
) -> Run:
    """Run one conversation, or go on with the one that `db` keeps, as far as the arguments say.

    Without a message a new conversation takes the world's own. `plan` and `seat` are a pick on a page, `confirm` a click. What
    there was nothing to pick or confirm for is left out. `show` is called with a stage (said, picked, no_pick,
    confirmed, no_confirm), the run and what was said or picked. Raises `BadInput` and `DatabaseError` with one sentence.
    """
    picked = plan_named(plan) if plan is not None else None
    with (
        opened(proposer) as propose,
        open_lab(world, db=db, at=at, conversation_id=conversation_id, parts=Parts(propose=propose)) as lab,
    ):
        if message is None and lab.turns == 0:
            message = lab.scenario.message
        if message is not None:
            show("said", lab.say(message), message)
        if picked is not None or seat is not None:
            run = lab.choose(picked or _standing_plan(lab), seat)
            show("picked" if run else "no_pick", run or lab.run(), picked or str(seat))
        if confirm:
            if lab.waiting:
                show("confirmed", lab.confirm(), "")
            else:
                show("no_confirm", lab.run(), "")
        return lab.run()


def _standing_plan(lab: Lab) -> TargetPlan:
    """The plan of the quote that waits, when only another seat is picked."""
    record = lab.run().record
    for view in reversed(record.issues if record else ()):
        if isinstance(view.issue, SubscriptionChange) and view.issue.target_plan is not None:
            return view.issue.target_plan
    raise BadInput("no plan is picked yet, so no seat can be; give --plan as well.")
