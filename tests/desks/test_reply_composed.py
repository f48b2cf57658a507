"""The reply as composed: what the customer reads in each state, word for word where it matters, and accepted by the verifier."""

from datetime import UTC, datetime

import pytest

from relay_lab.contracts.enums import (
    ClaimStatus,
    Feature,
    IssueState,
    OperationState,
    Outcome,
    Plan,
    TargetPlan,
)
from relay_lab.contracts.record import ProposedReply
from relay_lab.desks.support.reply import ReplyMaterial, Verified, compose, verify
from relay_lab.desks.support.reply.wording.english import count, instant, listed, money

from desks import reply_materials as given  # isort: skip - beside this file

FIRST_REPLY = (
    "Invoice INV-202608 was due once, for USD 49, but it has two settled charges of USD 49 each: TX-901 and TX-902. "
    "Reconciliation record DUP-3 confirms one excess charge, and shows that it has not been reversed or refunded. "
    "Under refund policy RP-7, this charge is eligible for a refund. "
    "I have not submitted a refund. "
    "If you would like a refund, you can request it yourself in the verified refund flow of the billing team, or I can pass "
    "this to the billing team for you. "
    "Your Team plan does not include the Gantt chart. "
    "You had access to it earlier through beta BETA-4, which ended on Monday, 31 August 2026 at 18:30 UTC. "
    "I found no active incident that affects the Gantt chart, though this alone does not prove the cause. "
    "If this does not match what you see, I can pass the records to a support specialist. "
    "Your Team plan renews on Friday, 11 September 2026 at 10:00 UTC, and no change is scheduled. "
    "You can choose Individual at USD 19 per month. "
    "Please tell me which plan you would like. "
    "I will show you its price, seats, features and start in a quote, and nothing changes until you confirm it."
)
QUOTE_SHOWN = (
    "Quote DG-1042-v1 is for a change from Team to Individual. "
    "The price would be USD 19 per month (no tax is added). "
    "The change would take effect on Friday, 11 September 2026 at 10:00 UTC, and until then you stay on Team. "
    "Seat SEAT-1042-1 would stay active. "
    "Access would end for seats SEAT-1042-2 and SEAT-1042-3. "
    "If you want another seat to stay active, please tell me which seat. "
    "You would lose time tracking and guest access. "
    "Your project data would be kept. "
    "There would be no immediate refund. "
    "This quote is open until Thursday, 10 September 2026 at 10:30 UTC. "
    "Nothing changes until you confirm quote DG-1042-v1."
)
SCHEDULED = (
    "Your change to Individual is scheduled for Friday, 11 September 2026 at 10:00 UTC under schedule SCH-000001. "
    "Until then your account stays on Team."
)
OUTCOME_UNKNOWN = (
    "I do not know whether your change to Individual was recorded. "
    "Please do not confirm it again: I will check whether it was recorded."
)
HANDED, PENDING = IssueState.HANDED_OFF, IssueState.HANDOFF_PENDING


def said(material: ReplyMaterial) -> str:
    """The composed text, once the verifier has accepted it."""
    sentences = compose(material)
    assert verify(ProposedReply(sentences=sentences), material) == Verified()
    return " ".join(sentence.text for sentence in sentences)


def of(build, **slots) -> str:
    """The composed text of one issue."""
    make = given.Maker()
    build(make, **slots)
    return said(make.material())


def to_person(**slots) -> str:
    """The composed text of a plan change that a specialist has."""
    return of(given.change, **({"state": HANDED, "outcome": Outcome.HUMAN_HANDOFF, "offers": False} | slots))


def test_the_first_reply_of_the_fixture_reads_so() -> None:
    assert said(given.seed().material()) == FIRST_REPLY


def test_a_quote_shows_every_consequence() -> None:
    assert said(given.quoted().material()) == QUOTE_SHOWN


def test_a_scheduled_change_is_called_scheduled_and_the_plan_of_today_is_named() -> None:
    text = said(given.scheduled().material())
    assert text == SCHEDULED
    assert "downgraded" not in text


def test_an_outcome_that_nobody_knows_is_called_unknown() -> None:
    assert said(given.unknown().material()) == OUTCOME_UNKNOWN


