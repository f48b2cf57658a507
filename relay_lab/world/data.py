"""What a company holds before anyone asks it for anything: one frozen value, read from a fixture or made by the generator."""

import json
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from relay_lab.contracts import evidence
from relay_lab.contracts.base import Contract, Ident, Utc
from relay_lab.contracts.enums import Plan, TargetPlan
from relay_lab.contracts.evidence import Seat, Source
from relay_lab.contracts.session import Session
from relay_lab.world.errors import FixtureError


class SourceTerms(Contract):
    """How far a system of record lags behind the clock, and how long what it says stays fresh. Both in seconds."""

    source: Source
    fresh_for_s: int = Field(gt=0)
    lag_s: int = Field(ge=0)


class AccountRow(evidence.Account):
    """An account with its own version."""

    version: Ident = "v1"


class SubscriptionRow(Contract):
    """A subscription. Its tenant is the account's; `seats` null when the records cannot tell."""

    customer_id: Ident
    plan: Plan
    cycle_id: Ident
    renews_at: Utc
    subscription_version: int = Field(ge=1)
    seats: tuple[Seat, ...] | None


class PriceRow(evidence.PlanPrice):
    """A catalogue entry with its own version."""

    version: Ident = "v1"


class PlanMapRow(evidence.PlanMap):
    """A plan map and since when it is in force."""

    in_force_at: Utc


class EntitlementRow(evidence.Entitlement):
    """What an account has been given."""


class EnrolmentRow(evidence.Enrolment):
    """An enrolment, with its own version."""

    version: Ident = "v1"


class InvoiceRow(evidence.Invoice):
    """An invoice under its id."""

    invoice_id: Ident


class TransactionRow(evidence.Transaction):
    """A charge under its id."""

    transaction_id: Ident


class ReconciliationRow(evidence.Reconciliation):
    """A finding under its id, with its own version."""

    reconciliation_id: Ident
    version: Ident = "v1"


class IncidentRow(evidence.Incident):
    """An incident; active until `ended_at`."""

    ended_at: Utc | None = None


class RefundPolicyRow(evidence.RefundPolicy):
    """One version of the refund policy, in force from `effective_at` until a later one or `withdrawn_at`."""

    policy_version: Ident
    withdrawn_at: Utc | None = None


class SubscriptionPolicyRow(evidence.SubscriptionPolicy):
    """One version of the subscription policy, in force from `effective_at` until a later one or `withdrawn_at`."""

    policy_version: Ident
    withdrawn_at: Utc | None = None


class ArticleRow(evidence.Article):
    """An article as it was written, active content and all."""

    article_id: Ident
    version: Ident = "v1"


class WorldData(Contract):
    """Everything the tables of a company hold at its creation. One tuple for each kind of record; any may be empty."""

    sources: tuple[SourceTerms, ...]
    accounts: tuple[AccountRow, ...] = ()
    subscriptions: tuple[SubscriptionRow, ...] = ()
    prices: tuple[PriceRow, ...] = ()
    plan_maps: tuple[PlanMapRow, ...] = ()
    entitlements: tuple[EntitlementRow, ...] = ()
    enrolments: tuple[EnrolmentRow, ...] = ()
    invoices: tuple[InvoiceRow, ...] = ()
    transactions: tuple[TransactionRow, ...] = ()
    reconciliations: tuple[ReconciliationRow, ...] = ()
    incidents: tuple[IncidentRow, ...] = ()
    refund_policies: tuple[RefundPolicyRow, ...] = ()
    subscription_policies: tuple[SubscriptionPolicyRow, ...] = ()
    articles: tuple[ArticleRow, ...] = ()


class Scenario(Contract):
    """A company at one instant, the session of one customer, what they write, and the plan they pick when asked.

    `pick` null: they pick none. What should come of it is not in here: no code under judgement may see that.
    """

    name: Ident
    now: Utc
    session: Session
    message: str
    pick: TargetPlan | None
    data: WorldData


SCENARIO_FILE = "scenario.json"


def fixtures_folder() -> Path:
    """Where the fixtures lie: inside an installed package, else beside the package of a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "_fixtures"
    return installed if installed.is_dir() else package.parent / "fixtures"


def load_fixture(name: str = "relay", folder: Path | None = None) -> Scenario:
    """Read the scenario of a fixture: one JSON file for each system of record, beside `scenario.json`.

    Raises `FixtureError` naming the file and the place in it when something is missing or is not what it must be.
    """
    where = (folder or fixtures_folder()) / name
    if not where.is_dir():
        raise FixtureError(f"There is no world named {name!r}; looked for the folder {where}.")
    parts = {path.name: _parsed(path) for path in sorted(where.glob("*.json"))}
    if SCENARIO_FILE not in parts:
        raise FixtureError(f"The world {name!r} has no {SCENARIO_FILE}.")
    scenario = parts.pop(SCENARIO_FILE)
    owner: dict[str, str] = {}
    for file, part in parts.items():
        for key in part:
            if key in owner:
                raise FixtureError(
                    f"{where / file}: {key!r} stands in {owner[key]} already; no fact has two owners."
                )
            owner[key] = file
    data = {key: part[key] for part in parts.values() for key in part}
    try:
        return Scenario.model_validate_json(json.dumps({**scenario, "name": name, "data": data}))
    except ValidationError as error:
        raise FixtureError(_place(where, owner, error)) from error


def _parsed(path: Path) -> dict[str, Any]:
    try:
        part = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise FixtureError(f"{path} cannot be read as JSON: {error}.") from error
    if not isinstance(part, dict):
        raise FixtureError(f"{path} must hold a JSON object.")
    return part


def _place(where: Path, owner: dict[str, str], error: ValidationError) -> str:
    first = error.errors()[0]
    place = [str(part) for part in first["loc"]]
    file = SCENARIO_FILE
    if len(place) > 1 and place[0] == "data":
        place = place[1:]
        file = owner.get(place[0], "*.json")
    return f"{where / file}: {'.'.join(place)}: {first['msg']}."
