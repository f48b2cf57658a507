"""What each kind of injection does: to the records before a run, between desk and company, to the model, and on the way."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, assert_never

from relay_lab.app import matrix_kinds as kinds
from relay_lab.app.lab import Parts
from relay_lab.app.matrix_kinds import Row
from relay_lab.app.matrix_model import speaking
from relay_lab.contracts.base import iso
from relay_lab.contracts.errors import AuditUnavailable
from relay_lab.contracts.ports import HandoffTools, Tx
from relay_lab.contracts.proposals import Propose
from relay_lab.contracts.session import Session
from relay_lab.contracts.steps import HandoffCase
from relay_lab.core import audit
from relay_lab.core.guards import Guards
from relay_lab.desks.support.desk import reference_steps
from relay_lab.evaluation.rows import filled
from relay_lab.proposers.rules import rules_proposer
from relay_lab.world.company import Company
from relay_lab.world.data import ArticleRow, Scenario, WorldData
from relay_lab.world.faults import Fault

SPARE = "n-other"
"""The customer who is meant by "another customer" where a world has none."""


@dataclass(frozen=True)
class Scene:
    """All that a run starts from: the records, who speaks, and what is put in the place of the usual."""

    scenario: Scenario
    session: Session
    parts: Parts


def facts_of(scenario: Scenario) -> dict[str, str]:
    """The names that a row may use in braces, with what each is in this world."""
    customer = scenario.session.authenticated_customer_id or ""
    own = next(row for row in scenario.data.subscriptions if row.customer_id == customer)
    others = (row.customer_id for row in scenario.data.accounts if row.customer_id != customer)
    finding = next(row for row in scenario.data.reconciliations if row.customer_id == customer)
    charges = [
        row.transaction_id for row in scenario.data.transactions if row.invoice_id == finding.invoice_id
    ]
    return {
        "message": scenario.message,
        "customer": customer,
        "other_customer": next(others, SPARE),
        "plan": own.plan.value,
        "charge": charges[0],
        "second_charge": charges[1],
        "other_cycle": f"{own.cycle_id}-x",
        "another_time": iso(own.renews_at + timedelta(days=30)),
    }


def staged(row: Row, scenario: Scenario, usual: Propose, guards: Guards) -> Scene:
    """The scene of a row in one world; `usual` proposes where the row says nothing else."""
    facts = facts_of(scenario)
    scene = Scene(scenario, scenario.session, Parts(propose=usual))
    for injection in row.inject:
        scene = _injected(scene, injection, facts, guards)
    return scene


def session_under(session: Session, change: kinds.SessionIs) -> Session:
    """The session with less assurance or fewer scopes."""
    kept = tuple(scope for scope in session.allowed_scopes if scope not in change.without)
    return session.model_copy(
        update={
            "allowed_scopes": kept,
            "session_assurance": change.assurance or session.session_assurance,
        }
    )


def change_company(company: Company, scenario: Scenario, change: kinds.CompanyChanges) -> None:
    """The company's own people change one record that a quote rests on."""
    match change.what:
        case "subscription":
            company.subscriptions.touch(str(scenario.session.authenticated_customer_id))
        case "price":
            price = next(row for row in scenario.data.prices if row.plan.value == scenario.pick)
            dearer = {"price_cents": price.price_cents + 200, "version": f"{price.version}.1"}
            company.catalogue.publish(price.model_copy(update=dearer))
        case "policy":
            policy = max(scenario.data.subscription_policies, key=lambda row: row.effective_at)
            newer = {"policy_version": f"{policy.policy_version}.1", "effective_at": company.clock.now()}
            company.policies.publish(policy.model_copy(update=newer))


def _injected(scene: Scene, injection: kinds.Injection, facts: Mapping[str, str], guards: Guards) -> Scene:
    parts = scene.parts
    match injection:
        case kinds.Drop() | kinds.Change() | kinds.Shape() | kinds.Says():
            scenario = scene.scenario
            changed = scenario.data.model_copy(update=_records(injection, scenario, facts))
            return replace(scene, scenario=scenario.model_copy(update={"data": changed}))
        case kinds.SessionIs():
            return replace(scene, session=session_under(scene.session, injection))
        case kinds.Fails():
            return replace(scene, parts=replace(parts, faults=(*parts.faults, _fault(injection, facts))))
        case kinds.ModelSays() | kinds.ModelAdds() | kinds.ModelQuotes():
            propose = speaking(injection, parts.propose or rules_proposer(), facts)
            return replace(scene, parts=replace(parts, propose=propose))
        case kinds.AuditFails(stages=stages):
            return replace(scene, parts=replace(parts, append=_failing_audit(stages)))
        case kinds.PacketCarries(text=text):
            return replace(scene, parts=replace(parts, steps=_leaking(text, guards)))
        case kinds.CompanyChanges():
            raise ValueError("a company changes on the way, not before it is there")
        case _:
            assert_never(injection)


