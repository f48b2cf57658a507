"""The end of a turn: state claims, the reply and its verification, the record, and what is kept (001 §5, "A Truthful …")."""

import json

from pydantic import ValidationError

from relay_lab.contracts.enums import OperationState
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.issues import Rejected
from relay_lab.contracts.ledger import Claim, Ledger, LedgerRow
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.proposals import ContextBlock, ProposalRequest, Propose
from relay_lab.contracts.record import ProposedReply, QuoteView, Reply, RunRecord
from relay_lab.core.admission import strict_json
from relay_lab.core.guards import Guards
from relay_lab.desks.support.cases import Case, Document, stored, written
from relay_lab.desks.support.claims import state
from relay_lab.desks.support.reply.compose import compose
from relay_lab.desks.support.reply.material import RefusedDraft, ReplyMaterial
from relay_lab.desks.support.reply.verify import verify
from relay_lab.desks.support.terms import quote_of
from relay_lab.desks.support.turn import Turn

HANDOFF_SCOPE = "support:handoff"


def finish(turn: Turn, propose: Propose, message: str | None) -> RunRecord:
    """Compose and verify the reply, save the turn, and give the record. The quotes it shows can be confirmed from now on."""
    before = record(turn)
    reply = _reply(turn, before, propose, message)
    after = before.model_copy(update={"replies": (*turn.replies, reply)})
    document = Document(
        cases=tuple(stored(case) for case in turn.cases),
        evidence=tuple(turn.evidence.values()),
        replies=after.replies,
        display_zone=turn.display_zone,
    )
    shown = tuple(quote.quote_id for quote in turn.door.quotes(turn.touched))
    turn.runtime.save(turn.context, turn.number, written(document), message, shown)
    return after


def record(turn: Turn) -> RunRecord:
    """The record as the tables and the cases stand, with the replies of earlier turns."""
    operations = turn.door.operations
    return RunRecord(
        run_id=turn.context.run_id,
        conversation_id=turn.context.conversation_id,
        turn=turn.number,
        at=turn.runtime.clock.now(),
        session=turn.context.session,
        display_zone=turn.display_zone,
        issues=tuple(case.view() for case in turn.cases),
        ledger=Ledger(
            rows=tuple(row for case in turn.cases for row in (*case.rows, *_state_rows(turn, case)))
        ),
        evidence=tuple(turn.evidence.values()),
        quotes=tuple(
            QuoteView(quote=quote_of(proposal), state=proposal.state, reason=proposal.reason)
            for proposal in turn.door.proposals
        ),
        operations=tuple(op for op in operations if op.tool != "hand_off"),
        replies=turn.replies,
        packets=tuple(
            HandoffPacket.model_validate_json(op.envelope) for op in operations if op.tool == "hand_off"
        ),
    )


def _state_rows(turn: Turn, case: Case) -> list[LedgerRow]:
    quote = next(iter(turn.door.quotes([case.id])), None)
    operation = turn.door.operation(case.id, "schedule_downgrade")
    ticket = _ticket(turn.door.operation(case.id, "hand_off"))
    now = turn.runtime.clock.now()
    return [
        LedgerRow(
            claim_id=claim_id,
            issue_id=case.id,
            claim=Claim(subject=finding.subject, predicate=finding.predicate, value=finding.value),
            evidence_ids=finding.evidence,
            source_at=now,
            policy_version=finding.policy_version,
            status=finding.status,
            qualifier=finding.qualifier,
        )
        for claim_id, finding in state.findings(case.id, case.state, quote, operation, ticket)
    ]


def _ticket(operation: Operation | None) -> str | None:
    done = operation is not None and operation.state is OperationState.COMPLETED
    return operation.receipt.receipt_id if done and operation and operation.receipt else None


def _reply(turn: Turn, record: RunRecord, propose: Propose, message: str | None) -> Reply:
    """A model's draft if there is one and it holds against ledger and states; otherwise the composed reply."""
    material = _material(turn, record)
    draft, refused = None, None
    if message is not None:
        answer = turn.runtime.propose(turn.context, propose, _request(material, message))
        draft, refused = _parsed(answer, turn.runtime.guards)
    if draft is not None:
        verdict = verify(draft, material)
        if isinstance(verdict, RefusedDraft) and turn.runtime.guards.reply:
            refused = verdict.code
            turn.runtime.refuse(turn.context, "draft_reply", verdict.code, "reply", verdict.place)
        else:
            return Reply(turn=turn.number, sentences=draft.sentences)
    elif refused is not None:
        turn.runtime.refuse(turn.context, "draft_reply", refused, "reply")
    return Reply(turn=turn.number, sentences=compose(material), refused_draft=refused)


def _material(turn: Turn, record: RunRecord) -> ReplyMaterial:
    spoken = [case for case in turn.cases if case.id in turn.touched]
    ids = {case.id for case in spoken}
    tickets = ((case.id, _ticket(turn.door.operation(case.id, "hand_off"))) for case in spoken)
    return ReplyMaterial(
        display_zone=record.display_zone,
        views=tuple(view for view in record.issues if view.issue.id in ids),
        ledger=Ledger(rows=tuple(row for row in record.ledger.rows if row.issue_id in ids)),
        evidence=record.evidence,
        quotes=turn.door.quotes(ids),
        operations=tuple(op for op in record.operations if op.subject_id in ids),
        tickets=tuple((issue_id, ticket) for issue_id, ticket in tickets if ticket),
        voided=tuple((case.id, case.voided) for case in spoken if case.voided),
        courtesy=turn.courtesy,
        asked=turn.asked,
        notes=tuple(dict.fromkeys(turn.notes)) if spoken or turn.notes else ("no_issue",),
        may_hand_off=HANDOFF_SCOPE in turn.authentication.scopes,
    )


def _request(material: ReplyMaterial, message: str) -> ProposalRequest:
    states = [
        {"id": view.issue.id, "type": view.issue.type, "state": view.state, "reason": view.reason}
        for view in material.views
    ]
    return ProposalRequest(
        task="draft_reply",
        message=message,
        blocks=(
            ContextBlock(name="ledger", trusted=True, text=material.ledger.model_dump_json()),
            ContextBlock(name="states", trusted=True, text=json.dumps(states)),
        ),
    )


def _parsed(answer: str, guards: Guards) -> tuple[ProposedReply | None, str | None]:
    """(draft, None), (None, code) for an answer that is no draft, or (None, None) when the proposer offered none."""
    if not answer.strip():
        return None, None
    document = strict_json(answer, guards)
    if isinstance(document, Rejected):
        return None, document.code
    try:
        return ProposedReply.model_validate_json(json.dumps(document)), None
    except ValidationError:
        return None, "not_a_draft"
