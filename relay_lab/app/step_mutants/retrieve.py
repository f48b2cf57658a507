"""Wrong versions of steps 3 and 4."""

from collections.abc import Callable, Mapping
from datetime import datetime

from relay_lab.app.step_mutants.kinds import StepFunction, StepMutant
from relay_lab.contracts.base import Scalar, iso
from relay_lab.contracts.enums import Feature
from relay_lab.contracts.evidence import (
    IncidentReport,
    ReadAnswer,
    ReadError,
    ReadSuccess,
    Retrieval,
    Source,
    VerifiedRecord,
)
from relay_lab.contracts.issues import FeatureAccess, Issue
from relay_lab.contracts.ports import ReadTools
from relay_lab.contracts.session import Authentication
from relay_lab.evaluation.checks.kinds import Step

Retrieve = Callable[[Authentication, tuple[Issue, ...], ReadTools], Retrieval]
Read = Callable[[ReadTools, str, Mapping[str, Scalar], float], list[ReadAnswer]]


class _Between:
    """Tools that read in another way, and keep what really came."""

    def __init__(self, tools: ReadTools, read: Read) -> None:
        self._tools, self._read = tools, read
        self.log: list[ReadAnswer] = []

    def now(self) -> datetime:
        return self._tools.now()

    def read(self, tool: str, arguments: Mapping[str, Scalar], timeout_s: float) -> ReadAnswer:
        answers = self._read(self._tools, tool, arguments, timeout_s)
        self.log += answers
        return answers[-1]


def _reading(read: Read) -> Callable[[StepFunction], Retrieve]:
    """The reference over tools that read in another way; its retrieval lists what really came."""

    def make(reference: StepFunction) -> Retrieve:
        def broken(authentication: Authentication, issues: tuple[Issue, ...], tools: ReadTools) -> Retrieval:
            between = _Between(tools, read)
            right: Retrieval = reference(authentication, issues, between)
            return right.model_copy(update={"reads": tuple(between.log)})

        return broken

    return make


def _with(change: Callable[[Retrieval], dict[str, object]]) -> Callable[[StepFunction], Retrieve]:
    def make(reference: StepFunction) -> Retrieve:
        def broken(authentication: Authentication, issues: tuple[Issue, ...], tools: ReadTools) -> Retrieval:
            right: Retrieval = reference(authentication, issues, tools)
            return right.model_copy(update=change(right))

        return broken

    return make


def tries_until_it_answers(reference: StepFunction) -> Retrieve:
    """It will answer in the end."""

    def read(
        tools: ReadTools, tool: str, arguments: Mapping[str, Scalar], timeout_s: float
    ) -> list[ReadAnswer]:
        answers = [tools.read(tool, arguments, timeout_s)]
        while isinstance(answers[-1], ReadError) and answers[-1].retryable and len(answers) < 5:
            answers.append(tools.read(tool, arguments, timeout_s))
        return answers

    return _reading(read)(reference)


def gives_up_at_once(reference: StepFunction) -> Retrieve:
    """A timeout is an answer."""

    def broken(authentication: Authentication, issues: tuple[Issue, ...], tools: ReadTools) -> Retrieval:
        true: list[ReadAnswer] = []

        def read(
            tools: ReadTools, tool: str, arguments: Mapping[str, Scalar], timeout_s: float
        ) -> list[ReadAnswer]:
            true.append(tools.read(tool, arguments, timeout_s))
            final = {"retryable": False} if isinstance(true[-1], ReadError) else {}
            return [true[-1].model_copy(update=final)]

        right = _reading(read)(reference)(authentication, issues, tools)
        return right.model_copy(update={"reads": tuple(true)})

    return broken


def waits_half_a_minute(reference: StepFunction) -> Retrieve:
    """Who waits longer gets more."""
    return _reading(lambda tools, tool, arguments, _: [tools.read(tool, arguments, 30.0)])(reference)


def asks_again_when_denied(reference: StepFunction) -> Retrieve:
    """Every error is worth another try."""

    def read(
        tools: ReadTools, tool: str, arguments: Mapping[str, Scalar], timeout_s: float
    ) -> list[ReadAnswer]:
        first = tools.read(tool, arguments, timeout_s)
        denied = isinstance(first, ReadError) and not first.retryable
        return [first, tools.read(tool, arguments, timeout_s)] if denied else [first]

    return _reading(read)(reference)


def asks_for_todays_policy(reference: StepFunction) -> Retrieve:
    """The policy of today judges the charge of last month."""

    def read(
        tools: ReadTools, tool: str, arguments: Mapping[str, Scalar], timeout_s: float
    ) -> list[ReadAnswer]:
        if arguments.get("policy_id") == "refund":
            arguments = {**arguments, "effective_at": iso(tools.now())}
        return [tools.read(tool, arguments, timeout_s)]

    return _reading(read)(reference)


