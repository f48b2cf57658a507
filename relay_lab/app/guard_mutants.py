"""The broken versions of each guard, as data: a small diff, what it gets wrong, and the check whose boundary it breaks."""

import tomllib
from functools import cache

from relay_lab.app.patched import Patch
from relay_lab.contracts.base import Contract
from relay_lab.world.data import fixtures_folder


class GuardMutant(Patch):
    """One broken version. `wrong` says in a sentence what it gets wrong; `expected_check` names the boundary it breaks."""

    id: str
    wrong: str
    expected_check: str

    @property
    def guard(self) -> str:
        """The guard that is broken: the first part of the id."""
        return self.id.partition(".")[0]

    @property
    def patch(self) -> Patch:
        """The diff alone."""
        return Patch(module=self.module, before=self.before, after=self.after)


class _File(Contract):
    mutant: tuple[GuardMutant, ...]


@cache
def guard_mutants() -> tuple[GuardMutant, ...]:
    """Every broken version of every guard, guard by guard; an id is `guard.what-it-does`."""
    return tuple(
        mutant.model_copy(update={"id": f"{file.stem}.{mutant.id}"})
        for file in sorted((fixtures_folder() / "mutants").glob("*.toml"))
        for mutant in _File.model_validate(tomllib.loads(file.read_text("utf-8")), strict=False).mutant
    )