def test_every_sentence_with_a_fact_cites_a_claim_and_a_courtesy_none() -> None:
    sentences = compose(given.seed().material(courtesy=True))
    assert sentences[0].text == "I am sorry for the trouble." and sentences[0].claim_ids == ()
    assert all(sentence.claim_ids for sentence in sentences[1:])


def test_a_customer_who_asked_for_a_refund_is_told_how_without_being_asked_again() -> None:
    text = of(given.duplicate, refund_requested=True)
    assert "You can request the refund yourself" in text and "If you would like" not in text
    assert "I have not submitted a refund." in text


@pytest.mark.parametrize(("done", "word"), [("refunded", "refunded"), ("reversed_", "reversed")])
def test_what_was_returned_already_is_said_and_nothing_is_offered(done: str, word: str) -> None:
    text = of(given.duplicate, reason="already_returned", eligible=None, **{done: True})
    assert f"shows that it has been {word}." in text
    assert "request" not in text and "pass" not in text


def test_no_duplicate_is_said_of_the_records_and_the_unsettled_charge_is_named() -> None:
    text = of(given.no_duplicate, invoices=1, unsettled=1)
    assert "I found no duplicate charge in your billing records." in text
    assert "One charge on this invoice has not settled: TX-950." in text
    assert "refund" not in text


def test_without_a_reconciliation_record_equal_charges_prove_nothing() -> None:
    make = given.Maker()
    given.duplicate(make, excess=None, eligible=None, state=HANDED, reason="no_reconciliation")
    make.row(
        "excess_captures", "INV-202608", None, "INV-202608",
        status=ClaimStatus.UNSUPPORTED, qualifier="no_reconciliation",
    )  # fmt: skip
    make.tickets.append(("I1", "HO-000001"))
    make.row("ticket", "I1", "HO-000001", "HO-000001")
    text = said(make.material())
    assert (
        "I found no reconciliation record for these charges, so I cannot say whether you were charged twice."
        in text
    )
    assert text.endswith("I have passed your billing question to a specialist under ticket HO-000001.")


@pytest.mark.parametrize(
    ("status", "qualifier", "words"),
    [
        (ClaimStatus.UNSUPPORTED, "timeout", "I could not read your billing records"),
        (ClaimStatus.UNSUPPORTED, "unavailable", "I could not read your billing records"),
        (ClaimStatus.UNSUPPORTED, "not_found", "I could not find your billing records"),
        (ClaimStatus.UNAUTHORIZED, "scope_missing", "I do not have permission to read your billing records"),
        (ClaimStatus.STALE, "stale", "Your billing records are out of date"),
        (ClaimStatus.CONFLICTING, "conflict", "Your billing records disagree"),
    ],
)
def test_a_claim_that_cannot_be_made_is_named_as_such(
    status: ClaimStatus, qualifier: str, words: str
) -> None:
    make = given.Maker()
    given.blocked_billing(make, status, qualifier, ticket="HO-000001")
    text = said(make.material())
    assert text.startswith(f"{words}, so I cannot say whether you were charged twice.")
    assert "no duplicate" not in text


@pytest.mark.parametrize("feature", Feature)
@pytest.mark.parametrize("plan", Plan)
def test_a_feature_outside_the_plan_is_said_to_be_so_for_any_plan(feature: Feature, plan: Plan) -> None:
    text = of(given.feature, name=feature, plan=plan)
    assert text.startswith(f"Your {plan.value.capitalize()} plan does not include ")
    assert "though this alone does not prove the cause" in text


def test_an_incident_is_named_and_no_end_of_it_is_promised() -> None:
    text = of(given.feature, incidents=2, in_plan=True, on_account=True, beta_ended=None)
    assert "I found two active incidents that affect the Gantt chart: INC-1 and INC-2." in text


def test_two_feature_records_that_contradict_each_other_are_qualified() -> None:
    blocked = ("feature_on_account", ClaimStatus.CONFLICTING, "conflict")
    text = of(given.feature, state=HANDED, blocked=blocked, ticket="HO-000001")
    assert text.startswith(
        "Your plan and feature records disagree, so I cannot say whether you have access to the Gantt chart."
    )