def _records(
    injection: kinds.Drop | kinds.Change | kinds.Shape | kinds.Says,
    scenario: Scenario,
    facts: Mapping[str, str],
) -> dict[str, Any]:
    data, customer = scenario.data, facts["customer"]
    match injection:
        case kinds.Drop(table=table):
            kept = (row for row in getattr(data, table) if getattr(row, "customer_id", customer) != customer)
            return {table: tuple(kept)}
        case kinds.Change(table=table, fields=fields):
            return {table: _of_customer(getattr(data, table), customer, fields)}
        case kinds.Shape(kind="plan_map_grants_feature"):
            return {"plan_maps": _granting(data, customer)}
        case kinds.Shape():
            return _separate(data, customer)
        case kinds.Says(kind="article_says", text=text):
            article = ArticleRow(article_id="KB-900", title="How a refund is made", text=text)
            return {"articles": (*data.articles, article)}
        case kinds.Says(text=text):
            own = next(row for row in data.subscriptions if row.customer_id == customer)
            seats = tuple(seat.model_copy(update={"holder": text}) for seat in own.seats or ())
            return {"subscriptions": _of_customer(data.subscriptions, customer, {"seats": seats})}


def _of_customer(rows: Iterable[Any], customer: str, fields: Mapping[str, object]) -> tuple[Any, ...]:
    return tuple(row.model_copy(update=fields) if row.customer_id == customer else row for row in rows)


def _granting(data: WorldData, customer: str) -> tuple[Any, ...]:
    """The plan maps, with the feature that the customer once tried made part of their plan."""
    feature = next(row.feature for row in data.enrolments if row.customer_id == customer)
    plan = next(row.plan for row in data.subscriptions if row.customer_id == customer)
    return tuple(
        row.model_copy(update={"features": {**row.features, plan: (*row.features[plan], feature)}})
        for row in data.plan_maps
    )


def _separate(data: WorldData, customer: str) -> dict[str, Any]:
    """The customer's second charge of last month moved to an invoice of its own, of a year before."""
    finding = next(row for row in data.reconciliations if row.customer_id == customer)
    invoice = next(row for row in data.invoices if row.invoice_id == finding.invoice_id)
    year, month = invoice.month.split("-")
    other = invoice.model_copy(
        update={"invoice_id": f"{invoice.invoice_id}-B", "month": f"{int(year) - 1}-{month}"}
    )
    first = next(row for row in data.transactions if row.invoice_id == invoice.invoice_id)
    moved = tuple(
        row.model_copy(update={"invoice_id": other.invoice_id}) if row == first else row
        for row in data.transactions
    )
    kept = tuple(row for row in data.reconciliations if row.customer_id != customer)
    return {"invoices": (*data.invoices, other), "transactions": moved, "reconciliations": kept}


def _fault(injection: kinds.Fails, facts: Mapping[str, str]) -> Fault:
    if injection.fault == "echo":
        value = filled(injection.value or "", facts)
        return Fault(injection.tool, "echo", injection.at, (injection.field or "", value))
    return Fault(injection.tool, injection.fault, injection.at, injection.source)


def _failing_audit(stages: tuple[str, ...]) -> Any:
    def append(tx: Tx, event: audit.AuditEvent) -> None:
        if event.stage in stages and event.tool == "schedule_downgrade":
            raise AuditUnavailable("the audit store is down")
        audit.append(tx, event)

    return append


def _leaking(text: str, guards: Guards) -> Any:
    usual = reference_steps(guards)

    def hand_off(case: HandoffCase, tools: HandoffTools) -> Any:
        return usual.hand_off(case.model_copy(update={"commitments": (text,)}), tools)

    return replace(usual, hand_off=hand_off)
