"""Every attempt by name, and what is seen of it without one guard."""

from collections.abc import Callable, Mapping

from relay_lab.app.ablation import guards_without
from relay_lab.app.guard_scenes import acting, asking
from relay_lab.app.guard_scenes.seen import Seen
from relay_lab.core.guards import Guards

_ATTEMPTS = (
    asking.two_readings,
    asking.a_plan_nobody_named,
    asking.another_customers_change,
    asking.a_packet_of_another_customer,
    asking.no_scope_from_the_beginning,
    asking.no_scope_since_the_quote,
    asking.a_password_from_the_beginning,
    asking.a_password_since_the_quote,
    acting.a_guess,
    acting.another_time,
    acting.another_seat,
    acting.a_click_after_the_renewal,
    acting.a_click_too_late,
    acting.another_version,
    acting.facts_that_cannot_be_read,
    acting.the_same_packet_twice,
    acting.no_audit_store,
    acting.a_success_of_another_plan,
    asking.a_false_draft,
    asking.a_packet_with_a_password,
)
SCENES: Mapping[str, Callable[[Guards], Seen]] = {attempt.__name__: attempt for attempt in _ATTEMPTS}
"""Each attempt; its docstring says what is tried."""


def shown(scene: str, without: str | None) -> Seen:
    """What is seen of an attempt without one guard: what stopped it (empty: nothing), then what it did."""
    return SCENES[scene](guards_without(without))
