"""Cases of steps 3 and 4: reads that answer, time out, fail and are denied, and issues that need few records or none."""

from collections.abc import Iterator
from datetime import datetime

from relay_lab.app.step_cases.case import Case, Troubles
from relay_lab.app.step_cases.scenes import Scene, picked, talkative
from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.issues import HumanRequest, Issue, Span
from relay_lab.evaluation.checks.kinds import Step
from relay_lab.evaluation.checks.retrieve import ExpectedRetrieval

BILLING, PLAN, INCIDENTS, POLICY = (
    "get_billing_transactions", "get_plan_and_entitlements", "get_active_incidents", "get_policy",
)  # fmt: skip
_KINDS = {
    BILLING: ("transaction", "invoice", "reconciliation"),
    PLAN: ("plan_map", "entitlement", "enrolment"),
    INCIDENTS: ("incident_report",),
}
_NEEDS = {
    "billing_duplicate": (BILLING, POLICY),
    "feature_access": (PLAN, INCIDENTS),
    "subscription_change": (PLAN, POLICY),
}
_EVERY = ((BILLING, None), (PLAN, None), (INCIDENTS, None), (POLICY, "refund"), (POLICY, "subscription"))


def cases(scene: Scene) -> Iterator[Case]:
    """The cases of one scene."""
    yield _case(scene, "plain", reads=_EVERY)
    yield _case(picked(scene), "picked", reads=_EVERY)
    yield _case(scene, "foreign_id")
    yield _case(scene.under(Assurance.NONE), "nobody")
    yield _case(scene, "one_timeout", reads=((BILLING, None),), troubles={BILLING: ("timeout",)})
    billing, feature = _id(scene, "billing_duplicate"), _id(scene, "feature_access")
    yield _failed(scene, "two_timeouts", billing, BILLING, "timeout")
    yield _failed(scene, "unavailable", feature, INCIDENTS, "unavailable")
    for issue_id, tool, scope in (
        (billing, BILLING, "billing:read"),
        (feature, PLAN, "entitlements:read"),
        (feature, INCIDENTS, "incidents:read"),
    ):
        missing = tuple((issue_id, kind, "scope_missing") for kind in _KINDS[tool])
        yield _case(scene.under(without=(scope,)), "scope_missing", what=scope, missing=missing)
    no_policy = ((billing, "refund_policy", "scope_missing"),)
    yield _case(scene.under(without=("policy:read",)), "scope_missing", what="policy:read", missing=no_policy)
    prose = talkative(scene)
    for each in prose.issues:
        yield _case(prose, "one_issue", (each,), what=each.type)
    message = scene.scenario.message
    person = HumanRequest(id="I1", span=Span(start=0, end=len(message), text=message))
    yield _case(scene, "a_person", (person,))


def _failed(scene: Scene, kind: str, issue_id: str, tool: str, code: str) -> Case:
    missing = tuple((issue_id, each, code) for each in _KINDS[tool])
    # A third attempt would be answered: who makes it gets records, and breaks the bound.
    return _case(scene, kind, missing=missing, troubles={tool: (code, code)})


def _case(
    scene: Scene,
    kind: str,
    issues: tuple[Issue, ...] | None = None,
    reads: tuple[tuple[str, str | None], ...] = (),
    missing: tuple[tuple[str, str, str], ...] = (),
    what: str = "",
    troubles: Troubles | None = None,
) -> Case:
    issues = scene.issues if issues is None else issues
    others = [row.customer_id for row in scene.scenario.data.accounts if row.customer_id != scene.customer]
    others = [*others, "CUST-2077"] if scene.customer != "CUST-2077" else others
    rights = scene.rights().model_copy(update={"foreign_ids": tuple(others) if kind == "foreign_id" else ()})
    may = {tool for issue in issues for tool in _NEEDS.get(issue.type, ())}
    return Case(
        id=f"{scene.name}: {kind}{f' ({what})' if what else ''}",
        step=Step.RETRIEVE,
        kind=kind,
        arguments=(rights, issues),
        expected=ExpectedRetrieval(reads, tuple(sorted(may)), missing, _charged_at(scene), tuple(others)),
        visible=scene.visible,
        tools=lambda: scene.port(troubles),
    )


def _id(scene: Scene, kind: str) -> str:
    return next(issue.id for issue in scene.issues if issue.type == kind)


def _charged_at(scene: Scene) -> datetime:
    """The earliest charge on the invoice that billing found an excess on."""
    data = scene.scenario.data
    finding = next(row for row in data.reconciliations if row.customer_id == scene.customer)
    return min(row.charged_at for row in data.transactions if row.invoice_id == finding.invoice_id)
