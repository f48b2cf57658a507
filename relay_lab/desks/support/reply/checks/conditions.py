"""When a licence holds: small functions of the cited claims, the state of the issue and what the clause names."""

from collections.abc import Callable
from dataclasses import dataclass

from relay_lab.contracts.enums import ClaimStatus, IssueState, OperationState, Outcome
from relay_lab.desks.support.reply import reasons
from relay_lab.desks.support.reply.checks.binding import features_of
from relay_lab.desks.support.reply.checks.grammar import Reading
from relay_lab.desks.support.reply.checks.grounds import Ground

OPEN_STATES = (IssueState.NEEDS_INPUT, IssueState.EVIDENCE_READY, IssueState.AWAITING_CONFIRMATION)
WITH_A_PERSON = (IssueState.HANDED_OFF, IssueState.HANDOFF_PENDING)
VALUES = ("amount", "date", "id", "plan", "number")


@dataclass(frozen=True)
class Scene:
    """A clause beside the ground of its sentence."""

    reading: Reading
    ground: Ground

    @property
    def nouns(self) -> set[str]:
        """The concepts named, framing nouns aside."""
        return {noun.concept for noun in self.reading.nouns}

    @property
    def state(self) -> IssueState | None:
        """The state of the issue, None for a sentence that cites nothing."""
        return self.ground.view.state if self.ground.view else None

    @property
    def reason(self) -> str:
        """The reason of the issue's routing."""
        return self.ground.view.reason if self.ground.view else ""

    def true(self, predicate: str) -> bool:
        """Whether a cited claim says yes."""
        return self.ground.value(predicate) is True

    def false(self, predicate: str) -> bool:
        """Whether a cited claim says no."""
        return self.ground.value(predicate) is False

    def number(self, predicate: str) -> int:
        """The largest number that a cited claim gives; -1 when none does."""
        values = [v for v in self.ground.values(predicate) if isinstance(v, int) and not isinstance(v, bool)]
        return max(values, default=-1)

    def operation(self, *states: OperationState) -> bool:
        """Whether the issue has a scheduling in one of these states."""
        name = self.ground.view.issue.id if self.ground.view else ""
        return any(
            one.subject_id == name and one.tool == "schedule_downgrade" and one.state in states
            for one in self.ground.material.operations
        )

    def type_is(self, name: str) -> bool:
        """Whether the sentence is about an issue of this type."""
        return self.ground.view is not None and self.ground.view.issue.type == name

    def in_issue(self, predicate: str, value: object) -> bool:
        """Whether the issue's ledger supports this value, cited or not."""
        return any(
            r.claim.predicate == predicate and r.claim.value == value for r in self.ground.issue_rows()
        )


def _always(scene: Scene) -> bool:
    return True


def _valued(scene: Scene) -> bool:
    if "change" in scene.nouns and not ("quote" in scene.nouns and scene.ground.quote):
        return False
    return bool(scene.nouns & {"excess", "incident"}) or any(
        token.kind in VALUES for token in scene.reading.clause.tokens
    )


def _not_known(scene: Scene) -> bool:
    return bool(scene.ground.blocked)


def _refund_offer(scene: Scene) -> bool:
    words = {token.text for token in scene.reading.clause.tokens}
    own = "you" in words or "flow" in scene.nouns
    due = any(r.claim.predicate == "excess_captures" and r.claim.value for r in scene.ground.issue_rows())
    returned = scene.in_issue("excess_refunded", True) or scene.in_issue("excess_reversed", True)
    eligible = scene.in_issue("refund_eligible", True)
    return own and due and eligible and not returned and scene.state is IssueState.EVIDENCE_READY


def _no_refund(scene: Scene) -> bool:
    if scene.type_is("subscription_change"):
        return scene.ground.value("quote_immediate_refund") == "none"
    returned = scene.in_issue("excess_refunded", True) or scene.in_issue("excess_reversed", True)
    return scene.type_is("billing_duplicate") and not returned


def _not_scheduled(scene: Scene) -> bool:
    """Nothing was scheduled by us; of the account as it stands (`is scheduled`), only a record can say so."""
    if not scene.type_is("subscription_change") or scene.state in (IssueState.SCHEDULED, IssueState.UNKNOWN):
        return False
    known = (OperationState.COMPLETED, OperationState.FAILED_UNKNOWN, OperationState.SUBMITTED)
    if scene.operation(*known) or scene.in_issue("change_scheduled", True):
        return False
    return scene.reading.past or scene.false("change_scheduled")


def _nothing_done(scene: Scene) -> bool:
    if scene.type_is("billing_duplicate"):
        return _no_refund(scene)
    known = (OperationState.COMPLETED, OperationState.FAILED_UNKNOWN, OperationState.SUBMITTED)
    over = scene.state in (IssueState.SCHEDULED, IssueState.UNKNOWN) or scene.operation(*known)
    return scene.type_is("subscription_change") and not over and not scene.in_issue("change_scheduled", True)


