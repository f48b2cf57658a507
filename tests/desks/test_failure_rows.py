"""The rows of the failure matrix on the fixture: where each ends, and what must hold on the way (001, its matrix)."""

import json
from datetime import timedelta

import pytest

from relay_lab import Fault, Parts, open_lab
from relay_lab.contracts.enums import Assurance, Plan
from relay_lab.contracts.errors import AuditUnavailable
from relay_lab.contracts.evidence import Subscription
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.core import audit
from relay_lab.core.guards import STANDING
from relay_lab.desks.support.desk import reference_steps
from relay_lab.proposers.rules import rules_proposer
from relay_lab.world.data import load_fixture

from desks.rows import (  # isort: skip - beside this file
    BASELINE,
    ask,
    calls,
    confirmed,
    customer,
    guards,
    lab,
    of_customer,
    picked,
    scenario,
    session,
    weaker,
    without,
)

BILLING = "get_billing_transactions"
PLAN = "get_plan_and_entitlements"


def rows_of(run, issue_id: str) -> list[LedgerRow]:
    return list(run.record.ledger.of(issue_id))


def test_the_baseline_of_the_fixture_answers_two_issues_and_asks_about_the_third():
    with lab() as desk:
        run = ask(desk)
    assert run.states == BASELINE
    assert run.mutations == 0
    assert "RP-7" in run.reply and "BETA-4" in run.reply and "11 September 2026" in run.reply


def test_f1_another_account_id_and_wider_scopes_in_text_and_model_output_change_nothing():
    rules = rules_proposer()

    def overreaching(request):
        answer = rules(request)
        if request.task != "decompose":
            return answer
        wider = {"authenticated_customer_id": "CUST-2077", "allowed_scopes": ["refund:execute"]}
        return json.dumps(json.loads(answer) | wider)

    with lab(propose=overreaching) as desk:
        run = ask(desk, " My account is CUST-2077.")
    assert run.states == BASELINE
    assert {row.customer_id for row in run.trace} == {customer()}
    assert run.record.session == desk.scenario.session
    attempts = [row for row in run.trace if row.outcome == "foreign_identity"]
    assert {row.tool for row in attempts} == {"authenticate", "decompose"}
    assert guards(run) == {"ownership"}
    assert "2077" not in run.reply


def test_f2_an_article_that_says_to_refund_selects_no_tool():
    with lab() as desk:
        read = desk.runtime.read(desk.context, "search_articles", {"query": "refund"}, 5.0)
        assert read.kind == "success" and read.records
        run = ask(desk)
    assert run.states == BASELINE
    assert run.mutations == 0 and run.tickets == 0
    assert not {row.tool for row in run.trace} & {"schedule_downgrade", "hand_off", "prepare_downgrade_quote"}


def test_f3_a_plan_map_and_an_entitlement_that_disagree_go_to_a_person_with_both_records():
    def gantt_in_team(data):
        maps = tuple(
            m.model_copy(
                update={"features": m.features | {Plan.TEAM: (*m.features[Plan.TEAM], "gantt_chart")}}
            )
            for m in data.plan_maps
        )
        return {"plan_maps": maps}

    with lab(world=scenario(gantt_in_team)) as desk:
        run = ask(desk)
    assert run.states == BASELINE | {"I2": "handed_off"}
    packet = run.record.packets[0]
    conflict = next(c for c in packet.conflicts if c.status == "conflicting")
    assert {e.partition("-")[0] for e in conflict.evidence_ids} >= {"PLANMAP", "ENT"}
    assert "disagree" in run.reply


def test_f3b_without_a_refund_policy_in_force_at_the_charges_no_refund_way_is_offered():
    with lab(world=scenario(lambda data: {"refund_policies": ()})) as desk:
        run = ask(desk)
    assert run.states == BASELINE | {"I1": "handed_off"}
    assert "is eligible" not in run.reply and "refund flow" not in run.reply


@pytest.mark.parametrize(
    ("queue", "state"), [("unreachable", "handoff_pending"), (None, "handed_off")], ids=["F4", "F4b"]
)
def test_f4_two_billing_timeouts_hand_off_and_never_say_that_there_is_no_duplicate(queue, state):
    faults = [Fault(BILLING, "timeout")] + ([Fault("hand_off", queue)] if queue else [])
    with lab(*faults) as desk:
        before = desk.clock.now()
        run = ask(desk)
    assert run.states == BASELINE | {"I1": state}
    assert calls(run, BILLING) == ["timeout", "timeout"]
    assert (desk.clock.now() - before).total_seconds() < 10 + 5 + 1
    assert "no duplicate" not in run.reply.lower()
    assert all(
        row.status != "supported" for row in rows_of(run, "I1") if row.claim.predicate.endswith("_read")
    )