def forgets_what_is_missing(reference: StepFunction) -> Retrieve:
    """No record says enough."""
    return _with(lambda _: {"missing": ()})(reference)


def hides_failed_reads(reference: StepFunction) -> Retrieve:
    """A read that failed is no observation."""
    return _with(
        lambda right: {"reads": tuple(read for read in right.reads if isinstance(read, ReadSuccess))}
    )(reference)


def keeps_what_seems_useful(reference: StepFunction) -> Retrieve:
    """The entitlement follows from the plan."""
    kept = ("transaction", "invoice", "reconciliation", "refund_policy", "subscription", "plan_map")
    return _with(lambda right: {"records": tuple(each for each in right.records if each.value.kind in kept)})(
        reference
    )


def reads_for_anybody(reference: StepFunction) -> Retrieve:
    """The tools will refuse by themselves."""

    def broken(authentication: Authentication, issues: tuple[Issue, ...], tools: ReadTools) -> Retrieval:
        found: Retrieval = reference(authentication.model_copy(update={"may_read": True}), issues, tools)
        return found

    return broken


def reads_articles_as_well(reference: StepFunction) -> Retrieve:
    """More context is better."""
    return _first("search_articles", lambda _: {"query": "refund"}, lambda who: who.may_read)(reference)


def reads_for_the_customer_in_the_text(reference: StepFunction) -> Retrieve:
    """The customer who is named is the one to look up."""
    return _first(
        "get_plan_and_entitlements",
        lambda who: {"customer_id": who.foreign_ids[0]},
        lambda who: bool(who.foreign_ids),
    )(reference)


def _first(
    tool: str,
    arguments: Callable[[Authentication], Mapping[str, Scalar]],
    when: Callable[[Authentication], bool],
) -> Callable[[StepFunction], Retrieve]:
    """The reference after one more read."""

    def make(reference: StepFunction) -> Retrieve:
        def broken(authentication: Authentication, issues: tuple[Issue, ...], tools: ReadTools) -> Retrieval:
            more = [tools.read(tool, arguments(authentication), 5.0)] if when(authentication) else []
            right: Retrieval = reference(authentication, issues, tools)
            return right.model_copy(update={"reads": (*more, *right.reads)})

        return broken

    return make


def takes_silence_for_no_incident(reference: StepFunction) -> Retrieve:
    """No answer means no incident."""

    def broken(authentication: Authentication, issues: tuple[Issue, ...], tools: ReadTools) -> Retrieval:
        right: Retrieval = reference(authentication, issues, tools)
        silent = [gap.issue_id for gap in right.missing if gap.record == "incident_report"]
        made = tuple(
            _no_incident(issue.feature, tools.now())
            for issue in issues
            if issue.id in silent and isinstance(issue, FeatureAccess) and issue.feature
        )
        return right.model_copy(update={"records": (*right.records, *made)})

    return broken


def _no_incident(feature: Feature, now: datetime) -> VerifiedRecord:
    return VerifiedRecord(
        evidence_id=f"INCIDENTS-{feature}",
        source=Source.INCIDENTS,
        source_at=now,
        fresh_for_s=300,
        version="v1",
        value=IncidentReport(feature=feature, active=()),
    )


MUTANTS = (
    StepMutant(
        Step.RETRIEVE,
        tries_until_it_answers,
        "gives_up_after_two_attempts_and_ten_seconds",
        related=("names_what_could_not_be_read",),
    ),
    StepMutant(Step.RETRIEVE, gives_up_at_once, "tries_a_timeout_once_more"),
    StepMutant(
        Step.RETRIEVE,
        waits_half_a_minute,
        "gives_up_after_two_attempts_and_ten_seconds",
        related=("tries_a_timeout_once_more",),
    ),
    StepMutant(Step.RETRIEVE, asks_again_when_denied, "never_repeats_what_was_denied"),
    StepMutant(Step.RETRIEVE, asks_for_todays_policy, "asks_for_the_policy_in_force_at_the_charges"),
    StepMutant(Step.RETRIEVE, forgets_what_is_missing, "names_what_could_not_be_read"),
    StepMutant(Step.RETRIEVE, hides_failed_reads, "keeps_every_answer_as_it_came"),
    StepMutant(
        Step.RETRIEVE,
        keeps_what_seems_useful,
        "reads_every_required_record",
        related=("tries_a_timeout_once_more",),
    ),
    StepMutant(Step.RETRIEVE, reads_for_anybody, "reads_nothing_without_a_verified_session"),
    StepMutant(Step.RETRIEVE, reads_articles_as_well, "reads_only_what_the_issues_require"),
    StepMutant(Step.RETRIEVE, reads_for_the_customer_in_the_text, "never_reads_another_customer"),
    StepMutant(Step.RETRIEVE, takes_silence_for_no_incident, "keeps_every_answer_as_it_came"),
)