def _scheduled(scene: Scene) -> bool:
    """A receipt of this issue, or a record of a schedule that was there before; a pending quote is neither."""
    if scene.state is IssueState.SCHEDULED and scene.operation(OperationState.COMPLETED):
        return scene.ground.value("scheduled_plan") is not None
    return scene.true("change_scheduled")


def _quote_pending(scene: Scene) -> bool:
    cited = any(row.claim.predicate.startswith("quote_") for row in scene.ground.rows)
    return scene.ground.quote is not None and scene.state is IssueState.AWAITING_CONFIRMATION and cited


def _handed_off(scene: Scene) -> bool:
    ticket = scene.ground.material.ticket(scene.ground.view.issue.id) if scene.ground.view else None
    return (
        scene.state is IssueState.HANDED_OFF and ticket is not None and scene.ground.value("ticket") == ticket
    )


def _feature_is(scene: Scene, held: bool) -> bool:
    predicates = ["feature_on_account"] if "account" in scene.nouns else []
    if "plan" in scene.nouns or not predicates:
        predicates.append("feature_in_plan")
    features = {str(feature) for feature in features_of(scene.reading)} or {
        row.claim.subject for row in scene.ground.rows if row.claim.predicate in predicates
    }
    return bool(features) and all(
        scene.ground.value(predicate, feature) is held for predicate in predicates for feature in features
    )


def _has_access(scene: Scene) -> bool:
    return scene.true("feature_on_account") or scene.true("enrolment_active")


def _has_things(scene: Scene) -> bool:
    return "feature" not in scene.nouns or "access" in scene.nouns or _has_access(scene)


def _ended(scene: Scene) -> bool:
    return (scene.reading.past and scene.ground.value("prior_access_ended_at") is not None) or (
        any(token.kind == "date" for token in scene.reading.clause.tokens)
        and scene.ground.value("prior_access_ended_at") is not None
    )


def _is_active(scene: Scene) -> bool:
    if "seat" in scene.nouns:
        return _quote_pending(scene)
    return scene.true("enrolment_active") or scene.number("active_incidents") > 0


def _lost(scene: Scene, some: bool) -> bool:
    quote = scene.ground.quote
    if quote is None or not _quote_pending(scene):
        return False
    if "seat" in scene.nouns:
        return scene.ground.value("quote_seats_ended") is not None and bool(quote.terms.seats_ended) is some
    return scene.ground.value("quote_features_lost") is not None and bool(quote.terms.features_lost) is some


def _seats_end(scene: Scene) -> bool:
    quote = scene.ground.quote
    return (
        quote is not None
        and bool(quote.terms.seats_ended)
        and scene.ground.value("quote_seats_ended") is not None
    )


def _stays(scene: Scene) -> bool:
    kinds = {token.kind for token in scene.reading.clause.tokens}
    return "plan" in kinds or ("seat" in scene.nouns and _quote_pending(scene))


def _data(scene: Scene, kept: bool) -> bool:
    return _quote_pending(scene) and scene.ground.value("quote_data_retained") is kept


def _voided_by(scene: Scene) -> bool:
    name = scene.ground.view.issue.id if scene.ground.view else ""
    words = {reasons.VOIDED.get(code, "") for issue, code in scene.ground.material.voided if issue == name}
    named = {token.text for token in scene.reading.clause.tokens}
    return (scene.reading.past and bool(words & named)) or bool({"seat", "plan"} & words & named)


def _void(scene: Scene) -> bool:
    name = scene.ground.view.issue.id if scene.ground.view else ""
    withdrawn = "rejected_quote" in scene.ground.material.notes
    return withdrawn or any(issue == name for issue, _ in scene.ground.material.voided)


def _record_speaks(scene: Scene) -> bool:
    cited = {row.claim.predicate for row in scene.ground.rows}
    return bool(cited & {"excess_captures", "excess_reversed", "excess_refunded", "prior_access"})


def _needed(scene: Scene) -> bool:
    if "sign" in scene.nouns:
        return scene.reason in reasons.LOW_ASSURANCE
    return scene.ground.view is not None and scene.ground.view.outcome is Outcome.HUMAN_HANDOFF


def _not_read(scene: Scene) -> bool:
    if "message" in scene.nouns:
        issue = scene.ground.view.issue if scene.ground.view else None
        refused = (
            issue is None
            or scene.reason in reasons.REFUSED_PROPOSAL
            or getattr(issue, "refused_proposal", False)
        )
        return bool(refused) and (issue is not None or "refused_proposal" in scene.ground.material.notes)
    return bool(scene.ground.blocked) or scene.reason in reasons.NO_ASSURANCE


def _status(scene: Scene, *statuses: ClaimStatus) -> bool:
    return any(row.status in statuses for row in scene.ground.blocked)


