"""The transport: what a caller sees of every fault, what the company holds after it, and what the trace says."""

from datetime import timedelta
from typing import Any

import pytest

from relay_lab.contracts.evidence import ReadError, ReadSuccess, Source, Subscription, VerifiedRecord
from relay_lab.contracts.operations import Absent, Accepted, Lost, Refused
from relay_lab.contracts.ports import COMPANY_POINTS
from relay_lab.world.faults import Fault

PLAN = "get_plan_and_entitlements"
SCHEDULE = "schedule_downgrade"
KEY = "relay-prod:CUST-1042:renewal-20260911:I3:DG-1042-v1"
TICKET = "relay-prod:CUST-1042:I1:0f3a"


def test_a_read_costs_its_latency_and_leaves_a_row(lab: Any) -> None:
    answer = lab.transport(latency_s=0.25).read(PLAN, "relay-prod", "CUST-1042", {}, 5.0)
    assert isinstance(answer, ReadSuccess)
    assert lab.clock.now() == lab.scenario.now + timedelta(seconds=0.25)
    (row,) = lab.trace.rows
    assert (row.kind, row.tool, row.outcome, row.customer_id, row.decision) == (
        "call",
        PLAN,
        "success",
        "CUST-1042",
        None,
    )
    assert row.at == lab.clock.now()


def test_a_timeout_costs_the_callers_bound_and_may_be_tried_again(lab: Any) -> None:
    transport = lab.transport(Fault(PLAN, "timeout", at=(1,)))
    first, second = (transport.read(PLAN, "relay-prod", "CUST-1042", {}, 5.0) for _ in range(2))
    assert isinstance(first, ReadError)
    assert (first.code, first.retryable) == ("timeout", True)
    assert isinstance(second, ReadSuccess)
    assert lab.clock.now() == lab.scenario.now + timedelta(seconds=5.05)
    assert [row.outcome for row in lab.trace.rows] == ["timeout", "success"]


@pytest.mark.parametrize("slow", [{"fault": True}, {"latency_s": 5.01}])
def test_an_answer_after_the_bound_is_a_timeout_and_is_thrown_away(lab: Any, slow: dict[str, Any]) -> None:
    faults = [Fault(PLAN, "late")] if slow.pop("fault", False) else []
    answer = lab.transport(*faults, **slow).read(PLAN, "relay-prod", "CUST-1042", {}, 5.0)
    assert isinstance(answer, ReadError)
    assert (answer.code, answer.retryable) == ("timeout", True)
    assert lab.clock.now() == lab.scenario.now + timedelta(seconds=5)
    assert lab.trace.told() == [(PLAN, "timeout", "late")]


def test_a_system_that_is_down_is_unavailable_and_may_be_tried_again(lab: Any) -> None:
    answer = lab.transport(Fault(PLAN, "fail")).read(PLAN, "relay-prod", "CUST-1042", {}, 5.0)
    assert isinstance(answer, ReadError)
    assert (answer.code, answer.retryable) == ("unavailable", True)
    assert lab.trace.told() == [(PLAN, "unavailable", None)]


def is_stale(lab: Any, record: VerifiedRecord) -> bool:
    return bool(lab.clock.now() - record.source_at > timedelta(seconds=record.fresh_for_s))


@pytest.mark.parametrize(
    ("detail", "aged"),
    [
        (None, {"account", "subscription", "plan_map", "entitlement", "enrolment"}),
        (Source.ENTITLEMENTS, {"plan_map", "entitlement", "enrolment"}),
        ("entitlement", {"entitlement"}),
    ],
)
def test_stale_records_are_older_than_their_bound_and_the_others_are_not(
    lab: Any, detail: Any, aged: set[str]
) -> None:
    answer = lab.transport(Fault(PLAN, "stale", detail=detail)).read(PLAN, "relay-prod", "CUST-1042", {}, 5.0)
    assert isinstance(answer, ReadSuccess)
    assert {record.value.kind for record in answer.records if is_stale(lab, record)} == aged
    assert answer.source_at == min(record.source_at for record in answer.records)


def test_records_can_be_replaced_on_their_way(lab: Any) -> None:
    def without_seats(records: tuple[VerifiedRecord, ...]) -> tuple[VerifiedRecord, ...]:
        return tuple(
            record.model_copy(update={"value": record.value.model_copy(update={"seats": None})})
            if isinstance(record.value, Subscription)
            else record
            for record in records
        )

    answer = lab.transport(Fault(PLAN, "replace", detail=without_seats)).read(
        PLAN, "relay-prod", "CUST-1042", {}, 5.0
    )
    assert isinstance(answer, ReadSuccess)
    (subscription,) = (record.value for record in answer.records if isinstance(record.value, Subscription))
    assert subscription.seats is None


