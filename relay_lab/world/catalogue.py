"""The plan catalogue: the price of each plan, its tax terms, and how many seats it includes."""

from collections.abc import Iterable

from relay_lab.contracts.enums import Plan
from relay_lab.contracts.evidence import PlanPrice, Source, VerifiedRecord
from relay_lab.world.data import PriceRow
from relay_lab.world.system import System


class Catalogue(System):
    """The system of record for plans on sale."""

    source = Source.CATALOGUE
    TABLES = """
CREATE TABLE plan_prices (
  plan TEXT PRIMARY KEY,
  price_cents INTEGER NOT NULL,
  currency TEXT NOT NULL,
  tax_terms TEXT NOT NULL,
  seats_included INTEGER NOT NULL,
  version TEXT NOT NULL
) WITHOUT ROWID;
"""

    def load(self, prices: Iterable[PriceRow]) -> None:
        """Fill the empty table."""
        self._db.many("INSERT INTO plan_prices VALUES (?, ?, ?, ?, ?, ?)", map(_columns, prices))

    def prices(self) -> list[VerifiedRecord]:
        """Every plan on sale (`PRICE-<plan>`), cheapest plan first."""
        found = self._db.rows(
            "SELECT plan, price_cents, currency, tax_terms, seats_included, version FROM plan_prices"
        )
        return [
            self._verified(f"PRICE-{row[0]}", row[5], _price(row))
            for row in sorted(found, key=lambda row: Plan(row[0]).rank)
        ]

    def seats_included(self, plan: Plan) -> int | None:
        """How many seats a plan includes; None when it is not on sale."""
        row = self._db.one("SELECT seats_included FROM plan_prices WHERE plan = ?", plan)
        return None if row is None else int(row[0])

    def publish(self, price: PriceRow) -> None:
        """Put a plan on sale on these terms from now on (journalled as back office, no mutation on request)."""
        with self._db.transaction():
            self._db.run("INSERT OR REPLACE INTO plan_prices VALUES (?, ?, ?, ?, ?, ?)", *_columns(price))
            self._note("publish_price", key=f"PRICE-{price.plan}")


def _price(row: tuple[str, int, str, str, int, str]) -> PlanPrice:
    return PlanPrice(
        plan=Plan(row[0]), price_cents=row[1], currency=row[2], tax_terms=row[3], seats_included=row[4]
    )


def _columns(price: PriceRow) -> tuple[str | int, ...]:
    return (
        price.plan,
        price.price_cents,
        price.currency,
        price.tax_terms,
        price.seats_included,
        price.version,
    )