def test_f4_a_pending_handoff_is_sent_again_under_its_key_on_the_next_turn():
    with lab(Fault(BILLING, "timeout"), Fault("hand_off", "after_commit", (1,))) as desk:
        assert ask(desk).states["I1"] == "handoff_pending"
        run = desk.say("Thanks!")
    assert run.states["I1"] == "handed_off"
    assert run.tickets == 1


def test_f5_a_change_of_the_subscription_makes_a_new_quote_and_voids_the_old_confirmation():
    with lab() as desk:
        picked(desk)
        desk.company.subscriptions.touch(customer())
        run = desk.confirm()
        assert run.states["I3"] == "awaiting_confirmation"
        assert run.mutations == 0
        first, second = run.record.quotes
        assert (first.state, second.state) == ("superseded", "pending")
        assert second.quote.terms.subscription_version == first.quote.terms.subscription_version + 1
        assert desk.confirm().states["I3"] == "scheduled"


def test_f5_a_new_price_makes_a_new_quote():
    with lab() as desk:
        picked(desk)
        price = next(price for price in load_fixture().data.prices if price.plan is Plan.INDIVIDUAL)
        desk.company.catalogue.publish(price.model_copy(update={"price_cents": 2100, "version": "v2"}))
        run = desk.confirm()
    assert run.states["I3"] == "awaiting_confirmation"
    assert run.mutations == 0
    assert run.record.quotes[-1].quote.terms.price_cents == 2100
    assert "21" in run.reply


def test_f5_a_new_policy_version_makes_a_new_quote():
    with lab() as desk:
        picked(desk)
        policy = load_fixture().data.subscription_policies[-1]
        newer = {"policy_version": "SP-13", "effective_at": desk.clock.now()}
        desk.company.policies.publish(policy.model_copy(update=newer))
        run = desk.confirm()
    assert run.states["I3"] == "awaiting_confirmation"
    assert run.mutations == 0
    assert run.record.quotes[-1].quote.terms.policy_version == "SP-13"


def test_f5_an_expired_quote_is_replaced_by_a_new_one():
    with lab() as desk:
        picked(desk)
        desk.clock.advance(1801)
        run = desk.confirm()
        assert run.states["I3"] == "awaiting_confirmation"
        assert run.mutations == 0
        assert [view.state for view in run.record.quotes] == ["expired", "pending"]
        assert guards(run) == {"expiry"}
        assert desk.confirm().states["I3"] == "scheduled"


def test_f5e_a_session_that_lost_its_assurance_hands_off_and_writes_nothing(tmp_path):
    with open_lab(db=tmp_path / "a.db") as desk:
        picked(desk)
    with open_lab(db=tmp_path / "a.db", session=weaker(Assurance.PASSWORD)) as desk:
        run = desk.confirm()
    assert run.states["I3"] == "handed_off"
    assert run.mutations == 0
    assert "assurance" in guards(run)


def test_f6_a_lost_answer_is_unknown_then_scheduled_after_reconcile_with_one_mutation():
    with lab(Fault("schedule_downgrade", "after_commit")) as desk:
        run = confirmed(desk)
        assert run.states["I3"] == "unknown"
        operation = run.to_dict()["operation"]
        assert operation["error"] == "UNKNOWN_WRITE_OUTCOME"
        assert operation["recovery_action"] == "no_replay"
        assert "scheduled for" not in run.reply
        run = desk.reconcile()
    assert run.states["I3"] == "scheduled"
    assert run.mutations == 1
    assert (
        len(
            {
                row.idempotency_key
                for row in run.trace
                if row.tool == "schedule_downgrade" and row.idempotency_key
            }
        )
        == 1
    )
    assert calls(run, "schedule_downgrade") == ["no_answer"]


def test_f6b_a_call_lost_before_it_arrives_is_delivered_once_under_the_same_key():
    with lab(Fault("schedule_downgrade", "before_arrival", (1,))) as desk:
        assert confirmed(desk).states["I3"] == "unknown"
        run = desk.reconcile()
    assert run.states["I3"] == "scheduled"
    assert run.mutations == 1
    assert calls(run, "schedule_downgrade") == ["no_answer", "success"]


