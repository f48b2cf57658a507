"""The judge of a handoff packet: whether it holds all that a specialist needs and nothing besides (001 §8).

Its rules are the specification's; none of the code that makes packets is used. Whether a text holds a secret, a model's
reasoning or somebody else's history is another question: `relay_lab.evaluation.leaks`.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from relay_lab.contracts.base import fingerprint
from relay_lab.contracts.enums import ClaimStatus, Decision
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import RunRecord, TraceRow
from relay_lab.evaluation.tools import READS

_BETWEEN = ("hand_off", "prepare_downgrade_quote")
"""What may stand in a trace between the reads of a turn and a packet that was made of them: the other issues' ways."""


def packet_failures(packet: HandoffPacket, record: RunRecord, rows: tuple[TraceRow, ...]) -> tuple[str, ...]:
    """Every omission from a packet and everything it holds too much of, as sentences; empty when it is right (001 §8).

    `record` is the run as the turn that made the packet left it, and `rows` are the trace rows of that turn, in order.
    """
    parts = (
        _authentication(packet, record),
        _issues(packet, record),
        _evidence(packet, record),
        _conflicts(packet, record),
        _calls(packet, rows),
        _action(packet, record),
        _commitments(packet, record),
    )
    return tuple(failure for part in parts for failure in part)


def _authentication(packet: HandoffPacket, record: RunRecord) -> Iterator[str]:
    session = record.session
    said = {
        "conversation": (packet.conversation_id, record.conversation_id),
        "customer": (packet.customer_id, session.authenticated_customer_id),
        "authentication status": (packet.assurance, session.session_assurance),
        "scopes": (", ".join(packet.scopes), ", ".join(session.allowed_scopes)),
    }
    for name, (found, wanted) in said.items():
        if found != wanted:
            yield f"the {name} of the packet is {found or 'none'}, and that of the session {wanted or 'none'}"


def _issues(packet: HandoffPacket, record: RunRecord) -> Iterator[str]:
    known = {view.issue.id: view.issue for view in record.issues}
    listed = {issue.id: issue for issue in packet.issues}
    if packet.issue_id not in known:
        yield f"the packet is about {packet.issue_id}, and the conversation has no such issue"
    if len(listed) != len(packet.issues):
        yield "an issue stands twice in the list of issues"
    yield from _differences("issue", listed, known, "the list of issues")
    for issue_id in listed.keys() & known.keys():
        issue = known[issue_id]
        slots = issue.model_dump(mode="json", exclude={"id", "type", "span"})
        if listed[issue_id].type != issue.type:
            yield f"issue {issue_id} is listed as {listed[issue_id].type} and is {issue.type}"
        for name in sorted(slots.keys() | listed[issue_id].slots.keys()):
            if name not in slots:
                yield f"issue {issue_id} is listed with a slot {name} that it does not have"
            elif listed[issue_id].slots.get(name, "left out") != slots[name]:
                yield f"slot {name} of issue {issue_id} is not listed as {slots[name]}"


def _evidence(packet: HandoffPacket, record: RunRecord) -> Iterator[str]:
    records = {each.evidence_id: each for each in record.evidence}
    rows = record.ledger.of(packet.issue_id)
    needed = {name for row in rows for name in row.evidence_ids if name in records}
    listed = {each.evidence_id: each for each in packet.evidence}
    if len(listed) != len(packet.evidence):
        yield "a record stands twice in the evidence"
    yield from _differences("record", listed, needed, "the evidence")
    for name in sorted(listed.keys() & needed):
        found, source = listed[name], records[name]
        policies = {row.policy_version for row in rows if name in row.evidence_ids} - {None} or {None}
        if found.source_at != source.source_at:
            yield f"record {name} has another source time in the packet than at its source"
        if found.version != source.version:
            yield f"record {name} has version {found.version} in the packet and {source.version} at its source"
        if found.policy_version not in policies:
            wanted = " or ".join(sorted(str(policy) for policy in policies))
            yield f"record {name} stands in the packet under policy {found.policy_version}, not {wanted}"


