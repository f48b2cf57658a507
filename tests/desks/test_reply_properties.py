"""Whatever the ledger and the states are, the composed reply is accepted, and it says nothing that is not in them."""

from datetime import UTC, datetime, timedelta

from hypothesis import given as over
from hypothesis import settings
from hypothesis import strategies as st

from relay_lab.contracts.enums import (
    Feature,
    IssueState,
    OperationState,
    Outcome,
    Plan,
    TargetPlan,
)
from relay_lab.contracts.record import ProposedReply, Sentence
from relay_lab.desks.support.reply import RefusedDraft, ReplyMaterial, Verified, compose, verify

from desks import reply_materials as given  # isort: skip - beside this file

REASONS = (
    "assurance_none", "unanswered", "customer_asked", "already_scheduled", "assurance_too_low", "scope_missing", "cancel",
    "higher_plan", "not_operation_allowed", "not_self_service", "not_downgrade_allowed", "consequences_unknown", "timeout",
    "stale", "conflict", "not_routed", "unreachable", "echo_mismatch", "new",
)  # fmt: skip
OPEN_REASONS = ("which_plan", "same_plan", "cycle_changed", "operation_rejected", "quote_declined", "new")
VOIDED = (
    "price", "policy_version", "subscription_version", "expired", "renewal_cycle", "cycle_changed", "seat", "plan",
    "replaced", "terms", "facts_unreadable", "version_changed",
)  # fmt: skip
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kathmandu",
    "Pacific/Auckland",
    "Nowhere/Town",
    "Etc/GMT+5",
)

idents = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_.:/-]{0,11}", fullmatch=True)
cents = st.integers(0, 2_000_000)
currencies = st.sampled_from(["USD", "EUR", "GBP", "JPY", "CHF", "SEK", "XAU"])
SINCE = datetime(2024, 1, 1, tzinfo=UTC)
instants = st.integers(0, 8 * 365 * 86400).map(lambda seconds: SINCE + timedelta(seconds=seconds))
persons = st.sampled_from(
    [(IssueState.HANDED_OFF, "HO-000017"), (IssueState.HANDED_OFF, None), (IssueState.HANDOFF_PENDING, None)]
)
blocks = st.sampled_from([(status, code) for status, codes in given.BLOCKED.items() for code in codes])


@st.composite
def billing(draw: st.DrawFn, make: given.Maker) -> None:
    kind = draw(st.integers(0, 3))
    if kind == 0:
        given.no_duplicate(
            make, invoices=draw(st.integers(0, 7)), unsettled=draw(st.integers(0, 3)), cents=draw(cents)
        )
        return
    if kind == 1:
        predicate = draw(
            st.sampled_from(["transaction_read", "refund_policy_read", "settled_charges", "refund_eligible"])
        )
        state, ticket = draw(persons)
        given.blocked_billing(make, *draw(blocks), ticket=ticket, predicate=predicate)
        return
    state, ticket = draw(persons) if kind == 2 else (IssueState.EVIDENCE_READY, None)
    charges = draw(st.integers(2, 14))
    given.duplicate(
        make,
        refund_requested=draw(st.sampled_from([True, False, None])),
        state=state,
        charges=charges,
        cents=draw(cents),
        currency=draw(currencies),
        excess=draw(st.one_of(st.none(), st.integers(1, charges))),
        reversed_=draw(st.booleans()),
        refunded=draw(st.booleans()),
        eligible=draw(st.sampled_from([True, False, None])),
        ticket=ticket,
    )


@st.composite
def features(draw: st.DrawFn, make: given.Maker) -> None:
    name = draw(st.one_of(st.none(), st.sampled_from(Feature)))
    state, ticket = draw(st.one_of(persons, st.just((IssueState.EVIDENCE_READY, None))))
    if name is None and ticket is None:
        state = IssueState.NEEDS_INPUT
    at_person = state in (IssueState.HANDED_OFF, IssueState.HANDOFF_PENDING)
    predicates = ("feature_in_plan", "feature_on_account", "active_incidents", "prior_access", "current_plan")
    blocked = (
        (draw(st.sampled_from(predicates)), *draw(blocks)) if at_person and draw(st.booleans()) else None
    )
    given.feature(
        make,
        name=name,
        state=state,
        in_plan=draw(st.booleans()),
        on_account=draw(st.booleans()),
        plan=draw(st.sampled_from(Plan)),
        beta_ended=draw(st.one_of(st.none(), instants)),
        running=draw(st.booleans()),
        incidents=draw(st.integers(0, 3)),
        blocked=blocked,
        ticket=ticket,
    )


@st.composite
def quotes(draw: st.DrawFn):
    kept = tuple(f"SEAT-{n}" for n in range(1, draw(st.integers(1, 12)) + 1))
    single = draw(st.booleans())
    ended = tuple(f"SEAT-{n}" for n in range(50, 50 + draw(st.integers(0, 15)))) if single else ()
    if draw(st.booleans()):
        kept, ended = (draw(idents),), tuple(draw(st.lists(idents, max_size=4, unique=True)))
    current, target = draw(
        st.sampled_from(
            [(Plan.TEAM, Plan.INDIVIDUAL), (Plan.BUSINESS, Plan.TEAM), (Plan.BUSINESS, Plan.INDIVIDUAL)]
        )
    )
    return given.terms(
        current=current,
        target=target,
        cents=draw(cents),
        currency=draw(currencies),
        tax=draw(
            st.sampled_from(
                ["no tax is added", "VAT is included", "20% VAT", "<b>refunded</b>", "", "x" * 300]
            )
        ),
        kept=kept[:1] if ended else kept,
        ended=tuple(seat for seat in ended if seat not in kept),
        lost=tuple(draw(st.lists(st.sampled_from(Feature), unique=True))),
        data_retained=draw(st.booleans()),
        effective_at=draw(instants),
    )


