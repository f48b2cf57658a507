"""The registry of the support desk: everything it can do, with scope and risk. A refund is not in it (001 §7)."""

from collections.abc import Callable, Mapping

from relay_lab.contracts.base import Contract, Ident, Scalar, Utc, iso
from relay_lab.contracts.change import ChangeTerms, Envelope, Quote
from relay_lab.contracts.enums import Assurance, Feature
from relay_lab.contracts.evidence import (
    Account,
    PlanPrice,
    ReadError,
    ReadSuccess,
    Subscription,
    SubscriptionPolicy,
)
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.operations import Proposal
from relay_lab.contracts.ports import ReadTools, Remote
from relay_lab.core.policy import Draft, Facts, Preparation, Recheck, RemoteWrite, Tool
from relay_lab.desks.support.claims.rows import first, of_kind
from relay_lab.desks.support.claims.subscription import OPERATION
from relay_lab.desks.support.ledger import is_stale
from relay_lab.desks.support.retrieve import read_all
from relay_lab.desks.support.terms import envelope_of, quote_of, terms_of

ECHO = ("runtime_customer_id", "target_plan", "renewal_cycle_id", "quote_id", "effective_at")


class BillingWindow(Contract):
    """Arguments of get_billing_transactions."""

    from_at: Utc
    until_at: Utc


class Nothing(Contract):
    """Arguments of a tool that needs none: the customer comes from the session."""


class OneFeature(Contract):
    """Arguments of get_active_incidents."""

    feature: Feature


class OnePolicy(Contract):
    """Arguments of get_policy: which family, in force at which instant."""

    policy_id: Ident
    effective_at: Utc


class Query(Contract):
    """Arguments of search_articles."""

    query: str


class PrepareQuote(Contract):
    """Arguments of prepare_downgrade_quote: terms that the desk computed from verified records."""

    issue_id: Ident
    terms: ChangeTerms
    expires_at: Utc


def registry(subscriptions: Remote, handoff_queue: Remote) -> Mapping[str, Tool]:
    """The eight tools, bound to the systems of record they reach (scenarios, "Tools of the support desk")."""
    tools = (
        Tool("get_billing_transactions", 0, BillingWindow, "billing:read"),
        Tool("get_plan_and_entitlements", 0, Nothing, "entitlements:read"),
        Tool("get_active_incidents", 0, OneFeature, "incidents:read"),
        Tool("get_policy", 0, OnePolicy, "policy:read"),
        Tool("search_articles", 0, Query),
        Tool(
            "prepare_downgrade_quote",
            1,
            PrepareQuote,
            "subscription:prepare",
            Assurance.RECENT_MFA,
            write=Preparation(draft_of),
        ),
        Tool(
            "schedule_downgrade",
            2,
            Envelope,
            "subscription:schedule",
            Assurance.RECENT_MFA,
            customer="runtime_customer_id",
            tenant="tenant_id",
            revalidatable=True,
            write=RemoteWrite(subscriptions, ECHO, envelope_of, facts, RECHECKS),
        ),
        Tool(
            "hand_off",
            3,
            HandoffPacket,
            "support:handoff",
            Assurance.NONE,
            customer="customer_id",
            write=RemoteWrite(handoff_queue, ("issue_id", "customer_id")),
        ),
    )
    return {tool.name: tool for tool in tools}


def facts(tools: ReadTools, proposal: Proposal) -> Facts | None:
    """What the rechecks need, read now. None when a record cannot be had or is stale: then nothing may be written."""
    policy: dict[str, Scalar] = {"policy_id": "subscription", "effective_at": iso(tools.now())}
    answers = read_all(tools, ("get_plan_and_entitlements", {}), ("get_policy", policy))
    if any(isinstance(answer, ReadError) for answer in answers):
        return None
    records = tuple(
        record for answer in answers if isinstance(answer, ReadSuccess) for record in answer.records
    )
    account, subscription = first(records, Account)[1], first(records, Subscription)[1]
    if any(is_stale(record, tools.now()) for record in records):
        return None
    if account is None or subscription is None:
        return None
    terms = quote_of(proposal).terms
    prices = [price for _, price in of_kind(records, PlanPrice) if price.plan is terms.target_plan]
    return {
        "account": account,
        "subscription": subscription,
        "policy_version": first(records, SubscriptionPolicy)[0],
        "price": (prices[0].price_cents, prices[0].currency, prices[0].tax_terms) if prices else None,
        "terms": terms_of(records, terms.target_plan, terms.designated_seat_id),
    }


def draft_of(arguments: Contract) -> Draft:
    """The proposal of a quote. `DG-1042-v1` and `CNF-I3-v1`: the customer's figures, the issue, and a number."""
    if not isinstance(arguments, PrepareQuote):
        raise TypeError("prepare_downgrade_quote takes PrepareQuote")
    change_hash = arguments.terms.change_hash
    customer = "".join(filter(str.isdigit, arguments.terms.customer_id)) or arguments.terms.customer_id
    return Draft(
        tool="schedule_downgrade",
        subject_id=arguments.issue_id,
        payload=lambda quote_id, version: Quote(
            quote_id=quote_id,
            version=version,
            issue_id=arguments.issue_id,
            terms=arguments.terms,
            expires_at=arguments.expires_at,
            change_hash=change_hash,
        ),
        change_hash=change_hash,
        expires_at=arguments.expires_at,
        proposal_id=lambda number: f"DG-{customer}-v{number}",
        confirmation_id=lambda number: f"CNF-{arguments.issue_id}-v{number}",
    )


def _same(field: str, fact: Callable[[Facts], object]) -> Recheck:
    return lambda proposal, facts: getattr(quote_of(proposal).terms, field) == fact(facts)


RECHECKS: Mapping[str, Recheck] = {
    # The cycle comes first: when it has changed, everything else has too, and the customer is asked anew.
    "renewal_cycle": _same("renewal_cycle_id", lambda facts: facts["subscription"].cycle_id),
    "identity": _same("customer_id", lambda facts: facts["account"].customer_id),
    "ownership": lambda proposal, facts: facts["account"].tenant_id == proposal.tenant_id,
    "operation_allowed": lambda _, facts: OPERATION in facts["account"].allowed_operations,
    "contract_terms": lambda _, facts: facts["account"].contract_terms == "self_service",
    "subscription_version": _same(
        "subscription_version", lambda facts: facts["subscription"].subscription_version
    ),
    "policy_version": _same("policy_version", lambda facts: facts["policy_version"]),
    "price": lambda proposal, facts: facts["price"] == _price(quote_of(proposal).terms),
    "terms": lambda proposal, facts: (
        facts["terms"] is not None and facts["terms"].change_hash == proposal.change_hash
    ),
}
"""What must still hold when the confirmed quote is executed, in the order in which a failure is reported (001 §7)."""


def _price(terms: ChangeTerms) -> tuple[int, str, str]:
    return terms.price_cents, terms.currency, terms.tax_terms