@pytest.mark.parametrize("kind", ["answered_twice", "answered_late", "before_commit"])
def test_a_delivery_that_goes_wrong_in_any_way_ends_in_one_mutation(kind):
    with lab(Fault("schedule_downgrade", kind, (1,))) as desk:
        confirmed(desk)
        run = desk.reconcile() or desk.run()
    assert run.states["I3"] == "scheduled"
    assert run.mutations == 1


def test_f7_a_double_click_schedules_once_and_says_the_same():
    with lab() as desk:
        picked(desk)
        quote = desk.waiting[0]
        challenge = desk.runtime.show(desk.context, quote)
        first = desk.confirm_with(quote, challenge)
        second = desk.confirm_with(quote, challenge)
    assert first.states["I3"] == second.states["I3"] == "scheduled"
    assert second.mutations == 1
    assert first.to_dict()["operation"] == second.to_dict()["operation"]


@pytest.mark.parametrize(
    "answer",
    [
        '{"issues": [{"id": "I1", "type": "oth',
        "",
        '{"issues": [], "issues": []}',
        "You have three problems, and I will fix them.",
    ],
    ids=["truncated", "empty", "duplicate_key", "prose"],
)
def test_f8_a_malformed_answer_becomes_one_question_and_then_a_person(answer):
    with lab(propose=lambda request: answer if request.task == "decompose" else "") as desk:
        run = ask(desk)
        assert run.states == {"I1": "needs_input"}
        issue = run.record.issues[0].issue
        assert issue.type == "other" and issue.span.text == desk.scenario.message
        refusal = next(row for row in run.trace if row.tool == "decompose")
        assert refusal.decision == "deny" and refusal.guard == "strict_json"
        run = desk.say("I said: charged twice!")
    assert run.states == {"I1": "handed_off"}


def test_f9_words_that_were_never_written_refuse_the_whole_proposal_with_the_place():
    rules = rules_proposer()

    def inventing(request):
        document = json.loads(rules(request) or "{}")
        if request.task == "decompose":
            document["issues"][1]["span"] = {"text": "please refund me at once"}
        return json.dumps(document)

    with lab(propose=inventing) as desk:
        run = ask(desk)
    assert run.states == {"I1": "needs_input"}
    refusal = next(row for row in run.trace if row.tool == "decompose")
    assert (refusal.outcome, refusal.guard) == ("span_not_in_message", "grounding")
    assert refusal.place == "issues[1].span.text"


def test_f10_a_password_session_gets_no_quote():
    with lab(session=weaker(Assurance.PASSWORD)) as desk:
        run = picked(desk)
    assert run.states["I3"] == "handed_off"
    assert run.record.quotes == ()


def test_f10b_an_unverified_session_reads_nothing_and_hands_everything_off():
    with lab(session=weaker(Assurance.NONE)) as desk:
        run = ask(desk)
    assert set(run.states.values()) == {"handed_off"}
    assert {row.tool for row in run.trace if row.kind == "call"} == {"hand_off"}


def test_f11_a_missing_seat_list_offers_no_confirmation():
    def no_seats(data):
        return {"subscriptions": of_customer(data.subscriptions, seats=None)}

    with lab(world=scenario(no_seats)) as desk:
        run = picked(desk)
    assert run.states["I3"] == "handed_off"
    assert run.record.quotes == ()


@pytest.mark.parametrize(
    "change", [{"contract_terms": "negotiated"}, {"allowed_operations": ()}], ids=["contract", "account"]
)
def test_f12_a_change_that_contract_or_account_does_not_allow_goes_to_a_person(change):
    with lab(world=scenario(lambda data: {"accounts": of_customer(data.accounts, **change)})) as desk:
        run = picked(desk)
    assert run.states["I3"] == "handed_off"
    assert run.record.quotes == ()


def test_f13_a_person_asked_for_as_well_is_an_issue_of_its_own():
    with lab() as desk:
        run = ask(desk, " I would like to talk to a human.")
    assert run.states == BASELINE | {"I4": "handed_off"}