@st.composite
def changes(draw: st.DrawFn, make: given.Maker) -> None:
    state = draw(st.sampled_from([s for s in IssueState if s is not IssueState.EVIDENCE_READY]))
    target = draw(st.sampled_from([None, *TargetPlan]))
    common = {"state": state, "renews_at": draw(instants), "offers": draw(st.booleans())}
    match state:
        case IssueState.NEEDS_INPUT:
            given.change(
                make,
                **common,
                reason=draw(st.sampled_from(OPEN_REASONS)),
                target=target,
                plan=draw(st.sampled_from(Plan)),
            )
        case IssueState.AWAITING_CONFIRMATION:
            of = draw(quotes())
            given.change(
                make, **common, outcome=Outcome.VERIFIED_SELF_SERVICE, reason="quote", plan=of.current_plan, quote=of,
                target=TargetPlan(of.target_plan), expires_at=of.effective_at - timedelta(seconds=draw(st.integers(1, 1800))),
            )  # fmt: skip
        case IssueState.SCHEDULED:
            given.change(
                make, **common, outcome=Outcome.VERIFIED_SELF_SERVICE, reason="scheduled", target=TargetPlan.INDIVIDUAL,
                operation_state=OperationState.COMPLETED, plan=draw(st.sampled_from([Plan.TEAM, Plan.BUSINESS])),
            )  # fmt: skip
        case IssueState.UNKNOWN:
            unsettled = st.sampled_from([None, OperationState.SUBMITTED, OperationState.FAILED_UNKNOWN])
            given.change(
                make,
                **common,
                outcome=Outcome.VERIFIED_SELF_SERVICE,
                reason="lost",
                operation_state=draw(unsettled),
            )
        case _:
            tickets = [None, "HO-000001"] if state is IssueState.HANDED_OFF else [None]
            given.change(
                make, **common, outcome=Outcome.HUMAN_HANDOFF, reason=draw(st.sampled_from(REASONS)), target=target,
                blocked=draw(st.one_of(st.none(), blocks)), ticket=draw(st.sampled_from(tickets)),
                operation_state=draw(st.sampled_from([None, OperationState.FAILED_UNKNOWN])),
            )  # fmt: skip


@st.composite
def others(draw: st.DrawFn, make: given.Maker) -> None:
    match draw(st.integers(0, 3)):
        case 0:
            given.person(make, draw(st.sampled_from([None, "HO-000002"])))
        case 1:
            state, ticket = draw(persons)
            given.other(
                make, outcome=Outcome.HUMAN_HANDOFF, state=state, reason="other_request", ticket=ticket
            )
        case 2:
            given.other(make, outcome=Outcome.ABSTAIN, reason="outside_service")
        case _:
            given.other(make, refused=draw(st.booleans()), reason="refused_proposal")


@st.composite
def materials(draw: st.DrawFn) -> ReplyMaterial:
    make = given.Maker(zone=draw(st.sampled_from(ZONES)))
    for build in draw(
        st.lists(st.sampled_from([billing, features, changes, others]), min_size=1, max_size=4)
    ):
        draw(build(make))
    voided = tuple(
        (view.issue.id, draw(st.sampled_from(VOIDED))) for view in make.views if draw(st.booleans())
    )
    notes = draw(
        st.lists(st.sampled_from(["ambiguous_confirmation", "rejected_quote", "not_executed"]), unique=True)
    )
    return make.material(
        courtesy=draw(st.booleans()), asked=draw(st.booleans()), voided=voided, notes=tuple(notes)
    )


@settings(max_examples=150, deadline=None)
@over(materials())
def test_every_composed_reply_is_accepted(material: ReplyMaterial) -> None:
    sentences = compose(material)
    verdict = verify(ProposedReply(sentences=sentences), material)
    assert verdict == Verified(), [sentence.text for sentence in sentences]


@settings(max_examples=30, deadline=None)
@over(materials(), st.data())
def test_a_composed_reply_without_one_of_its_issues_is_refused(
    material: ReplyMaterial, data: st.DataObject
) -> None:
    owner = {row.claim_id: row.issue_id for row in material.ledger.rows}
    left_out = data.draw(st.sampled_from([view.issue.id for view in material.views]))
    kept = tuple(s for s in compose(material) if not s.claim_ids or owner[s.claim_ids[0]] != left_out)
    assert isinstance(verify(ProposedReply(sentences=kept), material), RefusedDraft)


@settings(max_examples=30, deadline=None)
@over(materials(), materials(), st.data())
def test_a_sentence_of_another_conversation_needs_claims_of_this_one(
    here: ReplyMaterial, there: ReplyMaterial, data: st.DataObject
) -> None:
    """Nothing that was said elsewhere holds here by being said: without claims only what is no fact passes."""
    foreign = data.draw(
        st.sampled_from([s for s in compose(there) if s.claim_ids] or [Sentence(text="It is.", claim_ids=())])
    )
    bare = Sentence(text=foreign.text, claim_ids=())
    verdict = verify(ProposedReply(sentences=(bare, *compose(here))), here)
    assert isinstance(verdict, RefusedDraft) or not any(figure.isdigit() for figure in foreign.text)


@settings(max_examples=200, deadline=None)
@over(st.text(max_size=200))
def test_no_text_makes_the_verifier_fail_or_pass_by_accident(text: str) -> None:
    material = given.seed().material()
    claims = tuple(row.claim_id for row in material.ledger.of("I1"))
    verdict = verify(
        ProposedReply(sentences=(Sentence(text=text, claim_ids=claims), *compose(material))), material
    )
    assert isinstance(verdict, RefusedDraft)
