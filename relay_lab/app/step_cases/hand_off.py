"""Cases of step 8: issues that go to a specialist for different reasons, and a queue that answers, is silent or refuses."""

from collections.abc import Iterator
from dataclasses import replace

from relay_lab.app.step_cases import scenes
from relay_lab.app.step_cases.case import Case, HandoffPort
from relay_lab.app.step_cases.retrieve import BILLING
from relay_lab.app.step_cases.scenes import Scene
from relay_lab.contracts.enums import ClaimStatus, OperationState
from relay_lab.contracts.evidence import ReadError, Retrieval, Subscription
from relay_lab.contracts.handoff import PacketAction
from relay_lab.contracts.operations import UNKNOWN_WRITE_OUTCOME, Operation, Receipt
from relay_lab.contracts.steps import HandoffCase
from relay_lab.desks.support.ledger import build_ledger
from relay_lab.evaluation.checks.hand_off import ExpectedHandoff
from relay_lab.evaluation.checks.kinds import Step
from relay_lab.evaluation.measures import WantedIssue


def cases(scene: Scene) -> Iterator[Case]:
    """The cases of one scene."""
    lost = scene.read(troubles={BILLING: ("timeout", "timeout")})
    apart = scenes.conflict(scene)
    yield _case(apart, "conflict", "feature_access", "conflict", apart.read())
    yield _case(scene, "timeout", "billing_duplicate", "timeout", lost)
    bound = scenes.own(scenes.picked(scene), "accounts", contract_terms="negotiated")
    yield _case(bound, "change", "subscription_change", "not_self_service", bound.read())
    person = WantedIssue("human_request", {}, scene.scenario.message[:12])
    more = replace(scene, wanted=(*scene.wanted, person))
    yield _case(more, "a_person", "human_request", "customer_asked", more.read())
    yield _case(apart, "queue_silent", "feature_access", "conflict", apart.read(), silent=True)
    yield _case(scene, "queue_refuses", "billing_duplicate", "timeout", lost, refuses=True)


def _case(
    scene: Scene,
    kind: str,
    of: str,
    reason: str,
    retrieval: Retrieval,
    silent: bool = False,
    refuses: bool = False,
) -> Case:
    issue_id = next(issue.id for issue in scene.issues if issue.type == of)
    change = of == "subscription_change"
    case = HandoffCase(
        conversation_id="C-1",
        issue_id=issue_id,
        reason=reason,
        authentication=scene.rights(),
        issues=scene.issues,
        ledger=build_ledger(scene.issues, retrieval, scene.scenario.now),
        retrieval=retrieval,
        proposed_action=_action(reason) if change else None,
        commitments=("I can pass this on to a specialist.",),
    )
    says: Operation | tuple[str, ...] = ("scope_missing",) if refuses else _operation(case, silent)
    return Case(
        id=f"{scene.name}: {kind}",
        step=Step.HAND_OFF,
        kind=kind,
        arguments=(case,),
        expected=_expected(case, says),
        visible=scene.visible,
        tools=lambda: HandoffPort(says),
    )


def _expected(case: HandoffCase, says: Operation | tuple[str, ...]) -> ExpectedHandoff:
    rows = case.ledger.of(case.issue_id)
    weak = [row for row in rows if row.status is not ClaimStatus.SUPPORTED]
    known = {record.evidence_id for record in case.retrieval.records}
    linked = {eid for row in rows for eid in row.evidence_ids}
    holders = (
        seat.holder
        for record in case.retrieval.records
        if isinstance(record.value, Subscription)
        for seat in record.value.seats or ()
    )
    return ExpectedHandoff(
        case=case,
        conflicts=tuple((row.claim.predicate, row.evidence_ids) for row in weak),
        evidence=tuple(sorted(known & linked)),
        calls=tuple(
            (read.tool, read.code if isinstance(read, ReadError) else "success")
            for read in case.retrieval.reads
        ),
        private=(*(issue.span.text for issue in case.issues), *holders),
        answer=says,
    )


def _action(reason: str) -> PacketAction:
    return PacketAction(tool="schedule_downgrade", proposal_id=None, operation_state=None, reason=reason)


def _operation(case: HandoffCase, silent: bool) -> Operation:
    customer = str(case.authentication.customer_id)
    operation = Operation(
        idempotency_key=f"{case.authentication.tenant_id}:{customer}:{case.issue_id}:0f3a",
        tool="hand_off",
        tenant_id=case.authentication.tenant_id,
        customer_id=customer,
        conversation_id=case.conversation_id,
        subject_id=case.issue_id,
        proposal_id=None,
        fingerprint="0" * 64,
        envelope="{}",
        state=OperationState.FAILED_UNKNOWN,
        error=UNKNOWN_WRITE_OUTCOME,
        detail="lost",
        recovery_action="no_replay",
    )
    if silent:
        return operation
    at = case.retrieval.reads[0].source_at
    receipt = Receipt(
        receipt_id="TK-5", recorded_at=at, echo={"issue_id": case.issue_id, "customer_id": customer}
    )
    done = {"state": OperationState.COMPLETED, "receipt": receipt, "error": None, "detail": None}
    return operation.model_copy(update=done | {"recovery_action": None})
