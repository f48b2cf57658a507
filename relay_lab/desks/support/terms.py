"""What a downgrade does, exactly, from verified records; a consequence that they cannot tell means no quote (001 §7)."""

import re
from collections.abc import Iterable
from functools import lru_cache

from relay_lab.contracts.change import ChangeTerms, Envelope, Quote
from relay_lab.contracts.enums import Plan
from relay_lab.contracts.evidence import (
    Account,
    PlanMap,
    PlanPrice,
    Subscription,
    SubscriptionPolicy,
    VerifiedRecord,
)
from relay_lab.contracts.operations import Proposal
from relay_lab.desks.support.claims.rows import first, of_kind


def terms_of(records: tuple[VerifiedRecord, ...], target: Plan, seat_id: str | None) -> ChangeTerms | None:
    """The exact terms of moving to `target` at the renewal, keeping `seat_id` (None: the account owner's seat).

    None when the records cannot tell: no seat list, no such seat, no owner's seat and none named, seats that would have to
    be chosen beyond the designated one, no price, no plan map, no policy.
    """
    _, account = first(records, Account)
    _, subscription = first(records, Subscription)
    _, plan_map = first(records, PlanMap)
    policy_id, policy = first(records, SubscriptionPolicy)
    price = next((value for _, value in of_kind(records, PlanPrice) if value.plan is target), None)
    if account is None or subscription is None or plan_map is None or policy is None or policy_id is None:
        return None
    seats = _seats(subscription, seat_id or account.owner_seat_id, price.seats_included if price else 0)
    if price is None or seats is None or target not in plan_map.features:
        return None
    designated, kept, ended = seats
    before = plan_map.features.get(subscription.plan, ())
    return ChangeTerms(
        customer_id=subscription.customer_id,
        current_plan=subscription.plan,
        target_plan=target,
        price_cents=price.price_cents,
        currency=price.currency,
        tax_terms=price.tax_terms,
        seats_kept=kept,
        seats_ended=ended,
        designated_seat_id=designated,
        features_lost=tuple(feature for feature in before if feature not in plan_map.features[target]),
        data_retained=policy.data_retained,
        immediate_refund=policy.immediate_refund,
        effective_at=subscription.renews_at,
        subscription_version=subscription.subscription_version,
        renewal_cycle_id=subscription.cycle_id,
        policy_version=policy_id,
    )


def _seats(
    subscription: Subscription, designated: str | None, included: int
) -> tuple[str, tuple[str, ...], tuple[str, ...]] | None:
    """(designated, kept, ended), or None when the records leave open which seats stay."""
    ids = [seat.seat_id for seat in subscription.seats or ()]
    if designated is None or designated not in ids:
        return None
    if len(ids) <= included:
        return designated, tuple(ids), ()
    if included != 1:
        return None
    return designated, (designated,), tuple(seat for seat in ids if seat != designated)


def named_seat(message: str, seats: Iterable[str]) -> str | None:
    """The one seat that a message names by its id, or None when it names none or several."""
    named = [seat for seat in seats if re.search(rf"(?<![\w-]){re.escape(seat)}(?![\w-])", message)]
    return named[0] if len(named) == 1 else None


def quote_of(proposal: Proposal) -> Quote:
    """The quote that a stored proposal shows."""
    return _quote(proposal.payload)


@lru_cache(maxsize=64)
def _quote(payload: str) -> Quote:
    """A turn looks at the same text again and again: both the text and the quote are immutable."""
    return Quote.model_validate_json(payload)


def envelope_of(proposal: Proposal) -> Envelope:
    """The one envelope that a confirmed proposal allows (001 §7)."""
    return envelope(proposal.tenant_id, quote_of(proposal), proposal.confirmation_id)


def envelope(tenant_id: str, quote: Quote, confirmation_id: str) -> Envelope:
    """The envelope of a quote. Its key names the cycle and the quote, never a word whose meaning moves with time."""
    terms = quote.terms
    key = f"{tenant_id}:{terms.customer_id}:{terms.renewal_cycle_id}:{quote.issue_id}:{quote.quote_id}"
    return Envelope(
        tenant_id=tenant_id,
        runtime_customer_id=terms.customer_id,
        target_plan=terms.target_plan,
        designated_seat_id=terms.designated_seat_id,
        effective_at=terms.effective_at,
        renewal_cycle_id=terms.renewal_cycle_id,
        expected_subscription_version=terms.subscription_version,
        quote_id=quote.quote_id,
        confirmation_id=confirmation_id,
        policy_version=terms.policy_version,
        idempotency_key=key,
    )
