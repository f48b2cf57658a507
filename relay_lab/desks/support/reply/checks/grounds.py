"""What one sentence may rest on: the claims it cites, and the values those claims and their evidence hold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.change import Quote
from relay_lab.contracts.enums import ClaimStatus, Feature, Plan
from relay_lab.contracts.evidence import IncidentReport, PlanPrice, Transaction, Value
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import IssueView
from relay_lab.desks.support.reply.material import ReplyMaterial

DATE_ROLES = {
    "renews_at": "renew renewal",
    "effective_at": "effect scheduled stay",
    "quote_effective_at": "effect stay",
    "quote_expires_at": "open expire",
    "prior_access_ended_at": "end",
}
"""Predicate of an instant -> the words one of which must stand nearest to it."""

CENTS_ROLES = {"charge_cents": "charge settled", "invoice_due_cents": "due invoice"}
COUNT_ROLES = {
    "settled_charges": "charge charged settled",
    "unsettled_charges": "unsettled",
    "excess_captures": "excess",
    "active_incidents": "incident",
}
ID_KINDS = {
    "settled_charges": "invoice", "unsettled_charges": "invoice", "invoice_due_cents": "invoice", "charge_cents": "invoice",
    "excess_captures": "record", "excess_reversed": "record", "excess_refunded": "record", "refund_eligible": "policy",
    "scheduled_plan": "schedule", "effective_at": "schedule",
}  # fmt: skip
"""Predicate -> what kind of id its subject is."""

FEATURE_CLAIMS = (
    "feature_in_plan",
    "feature_on_account",
    "prior_access",
    "active_incidents",
    "enrolment_active",
)
VALUE_KINDS = {"prior_access": "beta", "incident_id": "incident", "ticket": "ticket"}


@dataclass
class Facts:
    """Values with the roles in which they hold, and the thing they hold of (an invoice, a plan) where there is one."""

    amounts: list[tuple[int, str, frozenset[str], Plan | str]] = field(default_factory=list)
    instants: list[tuple[datetime, frozenset[str]]] = field(default_factory=list)
    counts: list[tuple[int, frozenset[str], str]] = field(default_factory=list)
    ids: list[tuple[str, str, str]] = field(default_factory=list)
    plans: list[tuple[Plan, str]] = field(default_factory=list)
    features: list[tuple[Feature, str]] = field(default_factory=list)


@dataclass(frozen=True)
class Ground:
    """A sentence's issue, the supported and the other rows it cites, and the facts in the supported ones."""

    material: ReplyMaterial
    view: IssueView | None
    rows: tuple[LedgerRow, ...]
    blocked: tuple[LedgerRow, ...]
    quote: Quote | None
    facts: Facts

    def value(self, predicate: str, subject: str | None = None) -> Scalar:
        """The value of a cited supported claim, or None."""
        found = (
            row.claim.value
            for row in self.rows
            if row.claim.predicate == predicate and subject in (None, row.claim.subject)
        )
        return next(found, None)

    def values(self, predicate: str) -> list[Scalar]:
        """The values of every cited supported claim under a predicate."""
        return [row.claim.value for row in self.rows if row.claim.predicate == predicate]

    def issue_rows(self) -> tuple[LedgerRow, ...]:
        """All supported rows of the sentence's issue, cited or not."""
        rows = self.material.ledger.of(self.view.issue.id) if self.view else ()
        return tuple(row for row in rows if row.status is ClaimStatus.SUPPORTED)

    def issue_blocked(self) -> tuple[LedgerRow, ...]:
        """All rows of the sentence's issue that are not supported."""
        rows = self.material.ledger.of(self.view.issue.id) if self.view else ()
        return tuple(row for row in rows if row.status is not ClaimStatus.SUPPORTED)


def ground(material: ReplyMaterial, cited: tuple[LedgerRow, ...]) -> Ground:
    """Collect what the cited rows, all of one issue, hold."""
    view = material.view(cited[0].issue_id) if cited else None
    supported = tuple(row for row in cited if row.status is ClaimStatus.SUPPORTED)
    blocked = tuple(row for row in cited if row.status is not ClaimStatus.SUPPORTED)
    quote = material.quote(view.issue.id) if view else None
    facts = Facts()
    values = {record.evidence_id: record.value for record in material.evidence}
    for row in supported:
        _from_claim(row, supported, facts)
        _from_evidence(row, values, facts)
        if quote is not None and row.claim.subject == quote.quote_id:
            _from_quote(row.claim.predicate, quote, facts)
    if view is not None:
        _from_issue(view, facts)
    return Ground(material, view, supported, blocked, quote, facts)


