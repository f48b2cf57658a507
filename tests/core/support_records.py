"""The support desk's own registry on fake systems of record: one small account whose every record a test may change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from core.carrier import Carrier
from core.watched import NOON, Clock, Rows, Watched

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.change import ChangeTerms, Envelope
from relay_lab.contracts.enums import Assurance, Feature, Plan
from relay_lab.contracts.evidence import (
    Account,
    PlanMap,
    PlanPrice,
    ReadAnswer,
    ReadSuccess,
    Seat,
    Source,
    Subscription,
    SubscriptionPolicy,
    VerifiedRecord,
)
from relay_lab.contracts.operations import Answered, Confirmed
from relay_lab.contracts.session import Context, Session
from relay_lab.core.confirmation import Grant
from relay_lab.core.runtime import Runtime
from relay_lab.desks.support.terms import envelope_of, terms_of
from relay_lab.desks.support.tools import PrepareQuote, registry
from relay_lab.store.runtime_store import open_store

SCOPES = (
    "billing:read",
    "entitlements:read",
    "incidents:read",
    "policy:read",
    "subscription:prepare",
    "subscription:schedule",
    "support:handoff",
)
RENEWS = NOON + timedelta(days=3)


def _values() -> dict[str, Any]:
    return {
        "ACC-7": Account(
            customer_id="CUST-7",
            tenant_id="acme",
            display_zone="UTC",
            allowed_operations=("schedule_downgrade",),
            contract_terms="self_service",
            owner_seat_id="SEAT-1",
        ),
        "SUB-7": Subscription(
            customer_id="CUST-7",
            plan=Plan.TEAM,
            cycle_id="cycle-1",
            renews_at=RENEWS,
            subscription_version=4,
            seats=(Seat(seat_id="SEAT-1", holder="Ada"), Seat(seat_id="SEAT-2", holder="Bo")),
            scheduled_plan=None,
            schedule_id=None,
        ),
        "PM-1": PlanMap(
            map_version="PM-1", features={Plan.INDIVIDUAL: (), Plan.TEAM: (Feature.GANTT_CHART,)}
        ),
        "SP-1": SubscriptionPolicy(
            effective_at=NOON - timedelta(days=90),
            downgrade_allowed=True,
            takes_effect="renewal_boundary",
            confirmation_required=True,
            data_retained=True,
            immediate_refund="none",
        ),
        "PRICE-1": PlanPrice(
            plan=Plan.INDIVIDUAL,
            price_cents=1_100,
            currency="EUR",
            tax_terms="tax included",
            seats_included=1,
        ),
    }


_BY_TOOL = {"get_plan_and_entitlements": ("ACC-7", "SUB-7", "PM-1"), "get_policy": ("SP-1", "PRICE-1")}


@dataclass
class Support:
    """A runtime with the support desk's tools. `values` are the records by id, `unread` the tools that do not answer."""

    values: dict[str, Any] = field(default_factory=_values)
    ids: dict[str, str] = field(default_factory=dict)
    unread: dict[str, ReadAnswer] = field(default_factory=dict)
    age_s: int = 0

    def __post_init__(self) -> None:
        self.clock, self.trace = Clock(), Rows()
        self._inner = open_store(None)
        self.store = Watched(self._inner, self.clock)
        self.subscriptions, self.queue = Carrier(self.store), Carrier(self.store)
        self.registry = dict(registry(self.subscriptions, self.queue))
        self.runtime = Runtime(self.store, self.registry, self, self.clock, self.trace, lambda: "secret")
        self.context = self.session()

    def close(self) -> None:
        self._inner.close()

    def session(self, scopes: tuple[str, ...] = SCOPES, conversation: str = "C-1", **session: Any) -> Context:
        """The customer's session, perhaps with fewer rights."""
        given: dict[str, Any] = {
            "authenticated_customer_id": "CUST-7",
            "session_assurance": Assurance.RECENT_MFA,
            "tenant_id": "acme",
        }
        return Context(
            session=Session(allowed_scopes=scopes, **given | session),
            conversation_id=conversation,
            run_id="R-1",
        )

    def change(self, record: str, **fields: Any) -> None:
        """What a record says from now on."""
        self.values[record] = self.values[record].model_copy(update=fields)

    def records(self, *ids: str) -> tuple[VerifiedRecord, ...]:
        return tuple(
            VerifiedRecord(
                evidence_id=self.ids.get(each, each),
                source=Source.ACCOUNTS,
                source_at=self.clock.now() - timedelta(seconds=self.age_s),
                fresh_for_s=60,
                version="v1",
                value=self.values[each],
            )
            for each in ids
            if each in self.values
        )

    def read(
        self, tool: str, tenant_id: str, customer_id: str, arguments: Mapping[str, Scalar], timeout_s: float
    ) -> ReadAnswer:
        """The systems of record, for reading."""
        self.store.must_be_closed()
        if tool in self.unread:
            return self.unread[tool]
        return ReadSuccess(tool=tool, source_at=self.clock.now(), records=self.records(*_BY_TOOL[tool]))

    def terms(self) -> ChangeTerms:
        """What a downgrade to Individual does by the records as they stand."""
        terms = terms_of(self.records(*self.values), Plan.INDIVIDUAL, None)
        assert terms is not None
        return terms

    def prepare(self) -> PrepareQuote:
        """The arguments of a quote on those terms."""
        return PrepareQuote(issue_id="I1", terms=self.terms(), expires_at=NOON + timedelta(minutes=30))

    def confirmed(self) -> tuple[Grant, Envelope]:
        """A quote that the customer confirmed, and the envelope that follows from it."""
        result = self.runtime.call(self.context, "prepare_downgrade_quote", self.prepare(), "K-1")
        assert isinstance(result, Answered)
        quote_id = str(result.answer["proposal_id"])
        challenge = self.runtime.show(self.context, quote_id)
        exchange = self.runtime.exchange(self.context, quote_id, str(challenge))
        assert isinstance(exchange, Confirmed)
        [proposal] = self.runtime.standing(self.context)[0]
        return Grant(quote_id, exchange.token), envelope_of(proposal)