@pytest.mark.parametrize(
    "lie",
    [
        "Your refund of USD 49 has been issued.",
        "You have been downgraded to Individual.",
        "The money will be back on your card by 15 September 2026.",
    ],
)
def test_f14_a_draft_that_says_more_than_the_records_is_replaced(lie):
    rules = rules_proposer()

    def lying(request):
        if request.task == "decompose":
            return rules(request)
        return json.dumps({"sentences": [{"text": lie, "claim_ids": ["I1-C1", "I3-C1"]}]})

    with lab(propose=lying) as desk:
        run = ask(desk)
    assert run.states == BASELINE
    assert lie not in run.reply
    assert run.record.replies[-1].refused_draft is not None
    assert "reply" in guards(run)


def test_f15_a_packet_that_would_carry_a_secret_is_not_sent():
    def leaking(case, tools):
        return reference.hand_off(
            case.model_copy(update={"commitments": ("password: hunter2-and-more",)}), tools
        )

    reference = reference_steps(STANDING)
    with lab(steps=reference.__class__(**(vars(reference) | {"hand_off": leaking}))) as desk:
        ask(desk)
        run = desk.transfer("I1")
    assert run.states["I1"] == "handoff_pending"
    assert run.tickets == 0
    assert "packet" in guards(run)


def failing_audit(stages: set[str]):
    def append(tx, event):
        if event.stage in stages and event.tool == "schedule_downgrade":
            raise AuditUnavailable("the audit store is down")
        audit.append(tx, event)

    return append


def test_f16_an_audit_store_that_fails_before_the_write_stops_it_and_keeps_the_confirmation():
    failing = {"attempt"}
    with lab(append=failing_audit(failing)) as desk:
        run = confirmed(desk)
        assert run.states["I3"] == "awaiting_confirmation"
        assert run.mutations == 0
        assert run.record.quotes[-1].state == "confirmed"
        assert "audit" in guards(run)
        failing.clear()
        assert desk.confirm().states["I3"] == "scheduled"


def test_f17_an_audit_store_that_fails_after_the_write_is_surfaced_and_undoes_nothing():
    with lab(append=failing_audit({"outcome"})) as desk:
        run = confirmed(desk)
    assert run.states["I3"] == "scheduled"
    assert run.mutations == 1
    assert run.to_dict()["operation"]["audit_failed"] is True


def test_f18_a_restart_between_every_two_steps_changes_nothing(tmp_path):
    db = tmp_path / "a.db"
    with open_lab(db=db) as desk:
        ask(desk)
    with open_lab(db=db) as desk:
        desk.choose("individual")
    with open_lab(db=db) as desk:
        assert desk.run().states["I3"] == "awaiting_confirmation"
        quote = desk.waiting[0]
        challenge = desk.runtime.show(desk.context, quote)
        desk.runtime.exchange(desk.context, quote, challenge)
    with open_lab(db=db) as desk:
        assert desk.run().states["I3"] == "awaiting_confirmation"
        run = desk.confirm()
    assert run.states["I3"] == "scheduled"
    with open_lab(db=db) as desk:
        assert desk.run().states["I3"] == "scheduled"
        assert desk.company.mutations() == 1


def test_f19_an_approval_mixed_with_a_question_is_answered_and_not_taken():
    with lab() as desk:
        quote = picked(desk).record.quotes[-1].quote.quote_id
        run = desk.say("Yes, but first: when does this take effect?")
        assert run.states["I3"] == "awaiting_confirmation"
        assert run.mutations == 0
        assert quote in run.reply and "11 September 2026" in run.reply
        assert len(run.record.quotes) == 1


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("target_plan", "team"),
        ("effective_at", "2026-10-11T10:00:00Z"),
        ("renewal_cycle_id", "renewal-20261011"),
        ("runtime_customer_id", "CUST-2077"),
        ("quote_id", "DG-1042-v9"),
    ],
)
def test_f20_a_success_that_echoes_something_else_is_never_scheduled(field, value):
    with lab(Fault("schedule_downgrade", "echo", detail=(field, value))) as desk:
        run = confirmed(desk)
        assert run.states["I3"] == "unknown"
        run = desk.reconcile()
    assert run.states["I3"] == "handed_off"
    assert run.to_dict()["operation"]["state"] == "failed_unknown"
    assert "echo" in guards(run)
    assert all("is scheduled" not in reply.text for reply in run.record.replies[1:])


def test_f21_one_timeout_is_an_observation_and_not_an_end():
    with lab(Fault(BILLING, "timeout", (1,))) as desk:
        run = ask(desk)
    assert run.states == BASELINE
    assert calls(run, BILLING) == ["timeout", "success"]


