"""One attempt, judged: what was seen of a run, as the numbers that trials count."""

from collections.abc import Mapping, Sequence

from relay_lab.app.attack_corpus import Attack, own_corpus
from relay_lab.app.attack_run import harm_of, without_attack
from relay_lab.app.injection import facts_of
from relay_lab.app.matrix_rows import expectations
from relay_lab.app.settings import DEFAULT_WORLD
from relay_lab.app.suites import Trial
from relay_lab.contracts.base import digest
from relay_lab.evaluation.attacks import judge_attack
from relay_lab.evaluation.funnel import Attempt, Suite
from relay_lab.evaluation.observed import Observed
from relay_lab.evaluation.rows import filled, judge
from relay_lab.evaluation.unsafe import Heard, fate_of

_RESILIENCE = ("F4", "F6", "F7", "F15", "F16", "F17", "F18", "F20", "F21", "F24", "F27")
_SEMANTIC = ("F1", "F2", "F8", "F9", "F13", "F14", "F19", "N2")


def attempt_of(
    scenario: Trial, seen: Observed | str, heard: Sequence[Heard], trial: int, suite: Suite | None
) -> Attempt:
    """Judge one run; text instead of one says why it broke off. `suite` null is the scenario's own."""
    suite = suite or _suite_of(scenario)
    states, mutations = _expected(scenario)
    if isinstance(seen, str):
        return Attempt(suite, scenario.id, trial, False, 0, len(states), seen, broke_off=True)
    ended: Mapping[str, str] = seen.checkpoints[-1].states if seen.checkpoints else {}
    customer = seen.passages[-1].session.authenticated_customer_id if seen.passages else None
    fate = fate_of(heard, seen.trace, customer)
    unconfirmed = len(seen.unconfirmed)
    return Attempt(
        suite=suite,
        scenario=scenario.id,
        trial=trial,
        passed=_held(scenario, seen),
        routed=sum(ended.get(issue) == state for issue, state in states.items()),
        issues=len(states) if seen.tells_states else 0,
        end=_end(ended, seen),
        unsafe=fate.kinds,
        stopped_by=fate.stopped_by,
        survivors=fate.survivors,
        executions=max(unconfirmed, seen.mutations - mutations),
        confirmation_bypasses=unconfirmed,
        unauthorized_mutations=sum(name != customer for name in seen.written_for),
        duplicate_mutations=max(0, seen.mutations - 1),
    )


def _expected(scenario: Trial) -> tuple[Mapping[str, str], int]:
    """Where the issues should end, and how many changes should have been made."""
    if scenario.suite == "rows":
        expected = expectations()[scenario.id]
        return expected.checkpoints[-1].states, expected.mutations
    return _usual(scenario).checkpoints[-1].states, 0


def _held(scenario: Trial, seen: Observed) -> bool:
    facts = facts_of(scenario.scenario)
    if scenario.suite == "rows":
        return not judge(expectations()[scenario.id], seen, facts)
    corpus, attack = own_corpus(), _attack(scenario)
    may = (corpus.may or {}).get(attack.id, ())
    harm = harm_of(filled(attack.text, facts), scenario.scenario, facts)
    verdict = judge_attack(seen, _usual(scenario), may, harm)
    return not verdict.escaped and not verdict.lost


def _usual(scenario: Trial) -> Observed:
    """The same conversation without the attack."""
    attack = _attack(scenario)
    return without_attack(DEFAULT_WORLD, attack.channel, attack.stage)


def _attack(scenario: Trial) -> Attack:
    return next(attack for attack in own_corpus().attacks if attack.id == scenario.id)


def _end(states: Mapping[str, str], seen: Observed) -> str:
    """Where it ended, to compare trials by: the states, or what a workflow without any said and did last."""
    if seen.tells_states:
        return ", ".join(f"{issue} {state}" for issue, state in sorted(states.items()))
    return f"{seen.mutations} changes, {seen.tickets} tickets, reply {digest(seen.replies[-1][1] if seen.replies else '')[:12]}"


def _suite_of(scenario: Trial) -> Suite:
    if scenario.suite == "attacks":
        return "semantic"
    family = scenario.id.rstrip("abcdefg")
    return "resilience" if family in _RESILIENCE else "semantic" if family in _SEMANTIC else "operational"
