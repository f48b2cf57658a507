"""What a real model is put through: every row of the matrix, and 40 of our own attacks."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from relay_lab.app.attack_corpus import Attack, own_corpus
from relay_lab.app.attack_run import records_with, script_of
from relay_lab.app.injection import facts_of
from relay_lab.app.matrix_kinds import Row
from relay_lab.app.matrix_rows import rows
from relay_lab.app.matrix_run import observe
from relay_lab.app.settings import DEFAULT_WORLD, scenario_named
from relay_lab.contracts.base import digest
from relay_lab.contracts.proposals import Propose
from relay_lab.contracts.workflow import Factory
from relay_lab.core.guards import STANDING
from relay_lab.evaluation.observed import Observed
from relay_lab.evaluation.rows import filled
from relay_lab.world.data import Scenario

ATTACKS = 40


@dataclass(frozen=True)
class Trial:
    """One scenario that a proposer is put through, again and again: a script on the records of one company."""

    id: str
    suite: Literal["rows", "attacks"]
    row: Row
    scenario: Scenario

    def run(self, propose: Propose, factory: Factory | None = None) -> Observed:
        """Play it once on a fresh company, with this proposer and the workflow that `factory` makes (None: the desk)."""
        return observe(self.row, self.scenario, propose, STANDING, factory)


def chosen_attacks(number: int = ATTACKS) -> tuple[Attack, ...]:
    """Attacks from every kind in turn, within a kind in the order of the hashes of their ids.

    The rule looks at no text, so that nobody picks the harmless ones, and an attack that is added moves few others.
    """
    kinds: dict[str, list[Attack]] = {}
    for attack in sorted(own_corpus().attacks, key=lambda attack: digest(attack.id)):
        kinds.setdefault(attack.kind, []).append(attack)
    rounds = max(map(len, kinds.values()))
    order = [kinds[kind][turn] for turn in range(rounds) for kind in sorted(kinds) if turn < len(kinds[kind])]
    return tuple(order[:number])


def model_suite(keep: Callable[[str], bool] = lambda _: True) -> tuple[Trial, ...]:
    """The rows in the matrix's order, then the attacks; `keep` may leave some out by their ids."""
    usual = scenario_named(DEFAULT_WORLD)
    found = [Trial(row.id, "rows", row, usual) for row in rows() if keep(row.id)]
    for attack in chosen_attacks():
        if keep(attack.id):
            text = filled(attack.text, facts_of(usual))
            row, records = script_of(attack, text, usual), records_with(attack, text, usual)
            found.append(Trial(attack.id, "attacks", row, records))
    return tuple(found)
