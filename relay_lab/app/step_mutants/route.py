"""Wrong versions of step 6."""

from collections.abc import Callable, Mapping

from relay_lab.app.step_mutants.kinds import StepFunction, StepMutant
from relay_lab.contracts.enums import Assurance, ClaimStatus, IssueState, Outcome
from relay_lab.contracts.issues import Issue
from relay_lab.contracts.ledger import Ledger
from relay_lab.contracts.record import Routing
from relay_lab.contracts.session import Authentication
from relay_lab.evaluation.checks.kinds import Step

Issues = tuple[Issue, ...]
Routings = tuple[Routing, ...]
Route = Callable[[Authentication, Issues, Ledger, Mapping[str, int]], Routings]

_PERSON = {"outcome": Outcome.HUMAN_HANDOFF, "state": IssueState.HANDOFF_PENDING}
_OFFER = {"outcome": Outcome.VERIFIED_SELF_SERVICE, "state": IssueState.AWAITING_CONFIRMATION}


def _where(reasons: tuple[str, ...], fields: Mapping[str, object]) -> Callable[[StepFunction], Route]:
    """The reference with another way where it gives one of these reasons."""

    def make(reference: StepFunction) -> Route:
        def broken(
            authentication: Authentication, issues: Issues, ledger: Ledger, unanswered: Mapping[str, int]
        ) -> Routings:
            return tuple(
                each.model_copy(update=dict(fields)) if each.reason in reasons else each
                for each in reference(authentication, issues, ledger, unanswered)
            )

        return broken

    return make


def _for(rights: Callable[[Authentication], Mapping[str, object]]) -> Callable[[StepFunction], Route]:
    """The reference for other rights than those that were verified."""

    def make(reference: StepFunction) -> Route:
        def broken(
            authentication: Authentication, issues: Issues, ledger: Ledger, unanswered: Mapping[str, int]
        ) -> Routings:
            other = authentication.model_copy(update=dict(rights(authentication)))
            routings: Routings = reference(other, issues, ledger, unanswered)
            return routings

        return broken

    return make


def one_outcome_for_the_turn(reference: StepFunction) -> Route:
    """One score for the whole message."""

    def broken(
        authentication: Authentication, issues: Issues, ledger: Ledger, unanswered: Mapping[str, int]
    ) -> Routings:
        right: Routings = reference(authentication, issues, ledger, unanswered)
        person = any(each.outcome is Outcome.HUMAN_HANDOFF for each in right)
        return tuple(each.model_copy(update=_PERSON) if person else each for each in right)

    return broken


def _renamed(before: IssueState, after: IssueState) -> Callable[[StepFunction], Route]:
    def make(reference: StepFunction) -> Route:
        def broken(
            authentication: Authentication, issues: Issues, ledger: Ledger, unanswered: Mapping[str, int]
        ) -> Routings:
            return tuple(
                each.model_copy(update={"state": after}) if each.state is before else each
                for each in reference(authentication, issues, ledger, unanswered)
            )

        return broken

    return make


def calls_it_handed_off(reference: StepFunction) -> Route:
    """Deciding to hand off is handing off."""
    return _renamed(IssueState.HANDOFF_PENDING, IssueState.HANDED_OFF)(reference)


def calls_it_scheduled(reference: StepFunction) -> Route:
    """An allowed change is as good as made."""
    return _renamed(IssueState.AWAITING_CONFIRMATION, IssueState.SCHEDULED)(reference)


def a_password_is_enough(reference: StepFunction) -> Route:
    """Who may read may change."""
    return _for(lambda rights: {"may_change": rights.may_read})(reference)


def the_service_will_check_the_scopes(reference: StepFunction) -> Route:
    """Somebody further down will check the scopes."""
    both = ("subscription:prepare", "subscription:schedule")
    return _for(lambda rights: {"scopes": (*rights.scopes, *both)})(reference)


def anybody_gets_an_answer(reference: StepFunction) -> Route:
    """A question can be answered without a session."""

    def rights(verified: Authentication) -> Mapping[str, object]:
        none = verified.assurance is Assurance.NONE
        return {"assurance": Assurance.PASSWORD} if none else {}

    return _for(rights)(reference)


def takes_the_smallest_plan(reference: StepFunction) -> Route:
    """Smaller means the smallest."""
    return _where(("which_plan",), _OFFER)(reference)