def test_an_incident_list_that_could_not_be_read_is_not_called_empty() -> None:
    blocked = ("active_incidents", ClaimStatus.UNSUPPORTED, "timeout")
    text = of(given.feature, state=PENDING, blocked=blocked)
    assert "I could not read the incident records" in text and "no active incident" not in text


def test_a_feature_that_was_not_named_is_asked_for() -> None:
    text = of(given.feature, name=None, state=IssueState.NEEDS_INPUT, reason="which_feature")
    assert text.startswith("Please tell me which feature you mean")


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("higher_plan", "A change to a higher plan needs a specialist."),
        ("cancel", "A cancellation needs a specialist."),
        ("not_self_service", "Your account terms do not allow this change here."),
        ("assurance_too_low", "This change needs a stronger sign-in."),
        ("scope_missing", "I do not have permission for this change."),
        ("consequences_unknown", "I could not establish what this change would mean for your seats."),
        ("assurance_none", "I could not verify your sign-in, so I did not read your records."),
        ("unanswered", ""),
        ("some_code_of_tomorrow", ""),
    ],
)
def test_a_change_that_a_specialist_decides_says_why_where_there_are_words(reason: str, words: str) -> None:
    text = to_person(reason=reason, target=TargetPlan.BUSINESS, ticket="HO-000001")
    passed = "I have passed your plan question to a specialist under ticket HO-000001."
    assert text == f"{words} {passed}".strip()


def test_a_packet_that_the_queue_has_not_acknowledged_is_not_called_passed_on() -> None:
    text = to_person(reason="higher_plan", target=TargetPlan.BUSINESS, state=PENDING)
    assert text.endswith(
        "Your plan question needs a specialist, but I could not pass it on yet. I can try again with your next message."
    )


def test_a_handed_off_issue_without_a_ticket_is_not_called_passed_on() -> None:
    assert "could not pass it on yet" in to_person(
        reason="higher_plan", target=TargetPlan.BUSINESS, ticket=None
    )


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("price", "The price has changed, so your earlier quote is void"),
        ("policy_version", "The policy has changed, so your earlier quote is void"),
        ("subscription_version", "Your subscription has changed, so your earlier quote is void"),
        ("expired", "Your earlier quote has expired"),
        ("renewal_cycle", "Your plan has renewed, so your earlier quote is void"),
        ("replaced", "Your earlier quote is void"),
    ],
)
def test_a_void_quote_is_said_to_be_void_and_why(code: str, words: str) -> None:
    text = said(given.quoted().material(voided=(("I1", code),)))
    assert text.startswith(f"{words}, and nothing was scheduled. Quote DG-1042-v1")


def test_after_the_renewal_the_customer_is_asked_whether_the_change_is_still_wanted() -> None:
    make = given.Maker()
    given.change(make, reason="cycle_changed", offers=False)
    text = said(make.material(voided=(("I1", "renewal_cycle"),)))
    assert text.endswith(
        "so your earlier quote is void, and nothing was scheduled. Do you still want this change?"
    )


def test_a_question_beside_an_approval_gets_the_same_quote_again() -> None:
    text = said(given.quoted().material(asked=True))
    assert text == (
        "Your message asks a question as well, so I did not take it as your confirmation. " + QUOTE_SHOWN
    )


def test_an_assent_that_confirms_nothing_gets_the_same_quote_again() -> None:
    text = said(given.quoted().material(notes=("ambiguous_confirmation",)))
    assert text == "I did not take this as a confirmation. " + QUOTE_SHOWN


def test_a_confirmation_that_could_not_be_carried_out_is_said_to_have_changed_nothing() -> None:
    text = said(given.quoted().material(notes=("not_executed",)))
    assert text == "I could not submit your change, and nothing was scheduled. " + QUOTE_SHOWN


def test_a_declined_quote_is_withdrawn_and_no_plan_is_pressed_on_the_customer() -> None:
    make = given.Maker()
    given.change(make, reason="quote_declined", offers=False)
    text = said(make.material(notes=("rejected_quote",)))
    assert text.startswith("Your quote is withdrawn, and nothing was scheduled.")
    assert text.endswith("If you still want a change, please tell me which plan you would like.")


