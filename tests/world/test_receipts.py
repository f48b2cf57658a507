"""Whatever the order of deliveries, changed payloads, look-ups and losses: one key, one effect, one receipt."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from relay_lab.contracts.operations import Absent, Accepted, Lost, Refused
from relay_lab.world.faults import Fault

ACTIONS = st.lists(
    st.sampled_from(["first", "other", "lost_before", "lost_after", "twice", "find", "other_quote", "later"]),
    min_size=1,
    max_size=14,
)
LOSSES: dict[str, Any] = {
    "lost_before": "before_commit",
    "lost_after": "after_commit",
    "twice": "answered_twice",
}


@given(actions=ACTIONS)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_interleaving_of_deliveries_gives_one_mutation_and_one_receipt(
    scenario: Any, open_lab: Callable[..., Any], actions: list[str]
) -> None:
    lab = open_lab(scenario)
    payloads = {"first": lab.envelope(), "other": lab.envelope(confirmation_id="CNF-9")}
    key = payloads["first"]["idempotency_key"]
    owner, receipts = None, set()
    for number, action in enumerate(actions):
        faults = [Fault("schedule_downgrade", LOSSES[action])] if action in LOSSES else []
        remote = lab.transport(*faults).subscriptions
        if action == "later":
            lab.clock.advance(60)
            continue
        if action == "find":
            answer = remote.find(key)
            assert isinstance(answer, Accepted if owner else Absent)
        elif action == "other_quote":
            # Another quote for the cycle may come second only: the first would own the cycle.
            quote = lab.envelope(quote_id=f"Q-{number}", target_plan="individual" if owner else "business")
            answer = remote.deliver(quote["idempotency_key"], quote)
            assert answer == Refused(code="already_scheduled" if owner else "not_a_downgrade")
        else:
            name = action if action in payloads else "first"
            answer = remote.deliver(key, payloads[name])
            if action != "lost_before":
                owner = owner or name
            if action.startswith("lost"):
                assert isinstance(answer, Lost)
            else:
                assert isinstance(answer, Accepted) if name == owner else answer == Refused(code="key_reused")
        if isinstance(answer, Accepted):
            receipts.add(answer.receipt.model_dump_json())
    assert lab.company.mutations() == len(lab.company.tables()["schedules"]) == bool(owner)
    assert len(receipts) <= 1
    lab.company.close()


SYSTEMS = [("subscriptions", "schedule"), ("handoff_queue", "enqueue")]


@pytest.mark.parametrize(("system", "act"), SYSTEMS)
def test_a_receipt_that_was_rolled_back_leaves_no_gap_in_the_ids(lab: Any, system: str, act: str) -> None:
    service = getattr(lab.company, system)
    payload = lab.envelope() if system == "subscriptions" else lab.packet()
    key = payload.get("idempotency_key", "relay-prod:CUST-1042:I1:abc")

    def dies(point: str) -> None:
        if point.endswith("before_commit"):
            raise KeyboardInterrupt

    before = lab.company.tables()
    with pytest.raises(KeyboardInterrupt):
        getattr(service, act)(key, payload, dies)
    assert lab.company.tables() == before
    assert getattr(service, act)(key, payload).receipt.receipt_id.endswith("-000001")
