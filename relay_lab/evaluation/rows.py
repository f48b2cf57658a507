"""The judge of a failure row: what was seen against what is expected, point by point, each failure as a sentence."""

from collections.abc import Iterator, Mapping

from relay_lab.contracts.base import Scalar
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.record import RunRecord
from relay_lab.evaluation.expected import Must, RowExpectation
from relay_lab.evaluation.observed import Observed


def judge(expected: RowExpectation, seen: Observed, facts: Mapping[str, str]) -> tuple[str, ...]:
    """Everything that is not as it should be, in words; empty when the row holds.

    `facts` fill the names in braces of what replies must or must not hold: an id of this very world. A workflow without the
    runtime is held to what the company's tables, the call rows and its replies show, to its tickets as well, and to states if
    it tells them; where the row's injection could not be put to it, only to what holds of any row.
    """
    if seen.untried:
        return (*seen.unauthorized, *seen.called_done)
    parts = [_states(expected, seen), _counts(expected, seen), _words(expected, seen, facts)]
    if seen.behind_runtime:
        parts += [_told(expected, seen, facts), _calls(expected.must, seen, expected.must.tickets)]
        parts += [_decisions(expected.must, seen), _records(expected.must, seen.record)]
    else:
        handed_off = list(expected.checkpoints[-1].states.values()).count("handed_off")
        tickets = handed_off if expected.must.tickets is None else expected.must.tickets
        parts.append(_calls(expected.must, seen, tickets))
    return tuple(failure for part in parts for failure in part)


def _states(expected: RowExpectation, seen: Observed) -> Iterator[str]:
    observed = {point.at: point.states for point in seen.checkpoints}
    for point in expected.checkpoints:
        states = observed.get(point.at)
        if states is None:
            yield f"the run never came to {point.at!r}"
        elif not seen.tells_states:
            continue
        elif states != point.states:
            yield f"at {point.at!r} the issues stood at {_plain(states)}, not {_plain(point.states)}"
    if seen.checkpoints and seen.checkpoints[-1].at != expected.checkpoints[-1].at:
        yield f"the run ended at {seen.checkpoints[-1].at!r}, and nothing is expected of that point"


def _counts(expected: RowExpectation, seen: Observed) -> Iterator[str]:
    if seen.mutations != expected.mutations:
        yield f"{_were(seen.mutations, 'change')} made, not {expected.mutations}"
    if seen.behind_runtime and seen.stopped_by != expected.stopped_by:
        yield f"it was stopped by {seen.stopped_by or 'nothing'}, not by {expected.stopped_by or 'anything'}"
    yield from seen.unauthorized
    yield from seen.packet_failures


def _words(expected: RowExpectation, seen: Observed, facts: Mapping[str, str]) -> Iterator[str]:
    order = [point.at for point in seen.checkpoints]
    rules = [(text, order[-1] if order else "") for text in expected.must_not]
    rules += [(text, point.at) for point in expected.checkpoints for text in point.must_not]
    for text, until in rules:
        said = filled(text, facts).lower()
        within = order[: order.index(until) + 1] if until in order else order
        for at, reply in seen.replies:
            if at in within and said in reply.lower():
                yield f"the reply at {at!r} holds {said!r}"
    yield from seen.called_done


def _told(expected: RowExpectation, seen: Observed, facts: Mapping[str, str]) -> Iterator[str]:
    for text in expected.must.reply_holds:
        said = filled(text, facts).lower()
        if not seen.replies or said not in seen.replies[-1][1].lower():
            yield f"the last reply does not hold {said!r}"


