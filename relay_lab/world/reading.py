"""What each read-only tool answers: the records of one customer, and of nobody else (001 §4)."""

from collections.abc import Callable, Mapping
from datetime import datetime

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.enums import Feature
from relay_lab.contracts.evidence import ReadAnswer, ReadError, ReadSuccess, VerifiedRecord
from relay_lab.world.company import Company
from relay_lab.world.policies import Family


class _BadRequest(Exception):
    """The arguments are not those of the tool."""


def answer(
    company: Company, tool: str, tenant_id: str, customer_id: str, arguments: Mapping[str, Scalar]
) -> ReadAnswer:
    """Answer one read-only tool for one customer of one tenant.

    `ReadSuccess` with records of that customer and of the company at large; `ReadError` with bad_request (no such tool,
    or not its arguments) or not_found (no such customer of that tenant). Instants among the arguments are aware ISO 8601 text.
    """
    now = company.clock.now()
    entry = TOOLS.get(tool)
    if entry is None:
        return ReadError(tool="unknown_tool", source_at=now, code="bad_request", retryable=False)
    names, read = entry
    zone = company.accounts.zone_of(tenant_id, customer_id)
    if zone is None:
        return ReadError(tool=tool, source_at=now, code="not_found", retryable=False)
    try:
        if set(arguments) != set(names):
            raise _BadRequest
        records = tuple(read(company, customer_id, zone, *(_text(arguments[name]) for name in names)))
    except _BadRequest:
        return ReadError(tool=tool, source_at=now, code="bad_request", retryable=False)
    source_at = min((record.source_at for record in records), default=now)
    return ReadSuccess(tool=tool, source_at=source_at, records=records)


def _transactions(
    company: Company, customer_id: str, zone: str, from_at: str, until_at: str
) -> list[VerifiedRecord]:
    start, end = _instant(from_at), _instant(until_at)
    if start >= end:
        raise _BadRequest
    return company.billing.statement(customer_id, start, end, zone)


def _plan_and_entitlements(company: Company, customer_id: str, zone: str) -> list[VerifiedRecord]:
    return [
        *company.accounts.get(customer_id),
        *company.subscriptions.get(customer_id),
        *company.entitlements.plan_map(),
        *company.entitlements.entitlement(customer_id),
        *company.entitlements.enrolments(customer_id),
    ]


def _incidents(company: Company, customer_id: str, zone: str, feature: str) -> list[VerifiedRecord]:
    if feature not in set(Feature):
        raise _BadRequest
    return company.incidents.active(Feature(feature))


def _policy(
    company: Company, customer_id: str, zone: str, policy_id: str, effective_at: str
) -> list[VerifiedRecord]:
    at = _instant(effective_at)
    family: Family
    match policy_id:
        case "refund":
            family = "refund"
        case "subscription":
            family = "subscription"
        case _:
            raise _BadRequest
    offered = company.catalogue.prices() if family == "subscription" else []
    return [*company.policies.in_force(family, at), *offered]


def _articles(company: Company, customer_id: str, zone: str, query: str) -> list[VerifiedRecord]:
    return company.articles.search(query)


_Read = Callable[..., list[VerifiedRecord]]
TOOLS: dict[str, tuple[tuple[str, ...], _Read]] = {
    "get_billing_transactions": (("from_at", "until_at"), _transactions),
    "get_plan_and_entitlements": ((), _plan_and_entitlements),
    "get_active_incidents": (("feature",), _incidents),
    "get_policy": (("policy_id", "effective_at"), _policy),
    "search_articles": (("query",), _articles),
}


def _text(value: Scalar) -> str:
    if not isinstance(value, str):
        raise _BadRequest
    return value


def _instant(text: str) -> datetime:
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise _BadRequest from error
    if instant.tzinfo is None:
        raise _BadRequest
    return instant
