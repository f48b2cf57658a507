"""What systems of record answer: verified values with source time and version, or a tagged error (001 §3, §4)."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from relay_lab.contracts.base import Code, Contract, Currency, Ident, Utc
from relay_lab.contracts.enums import Feature, Plan


class Source(StrEnum):
    """A system of record. No fact has two owners."""

    ACCOUNTS = "accounts"
    SUBSCRIPTIONS = "subscriptions"
    CATALOGUE = "catalogue"
    ENTITLEMENTS = "entitlements"
    BILLING = "billing"
    INCIDENTS = "incidents"
    POLICIES = "policies"
    ARTICLES = "articles"
    HANDOFF_QUEUE = "handoff_queue"
    RUNTIME = "runtime"


class Account(Contract):
    """Owned by accounts: identity, zone, allowed operations, contract terms."""

    kind: Literal["account"] = "account"
    customer_id: Ident
    tenant_id: Ident
    display_zone: str
    allowed_operations: tuple[Code, ...]
    contract_terms: Literal["self_service", "negotiated"]
    owner_seat_id: Ident | None


class Seat(Contract):
    """A seat of a subscription. `holder` is a display name, shown and never interpreted."""

    seat_id: Ident
    holder: str


class Subscription(Contract):
    """Owned by subscriptions. `seats` is null when the records cannot tell; `scheduled_plan` is the change already scheduled."""

    kind: Literal["subscription"] = "subscription"
    customer_id: Ident
    plan: Plan
    cycle_id: Ident
    renews_at: Utc
    subscription_version: int
    seats: tuple[Seat, ...] | None
    scheduled_plan: Plan | None
    schedule_id: Ident | None


class PlanMap(Contract):
    """Owned by entitlements: the features each plan includes, in one version."""

    kind: Literal["plan_map"] = "plan_map"
    map_version: Ident
    features: dict[Plan, tuple[Feature, ...]]


class Entitlement(Contract):
    """Owned by entitlements: what this account has been given, computed under one version of the plan map."""

    kind: Literal["entitlement"] = "entitlement"
    customer_id: Ident
    map_version: Ident
    features: tuple[Feature, ...]


class Enrolment(Contract):
    """Owned by entitlements: access outside the plan, through a beta or trial. `ended_at` null means it runs still."""

    kind: Literal["enrolment"] = "enrolment"
    customer_id: Ident
    programme: Ident
    feature: Feature
    started_at: Utc
    ended_at: Utc | None


class Transaction(Contract):
    """Owned by billing: one immutable charge."""

    kind: Literal["transaction"] = "transaction"
    customer_id: Ident
    invoice_id: Ident
    amount_cents: int
    currency: Currency
    charged_at: Utc
    settlement: Literal["settled", "pending", "failed"]


class Invoice(Contract):
    """Owned by billing: what was due for a month. `month` is an explicit label (`2026-08`)."""

    kind: Literal["invoice"] = "invoice"
    customer_id: Ident
    due_cents: int
    currency: Currency
    month: str


class Reconciliation(Contract):
    """Owned by billing: its finding on one invoice. Equal amounts alone prove nothing; this record does."""

    kind: Literal["reconciliation"] = "reconciliation"
    customer_id: Ident
    invoice_id: Ident
    excess_captures: int
    reversed: bool
    refunded: bool


class Statement(Contract):
    """Owned by billing: the window that was read and, explicitly, which invoice is last month's (null: none)."""

    kind: Literal["statement"] = "statement"
    customer_id: Ident
    from_at: Utc
    until_at: Utc
    last_month_invoice_id: Ident | None


class IncidentReport(Contract):
    """Owned by incidents: the active incidents of one feature. Empty is an observation, not the cause of anything."""

    kind: Literal["incident_report"] = "incident_report"
    feature: Feature
    active: tuple["Incident", ...]


class Incident(Contract):
    """One active service incident."""

    incident_id: Ident
    started_at: Utc
    affected_features: tuple[Feature, ...]
    status: Code


class RefundPolicy(Contract):
    """Owned by policies: the version in force at an instant."""

    kind: Literal["refund_policy"] = "refund_policy"
    effective_at: Utc
    duplicate_capture_eligible: bool
    approval: tuple[Literal["verified_self_service", "billing_agent"], ...]


class SubscriptionPolicy(Contract):
    """Owned by policies: what may be changed by the customer, when it takes effect and whether it must be confirmed."""

    kind: Literal["subscription_policy"] = "subscription_policy"
    effective_at: Utc
    downgrade_allowed: bool
    takes_effect: Literal["renewal_boundary"]
    confirmation_required: bool
    data_retained: bool
    immediate_refund: Literal["none"]


class NoPolicy(Contract):
    """Owned by policies: nothing of this family was in force at the instant asked for."""

    kind: Literal["no_policy"] = "no_policy"
    policy_id: Code
    asked_at: Utc


class PlanPrice(Contract):
    """Owned by the plan catalogue. The price is per month."""

    kind: Literal["plan_price"] = "plan_price"
    plan: Plan
    price_cents: int
    currency: Currency
    tax_terms: str
    seats_included: int


class Article(Contract):
    """Prose. It may explain; it never supports a claim of authority or of an account fact."""

    kind: Literal["article"] = "article"
    title: str
    text: str


Value = Annotated[
    Account
    | Subscription
    | PlanMap
    | Entitlement
    | Enrolment
    | Transaction
    | Invoice
    | Reconciliation
    | Statement
    | IncidentReport
    | RefundPolicy
    | SubscriptionPolicy
    | NoPolicy
    | PlanPrice
    | Article,
    Field(discriminator="kind"),
]


class VerifiedRecord(Contract):
    """One fact of one system of record. Made by a system of record only.

    `evidence_id` is the record's own id (`TX-901`, `RP-7`); `source_at` when the source knew it; it is stale once older
    than `fresh_for_s` seconds; `version` the record's own version.
    """

    evidence_id: Ident
    source: Source
    source_at: Utc
    fresh_for_s: int
    version: Ident
    value: Value


class ReadSuccess(Contract):
    """A read that was answered in time. `records` may be empty: that says nothing was found, nothing else."""

    kind: Literal["success"] = "success"
    tool: Code
    source_at: Utc
    records: tuple[VerifiedRecord, ...]


class ReadError(Contract):
    """A read that was not answered. It is not evidence of anything. `code`: timeout, unavailable, denied, …"""

    kind: Literal["error"] = "error"
    tool: Code
    source_at: Utc
    code: Code
    retryable: bool


ReadAnswer = Annotated[ReadSuccess | ReadError, Field(discriminator="kind")]


class Missing(Contract):
    """A record that an issue requires and that could not be had: `record` is its kind, `code` why (timeout, scope_missing, …)."""

    issue_id: str
    record: Code
    code: Code


class Retrieval(Contract):
    """What step 3 brings back: every record read, every read made, every required record that is missing."""

    records: tuple[VerifiedRecord, ...]
    reads: tuple[ReadAnswer, ...]
    missing: tuple[Missing, ...]
