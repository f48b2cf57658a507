"""Cases of step 5: what was read of one scene, complete, old, contradicting, denied, lost, or full of prose."""

from collections.abc import Iterator

from relay_lab.app.step_cases.case import Case
from relay_lab.app.step_cases.retrieve import BILLING, INCIDENTS
from relay_lab.app.step_cases.scenes import (
    Scene,
    conflict,
    incident,
    picked,
    returned,
    separate,
    stale,
    talkative,
    unreconciled,
)
from relay_lab.contracts.base import Scalar, iso
from relay_lab.contracts.enums import ClaimStatus
from relay_lab.contracts.evidence import ReadSuccess, Retrieval, Source
from relay_lab.evaluation.checks.build_ledger import ExpectedLedger
from relay_lab.evaluation.checks.kinds import Step

_ON_BILLING = ("duplicate_found", "excess_captures", "settled_charges", "refund_eligible")
_ON_FEATURE = ("feature_in_plan", "feature_on_account", "prior_access")


def cases(scene: Scene) -> Iterator[Case]:
    """The cases of one scene."""
    claims = (*_billing(scene), *_feature(scene), *_subscription(scene))
    yield _case(scene, "plain", scene.read(), claims=claims)
    chosen = picked(scene)
    yield _case(chosen, "picked", chosen.read(), claims=(*claims, *_change(scene)))
    repaid = returned(scene)
    undone = (("I1", "excess_captures", 1), ("I1", "excess_refunded", True), ("I1", "excess_reversed", False))
    yield _case(repaid, "returned", repaid.read(), claims=_named(scene, undone))
    yield from _other_findings(scene)
    apart = conflict(scene)
    yield _case(apart, "conflict", apart.read(), contradicting=("plan_map", "entitlement"))
    for kind, source in (("feature_access", Source.ENTITLEMENTS), ("billing_duplicate", Source.BILLING)):
        old = stale(source)(scene)
        weak = ((_id(scene, kind), ClaimStatus.STALE),)
        yield _case(old, "stale", old.read(), what=source.value, weak=weak)
    alike = unreconciled(scene)
    billing = _id(scene, "billing_duplicate")
    yield _case(
        alike,
        "unreconciled",
        alike.read(),
        weak=((billing, ClaimStatus.UNSUPPORTED),),
        silent=((billing, "excess_captures"), (billing, "duplicate_found")),
    )
    yield from _unread(scene)
    yield _case(scene, "prose", _with_prose(talkative(scene)))


def _other_findings(scene: Scene) -> Iterator[Case]:
    """Records that settle an issue the other way: no duplicate, and a feature that an incident keeps away."""
    billing, feature = _id(scene, "billing_duplicate"), _id(scene, "feature_access")
    single = separate(scene)
    yield _case(single, "separate", single.read(), claims=((billing, "duplicate_found", False),))
    disturbed = incident(scene)
    claims = (
        (feature, "feature_in_plan", True),
        (feature, "feature_on_account", True),
        (feature, "active_incidents", 1),
    )
    yield _case(disturbed, "incident", disturbed.read(), claims=claims)


def _unread(scene: Scene) -> Iterator[Case]:
    billing, feature = _id(scene, "billing_duplicate"), _id(scene, "feature_access")
    lost = scene.read(troubles={BILLING: ("timeout", "timeout")})
    on_billing = tuple((billing, predicate) for predicate in _ON_BILLING)
    yield _case(scene, "timeout", lost, gaps=((billing, "timeout"),), silent=on_billing)
    down = scene.read(troubles={INCIDENTS: ("unavailable", "unavailable")})
    silent = ((feature, "active_incidents"),)
    yield _case(scene, "no_incident_report", down, gaps=((feature, "unavailable"),), silent=silent)
    on_feature = tuple((feature, predicate) for predicate in _ON_FEATURE)
    for scope, issue_id, quiet in (
        ("billing:read", billing, on_billing),
        ("entitlements:read", feature, on_feature),
    ):
        denied = scene.under(without=(scope,))
        yield _case(
            denied,
            "unauthorized",
            denied.read(),
            what=scope,
            weak=((issue_id, ClaimStatus.UNAUTHORIZED),),
            gaps=((issue_id, "scope_missing"),),
            silent=quiet,
        )