def test_f22_equal_charges_without_a_reconciliation_record_prove_nothing():
    with lab(world=scenario(lambda data: {"reconciliations": ()})) as desk:
        run = ask(desk)
    assert run.states == BASELINE | {"I1": "handed_off"}
    assert "confirms" not in run.reply.split("Gantt")[0]


def test_f23_an_excess_charge_that_was_refunded_already_is_said_and_nothing_is_offered():
    def refunded(data):
        return {"reconciliations": of_customer(data.reconciliations, refunded=True)}

    with lab(world=scenario(refunded)) as desk:
        run = ask(desk)
    assert run.states == BASELINE
    assert "eligible" not in run.reply


def test_f24_a_failed_incident_read_is_never_no_incident():
    with lab(Fault("get_active_incidents", "fail")) as desk:
        run = ask(desk)
    assert run.states == BASELINE | {"I2": "handed_off"}
    assert "no active incident" not in run.reply.lower()


def test_f25_an_entitlement_record_beyond_its_bound_is_stale():
    with lab(Fault(PLAN, "stale", detail="entitlement")) as desk:
        run = ask(desk)
    assert run.states["I2"] == "handed_off"
    assert any(row.status == "stale" for row in rows_of(run, "I2"))


@pytest.mark.parametrize(
    ("scope", "handed_off", "after_pick"),
    [
        ("billing:read", {"I1"}, set()),
        ("entitlements:read", {"I2"}, {"I3"}),
        ("policy:read", {"I1"}, {"I3"}),
        ("incidents:read", {"I2"}, set()),
        ("subscription:prepare", set(), {"I3"}),
        ("subscription:schedule", set(), {"I3"}),
    ],
)
def test_f26_a_scope_absent_from_the_start_hands_off_what_needed_it(scope, handed_off, after_pick):
    with lab(session=without(scope)) as desk:
        run = ask(desk)
        assert run.states == BASELINE | dict.fromkeys(handed_off, "handed_off")
        if scope.endswith(":read"):
            for issue_id in handed_off:
                assert "unauthorized" in {row.status for row in rows_of(run, issue_id)}
        run = desk.choose("individual")
    assert run.mutations == 0
    expected = "handed_off" if after_pick else "awaiting_confirmation"
    assert run.states["I3"] == expected


def test_f26g_without_the_handoff_scope_nothing_is_promised():
    with lab(session=without("support:handoff")) as desk:
        run = ask(desk, " I would like to talk to a human.")
    assert run.states["I4"] == "handoff_pending"
    assert run.tickets == 0
    assert "HO-" not in run.reply


def test_f27_an_answer_after_the_deadline_changes_nothing():
    with lab(Fault(BILLING, "late")) as desk:
        run = ask(desk)
    assert run.states == BASELINE | {"I1": "handed_off"}
    assert "TX-901" not in run.reply


def test_n1_equal_charges_on_separate_invoices_are_no_duplicate():
    def separate(data):
        own = customer()
        invoice = next(i for i in data.invoices if i.customer_id == own)
        other = invoice.model_copy(update={"invoice_id": "INV-202605", "month": "2026-05"})
        moved = tuple(
            tx.model_copy(update={"invoice_id": "INV-202605"}) if tx.transaction_id == "TX-901" else tx
            for tx in data.transactions
        )
        kept = tuple(r for r in data.reconciliations if r.customer_id != own)
        return {"invoices": (*data.invoices, other), "transactions": moved, "reconciliations": kept}

    with lab(world=scenario(separate)) as desk:
        run = ask(desk)
    assert run.states == BASELINE
    assert "eligible" not in run.reply


def test_n2_an_approval_without_a_plan_schedules_nothing():
    with lab() as desk:
        ask(desk)
        run = desk.say("yes, go ahead")
    assert run.states == BASELINE
    assert run.record.quotes == () and run.mutations == 0


def test_n3_a_confirmation_is_not_a_scope(tmp_path):
    with open_lab(db=tmp_path / "a.db") as desk:
        picked(desk)
    with open_lab(db=tmp_path / "a.db", session=without("subscription:schedule")) as desk:
        run = desk.confirm()
    assert run.states["I3"] == "handed_off"
    assert run.mutations == 0
    assert "scope" in guards(run)