def test_faults_strike_the_attempts_they_name_and_the_tool_they_name(lab: Any) -> None:
    transport = lab.transport(Fault(PLAN, "fail", at=(2, 3)))
    told = [transport.read(PLAN, "relay-prod", "CUST-1042", {}, 5.0).kind for _ in range(4)]
    assert told == ["success", "error", "error", "success"]
    assert (
        transport.read("search_articles", "relay-prod", "CUST-1042", {"query": "plan"}, 5.0).kind == "success"
    )


def test_an_unknown_tool_and_a_name_that_is_no_id_do_not_break_the_trace(lab: Any) -> None:
    answer = lab.transport().read("DROP TABLE", "relay-prod", "no such id", {}, 5.0)
    assert isinstance(answer, ReadError)
    assert answer.code == "bad_request"
    (row,) = lab.trace.rows
    assert (row.tool, row.outcome, row.customer_id) == ("unknown_tool", "bad_request", None)


def test_something_can_happen_just_as_a_read_arrives(lab: Any) -> None:
    move = Fault(PLAN, "run", detail=lambda: lab.clock.advance(timedelta(days=1).total_seconds()))
    answer = lab.transport(move).read(PLAN, "relay-prod", "CUST-1042", {}, 5.0)
    assert isinstance(answer, ReadSuccess)
    assert "SUB-CUST-1042-v18" in {record.evidence_id for record in answer.records}


def deliver(lab: Any, *faults: Fault, **settings: Any) -> Any:
    return lab.transport(*faults, **settings).subscriptions.deliver(KEY, lab.envelope())


def test_a_delivery_is_answered_and_leaves_a_row_with_its_key(lab: Any) -> None:
    assert isinstance(deliver(lab), Accepted)
    (row,) = lab.trace.rows
    assert (row.tool, row.outcome, row.customer_id, row.idempotency_key) == (
        SCHEDULE,
        "success",
        "CUST-1042",
        KEY,
    )


def test_a_refusal_is_an_answer_and_its_code_stands_in_the_trace(lab: Any) -> None:
    envelope = lab.envelope(expected_subscription_version=3)
    assert lab.transport().subscriptions.deliver(KEY, envelope) == Refused(code="version_conflict")
    assert lab.trace.told() == [(SCHEDULE, "version_conflict", None)]


@pytest.mark.parametrize(
    ("kind", "code", "place", "mutations"),
    [
        ("unreachable", "unreachable", None, 0),
        ("before_arrival", "no_answer", "before_arrival", 0),
        ("before_commit", "no_answer", "before_commit", 0),
        ("after_commit", "no_answer", "after_commit", 1),
        ("answered_late", "no_answer", "answered_late", 1),
    ],
)
def test_a_lost_answer_tells_the_caller_nothing_and_the_trace_the_place(
    lab: Any, kind: Any, code: str, place: str | None, mutations: int
) -> None:
    assert deliver(lab, Fault(SCHEDULE, kind)) == Lost(code=code)
    assert lab.company.mutations() == mutations
    assert lab.trace.told() == [(SCHEDULE, code, place)]
    found = lab.transport().subscriptions.find(KEY)
    assert isinstance(found, Accepted if mutations else Absent)


@pytest.mark.parametrize("kind", ["before_arrival", "before_commit", "after_commit", "answered_late"])
def test_waiting_for_a_lost_answer_costs_the_write_bound(lab: Any, kind: Any) -> None:
    deliver(lab, Fault(SCHEDULE, kind), latency_s=0.0, write_timeout_s=4.0)
    assert lab.clock.now() == lab.scenario.now + timedelta(seconds=4)


def test_an_answer_can_come_much_too_late(lab: Any) -> None:
    deliver(lab, Fault(SCHEDULE, "answered_late", detail=3600), latency_s=0.0)
    assert lab.clock.now() == lab.scenario.now + timedelta(seconds=3605)


def test_delivering_again_after_a_lost_answer_makes_no_second_schedule(lab: Any) -> None:
    transport = lab.transport(Fault(SCHEDULE, "after_commit", at=(1,)))
    assert isinstance(transport.subscriptions.deliver(KEY, lab.envelope()), Lost)
    assert isinstance(transport.subscriptions.deliver(KEY, lab.envelope()), Accepted)
    assert lab.company.mutations() == 1


def test_a_delivery_that_arrives_twice_is_answered_once_and_done_once(lab: Any) -> None:
    assert isinstance(deliver(lab, Fault(SCHEDULE, "answered_twice")), Accepted)
    assert lab.company.mutations() == 1
    assert lab.trace.told() == [(SCHEDULE, "success", None), (SCHEDULE, "success", "answered_twice")]


