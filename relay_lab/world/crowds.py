"""Other customers: neighbours who must stay out of sight, and crowds for measuring. Nobody's wishes, plain records."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from relay_lab.contracts.enums import Feature, Plan
from relay_lab.contracts.evidence import Seat
from relay_lab.world import data
from relay_lab.world.dice import Dice
from relay_lab.world.renewal import cycle_id_of

PRICES = {Plan.INDIVIDUAL: 1200, Plan.TEAM: 3600, Plan.BUSINESS: 9600}


@dataclass
class Crowd:
    """The records of many customers, kind by kind."""

    accounts: list[data.AccountRow] = field(default_factory=list)
    subscriptions: list[data.SubscriptionRow] = field(default_factory=list)
    entitlements: list[data.EntitlementRow] = field(default_factory=list)
    invoices: list[data.InvoiceRow] = field(default_factory=list)
    transactions: list[data.TransactionRow] = field(default_factory=list)
    reconciliations: list[data.ReconciliationRow] = field(default_factory=list)


def crowd(
    dice: Dice,
    now: datetime,
    members: Iterable[tuple[str, str]],
    map_version: str,
    features: dict[Plan, tuple[Feature, ...]],
    currency: str,
) -> Crowd:
    """Records for each (customer id, tenant id): a plan, one invoice of last month, one charge or two with a finding."""
    made = Crowd()
    charged_at = now.replace(day=1, hour=12) - timedelta(days=10)
    for customer_id, tenant_id in members:
        plan = dice.one_of((Plan.INDIVIDUAL, Plan.TEAM, Plan.BUSINESS))
        renews_at = (now + timedelta(days=dice.between(1, 27))).replace(minute=0, second=0, microsecond=0)
        seat = Seat(seat_id=f"{customer_id}-s1", holder="Someone Else")
        made.accounts.append(
            data.AccountRow(
                customer_id=customer_id,
                tenant_id=tenant_id,
                display_zone="UTC",
                allowed_operations=("schedule_downgrade",),
                contract_terms="self_service",
                owner_seat_id=seat.seat_id,
            )
        )
        made.subscriptions.append(
            data.SubscriptionRow(
                customer_id=customer_id,
                plan=plan,
                cycle_id=cycle_id_of(renews_at),
                renews_at=renews_at,
                subscription_version=dice.between(1, 9),
                seats=(seat,),
            )
        )
        made.entitlements.append(
            data.EntitlementRow(customer_id=customer_id, map_version=map_version, features=features[plan])
        )
        _bill(made, customer_id, PRICES[plan], currency, charged_at, 2 if dice.chance(0.1) else 1)
    return made


def _bill(
    made: Crowd, customer_id: str, cents: int, currency: str, charged_at: datetime, charges: int
) -> None:
    invoice_id = f"{customer_id}-inv-{charged_at:%Y%m}"
    made.invoices.append(
        data.InvoiceRow(
            invoice_id=invoice_id,
            customer_id=customer_id,
            due_cents=cents,
            currency=currency,
            month=f"{charged_at:%Y-%m}",
        )
    )
    for number in range(charges):
        made.transactions.append(
            data.TransactionRow(
                transaction_id=f"{customer_id}-tx-{number + 1}",
                customer_id=customer_id,
                invoice_id=invoice_id,
                amount_cents=cents,
                currency=currency,
                charged_at=charged_at + timedelta(minutes=number),
                settlement="settled",
            )
        )
    if charges > 1:
        made.reconciliations.append(
            data.ReconciliationRow(
                reconciliation_id=f"{customer_id}-dup",
                customer_id=customer_id,
                invoice_id=invoice_id,
                excess_captures=charges - 1,
                reversed=False,
                refunded=False,
            )
        )
