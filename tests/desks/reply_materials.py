"""Materials for the tests of the reply: one builder for each row of the routing rules, with every value a parameter."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from relay_lab.contracts.base import Scalar, iso
from relay_lab.contracts.change import ChangeTerms, Quote
from relay_lab.contracts.enums import (
    ClaimStatus,
    Feature,
    IssueState,
    OperationState,
    Outcome,
    Plan,
    TargetPlan,
)
from relay_lab.contracts.evidence import Enrolment, PlanPrice, Source, VerifiedRecord
from relay_lab.contracts.issues import (
    BillingDuplicate,
    FeatureAccess,
    HumanRequest,
    Issue,
    Other,
    Span,
    SubscriptionChange,
)
from relay_lab.contracts.ledger import Claim, Ledger, LedgerRow
from relay_lab.contracts.operations import Operation, Receipt
from relay_lab.contracts.record import IssueView
from relay_lab.desks.support.reply.material import ReplyMaterial

NOW = datetime(2026, 9, 10, 10, tzinfo=UTC)
RENEWS = datetime(2026, 9, 11, 10, tzinfo=UTC)
BETA_FROM = datetime(2026, 5, 4, 9, tzinfo=UTC)
BETA_UNTIL = datetime(2026, 8, 31, 18, 30, tzinfo=UTC)
SPAN = Span(start=0, end=4, text="text")
QUOTE = "DG-1042-v1"
BLOCKED = {
    ClaimStatus.UNSUPPORTED: (
        "timeout",
        "unavailable",
        "not_found",
        "no_policy",
        "no_reconciliation",
        "late",
    ),
    ClaimStatus.STALE: ("stale",),
    ClaimStatus.CONFLICTING: ("conflict",),
    ClaimStatus.UNAUTHORIZED: ("scope_missing",),
}


@dataclass
class Maker:
    """Collects the parts of a material; claim ids count up as rows are added."""

    zone: str = "UTC"
    views: list[IssueView] = field(default_factory=list)
    rows: list[LedgerRow] = field(default_factory=list)
    evidence: list[VerifiedRecord] = field(default_factory=list)
    quotes: list[Quote] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    tickets: list[tuple[str, str]] = field(default_factory=list)

    def row(
        self,
        predicate: str,
        subject: str,
        value: Scalar,
        *evidence: str,
        status: ClaimStatus = ClaimStatus.SUPPORTED,
        qualifier: str | None = None,
        policy: str | None = None,
    ) -> None:
        self.rows.append(
            LedgerRow(
                claim_id=f"C{len(self.rows) + 1}",
                issue_id=self.views[-1].issue.id,
                claim=Claim(subject=subject, predicate=predicate, value=value),
                evidence_ids=evidence,
                source_at=NOW,
                policy_version=policy,
                status=status,
                qualifier=qualifier,
            )
        )

    def issue(self, issue: Issue, outcome: Outcome, state: IssueState, reason: str) -> None:
        self.views.append(IssueView(issue=issue, outcome=outcome, state=state, reason=reason))

    def close(self, ticket: str | None = None) -> None:
        """The rows that every issue ends with."""
        view = self.views[-1]
        name = view.issue.id
        if ticket is not None:
            self.tickets.append((name, ticket))
            self.row("ticket", name, ticket, ticket)
        self.row("issue_state", name, str(view.state), f"STATE-{name}")

    def next_id(self) -> str:
        return f"I{len(self.views) + 1}"

    def record(self, evidence_id: str, source: Source, value: Any) -> None:
        self.evidence.append(
            VerifiedRecord(
                evidence_id=evidence_id,
                source=source,
                source_at=NOW,
                fresh_for_s=3600,
                version="1",
                value=value,
            )
        )

    def material(self, **more: Any) -> ReplyMaterial:
        return ReplyMaterial(
            display_zone=self.zone,
            views=tuple(self.views),
            ledger=Ledger(rows=tuple(self.rows)),
            evidence=tuple(self.evidence),
            quotes=tuple(self.quotes),
            operations=tuple(self.operations),
            tickets=tuple(self.tickets),
            **more,
        )


def duplicate(
    make: Maker,
    *,
    refund_requested: bool | None = None,
    state: IssueState = IssueState.EVIDENCE_READY,
    reason: str = "verified_duplicate",
    charges: int = 2,
    cents: int = 4900,
    currency: str = "USD",
    excess: int | None = 1,
    reversed_: bool = False,
    refunded: bool = False,
    eligible: bool | None = True,
    ticket: str | None = None,
) -> None:
    handed = state in (IssueState.HANDED_OFF, IssueState.HANDOFF_PENDING)
    outcome = Outcome.HUMAN_HANDOFF if handed else Outcome.RESPOND
    if refund_requested and not handed:
        outcome = Outcome.VERIFIED_SELF_SERVICE
    make.issue(
        BillingDuplicate(id=make.next_id(), span=SPAN, refund_requested=refund_requested),
        outcome,
        state,
        reason,
    )
    ids = [f"TX-{901 + number}" for number in range(charges)]
    make.row("settled_charges", "INV-202608", charges, *ids, "INV-202608")
    make.row("charge_cents", "INV-202608", cents, *ids)
    make.row("currency", "INV-202608", currency, *ids)
    make.row("invoice_due_cents", "INV-202608", cents, "INV-202608")
    if excess is not None:
        make.row("excess_captures", "DUP-3", excess, "DUP-3")
        make.row("excess_reversed", "DUP-3", reversed_, "DUP-3")
        make.row("excess_refunded", "DUP-3", refunded, "DUP-3")
    if eligible is not None:
        make.row("refund_eligible", "RP-7", eligible, "RP-7", policy="RP-7")
    make.close(ticket)


def no_duplicate(make: Maker, *, invoices: int = 2, unsettled: int = 0, cents: int = 4900) -> None:
    make.issue(
        BillingDuplicate(id=make.next_id(), span=SPAN),
        Outcome.RESPOND,
        IssueState.EVIDENCE_READY,
        "no_duplicate",
    )
    make.row("duplicate_found", "STM-1", False, "STM-1")
    for number in range(invoices):
        invoice = f"INV-20260{number + 7}"
        make.row("settled_charges", invoice, 1, f"TX-{900 + number}", invoice)
        make.row("charge_cents", invoice, cents, f"TX-{900 + number}")
        make.row("currency", invoice, "USD", f"TX-{900 + number}")
        make.row("invoice_due_cents", invoice, cents, invoice)
        if unsettled:
            pending = [f"TX-{950 + 10 * number + each}" for each in range(unsettled)]
            make.row("unsettled_charges", invoice, unsettled, *pending)
    make.close()


def blocked_billing(
    make: Maker,
    status: ClaimStatus,
    qualifier: str,
    *,
    ticket: str | None = None,
    predicate: str = "settled_charges",
) -> None:
    state = IssueState.HANDED_OFF if ticket else IssueState.HANDOFF_PENDING
    make.issue(
        BillingDuplicate(id=make.next_id(), span=SPAN), Outcome.HUMAN_HANDOFF, state, "evidence_missing"
    )
    make.row(predicate, "CUST-1042", None, status=status, qualifier=qualifier)
    make.row("excess_captures", "CUST-1042", None, status=status, qualifier=qualifier)
    make.close(ticket)


def feature(
    make: Maker,
    *,
    name: Feature | None = Feature.GANTT_CHART,
    state: IssueState = IssueState.EVIDENCE_READY,
    reason: str = "not_entitled",
    in_plan: bool = False,
    on_account: bool = False,
    plan: Plan = Plan.TEAM,
    beta_ended: datetime | None = BETA_UNTIL,
    running: bool = False,
    incidents: int = 0,
    blocked: tuple[str, ClaimStatus, str] | None = None,
    ticket: str | None = None,
) -> None:
    handed = state in (IssueState.HANDED_OFF, IssueState.HANDOFF_PENDING)
    outcome = Outcome.HUMAN_HANDOFF if handed else Outcome.CLARIFY if name is None else Outcome.RESPOND
    make.issue(FeatureAccess(id=make.next_id(), span=SPAN, feature=name), outcome, state, reason)
    if name is not None:
        _feature_rows(make, name, in_plan, on_account, plan, beta_ended, running, incidents, blocked)
    make.close(ticket)


def _feature_rows(
    make: Maker,
    name: Feature,
    in_plan: bool,
    on_account: bool,
    plan: Plan,
    beta_ended: datetime | None,
    running: bool,
    incidents: int,
    blocked: tuple[str, ClaimStatus, str] | None,
) -> None:
    made: list[tuple[str, str, Scalar, tuple[str, ...]]] = [
        ("current_plan", "CUST-1042", str(plan), ("SUB-1",)),
        ("feature_in_plan", name, in_plan, ("PM-4",)),
        ("feature_on_account", name, on_account, ("ENT-1",)),
        ("active_incidents", name, incidents, ("INR-1",)),
        *(("incident_id", str(name), f"INC-{number + 1}", ("INR-1",)) for number in range(incidents)),
    ]
    if running:
        made.append(("enrolment_active", name, True, ("BETA-9",)))
    if beta_ended is not None:
        made.append(("prior_access", name, "BETA-4", ("BETA-4",)))
        made.append(("prior_access_ended_at", name, iso(beta_ended), ("BETA-4",)))
        value = Enrolment(
            customer_id="CUST-1042",
            programme="BETA-4",
            feature=name,
            started_at=BETA_FROM,
            ended_at=beta_ended,
        )
        make.record("BETA-4", Source.ENTITLEMENTS, value)
    for predicate, subject, value, ids in made:
        if blocked is not None and predicate == blocked[0]:
            make.row(predicate, subject, None, status=blocked[1], qualifier=blocked[2])
        else:
            make.row(predicate, subject, value, *ids)


def terms(
    *,
    current: Plan = Plan.TEAM,
    target: Plan = Plan.INDIVIDUAL,
    cents: int = 1900,
    currency: str = "USD",
    tax: str = "no tax is added",
    kept: tuple[str, ...] = ("SEAT-1042-1",),
    ended: tuple[str, ...] = ("SEAT-1042-2", "SEAT-1042-3"),
    lost: tuple[Feature, ...] = (Feature.TIME_TRACKING, Feature.GUEST_ACCESS),
    data_retained: bool = True,
    effective_at: datetime = RENEWS,
) -> ChangeTerms:
    return ChangeTerms(
        customer_id="CUST-1042",
        current_plan=current,
        target_plan=target,
        price_cents=cents,
        currency=currency,
        tax_terms=tax,
        seats_kept=kept,
        seats_ended=ended,
        designated_seat_id=kept[0],
        features_lost=lost,
        data_retained=data_retained,
        immediate_refund="none",
        effective_at=effective_at,
        subscription_version=17,
        renewal_cycle_id="renewal-20260911",
        policy_version="SP-12",
    )


def add_quote(make: Maker, of: ChangeTerms, expires_at: datetime, quote_id: str = QUOTE) -> None:
    make.quotes.append(
        Quote(
            quote_id=quote_id,
            version=1,
            issue_id=make.views[-1].issue.id,
            terms=of,
            expires_at=expires_at,
            change_hash=of.change_hash,
        )
    )
    values: dict[str, Scalar] = {
        "quote_plan": str(of.target_plan),
        "quote_price_cents": of.price_cents,
        "quote_currency": of.currency,
        "quote_seats_kept": ",".join(of.seats_kept),
        "quote_seats_ended": ",".join(of.seats_ended),
        "quote_features_lost": ",".join(of.features_lost),
        "quote_effective_at": iso(of.effective_at),
        "quote_expires_at": iso(expires_at),
        "quote_data_retained": of.data_retained,
        "quote_immediate_refund": "none",
        "quote_designated_seat": of.designated_seat_id,
    }
    for predicate, value in values.items():
        make.row(predicate, quote_id, value, quote_id, policy="SP-12")


def operation(make: Maker, state: OperationState, tool: str = "schedule_downgrade") -> Operation:
    name = make.views[-1].issue.id
    receipt = (
        Receipt(receipt_id="SCH-000001", recorded_at=NOW, echo={})
        if state is OperationState.COMPLETED
        else None
    )
    return Operation(
        idempotency_key=f"relay-prod:CUST-1042:renewal-20260911:{name}:{QUOTE}",
        tool=tool,
        tenant_id="relay-prod",
        customer_id="CUST-1042",
        conversation_id="CV-1",
        subject_id=name,
        proposal_id=QUOTE,
        fingerprint="0" * 64,
        envelope="{}",
        state=state,
        receipt=receipt,
    )


def change(
    make: Maker,
    *,
    state: IssueState = IssueState.NEEDS_INPUT,
    outcome: Outcome = Outcome.CLARIFY,
    reason: str = "target_unknown",
    target: TargetPlan | None = None,
    plan: Plan = Plan.TEAM,
    renews_at: datetime = RENEWS,
    offers: bool = True,
    quote: ChangeTerms | None = None,
    expires_at: datetime = NOW + timedelta(minutes=30),
    operation_state: OperationState | None = None,
    blocked: tuple[ClaimStatus, str] | None = None,
    ticket: str | None = None,
) -> None:
    issue = SubscriptionChange(
        id=make.next_id(), span=SPAN, target_plan=target, needs_clarification=target is None
    )
    make.issue(issue, outcome, state, reason)
    done = state is IssueState.SCHEDULED
    make.row("current_plan", "CUST-1042", str(plan), "SUB-1")
    make.row("renews_at", "renewal-20260911", iso(renews_at), "SUB-1")
    if operation_state is not OperationState.FAILED_UNKNOWN:
        make.row("change_scheduled", "CUST-1042", done, "SUB-1")
    if offers:
        for lower in list(Plan)[: plan.rank]:
            price = PlanPrice(
                plan=lower, price_cents=1900 * (lower.rank + 1), currency="USD", tax_terms="no tax is added",
                seats_included=1,
            )  # fmt: skip
            make.record(f"PRICE-{lower.rank + 1}", Source.CATALOGUE, price)
            make.row("offered_plan", f"PRICE-{lower.rank + 1}", str(lower), f"PRICE-{lower.rank + 1}")
    if quote is not None:
        add_quote(make, quote, expires_at)
    if operation_state is not None:
        make.operations.append(operation(make, operation_state))
        make.row("operation_state", QUOTE, str(operation_state), QUOTE)
    if done:
        make.row("scheduled_plan", "SCH-000001", str(target or "individual"), "SCH-000001")
        make.row("effective_at", "SCH-000001", iso(renews_at), "SCH-000001")
    if blocked is not None:
        make.row("quote_seats_kept", "CUST-1042", None, status=blocked[0], qualifier=blocked[1])
    make.close(ticket)


def other(
    make: Maker,
    *,
    outcome: Outcome = Outcome.CLARIFY,
    state: IssueState = IssueState.NEEDS_INPUT,
    reason: str = "about_account",
    refused: bool = False,
    ticket: str | None = None,
) -> None:
    make.issue(Other(id=make.next_id(), span=SPAN, refused_proposal=refused), outcome, state, reason)
    make.close(ticket)


def person(make: Maker, ticket: str | None) -> None:
    state = IssueState.HANDED_OFF if ticket else IssueState.HANDOFF_PENDING
    make.issue(HumanRequest(id=make.next_id(), span=SPAN), Outcome.HUMAN_HANDOFF, state, "person_requested")
    make.close(ticket)


def seed() -> Maker:
    """The first turn of the fixture: I1 and I2 evidence_ready, I3 needs_input."""
    make = Maker()
    duplicate(make)
    feature(make)
    change(make)
    return make


def quoted(**more: Any) -> Maker:
    """The customer has picked Individual."""
    make = Maker()
    change(
        make, state=IssueState.AWAITING_CONFIRMATION, outcome=Outcome.VERIFIED_SELF_SERVICE, reason="downgrade_quoted",
        target=TargetPlan.INDIVIDUAL, offers=False, quote=terms(), **more,
    )  # fmt: skip
    return make


def scheduled() -> Maker:
    """The subscription service has recorded the change."""
    make = Maker()
    change(
        make, state=IssueState.SCHEDULED, outcome=Outcome.VERIFIED_SELF_SERVICE, reason="scheduled",
        target=TargetPlan.INDIVIDUAL, offers=False, operation_state=OperationState.COMPLETED,
    )  # fmt: skip
    return make


def unknown() -> Maker:
    """The answer to the scheduling was lost."""
    make = Maker()
    change(
        make, state=IssueState.UNKNOWN, outcome=Outcome.VERIFIED_SELF_SERVICE, reason="failed_unknown",
        target=TargetPlan.INDIVIDUAL, offers=False, quote=terms(), operation_state=OperationState.FAILED_UNKNOWN,
    )  # fmt: skip
    make.quotes.clear()
    return make


def unread() -> Maker:
    """Billing and incidents could not be read, the seats are not known; everything is with a specialist."""
    make = Maker()
    person_has = IssueState.HANDED_OFF
    blocked_billing(make, ClaimStatus.UNSUPPORTED, "timeout", ticket="HO-000001")
    blocked = ("active_incidents", ClaimStatus.UNSUPPORTED, "timeout")
    feature(make, state=person_has, reason="timeout", blocked=blocked, ticket="HO-000002")
    change(
        make, state=person_has, outcome=Outcome.HUMAN_HANDOFF, reason="seats_unknown", target=TargetPlan.INDIVIDUAL,
        offers=False, blocked=(ClaimStatus.UNSUPPORTED, "seats_unknown"), ticket="HO-000003",
    )  # fmt: skip
    return make


def pending() -> Maker:
    """Neither the billing question nor the request for a person could be passed on yet."""
    make = Maker()
    blocked_billing(make, ClaimStatus.UNSUPPORTED, "timeout")
    person(make, None)
    return make


def single_charges() -> Maker:
    """Two invoices, each charged once, with a second charge that has not settled."""
    make = Maker()
    no_duplicate(make, unsettled=1)
    return make


def refunded() -> Maker:
    """The excess charge was refunded before the customer wrote."""
    make = Maker()
    duplicate(make, refunded=True, reason="already_returned")
    return make


def incident() -> Maker:
    """The feature is in the plan and an incident is active."""
    make = Maker()
    feature(make, incidents=1, in_plan=True, on_account=True, beta_ended=None, reason="active_incident")
    return make


def transferred() -> Maker:
    """The billing question was passed on, the two others stand as at first."""
    make = Maker()
    duplicate(make, state=IssueState.HANDED_OFF, reason="customer_asked", ticket="HO-000001")
    feature(make)
    change(make)
    return make


MATERIALS = {
    "seed": seed,
    "quoted": quoted,
    "scheduled": scheduled,
    "unknown": unknown,
    "unread": unread,
    "pending": pending,
    "single_charges": single_charges,
    "refunded": refunded,
    "incident": incident,
    "transferred": transferred,
}
"""The materials that the tables of drafts name."""