@pytest.mark.parametrize("field", ["runtime_customer_id", "target_plan", "renewal_cycle_id", "effective_at"])
def test_a_spoilt_echo_is_spoilt_in_the_answer_and_in_the_stored_receipt(lab: Any, field: str) -> None:
    answer = deliver(lab, Fault(SCHEDULE, "echo", detail=(field, "other")))
    found = lab.transport().subscriptions.find(KEY)
    for told in (answer, found):
        assert isinstance(told, Accepted)
        assert told.receipt.echo == lab_echo(lab) | {field: "other"}


def lab_echo(lab: Any) -> dict[str, Any]:
    names = (
        "runtime_customer_id", "target_plan", "renewal_cycle_id", "quote_id", "effective_at", "designated_seat_id",
        "idempotency_key",
    )  # fmt: skip
    return {name: lab.envelope()[name] for name in names}


@pytest.mark.parametrize("method", ["find", "close"])
def test_a_look_up_can_fail_to_reach_the_service(lab: Any, method: str) -> None:
    tool = f"{method}_schedule"
    remote = lab.transport(Fault(tool, "unreachable", at=(1,))).subscriptions
    assert getattr(remote, method)(KEY) == Lost(code="unreachable")
    assert not isinstance(getattr(remote, method)(KEY), Lost)
    assert lab.trace.told()[0] == (tool, "unreachable", None)


def test_look_ups_say_in_the_trace_what_they_found(lab: Any) -> None:
    remote = lab.transport().subscriptions
    remote.find(KEY)
    remote.close(KEY)
    remote.find(KEY)
    assert [row[:2] for row in lab.trace.told()] == [
        ("find_schedule", "absent"),
        ("close_schedule", "key_closed"),
        ("find_schedule", "key_closed"),
    ]


def test_the_handoff_queue_stands_behind_the_same_transport(lab: Any) -> None:
    remote = lab.transport(Fault("hand_off", "after_commit", at=(1,))).handoff_queue
    assert remote.deliver(TICKET, lab.packet()) == Lost(code="no_answer")
    answer = remote.deliver(TICKET, lab.packet())
    assert isinstance(answer, Accepted)
    assert remote.find(TICKET) == remote.close(TICKET) == answer
    assert lab.company.tickets() == 1
    assert [row[0] for row in lab.trace.told()] == ["hand_off", "hand_off", "find_handoff", "close_handoff"]


def test_every_named_point_is_passed_in_its_place(lab: Any) -> None:
    passed: list[tuple[str, int]] = []

    def point(name: str) -> None:
        passed.append((name, len(lab.company.tables()["journal"])))

    transport = lab.transport(points=point)
    transport.subscriptions.deliver(KEY, lab.envelope())
    transport.handoff_queue.deliver(TICKET, lab.packet())
    assert tuple(name for name, _ in passed) == COMPANY_POINTS
    # The journal row of the change is there before the commit, and within its transaction.
    assert [rows for _, rows in passed] == [0, 1, 1, 1, 2, 2]


def test_a_race_can_be_run_at_each_point_of_a_write(lab: Any) -> None:
    past = timedelta(days=2).total_seconds()
    arriving = Fault(SCHEDULE, "run", detail=("before_arrival", lambda: lab.clock.advance(past)))
    assert deliver(lab, arriving) == Refused(code="version_conflict")
    assert lab.company.mutations() == 0


def test_a_clock_that_passes_the_renewal_before_the_commit_does_not_undo_the_schedule(lab: Any) -> None:
    past = timedelta(days=2).total_seconds()
    committing = Fault(SCHEDULE, "run", detail=("before_commit", lambda: lab.clock.advance(past)))
    assert isinstance(deliver(lab, committing), Accepted)
    (record,) = lab.company.subscriptions.get("CUST-1042")
    assert record.value.plan == "individual"


def test_a_death_before_the_commit_leaves_nothing_behind(lab: Any) -> None:
    def dies(name: str) -> None:
        if name == "schedule:before_commit":
            raise SystemExit

    before = lab.company.tables()
    with pytest.raises(SystemExit):
        lab.transport(points=dies).subscriptions.deliver(KEY, lab.envelope())
    assert lab.company.tables() == before


@pytest.mark.parametrize(
    "wrong",
    [
        {"tool": "get_refund", "kind": "fail"},
        {"tool": PLAN, "kind": "after_commit"},
        {"tool": SCHEDULE, "kind": "stale"},
        {"tool": "find_schedule", "kind": "before_commit"},
        {"tool": PLAN, "kind": "replace"},
        {"tool": SCHEDULE, "kind": "echo"},
    ],
)
def test_a_fault_that_cannot_happen_is_refused_when_it_is_made(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"no tool|cannot fail by|needs its detail"):
        Fault(**wrong)
