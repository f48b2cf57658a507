"""One row, run: the script step by step on a fresh company, and what it left behind."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from relay_lab.app import matrix_kinds as kinds
from relay_lab.app.ablation import Bench
from relay_lab.app.injection import Scene, change_company, facts_of, session_under, staged
from relay_lab.app.matrix_acts import act_of_the_desk, renewal
from relay_lab.app.matrix_kinds import Row
from relay_lab.app.matrix_model import untried
from relay_lab.app.matrix_names import checkpoints
from relay_lab.app.matrix_stage import BotStage, DeskStage, Stage
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.handoff import HandoffPacket
from relay_lab.contracts.proposals import Propose
from relay_lab.contracts.record import TraceRow
from relay_lab.contracts.session import Session
from relay_lab.contracts.workflow import Click, Factory, Turn
from relay_lab.core.guards import Guards
from relay_lab.evaluation.done import Standing, standing
from relay_lab.evaluation.expected import Checkpoint
from relay_lab.evaluation.leaks import leaks
from relay_lab.evaluation.observed import Observed, Passage
from relay_lab.evaluation.packet import packet_failures
from relay_lab.evaluation.rows import filled
from relay_lab.world.data import Scenario


@dataclass
class _Show:
    """A run on its way."""

    scenario: Scenario
    scene: Scene
    stage: Stage
    facts: Mapping[str, str]
    passages: list[Passage] = field(default_factory=list)
    checkpoints: list[Checkpoint] = field(default_factory=list)
    standings: list[Standing] = field(default_factory=list)
    replies: list[tuple[str, str]] = field(default_factory=list)
    answers: list[str] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    packets: list[HandoffPacket] = field(default_factory=list)
    packet_failures: list[str] = field(default_factory=list)
    rows_before: int = 0
    offer: str = ""
    clicked: str = ""
    tells: bool = True

    def start_anew(self, session: Session) -> None:
        """Another instance over the same tables, perhaps under another session."""
        self.passages.append(self.passage())
        self.stage.start_anew(session)

    def passage(self) -> Passage:
        """What ran since the last start."""
        return Passage(self.stage.session, self.stage.trace())


def observe(
    row: Row, scenario: Scenario, usual: Propose, guards: Guards, factory: Factory | None = None
) -> Observed:
    """Run a row's script on a fresh company of this scenario, in memory. `usual` proposes where no row says otherwise.

    `factory` makes the workflow that is put to the test; None is the support desk, with these guards.
    """
    scene = staged(row, scenario, usual, guards)
    if factory is not None:
        stage = BotStage(scene.scenario, scene.session, scene.parts, factory)
        try:
            return _played(row, scenario, scene, stage)
        finally:
            stage.close()
    bench = Bench(scene.scenario, guards)
    try:
        desk = DeskStage(lambda session: bench.lab(session, scene.parts), scene.session)
        return _played(row, scenario, scene, desk)
    finally:
        bench.close()


def _played(row: Row, scenario: Scenario, scene: Scene, stage: Stage) -> Observed:
    show = _Show(scenario, scene, stage, facts_of(scenario))
    began = stage.clock.now()
    for step, name in zip(row.script, checkpoints(row.script), strict=True):
        _take(show, step)
        _note(show, name)
    company, desk = stage.company, stage.desk is not None
    return Observed(
        message=scenario.message,
        checkpoints=tuple(show.checkpoints),
        replies=tuple(show.replies),
        passages=(*show.passages, show.passage()),
        record=stage.record(),
        mutations=company.mutations(),
        tickets=company.tickets(),
        written_for=tuple(entry.customer_id for entry in company.journal() if entry.cause == "request"),
        answers=tuple(show.answers),
        took_s=(stage.clock.now() - began).total_seconds(),
        standings=tuple(show.standings),
        packet_failures=tuple(show.packet_failures),
        refunded_before=refunded_before(scene.scenario),
        behind_runtime=desk,
        tells_states=show.tells,
        untried=() if desk else untried(row, stage.asked),
    )


def refunded_before(scenario: Scenario) -> bool:
    """Whether the records say that the money was given back before anybody asked."""
    own = scenario.session.authenticated_customer_id
    return any(
        row.refunded or row.reversed for row in scenario.data.reconciliations if row.customer_id == own
    )


def _note(show: _Show, at: str) -> None:
    states = show.stage.workflow.states()
    if states is None:
        show.tells, states = False, {}
    if not isinstance(states, Mapping):
        raise BadInput(f"states() gave {type(states).__name__}; it gives issue ids with states, or None.")
    show.checkpoints.append(Checkpoint(at=at, states={str(issue): str(states[issue]) for issue in states}))
    show.replies += [(at, turn.reply) for turn in show.turns]
    show.turns.clear()
    trace = tuple(row for passage in (*show.passages, show.passage()) for row in passage.rows)
    show.standings.append(standing(at, show.stage.company.mutations(), trace))
    _scan(show, at, trace[show.rows_before :])
    show.rows_before = len(trace)


def _scan(show: _Show, at: str, rows: tuple[TraceRow, ...]) -> None:
    """Hold each packet that this step made against the run as the step left it, and look for what it may not hold."""
    record = show.stage.record()
    for packet in record.packets if record else ():
        if record is not None and packet not in show.packets:
            show.packets.append(packet)
            wrong = (
                *packet_failures(packet, record, rows),
                *leaks(packet.model_dump(mode="json"), place="packet"),
            )
            show.packet_failures += [f"the packet of {packet.issue_id} at {at!r}: {each}" for each in wrong]


def _took(show: _Show, turn: object, may_be_none: bool = True) -> None:
    """Keep what a turn showed. Raises `BadInput` for what is no turn."""
    if turn is None and may_be_none:
        return
    if not isinstance(turn, Turn):
        raise BadInput(
            f"the workflow answered with {type(turn).__name__}, not with a Turn; see docs/workflow.md."
        )
    show.turns.append(turn)
    show.offer = turn.offer or ""


def _click(show: _Show, click: Click) -> None:
    _took(show, show.stage.workflow.click(click))


def _take(show: _Show, step: kinds.Step) -> None:
    stage = show.stage
    match step:
        case kinds.Say(text=text):
            _took(show, stage.workflow.say(filled(text, show.facts)), may_be_none=False)
        case kinds.Act(do="pick"):
            _click(show, Click(do="pick", value=show.scenario.pick or "individual"))
        case kinds.Act(do="confirm"):
            show.clicked = show.offer
            _click(show, Click(do="confirm", value=show.offer))
        case kinds.Act(do="confirm_again"):
            _click(show, Click(do="confirm", value=show.clicked))
        case kinds.Act(do="reconcile"):
            _click(show, Click(do="reconcile"))
        case kinds.Act():
            show.start_anew(stage.session)
        case kinds.Transfer(issue=issue):
            _click(show, Click(do="transfer", value=issue))
        case kinds.Advance(after="renewal", seconds=seconds):
            renews_at = renewal(show.scenario)
            stage.clock.set(max(stage.clock.now(), renews_at + timedelta(seconds=seconds)))
        case kinds.Advance(seconds=seconds):
            stage.clock.advance(seconds)
        case kinds.Meanwhile(inject=kinds.SessionIs() as change):
            show.start_anew(session_under(stage.session, change))
        case kinds.Meanwhile(inject=kinds.CompanyChanges() as change):
            change_company(stage.company, show.scenario, change)
        case _ if stage.desk is not None:
            show.answers += act_of_the_desk(stage.desk, step, show.facts)
        case kinds.DeliverAgain() if isinstance(stage, BotStage):
            _again(show, stage, step)
        case _:
            pass  # an act of the desk's own code, which nobody else has


def _again(show: _Show, stage: BotStage, step: kinds.DeliverAgain) -> None:
    """For a bot: its last change is delivered once more with the alteration, or else the same click comes again."""
    if step.change:
        for key, envelope in stage.raw.sent[-1:]:
            answer = stage.raw.call("schedule_downgrade", {**envelope, **step.change, "idempotency_key": key})
            show.answers.append(str(answer["kind"]))
        return
    for _ in range(step.in_turn + step.at_once):
        _click(show, Click(do="confirm", value=show.clicked))