def _conflicts(packet: HandoffPacket, record: RunRecord) -> Iterator[str]:
    rows = record.ledger.of(packet.issue_id)
    open_rows = Counter(_told(row) for row in rows if row.status is not ClaimStatus.SUPPORTED)
    told = Counter(
        (each.subject, each.about, str(each.status), each.code, frozenset(each.evidence_ids))
        for each in packet.conflicts
    )
    for subject, about, status, code, _ in open_rows - told:
        yield f"the conflicts leave out {about} of {subject}, which is {status} ({code})"
    for subject, about, status, code, _ in told - open_rows:
        yield f"the conflicts hold {about} of {subject} as {status} ({code}), and no row of the ledger says so"


def _told(row: LedgerRow) -> tuple[str, str, str, str, frozenset[str]]:
    """A row that is not supported as a conflict names it; one without any evidence is missing."""
    status = str(row.status) if row.evidence_ids else "missing"
    code = row.qualifier or "unsupported"
    return row.claim.subject, row.claim.predicate, status, code, frozenset(row.evidence_ids)


def _calls(packet: HandoffPacket, rows: tuple[TraceRow, ...]) -> Iterator[str]:
    made = Counter(_reads_before(packet, rows))
    listed = Counter((call.tool, call.outcome) for call in packet.completed_calls)
    for tool, outcome in made - listed:
        yield f"the calls leave out {tool}, which ended with {outcome}"
    for tool, outcome in listed - made:
        yield f"the calls hold {tool} with {outcome} more often than it was called"


def _reads_before(packet: HandoffPacket, rows: tuple[TraceRow, ...]) -> list[tuple[str, str]]:
    """The reads that this packet was made of: the last unbroken run of them before it was sent, denied ones included."""
    tail = f":{packet.issue_id}:{fingerprint(packet)[:32]}"
    sent = next((n for n, row in enumerate(rows) if (row.idempotency_key or "").endswith(tail)), len(rows))
    reads: list[tuple[str, str]] = []
    for row in reversed(rows[:sent]):
        if row.tool in READS:
            if row.kind == "call" or row.decision is Decision.DENY:
                reads.append((row.tool, row.outcome))
        elif reads or row.tool not in _BETWEEN:
            break
    return reads


def _action(packet: HandoffPacket, record: RunRecord) -> Iterator[str]:
    action, about = packet.proposed_action, packet.issue_id
    types = {view.issue.type for view in record.issues if view.issue.id == about}
    operations = [op for op in record.operations if op.subject_id == about]
    if "subscription_change" not in types and not operations:
        if action is not None:
            yield f"an action is proposed for {about}, where nothing was to be changed"
        return
    if action is None:
        yield f"the action that was proposed for {about} is left out"
        return
    if action.reason != packet.reason:
        yield f"the action says {action.reason} for why a specialist must look, and the packet {packet.reason}"
    state = operations[-1].state if operations else None
    if action.operation_state != state:
        yield f"the operation on {about} stands at {state or 'none'}, and the action says {action.operation_state}"
    quotes = [view.quote.quote_id for view in record.quotes if view.quote.issue_id == about]
    withdrawn = [
        view.quote.quote_id
        for view in record.quotes
        if view.quote.issue_id == about and view.reason == "handed_off"
    ]
    wanted = withdrawn[-1:] or [op.proposal_id for op in operations[-1:] if op.proposal_id]
    if wanted and action.proposal_id != wanted[0]:
        yield f"the action names proposal {action.proposal_id}, and the one it is about is {wanted[0]}"
    if not wanted and action.proposal_id is not None and action.proposal_id not in quotes:
        yield f"the action names proposal {action.proposal_id}, which was never made"


def _commitments(packet: HandoffPacket, record: RunRecord) -> Iterator[str]:
    """What commits us is what was said, before this turn, of where the issue stands with us: claim `<issue>-S`."""
    said = {
        sentence.text
        for reply in record.replies
        if reply.turn < record.turn
        for sentence in reply.sentences
        if f"{packet.issue_id}-S" in sentence.claim_ids
    }
    for text in sorted(said - set(packet.commitments)):
        yield f"the commitments leave out what the customer was told: {text!r}"
    for text in sorted(set(packet.commitments) - said):
        yield f"the commitments hold what was never said of this issue: {text!r}"


def _differences(what: str, found: Iterable[str], wanted: Iterable[str], place: str) -> Iterator[str]:
    for name in sorted(set(wanted) - set(found)):
        yield f"{place} leaves out {what} {name}"
    for name in sorted(set(found) - set(wanted)):
        yield f"{place} holds {what} {name}, which does not belong there"