def _forbidden(scene: Scene) -> bool:
    return (
        _status(scene, ClaimStatus.UNAUTHORIZED)
        or scene.reason in reasons.NO_SCOPE
        or any(row.qualifier in reasons.FORBIDDEN for row in scene.ground.blocked)
    )


def _unknown_outcome(scene: Scene) -> bool:
    return scene.operation(OperationState.FAILED_UNKNOWN)


def _expired(scene: Scene) -> bool:
    name = scene.ground.view.issue.id if scene.ground.view else ""
    return any(
        i == name and reasons.VOIDED.get(code) == "expired" for i, code in scene.ground.material.voided
    )


def _renews(scene: Scene) -> bool:
    if scene.reading.past:
        name = scene.ground.view.issue.id if scene.ground.view else ""
        voided = {reasons.VOIDED.get(code) for issue, code in scene.ground.material.voided if issue == name}
        return "plan_renewed" in voided or scene.reason in reasons.CYCLE_CHANGED
    return scene.ground.value("renews_at") is not None


def _price_said(scene: Scene) -> bool:
    return any(plan is not None for _, _, _, plan in scene.ground.facts.amounts)


CONDITIONS: dict[str, Callable[[Scene], bool]] = {
    "always": _always,
    "valued": _valued,
    "not_known": _not_known,
    "forbidden": _forbidden,
    "no_access": lambda s: (
        s.false("feature_on_account") or (s.state is IssueState.AWAITING_CONFIRMATION and "seat" in s.nouns)
    ),
    "no_refund": _no_refund,
    "no_refund_now": _no_refund,
    "refund_offer": _refund_offer,
    "quote_pending": _quote_pending,
    "quote_ends": lambda s: _expired(s) if s.reading.past else _quote_pending(s),
    "quote_void": _void,
    "record_speaks": _record_speaks,
    "has_things": _has_things,
    "excess_reversed": lambda s: s.true("excess_reversed"),
    "not_reversed": lambda s: s.false("excess_reversed"),
    "excess_refunded": lambda s: s.true("excess_refunded"),
    "not_refunded": lambda s: s.false("excess_refunded"),
    "refund_eligible": lambda s: s.true("refund_eligible"),
    "refund_ineligible": lambda s: s.false("refund_eligible"),
    "invoice_due": lambda s: s.number("invoice_due_cents") >= 0,
    "charges_settled": lambda s: s.number("settled_charges") > 0 or s.number("unsettled_charges") > 0,
    "charges_unsettled": lambda s: s.number("unsettled_charges") > 0,
    "no_charges": lambda s: s.number("settled_charges") == 0,
    "excess_found": lambda s: s.number("excess_captures") > 0,
    "no_excess": lambda s: s.false("duplicate_found") or s.number("excess_captures") == 0,
    "incident_active": lambda s: s.number("active_incidents") > 0,
    "incident_none": lambda s: s.number("active_incidents") == 0,
    "incident_known": lambda s: s.number("active_incidents") >= 0,
    "has_access": _has_access,
    "had_access": lambda s: s.ground.value("prior_access") is not None,
    "nothing_done": _nothing_done,
    "choice_open": lambda s: s.type_is("subscription_change") and s.state in OPEN_STATES,
    "voided_by": _voided_by,
    "may_transfer": lambda s: s.state in OPEN_STATES,
    "handed_off": _handed_off,
    "not_handed_off": lambda s: s.state is IssueState.HANDOFF_PENDING,
    "feature_included": lambda s: _feature_is(s, True),
    "feature_excluded": lambda s: _feature_is(s, False),
    "feature_asked": lambda s: s.type_is("feature_access"),
    "ended": _ended,
    "seats_end": _seats_end,
    "is_active": _is_active,
    "specialist_needed": _needed,
    "question_asked": lambda s: s.ground.material.asked,
    "unverified": lambda s: s.reason in reasons.NO_ASSURANCE,
    "not_read": _not_read,
    "outside_service": lambda s: s.ground.view is not None and s.ground.view.outcome is Outcome.ABSTAIN,
    "not_taken": lambda s: s.state is IssueState.AWAITING_CONFIRMATION,
    "scheduled": _scheduled,
    "not_scheduled": _not_scheduled,
    "outcome_unknown": _unknown_outcome,
    "not_recorded": lambda s: s.reason in reasons.NOT_RECORDED and _nothing_done(s),
    "stays": _stays,
    "features_lost": lambda s: _lost(s, True),
    "none_lost": lambda s: _lost(s, False),
    "data_kept": lambda s: _data(s, True),
    "data_not_kept": lambda s: _data(s, False),
    "renews": _renews,
    "offered_price": _price_said,
    "conflicting": lambda s: _status(s, ClaimStatus.CONFLICTING),
    "stale": lambda s: _status(s, ClaimStatus.STALE),
    "not_allowed": lambda s: s.reason in reasons.NOT_ALLOWED,
    "no_offer": lambda s: s.type_is("subscription_change") and s.state in WITH_A_PERSON,
}
