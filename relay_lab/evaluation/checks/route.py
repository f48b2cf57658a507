"""Checks of step 6: one outcome for each issue by itself, from the ledger and the rights, by the routing rules (001 §6)."""

from collections.abc import Iterator
from dataclasses import dataclass

from relay_lab.contracts.enums import IssueState, Outcome
from relay_lab.evaluation.checks.kinds import Check, Hints, Performance, Step
from relay_lab.evaluation.measure import Measure


@dataclass(frozen=True)
class Way:
    """Where an issue should go, before any effect."""

    issue_id: str
    outcome: Outcome
    state: IssueState


@dataclass(frozen=True)
class ExpectedRouting:
    """One way for each issue, in order; `about` are the issues that this case is made for."""

    ways: tuple[Way, ...]
    about: tuple[str, ...]


_BEFORE_EFFECT = (
    IssueState.NEEDS_INPUT,
    IssueState.EVIDENCE_READY,
    IssueState.AWAITING_CONFIRMATION,
    IssueState.HANDOFF_PENDING,
)

_RECEIPT_GIVES = {
    IssueState.SCHEDULED: IssueState.AWAITING_CONFIRMATION,
    IssueState.HANDED_OFF: IssueState.HANDOFF_PENDING,
}


def _ways(seen: Performance) -> Iterator[str]:
    got = {routing.issue_id: routing for routing in seen.returned}
    for way in seen.expected.ways:
        if way.issue_id not in seen.expected.about:
            continue
        routing = got.get(way.issue_id)
        if routing is None:
            yield f"{way.issue_id} has no routing"
        elif (routing.outcome, _before_receipt(routing.state)) != (way.outcome, way.state):
            yield (
                f"{way.issue_id} goes to {routing.outcome} / {routing.state} ({routing.reason}),"
                f" not to {way.outcome} / {way.state}"
            )


def _before_receipt(state: IssueState) -> IssueState:
    """A state that only a receipt can give counts as the one before it: that it came early is the finding of one check."""
    return _RECEIPT_GIVES.get(state, state)


def _each(seen: Performance) -> Iterator[str]:
    got = [routing.issue_id for routing in seen.returned]
    meant = [way.issue_id for way in seen.expected.ways]
    if got != meant:
        yield f"the routings are of {got}, and the issues are {meant}"
    ways = {way.issue_id: way for way in seen.expected.ways if way.issue_id not in seen.expected.about}
    for routing in seen.returned:
        way = ways.get(routing.issue_id)
        if way and (routing.outcome, _before_receipt(routing.state)) != (way.outcome, way.state):
            yield f"{way.issue_id} goes to {routing.state}, and nothing is wrong with it"


def _no_receipt(seen: Performance) -> Iterator[str]:
    there = {way.issue_id for way in seen.expected.ways}
    if len(there) > 1 and len({routing.issue_id for routing in seen.returned} & there) < 2:
        yield "hardly an issue was routed"
    for routing in seen.returned:
        if routing.issue_id not in there:
            yield f"{routing.issue_id} is no issue of this message"
        if routing.state not in _BEFORE_EFFECT:
            yield f"{routing.issue_id} is called {routing.state}, and routing has caused nothing yet"


_ANSWERED = ("duplicate", "refund_asked", "returned", "separate", "not_entitled", "incident")
_UNSETTLED = ("unreconciled", "no_policy", "conflict", "stale", "unread", "unexplained")
_CLARIFY = ("no_plan", "no_feature", "same_plan")
_FORBIDDEN = ("password", "no_schedule_scope", "no_prepare_scope", "negotiated", "not_allowed", "policy_forbids",
              "higher_plan", "cancel")  # fmt: skip
_PEOPLE = ("a_person", "other_account", "outside", "refused_proposal")
_ALL = (*_ANSWERED, *_UNSETTLED, *_CLARIFY, *_FORBIDDEN, *_PEOPLE, "allowed", "nobody", "unanswered")

CHECKS = (
    Check(
        "answers_what_the_records_answer", Step.ROUTE, Measure.ROWS, _ANSWERED, 1,
        Hints(
            "Do the supported rows settle this issue?",
            "A confirmed duplicate, a refund already made, separate invoices, a feature that is not in the plan.",
            "respond (verified_self_service when a refund was asked for) and evidence_ready.",
        ),
        _ways,
    ),
    Check(
        "hands_off_what_the_records_do_not_settle", Step.ROUTE, Measure.ROWS, _UNSETTLED, 1,
        Hints(
            "May a claim that is not supported decide anything?",
            "Stale, conflicting, unsupported or unauthorized rows of the issue; or rows that explain nothing.",
            "human_handoff and handoff_pending.",
        ),
        _ways,
    ),
    Check(
        "asks_when_something_is_not_known", Step.ROUTE, Measure.ROWS, _CLARIFY, 1,
        Hints(
            "Is there a slot that only the customer can fill?",
            "target_plan null or the present plan; feature null. This comes before any record is required.",
            "clarify and needs_input.",
        ),
        _ways,
    ),
    Check(
        "never_offers_a_change_that_is_not_allowed", Step.ROUTE, Measure.SCOPES, _FORBIDDEN, 1,
        Hints(
            "Who must allow a change before it is offered?",
            "Assurance, both subscription scopes, the account, the contract, the policy; and it must be a lower plan.",
            "One of them missing: human_handoff, no quote.",
        ),
        _ways,
    ),
    Check(
        "offers_the_change_that_is_allowed", Step.ROUTE, Measure.ROWS, ("allowed",), 1,
        Hints(
            "What is a desk worth that refuses everything?",
            "A lower plan, allowed by all, under recent_mfa.",
            "verified_self_service and awaiting_confirmation.",
        ),
        _ways,
    ),
    Check(
        "hands_everything_off_without_a_session", Step.ROUTE, Measure.SCOPES, ("nobody",), 1,
        Hints(
            "What can be done for a customer nobody has verified?",
            "Assurance none comes before every other rule.",
            "human_handoff and handoff_pending for every issue.",
        ),
        _ways,
    ),
    Check(
        "stops_asking_after_two_questions", Step.ROUTE, Measure.ROWS, ("unanswered",), 1,
        Hints(
            "How often may a desk ask the same thing?",
            "unanswered counts the open questions by issue id.",
            "Two unanswered and still unclear: human_handoff.",
        ),
        _ways,
    ),
    Check(
        "drops_no_request", Step.ROUTE, Measure.DECOMPOSITION, _PEOPLE, 1,
        Hints(
            "What becomes of a request that fits no other type?",
            "A wish for a person, other requests about the account or not, a message that could not be read.",
            "handoff_pending; abstain / needs_input outside the service; clarify after a refused proposal.",
        ),
        _ways,
    ),
    Check(
        "gives_each_issue_its_own_outcome", Step.ROUTE, Measure.ROWS, _ALL, 1,
        Hints(
            "Does the trouble of one issue say anything about the next?",
            "One routing for each issue, in their order, from the rows of that issue alone.",
            "len(routings) == len(issues), and ids in the same order.",
        ),
        _each,
    ),
    Check(
        "calls_nothing_done_before_its_receipt", Step.ROUTE, Measure.RECEIPT, _ALL, 1,
        Hints(
            "What has happened in the company by the end of this step?",
            "scheduled, handed_off and unknown follow from receipts, and routing has none.",
            "awaiting_confirmation and handoff_pending are as far as routing goes.",
        ),
        _no_receipt,
    ),
)  # fmt: skip
"""The checks of `route`."""