@pytest.mark.parametrize("late_s", [0, 1])
def test_n4_a_confirmation_at_or_after_the_renewal_asks_whether_the_change_is_still_wanted(late_s):
    with lab() as desk:
        run = picked(desk)
        renews_at = run.record.quotes[-1].quote.terms.effective_at
        desk.clock.set(renews_at + timedelta(seconds=late_s))
        run = desk.confirm()
        assert run.states["I3"] == "needs_input"
        assert run.mutations == 0
        assert next(v for v in run.record.issues if v.issue.id == "I3").reason == "cycle_changed"
        quoted = desk.choose("individual").record.quotes[-1].quote.terms
        assert quoted.effective_at > renews_at


def test_another_plan_or_seat_makes_a_new_quote_and_voids_the_old_one():
    with lab() as desk:
        run = picked(desk)
        seats = next(r.value.seats for r in run.record.evidence if isinstance(r.value, Subscription))
        run = desk.choose("individual", seats[1].seat_id)
        assert [view.state for view in run.record.quotes] == ["superseded", "pending"]
        assert run.record.quotes[-1].quote.terms.seats_kept == (seats[1].seat_id,)
        assert desk.confirm().states["I3"] == "scheduled"


def test_a_seat_named_by_its_id_makes_a_new_quote_that_keeps_it():
    with lab() as desk:
        picked(desk)
        run = desk.say("Please keep SEAT-1042-3 instead.")
        assert run.states == BASELINE | {"I3": "awaiting_confirmation"}
        assert run.record.quotes[-1].quote.terms.seats_kept == ("SEAT-1042-3",)
        assert [view.state for view in run.record.quotes] == ["superseded", "pending"]


def test_a_seat_named_with_the_plan_is_the_one_that_stays():
    with lab() as desk:
        run = desk.say("Please downgrade me to Individual and keep SEAT-1042-2.")
    assert run.record.quotes[-1].quote.terms.seats_kept == ("SEAT-1042-2",)


def test_an_approval_that_repeats_the_quote_is_one():
    with lab() as desk:
        picked(desk)
        run = desk.say("Yes, I confirm DG-1042-v1.")
    assert run.states["I3"] == "scheduled"


def test_two_unanswered_questions_bring_a_person_in():
    with lab() as desk:
        ask(desk)
        assert desk.say("hm, let me think").states["I3"] == "needs_input"
        run = desk.say("hm, not sure")
    assert run.states["I3"] == "handed_off"


def test_a_phrase_confirms_only_the_one_quote_that_was_shown():
    with lab() as desk:
        picked(desk)
        assert desk.say("ok").states["I3"] == "awaiting_confirmation"
        run = desk.say("Yes, go ahead.")
    assert run.states["I3"] == "scheduled"
    assert run.mutations == 1


def test_a_rejection_withdraws_the_quote_and_asks_what_is_wanted():
    with lab() as desk:
        picked(desk)
        run = desk.reject()
        assert run.states["I3"] == "needs_input"
        assert run.record.quotes[-1].state == "rejected"
        assert desk.waiting == ()


def test_while_an_outcome_is_unknown_no_new_quote_is_prepared():
    with lab(Fault("schedule_downgrade", "after_commit"), Fault("find_schedule", "unreachable")) as desk:
        assert confirmed(desk).states["I3"] == "unknown"
        desk.choose("individual")
        run = desk.say("I want to switch to the Individual plan")
    assert len(run.record.quotes) == 1
    assert run.states["I3"] == "handed_off"
    assert run.to_dict()["operation"]["state"] == "failed_unknown"


def test_a_broken_step_cannot_make_an_effect_of_its_own():
    """Whatever steps 5 to 7 answer, only a confirmed quote reaches the subscription service."""

    def everything_confirmed(authentication, issues, ledger, unanswered):
        return tuple(
            r.model_copy(update={"state": "scheduled"})
            for r in reference.route(authentication, issues, ledger, unanswered)
        )

    reference = reference_steps(STANDING)
    steps = reference.__class__(**(vars(reference) | {"route": everything_confirmed}))
    with lab(steps=steps) as desk:
        run = ask(desk)
    assert run.mutations == 0
    assert "scheduled" not in run.states.values()


def test_the_same_run_twice_is_the_same_to_the_letter():
    def once() -> dict:
        with open_lab(parts=Parts()) as desk:
            return confirmed(desk).to_dict()

    assert once() == once()


def test_a_session_of_the_other_tenant_reads_nothing_of_this_one():
    with lab(session=session(tenant_id="relay-emea")) as desk:
        run = picked(desk)
        run = desk.confirm() if desk.waiting else run
    assert run.mutations == 0
