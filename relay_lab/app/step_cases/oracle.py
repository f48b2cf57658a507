"""Cases of the eighth lesson: runs of the matrix that are right, and runs that each break one boundary."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from relay_lab.app.injection import facts_of
from relay_lab.app.knowing import knowing
from relay_lab.app.lab import Parts, open_lab
from relay_lab.app.matrix_rows import chosen, expectations
from relay_lab.app.matrix_run import observe
from relay_lab.app.step_cases.case import Case
from relay_lab.app.step_cases.scenes import Scene
from relay_lab.contracts.enums import Decision, IssueState, OperationState
from relay_lab.contracts.issues import Admission
from relay_lab.contracts.oracle import Boundary, OracleExpectation
from relay_lab.contracts.record import Reply, RunRecord, Sentence, TraceRow
from relay_lab.contracts.session import Session
from relay_lab.core.guards import STANDING
from relay_lab.desks.support.desk import reference_steps
from relay_lab.evaluation.checks.kinds import Step
from relay_lab.evaluation.checks.oracle import ExpectedVerdict
from relay_lab.evaluation.rows import filled

RIGHT_ROWS = {
    "F3": "right_failure",
    "F4b": "right_failure",
    "F6": "right",
    "F7": "right",
    "F9": "right_stop",
    "N3": "right",
}
"""Rows of the matrix that the reference passes, with what is special about each."""

Trace = tuple[TraceRow, ...]


def cases(scene: Scene) -> Iterator[Case]:
    """The cases of one scene; the rows of the matrix run on the fixture alone."""
    record, trace = _scheduled(scene)
    meant = OracleExpectation(states=_states(record), stopped_by=None, must_not=("no duplicate",))
    yield _case(scene, "right_change", record, trace, meant)
    if scene.visible:
        for row_id, kind in RIGHT_ROWS.items():
            yield _case(scene, kind, *_matrix_row(scene, row_id), what=row_id)
    yield from _wrong_ends(scene, record, trace, meant)
    yield from _wrong_words(scene, record, trace, meant)
    yield from _wrong_calls(scene, record, trace, meant)
    done = record.operations[-1]
    lost = done.model_copy(update={"state": OperationState.FAILED_UNKNOWN, "receipt": None})
    yield _case(scene, "no_receipt", _with(record, operations=()), trace, meant, "receipt")
    yield _case(scene, "wrong_throughout", *_nothing_right(scene, record, trace), meant, "states")
    yield _case(scene, "unknown_done", _with(record, operations=(lost,)), trace, meant, "receipt")


def _wrong_ends(scene: Scene, record: RunRecord, trace: Trace, meant: OracleExpectation) -> Iterator[Case]:
    last = record.issues[-1].model_copy(update={"state": IssueState.HANDED_OFF})
    moved = _with(record, issues=(*record.issues[:-1], last))
    yield _case(scene, "wrong_state", moved, trace, meant, "states", may_follow=("receipt",))
    yield _case(scene, "dropped_issue", *_deaf(scene), _first(meant), "states")
    stop = trace[-1].model_copy(update={"kind": "decision", "decision": Decision.DENY, "guard": "scope"})
    stopped = meant.model_copy(update={"stopped_by": "confirmation"})
    yield _case(scene, "other_guard", record, (*trace, stop), stopped, "stopped_by")
    yield _case(scene, "no_guard", record, trace, stopped, "stopped_by")


def _wrong_words(scene: Scene, record: RunRecord, trace: Trace, meant: OracleExpectation) -> Iterator[Case]:
    said = Sentence(text="There is NO DUPLICATE on your account.", claim_ids=())
    for kind, index in (("forbidden_words", len(record.replies) - 1), ("forbidden_earlier", 0)):
        replies = [
            Reply(turn=reply.turn, sentences=(*reply.sentences, said)) if n == index else reply
            for n, reply in enumerate(record.replies)
        ]
        yield _case(scene, kind, _with(record, replies=tuple(replies)), trace, meant, "words")


def _wrong_calls(scene: Scene, record: RunRecord, trace: Trace, meant: OracleExpectation) -> Iterator[Case]:
    read = next(row for row in trace if row.kind == "call")
    other = read.model_copy(update={"customer_id": f"{scene.customer}-other"})
    yield _case(scene, "foreign_call", record, (*trace, other), meant, "scopes")
    scopes = tuple(scope for scope in record.session.allowed_scopes if scope != "billing:read")
    session = record.session.model_copy(update={"allowed_scopes": scopes})
    yield _case(scene, "scope_missing", _with(record, session=session), trace, meant, "scopes")
    write = next(row for row in trace if row.kind == "call" and row.tool == "schedule_downgrade")
    again = write.model_copy(update={"idempotency_key": f"{write.idempotency_key}-2"})
    yield _case(scene, "two_keys", record, (*trace, again), meant, "once")


def _nothing_right(scene: Scene, record: RunRecord, trace: Trace) -> tuple[RunRecord, Trace]:
    """Every issue elsewhere, every call for somebody else, and the forbidden words in every reply."""
    said = Sentence(text="There is no duplicate.", claim_ids=())
    issues = (view.model_copy(update={"state": IssueState.UNKNOWN}) for view in record.issues)
    replies = (Reply(turn=reply.turn, sentences=(said,)) for reply in record.replies)
    foreign = (row.model_copy(update={"customer_id": f"{scene.customer}-other"}) for row in trace)
    return _with(record, issues=tuple(issues), replies=tuple(replies)), tuple(foreign)


def _matrix_row(scene: Scene, row_id: str) -> tuple[RunRecord, Trace, OracleExpectation]:
    scenario, expected = scene.scenario, expectations()[row_id]
    seen = observe(chosen((row_id,))[0], scenario, knowing(scene.wanted), STANDING)
    if seen.record is None:
        raise ValueError(f"row {row_id} left no record")
    facts = facts_of(scenario)
    # Every call is held against the session it was made under: the last one, where a row changes it on the way.
    trace = seen.passages[-1].rows if row_id == "N3" else seen.trace
    return (
        seen.record,
        trace,
        OracleExpectation(
            states=expected.checkpoints[-1].states,
            stopped_by=expected.stopped_by,
            must_not=tuple(filled(text, facts) for text in expected.must_not),
        ),
    )


def _scheduled(scene: Scene) -> tuple[RunRecord, Trace]:
    """The whole way: message, pick, confirmation, schedule."""
    with open_lab(scene.scenario, parts=Parts(propose=knowing(scene.wanted))) as lab:
        lab.say(scene.scenario.message)
        lab.choose(str(scene.scenario.pick))
        run = lab.confirm()
    if run.record is None:
        raise ValueError(f"{scene.name} left no record")
    return run.record, run.trace


def _deaf(scene: Scene) -> tuple[RunRecord, Trace]:
    """A desk whose second step drops the last issue."""
    steps = reference_steps(STANDING)

    def decompose(message: str, answer: str, session: Session) -> Admission:
        document = json.loads(answer)
        return steps.decompose(message, json.dumps({"issues": document["issues"][:-1]}), session)

    parts = Parts(propose=knowing(scene.wanted), steps=replace(steps, decompose=decompose))
    with open_lab(scene.scenario, parts=parts) as lab:
        run = lab.say(scene.scenario.message)
    if run.record is None:
        raise ValueError(f"{scene.name} left no record")
    return run.record, run.trace


def _first(meant: OracleExpectation) -> OracleExpectation:
    """What is expected of a message alone: the plan is still to be picked."""
    states = {
        issue_id: "needs_input" if state == "scheduled" else state for issue_id, state in meant.states.items()
    }
    return meant.model_copy(update={"states": states})


def _states(record: RunRecord) -> dict[str, str]:
    return {view.issue.id: view.state.value for view in record.issues}


def _with(record: RunRecord, **fields: Any) -> RunRecord:
    return record.model_copy(update=fields)


def _case(
    scene: Scene,
    kind: str,
    record: RunRecord,
    trace: Trace,
    meant: OracleExpectation,
    broken: Boundary | None = None,
    may_follow: tuple[Boundary, ...] = (),
    what: str = "",
) -> Case:
    return Case(
        id=f"{scene.name}: {kind}{f' ({what})' if what else ''}",
        step=Step.ORACLE,
        kind=kind,
        arguments=(record, trace, meant),
        expected=ExpectedVerdict(broken, may_follow),
        visible=scene.visible,
    )
