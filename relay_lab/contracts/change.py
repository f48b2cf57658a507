"""The quote a customer confirms and the envelope that is executed (001 §7)."""

from typing import Literal

from relay_lab.contracts.base import Contract, Currency, Ident, Sha256, Utc, fingerprint
from relay_lab.contracts.enums import Feature, Plan


class ChangeTerms(Contract):
    """Everything a downgrade does, exactly: what the customer reviews. Two equal terms have the same change hash."""

    customer_id: Ident
    current_plan: Plan
    target_plan: Plan
    price_cents: int
    currency: Currency
    tax_terms: str
    seats_kept: tuple[Ident, ...]
    seats_ended: tuple[Ident, ...]
    designated_seat_id: Ident
    features_lost: tuple[Feature, ...]
    data_retained: bool
    immediate_refund: Literal["none"]
    effective_at: Utc
    subscription_version: int
    renewal_cycle_id: Ident
    policy_version: Ident

    @property
    def change_hash(self) -> str:
        """SHA-256 of the canonical text of the terms."""
        return fingerprint(self)


class Quote(Contract):
    """An immutable offer of those terms until `expires_at`. Another seat, plan or price is another quote.

    `version` counts what was ever proposed to the customer, from 1; the id ends in it.
    """

    quote_id: Ident
    version: int
    issue_id: Ident
    terms: ChangeTerms
    expires_at: Utc
    change_hash: Sha256


class Envelope(Contract):
    """What the subscription service is asked to do, with everything it needs to refuse (001 §7).

    `idempotency_key` is tenant:customer:cycle:issue:quote; no part of it changes meaning with time.
    """

    tool: Literal["schedule_downgrade"] = "schedule_downgrade"
    tenant_id: Ident
    runtime_customer_id: Ident
    target_plan: Plan
    designated_seat_id: Ident
    effective_at: Utc
    renewal_cycle_id: Ident
    expected_subscription_version: int
    quote_id: Ident
    confirmation_id: Ident
    policy_version: Ident
    idempotency_key: Ident
