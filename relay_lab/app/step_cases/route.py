"""Cases of step 6: every row of the routing rules, expected by the world's own table and not by the desk's."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from relay_lab.app.step_cases import scenes
from relay_lab.app.step_cases.case import Case, Troubles
from relay_lab.app.step_cases.retrieve import BILLING
from relay_lab.app.step_cases.scenes import Scene, own, picked
from relay_lab.contracts.enums import Assurance, IssueState, Outcome
from relay_lab.contracts.evidence import Source
from relay_lab.contracts.issues import Issue, Other, Span
from relay_lab.desks.support.ledger import build_ledger
from relay_lab.evaluation.checks.kinds import Step
from relay_lab.evaluation.checks.route import ExpectedRouting, Way
from relay_lab.evaluation.measures import WantedIssue
from relay_lab.world.expectations import Asked, expect

CHARGE, FEATURE, CHANGE = "billing_duplicate", "feature_access", "subscription_change"
_PERSON = (Outcome.HUMAN_HANDOFF, IssueState.HANDOFF_PENDING)


def cases(scene: Scene) -> Iterator[Case]:
    """The cases of one scene."""
    yield _case(scene, "duplicate", CHARGE)
    yield _case(scene.with_slots(CHARGE, refund_requested=True), "refund_asked", CHARGE)
    yield _case(scenes.returned(scene), "returned", CHARGE)
    yield _case(scenes.separate(scene), "separate", CHARGE)
    yield _case(scene, "not_entitled", FEATURE)
    yield _case(scenes.incident(scene), "incident", FEATURE)
    yield _case(scenes.unreconciled(scene), "unreconciled", CHARGE)
    yield _case(scenes.no_policy(scene), "no_policy", CHARGE)
    yield _case(scenes.conflict(scene), "conflict", FEATURE)
    yield _case(scenes.entitled(scene), "unexplained", FEATURE)
    yield _case(scenes.stale(Source.BILLING)(scene), "stale", CHARGE)
    yield _case(scene, "unread", CHARGE, way=_PERSON, troubles={BILLING: ("timeout", "timeout")})
    yield _case(scene.under(without=("incidents:read",)), "unread", FEATURE, what="incidents:read")
    yield from _questions(scene)
    yield from _changes(scene)
    yield from _requests(scene)
    yield _case(scene.under(Assurance.NONE), "nobody", CHARGE, FEATURE, CHANGE)


def _questions(scene: Scene) -> Iterator[Case]:
    plan = next(row.plan for row in scene.scenario.data.subscriptions if row.customer_id == scene.customer)
    change = next(issue.id for issue in scene.issues if issue.type == CHANGE)
    yield _case(scene, "no_plan", CHANGE)
    yield _case(scene, "no_plan", CHANGE, what="asked once", unanswered={change: 1})
    yield _case(scene.with_slots(FEATURE, feature=None), "no_feature", FEATURE)
    yield _case(scene.with_slots(CHANGE, target_plan=plan.value), "same_plan", CHANGE)
    yield _case(scene, "unanswered", CHANGE, way=_PERSON, unanswered={change: 2})


def _changes(scene: Scene) -> Iterator[Case]:
    chosen = picked(scene)
    yield _case(chosen, "allowed", CHANGE)
    yield _case(chosen.under(Assurance.PASSWORD), "password", CHANGE)
    yield _case(chosen.under(without=("subscription:schedule",)), "no_schedule_scope", CHANGE)
    yield _case(chosen.under(without=("subscription:prepare",)), "no_prepare_scope", CHANGE)
    yield _case(own(chosen, "accounts", contract_terms="negotiated"), "negotiated", CHANGE)
    yield _case(own(chosen, "accounts", allowed_operations=()), "not_allowed", CHANGE)
    policies = (
        row.model_copy(update={"downgrade_allowed": False})
        for row in scene.scenario.data.subscription_policies
    )
    yield _case(chosen.having(subscription_policies=tuple(policies)), "policy_forbids", CHANGE)
    yield _case(scene.with_slots(CHANGE, target_plan="business"), "higher_plan", CHANGE)
    yield _case(scene.with_slots(CHANGE, target_plan="cancel"), "cancel", CHANGE)


def _requests(scene: Scene) -> Iterator[Case]:
    words = scene.scenario.message[:12]
    for kind, what, slots in (
        ("a_person", "human_request", {}),
        ("other_account", "other", {"about_account": None}),
        ("outside", "other", {"about_account": False}),
    ):
        more = replace(scene, wanted=(*scene.wanted, WantedIssue(what, dict(slots), words)))
        yield _case(more, kind, what)
    message = scene.scenario.message
    unread = Other(id="I1", span=Span(start=0, end=len(message), text=message), refused_proposal=True)
    yield _of(
        scene, "refused_proposal", (unread,), (Way("I1", Outcome.CLARIFY, IssueState.NEEDS_INPUT),), ("I1",)
    )


def _case(
    scene: Scene,
    kind: str,
    *types: str,
    what: str = "",
    way: tuple[Outcome, IssueState] | None = None,
    unanswered: Mapping[str, int] | None = None,
    troubles: Troubles | None = None,
) -> Case:
    """A case about the issues of some types; `way` where the records alone do not say what is expected."""
    asked = tuple(Asked(type=each.type, slots=each.slots, span_text=each.words) for each in scene.wanted)
    about = tuple(issue.id for issue in scene.issues if issue.type in types)
    ways = tuple(
        Way(issue.id, *way)
        if way and issue.id in about
        else Way(issue.id, meant.outcome, _before(meant.state))
        for issue, meant in zip(scene.issues, expect(scene.scenario, asked).issues, strict=True)
    )
    return _of(scene, kind, scene.issues, ways, about, what, unanswered or {}, troubles)


def _of(
    scene: Scene,
    kind: str,
    issues: tuple[Issue, ...],
    ways: tuple[Way, ...],
    about: tuple[str, ...],
    what: str = "",
    unanswered: Mapping[str, int] | None = None,
    troubles: Troubles | None = None,
) -> Case:
    ledger = build_ledger(issues, scene.read(issues, troubles), scene.scenario.now)
    return Case(
        id=f"{scene.name}: {kind}{f' ({what})' if what else ''}",
        step=Step.ROUTE,
        kind=kind,
        arguments=(scene.rights(), issues, ledger, dict(unanswered or {})),
        expected=ExpectedRouting(ways, about),
        visible=scene.visible,
    )


def _before(state: IssueState) -> IssueState:
    """Where an issue stands before the queue has said anything."""
    return IssueState.HANDOFF_PENDING if state is IssueState.HANDED_OFF else state