def _case(
    scene: Scene,
    kind: str,
    retrieval: Retrieval,
    what: str = "",
    claims: tuple[tuple[str, str, Scalar], ...] = (),
    weak: tuple[tuple[str, ClaimStatus], ...] = (),
    contradicting: tuple[str, ...] = (),
    gaps: tuple[tuple[str, str], ...] = (),
    silent: tuple[tuple[str, str], ...] = (),
) -> Case:
    now = scene.scenario.now
    expected = ExpectedLedger(retrieval.records, now, claims, weak, contradicting, gaps, silent)
    return Case(
        id=f"{scene.name}: {kind}{f' ({what})' if what else ''}",
        step=Step.BUILD_LEDGER,
        kind=kind,
        arguments=(scene.issues, retrieval, now),
        expected=expected,
        visible=scene.visible,
    )


def _with_prose(scene: Scene) -> Retrieval:
    """What was read, and an article beside it, first of all."""
    retrieval, found = scene.read(), scene.archive.answer("search_articles", {"query": "refund"})
    articles = found.records if isinstance(found, ReadSuccess) else ()
    return retrieval.model_copy(
        update={"records": (*articles, *retrieval.records), "reads": (found, *retrieval.reads)}
    )


def _id(scene: Scene, kind: str) -> str:
    return next(issue.id for issue in scene.issues if issue.type == kind)


def _named(scene: Scene, claims: tuple[tuple[str, str, Scalar], ...]) -> tuple[tuple[str, str, Scalar], ...]:
    billing = _id(scene, "billing_duplicate")
    return tuple((billing, predicate, value) for _, predicate, value in claims)


def _billing(scene: Scene) -> Iterator[tuple[str, str, Scalar]]:
    data, issue_id = scene.scenario.data, _id(scene, "billing_duplicate")
    finding = next(row for row in data.reconciliations if row.customer_id == scene.customer)
    invoice = next(row for row in data.invoices if row.invoice_id == finding.invoice_id)
    charges = [row for row in data.transactions if row.invoice_id == invoice.invoice_id]
    yield issue_id, "settled_charges", len(charges)
    yield issue_id, "invoice_due_cents", invoice.due_cents
    yield issue_id, "charge_cents", charges[0].amount_cents
    yield issue_id, "currency", invoice.currency
    yield issue_id, "excess_captures", finding.excess_captures
    yield issue_id, "excess_reversed", False
    yield issue_id, "excess_refunded", False
    yield issue_id, "refund_eligible", True


def _feature(scene: Scene) -> Iterator[tuple[str, str, Scalar]]:
    issue_id = _id(scene, "feature_access")
    enrolment = next(row for row in scene.scenario.data.enrolments if row.customer_id == scene.customer)
    yield issue_id, "feature_in_plan", False
    yield issue_id, "feature_on_account", False
    yield issue_id, "prior_access", enrolment.programme
    if enrolment.ended_at is not None:
        yield issue_id, "prior_access_ended_at", iso(enrolment.ended_at)
    yield issue_id, "active_incidents", 0


def _subscription(scene: Scene) -> Iterator[tuple[str, str, Scalar]]:
    issue_id = _id(scene, "subscription_change")
    row = next(row for row in scene.scenario.data.subscriptions if row.customer_id == scene.customer)
    yield issue_id, "current_plan", row.plan.value
    yield issue_id, "renews_at", iso(row.renews_at)
    yield issue_id, "change_scheduled", False


def _change(scene: Scene) -> Iterator[tuple[str, str, Scalar]]:
    issue_id = _id(scene, "subscription_change")
    for predicate in ("target_is_lower", "operation_allowed", "self_service", "downgrade_allowed"):
        yield issue_id, predicate, True