def _roles(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _from_claim(row: LedgerRow, cited: tuple[LedgerRow, ...], facts: Facts) -> None:
    name, subject, value = row.claim.predicate, row.claim.subject, row.claim.value
    if name in ID_KINDS:
        facts.ids.append((subject, ID_KINDS[name], subject))
    if row.policy_version is not None:
        facts.ids.append((row.policy_version, "policy", ""))
    if name in VALUE_KINDS and isinstance(value, str):
        facts.ids.append((value, VALUE_KINDS[name], ""))
    if name.startswith("quote_"):
        facts.ids.append((subject, "quote", ""))
    if name in COUNT_ROLES and isinstance(value, int):
        facts.counts.append((value, _roles(COUNT_ROLES[name]), subject))
    if name == "invoice_due_cents":
        facts.counts.append((1, _roles("due"), subject))
    if name in DATE_ROLES and isinstance(value, str):
        facts.instants.append((datetime.fromisoformat(value), _roles(DATE_ROLES[name])))
    if name in CENTS_ROLES and isinstance(value, int):
        currencies = (
            other.claim.value
            for other in cited
            if other.claim.predicate == "currency" and other.claim.subject == subject
        )
        currency = next((code for code in currencies if isinstance(code, str)), "")
        facts.amounts.append((value, currency, _roles(CENTS_ROLES[name]), subject))
    _named(name, subject, value, facts)


def _named(name: str, subject: str, value: Scalar, facts: Facts) -> None:
    if name == "current_plan" and value in set(Plan):
        facts.plans.append((Plan(str(value)), "current"))
    if name in ("scheduled_plan", "quote_plan", "offered_plan") and value in set(Plan):
        facts.plans.append((Plan(str(value)), "target"))
    if name in FEATURE_CLAIMS and subject in set(Feature):
        facts.features.append((Feature(subject), "asked"))


def _from_evidence(row: LedgerRow, values: Mapping[str, Value], facts: Facts) -> None:
    name, subject = row.claim.predicate, row.claim.subject
    if name in ("settled_charges", "unsettled_charges", "charge_cents"):
        kind = "unsettled" if name == "unsettled_charges" else "settled"
        facts.ids += [(other, kind, subject) for other in row.evidence_ids if other != subject]
    for evidence_id in row.evidence_ids:
        match values.get(evidence_id):
            case Transaction(charged_at=charged_at) if name in ("settled_charges", "charge_cents"):
                facts.instants.append((charged_at, _roles("charge charged settled")))
            case IncidentReport(active=active):
                facts.ids += [(incident.incident_id, "incident", "") for incident in active]
            case PlanPrice() as price if name == "offered_plan":
                facts.plans.append((price.plan, "target"))
                roles = _roles("price month cost")
                facts.amounts.append((price.price_cents, price.currency, roles, price.plan))
            case _:
                pass


def _from_quote(name: str, quote: Quote, facts: Facts) -> None:
    terms = quote.terms
    match name:
        case "quote_price_cents":
            roles = _roles("price month cost")
            facts.amounts.append((terms.price_cents, terms.currency, roles, terms.target_plan))
        case "quote_seats_kept":
            facts.ids += [(seat, "seat_kept", "") for seat in terms.seats_kept]
            facts.counts.append((len(terms.seats_kept), _roles("seat_kept"), ""))
        case "quote_seats_ended":
            facts.ids += [(seat, "seat_ended", "") for seat in terms.seats_ended]
            facts.counts.append((len(terms.seats_ended), _roles("seat_ended"), ""))
        case "quote_designated_seat":
            facts.ids.append((terms.designated_seat_id, "seat_kept", ""))
        case "quote_features_lost":
            facts.features += [(feature, "lost") for feature in terms.features_lost]
        case "quote_plan":
            facts.plans += [(terms.target_plan, "target"), (terms.current_plan, "current")]
        case _:
            pass


def _from_issue(view: IssueView, facts: Facts) -> None:
    """The admitted slots of the issue may be named, as what was asked about and nothing more."""
    issue = view.issue
    if issue.type == "feature_access" and issue.feature is not None:
        facts.features.append((issue.feature, "topic"))
    if (
        issue.type == "subscription_change"
        and issue.target_plan is not None
        and issue.target_plan != "cancel"
    ):
        facts.plans.append((Plan(issue.target_plan.value), "topic"))