def cancels_by_itself(reference: StepFunction) -> Route:
    """An end is the lowest plan."""
    return _where(("cancel",), _OFFER)(reference)


def raises_a_plan_by_itself(reference: StepFunction) -> Route:
    """More money is always welcome."""
    return _where(("higher_plan",), _OFFER)(reference)


def refuses_every_change(reference: StepFunction) -> Route:
    """What refuses everything is safe."""
    return _where(("quote",), _PERSON)(reference)


def refund_flow_for_everybody(reference: StepFunction) -> Route:
    """Who was charged twice wants a refund."""
    return _where(("verified_duplicate",), {"outcome": Outcome.VERIFIED_SELF_SERVICE})(reference)


def an_incident_needs_a_person(reference: StepFunction) -> Route:
    """An incident is an emergency."""
    return _where(("active_incident",), _PERSON)(reference)


def abstains_from_what_is_other(reference: StepFunction) -> Route:
    """What fits no type is not ours."""
    quiet = {"outcome": Outcome.ABSTAIN, "state": IssueState.NEEDS_INPUT}
    return _where(("other_request", "refused_proposal"), quiet)(reference)


def routes_what_it_knows(reference: StepFunction) -> Route:
    """What cannot be routed can be left out."""

    def broken(
        authentication: Authentication, issues: Issues, ledger: Ledger, unanswered: Mapping[str, int]
    ) -> Routings:
        known = tuple(issue for issue in issues if issue.type not in ("other", "human_request"))
        routings: Routings = reference(authentication, known, ledger, unanswered)
        return routings

    return broken


def what_is_not_supported_is_not_there(reference: StepFunction) -> Route:
    """Only supported rows count."""

    def broken(
        authentication: Authentication, issues: Issues, ledger: Ledger, unanswered: Mapping[str, int]
    ) -> Routings:
        rows = tuple(row for row in ledger.rows if row.status is ClaimStatus.SUPPORTED)
        routings: Routings = reference(authentication, issues, Ledger(rows=rows), unanswered)
        return routings

    return broken


def asks_for_ever(reference: StepFunction) -> Route:
    """A question can be asked until it is answered."""

    def broken(
        authentication: Authentication, issues: Issues, ledger: Ledger, unanswered: Mapping[str, int]
    ) -> Routings:
        routings: Routings = reference(authentication, issues, ledger, {})
        return routings

    return broken


MUTANTS = (
    StepMutant(Step.ROUTE, one_outcome_for_the_turn, "gives_each_issue_its_own_outcome"),
    StepMutant(Step.ROUTE, calls_it_handed_off, "calls_nothing_done_before_its_receipt"),
    StepMutant(Step.ROUTE, calls_it_scheduled, "calls_nothing_done_before_its_receipt"),
    StepMutant(Step.ROUTE, a_password_is_enough, "never_offers_a_change_that_is_not_allowed"),
    StepMutant(Step.ROUTE, the_service_will_check_the_scopes, "never_offers_a_change_that_is_not_allowed"),
    StepMutant(Step.ROUTE, cancels_by_itself, "never_offers_a_change_that_is_not_allowed"),
    StepMutant(Step.ROUTE, raises_a_plan_by_itself, "never_offers_a_change_that_is_not_allowed"),
    StepMutant(Step.ROUTE, anybody_gets_an_answer, "hands_everything_off_without_a_session"),
    StepMutant(
        Step.ROUTE,
        takes_the_smallest_plan,
        "asks_when_something_is_not_known",
        related=("gives_each_issue_its_own_outcome", "stops_asking_after_two_questions"),
    ),
    StepMutant(Step.ROUTE, refuses_every_change, "offers_the_change_that_is_allowed"),
    StepMutant(
        Step.ROUTE,
        refund_flow_for_everybody,
        "answers_what_the_records_answer",
        related=("gives_each_issue_its_own_outcome",),
    ),
    StepMutant(Step.ROUTE, an_incident_needs_a_person, "answers_what_the_records_answer"),
    StepMutant(Step.ROUTE, abstains_from_what_is_other, "drops_no_request"),
    StepMutant(
        Step.ROUTE, routes_what_it_knows, "drops_no_request", related=("gives_each_issue_its_own_outcome",)
    ),
    StepMutant(Step.ROUTE, what_is_not_supported_is_not_there, "hands_off_what_the_records_do_not_settle"),
    StepMutant(Step.ROUTE, asks_for_ever, "stops_asking_after_two_questions"),
)
