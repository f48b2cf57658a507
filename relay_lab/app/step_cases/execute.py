"""Cases of step 7: a confirmed quote, and a service that makes the change, stays silent, refuses, or is never reached."""

from collections.abc import Iterator

from relay_lab.app.step_cases.case import Case, WritePort
from relay_lab.app.step_cases.scenes import Scene, picked
from relay_lab.contracts.base import canonical_json, fingerprint, iso
from relay_lab.contracts.change import Envelope, Quote
from relay_lab.contracts.enums import OperationState, Plan
from relay_lab.contracts.operations import UNKNOWN_WRITE_OUTCOME, Operation, Receipt
from relay_lab.contracts.steps import ExecutionOrder
from relay_lab.desks.support.terms import terms_of
from relay_lab.evaluation.checks.execute import ExpectedExecution
from relay_lab.evaluation.checks.kinds import Step


def cases(scene: Scene) -> Iterator[Case]:
    """The cases of one scene."""
    quote = quote_of(scene)
    order = ExecutionOrder(
        tenant_id=scene.session.tenant_id,
        customer_id=scene.customer,
        quote=quote,
        confirmation_id=f"CNF-{quote.issue_id}-v4",
    )
    envelope = _envelope(order)
    yield _case(scene, "plain", order, envelope, _completed(order, envelope))
    seats = (*quote.terms.seats_kept, *quote.terms.seats_ended)
    terms = quote.terms.model_copy(update={"designated_seat_id": seats[-1], "seats_kept": seats[-1:]})
    other = quote.model_copy(update={"terms": terms, "change_hash": terms.change_hash})
    another = order.model_copy(update={"quote": other})
    yield _case(scene, "another_seat", another, _envelope(another), _completed(another, _envelope(another)))
    lost = _operation(order, envelope, OperationState.FAILED_UNKNOWN).model_copy(
        update={"error": UNKNOWN_WRITE_OUTCOME, "detail": "lost", "recovery_action": "no_replay"}
    )
    yield _case(scene, "lost", order, envelope, lost)
    refused = _operation(order, envelope, OperationState.REJECTED).model_copy(
        update={"error": "version_mismatch"}
    )
    yield _case(scene, "refused", order, envelope, refused)
    yield _case(scene, "stopped", order, envelope, ("subscription_version", "terms"))


def quote_of(scene: Scene) -> Quote:
    """The quote of the plan that the customer picks."""
    chosen = picked(scene)
    terms = terms_of(chosen.read().records, Plan(str(scene.scenario.pick)), None)
    if terms is None:
        raise ValueError(f"the records of {scene.name} cannot tell what the change costs")
    change = next(issue.id for issue in chosen.issues if issue.type == "subscription_change")
    return Quote(
        quote_id="DG-7-v3",
        version=3,
        issue_id=change,
        terms=terms,
        expires_at=scene.scenario.now.replace(microsecond=0),
        change_hash=terms.change_hash,
    )


def _envelope(order: ExecutionOrder) -> Envelope:
    """The one envelope that this order allows, put down field by field (001 §7)."""
    quote, terms = order.quote, order.quote.terms
    parts = (order.tenant_id, order.customer_id, terms.renewal_cycle_id, quote.issue_id, quote.quote_id)
    return Envelope(
        tenant_id=order.tenant_id,
        runtime_customer_id=order.customer_id,
        target_plan=terms.target_plan,
        designated_seat_id=terms.designated_seat_id,
        effective_at=terms.effective_at,
        renewal_cycle_id=terms.renewal_cycle_id,
        expected_subscription_version=terms.subscription_version,
        quote_id=quote.quote_id,
        confirmation_id=order.confirmation_id,
        policy_version=terms.policy_version,
        idempotency_key=":".join(parts),
    )


def _operation(order: ExecutionOrder, envelope: Envelope, state: OperationState) -> Operation:
    return Operation(
        idempotency_key=envelope.idempotency_key,
        tool="schedule_downgrade",
        tenant_id=order.tenant_id,
        customer_id=order.customer_id,
        conversation_id="C-1",
        subject_id=order.quote.issue_id,
        proposal_id=order.quote.quote_id,
        fingerprint=fingerprint(envelope),
        envelope=canonical_json(envelope),
        state=state,
    )


def _completed(order: ExecutionOrder, envelope: Envelope) -> Operation:
    echo = {"target_plan": envelope.target_plan.value, "effective_at": iso(envelope.effective_at)}
    receipt = Receipt(receipt_id="SCH-31", recorded_at=order.quote.expires_at, echo=dict(echo))
    return _operation(order, envelope, OperationState.COMPLETED).model_copy(update={"receipt": receipt})


def _case(
    scene: Scene,
    kind: str,
    order: ExecutionOrder,
    envelope: Envelope,
    says: Operation | tuple[str, ...],
) -> Case:
    return Case(
        id=f"{scene.name}: {kind}",
        step=Step.EXECUTE,
        kind=kind,
        arguments=(order,),
        expected=ExpectedExecution(envelope, says),
        visible=scene.visible,
        tools=lambda: WritePort(says),
    )
