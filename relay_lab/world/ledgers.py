"""The billing records of a generated world: charges, invoices and what reconciliation found, case by case."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from relay_lab.world.data import InvoiceRow, ReconciliationRow, TransactionRow
from relay_lab.world.dice import Dice
from relay_lab.world.setting import Setting
from relay_lab.world.troubles import Duplicate


@dataclass(frozen=True)
class Books:
    """One customer's billing records."""

    invoices: tuple[InvoiceRow, ...]
    transactions: tuple[TransactionRow, ...]
    reconciliations: tuple[ReconciliationRow, ...]


def books(dice: Dice, setting: Setting, duplicate: Duplicate | None) -> Books:
    """Last month's charges as the case has them; one clean charge when no duplicate is reported."""
    case = duplicate.case if duplicate else "single"
    first_at = setting.last_month(dice.between(2, 24), dice.between(8, 20), dice.between(0, 59))
    gaps = (timedelta(minutes=dice.between(1, 50)), timedelta(hours=dice.between(1, 40)))
    scribe = _Scribe(dice, setting)
    due = scribe.invoice(first_at, 0)
    scribe.charge(due, first_at, "settled")
    match case:
        case "single":
            pass
        case "separate":
            scribe.charge(scribe.invoice(first_at, 1), first_at + dice.one_of(gaps), "settled")
        case "unsettled":
            scribe.charge(due, first_at + dice.one_of(gaps), dice.one_of(("pending", "failed")))
        case _:
            for number in range(2 if case == "excess_twice" else 1):
                scribe.charge(due, first_at + gaps[number], "settled")
    if case in {"excess", "excess_twice", "reversed", "refunded"}:
        scribe.finding(due, 2 if case == "excess_twice" else 1, case == "reversed", case == "refunded")
    if case != "separate" and dice.chance(0.4):
        month_before = first_at - timedelta(days=31)
        scribe.charge(scribe.invoice(month_before, 0), month_before, "settled")
    return Books(tuple(scribe.invoices), tuple(scribe.transactions), tuple(scribe.reconciliations))


class _Scribe:
    def __init__(self, dice: Dice, setting: Setting) -> None:
        self._dice, self._setting = dice, setting
        self._invoice_style = dice.one_of(("INV-{mark}-{month}", "{month}.{mark}", "inv_{mark}_{month}"))
        self._charge_style = dice.one_of(("TX-{}", "ch_{}", "PAY.{}"))
        self._finding_style = dice.one_of(("DUP-{}", "rec-{}", "RECON/{}"))
        self._number = dice.between(100, 8000) * 10
        self.invoices: list[InvoiceRow] = []
        self.transactions: list[TransactionRow] = []
        self.reconciliations: list[ReconciliationRow] = []

    def invoice(self, charged_at: datetime, months_back: int) -> str:
        """An invoice for the month of a charge, or for an earlier one that was charged late."""
        local = charged_at.astimezone(ZoneInfo(self._setting.zone))
        for _ in range(months_back):
            local = local.replace(day=1) - timedelta(days=1)
        month = f"{local:%Y-%m}"
        invoice_id = self._invoice_style.format(mark=self._setting.mark, month=month.replace("-", ""))
        self.invoices.append(
            InvoiceRow(
                invoice_id=invoice_id,
                customer_id=self._setting.customer_id,
                due_cents=self._setting.prices[self._setting.plan],
                currency=self._setting.currency,
                month=month,
            )
        )
        return invoice_id

    def charge(
        self, invoice_id: str, at: datetime, settlement: Literal["settled", "pending", "failed"]
    ) -> None:
        """A charge of what is due."""
        self._number += self._dice.between(1, 9)
        self.transactions.append(
            TransactionRow(
                transaction_id=self._charge_style.format(self._number),
                customer_id=self._setting.customer_id,
                invoice_id=invoice_id,
                amount_cents=self._setting.prices[self._setting.plan],
                currency=self._setting.currency,
                charged_at=at + timedelta(seconds=self._dice.between(0, 59)),
                settlement=settlement,
            )
        )

    def finding(self, invoice_id: str, excess: int, is_reversed: bool, is_refunded: bool) -> None:
        """What reconciliation found on an invoice."""
        self.reconciliations.append(
            ReconciliationRow(
                reconciliation_id=self._finding_style.format(self._dice.between(1, 900)),
                customer_id=self._setting.customer_id,
                invoice_id=invoice_id,
                excess_captures=excess,
                reversed=is_reversed,
                refunded=is_refunded,
            )
        )