def _calls(must: Must, seen: Observed, tickets: int | None) -> Iterator[str]:
    calls = [row for row in seen.trace if row.kind == "call"]
    if tickets is not None and tickets != seen.tickets:
        yield f"{_were(seen.tickets, 'ticket')} opened, not {tickets}"
    for tool in dict.fromkeys(row.tool for row in calls):
        # What a bare system of record refuses has no effect: for a bot alone the tables say whether there was one.
        forbidden = seen.behind_runtime and tool in must.never
        if forbidden or (must.only is not None and tool not in must.only):
            yield f"{tool} was called"
    if must.within_s is not None and seen.took_s > must.within_s:
        yield f"it took {seen.took_s:.1f} s, more than {must.within_s:.1f}"
    keys = {row.idempotency_key for row in calls if row.tool == "schedule_downgrade"}
    if must.keys is not None and len(keys) != must.keys:
        yield f"{_were(len(keys), 'key')} used for the change, not {must.keys}"


def _decisions(must: Must, seen: Observed) -> Iterator[str]:
    for tool, outcomes in must.calls.items():
        found = tuple(row.outcome for row in seen.trace if row.kind == "call" and row.tool == tool)
        if found != outcomes:
            yield f"the calls of {tool} came to {list(found)}, not {list(outcomes)}"
    for row in must.trace:
        if not any(
            (row.tool, row.outcome, row.place or each.place) == (each.tool, each.outcome, each.place)
            for each in seen.trace
        ):
            yield f"the trace has no row {row.tool} {row.outcome} {row.place or ''}".rstrip()
    if must.one_answer and len(set(seen.answers)) != 1:
        yield f"{len(seen.answers)} deliveries got {len(set(seen.answers))} different answers"
    first = seen.record.issues[0].issue if seen.record and seen.record.issues else None
    if must.whole_message and (first is None or first.type != "other" or first.span.text != seen.message):
        yield "the first issue is not one of type other over the whole message"


def _records(must: Must, record: RunRecord | None) -> Iterator[str]:
    if record is None:
        if must != Must():
            yield "there is no record"
        return
    quotes = tuple(view.state.value for view in record.quotes)
    if must.quotes is not None and quotes != must.quotes:
        yield f"the quotes stand at {list(quotes)}, not {list(must.quotes)}"
    operation = next((op for op in reversed(record.operations) if op.tool == "schedule_downgrade"), None)
    for name, value in (must.operation or {}).items():
        stands = _of(operation, name)
        if stands != value:
            yield f"the operation's {name} is {stands!r}, not {value!r}"
    for issue_id, status in must.ledger.items():
        if status not in {row.status.value for row in record.ledger.of(issue_id)}:
            yield f"no claim on {issue_id} is {status}"
    reasons = {view.issue.id: view.reason for view in record.issues}
    for issue_id, reason in must.reasons.items():
        if reasons.get(issue_id) != reason:
            yield f"the reason of {issue_id} is {reasons.get(issue_id)!r}, not {reason!r}"
    if must.packet_lists:
        kinds = {row.evidence_id: row.value.kind for row in record.evidence}
        conflicts = [
            {kinds.get(evidence_id, "") for evidence_id in conflict.evidence_ids}
            for packet in record.packets
            for conflict in packet.conflicts
        ]
        if not any(conflict >= set(must.packet_lists) for conflict in conflicts):
            yield f"no conflict in a packet names {' and '.join(must.packet_lists)}"
    drafts = [reply.refused_draft for reply in record.replies]
    if must.refused_draft is not None and any(drafts) != must.refused_draft:
        yield "no draft was refused" if must.refused_draft else "a draft was refused"


def filled(text: str, facts: Mapping[str, str]) -> str:
    """A text with the facts of a world put in for the names in braces; a brace that names no fact stays as it is."""
    for name, value in facts.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def _of(operation: Operation | None, name: str) -> Scalar:
    value = operation.model_dump(mode="json").get(name) if operation else None
    return value if isinstance(value, str | int | bool) else None


def _were(number: int, what: str) -> str:
    return f"1 {what} was" if number == 1 else f"{number} {what}s were"


def _plain(states: Mapping[str, str]) -> str:
    return ", ".join(f"{issue_id} {state}" for issue_id, state in states.items())