def test_an_echo_that_did_not_match_is_handed_off_as_unknown_and_never_called_scheduled() -> None:
    make = given.Maker()
    given.change(
        make, state=HANDED, outcome=Outcome.HUMAN_HANDOFF, reason="echo_mismatch", target=TargetPlan.INDIVIDUAL,
        offers=False, operation_state=OperationState.FAILED_UNKNOWN, ticket="HO-000001",
    )  # fmt: skip
    text = said(make.material())
    assert text.startswith("I do not know whether your change was recorded.")
    assert "scheduled" not in text


def test_a_change_that_was_refused_is_said_to_have_changed_nothing() -> None:
    text = of(
        given.change, reason="operation_rejected", offers=False, operation_state=OperationState.REJECTED
    )
    assert text == "Your change was not recorded, and nothing has changed. Do you still want this change?"


def test_the_current_plan_as_a_target_is_asked_about() -> None:
    text = of(given.change, reason="same_plan", target=TargetPlan.TEAM)
    assert "You are on the Team plan." in text and "Please tell me which plan you would like." in text


@pytest.mark.parametrize(
    ("slots", "words"),
    [
        ({"outcome": Outcome.ABSTAIN, "reason": "outside_service"}, "I cannot help with this question"),
        (
            {"refused": True, "reason": "refused_proposal"},
            "I could not read your message reliably. Please write it again",
        ),
        ({}, "Please tell me more about what you need."),
    ],
)
def test_a_request_of_no_typed_kind_is_answered_too(slots: dict, words: str) -> None:
    assert of(given.other, **slots).startswith(words)


@pytest.mark.parametrize(
    ("notes", "words"),
    [
        (("no_issue",), "Thank you for your message. Please tell me what I can help with."),
        (
            ("refused_proposal",),
            "I could not read your message reliably. Please write it again in other words.",
        ),
        (
            ("ambiguous_confirmation",),
            "I did not take this as a confirmation. Please tell me what I can help with.",
        ),
    ],
)
def test_a_turn_without_an_issue_gets_a_reply(notes: tuple, words: str) -> None:
    assert said(given.Maker().material(notes=notes)) == words


def test_times_are_shown_in_the_zone_of_the_account_with_its_name() -> None:
    make = given.seed()
    make.zone = "America/New_York"
    assert "renews on Friday, 11 September 2026 at 06:00 America/New_York time" in said(make.material())


@pytest.mark.parametrize("zone", ["Nowhere/Town", "Etc/GMT+5", "UTC"])
def test_a_zone_that_is_no_place_is_shown_as_utc(zone: str) -> None:
    make = given.seed()
    make.zone = zone
    assert "at 10:00 UTC" in said(make.material())


def test_an_hour_that_a_clock_change_repeats_is_told_apart_by_its_time_in_utc() -> None:
    first, second = datetime(2026, 10, 25, 0, 30, tzinfo=UTC), datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    assert (
        instant(first, "Europe/Berlin") == "Sunday, 25 October 2026 at 02:30 Europe/Berlin time (00:30 UTC)"
    )
    assert (
        instant(second, "Europe/Berlin") == "Sunday, 25 October 2026 at 02:30 Europe/Berlin time (01:30 UTC)"
    )


def test_ids_that_cannot_be_told_from_words_or_numbers_are_left_out() -> None:
    make = given.quoted()
    make.quotes.clear()
    make.rows[:] = [row for row in make.rows if not row.claim.predicate.startswith("quote_")]
    terms = given.terms(kept=("alpha",), ended=("beta", "12"))
    given.add_quote(make, terms, given.NOW.replace(hour=11), quote_id="plain")
    text = said(make.material())
    assert "One seat would stay active. Access would end for two seats." in text
    assert "This quote is for a change" in text and "until you confirm this quote." in text


def test_values_are_written_plainly() -> None:
    assert [money(4900, "USD"), money(104950, "EUR"), money(5, "USD")] == [
        "USD 49",
        "EUR 1,049.50",
        "USD 0.05",
    ]
    assert [count(2), count(13)] == ["two", "13"]
    assert [listed([]), listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == [
        "",
        "a",
        "a and b",
        "a, b and c",
    ]
