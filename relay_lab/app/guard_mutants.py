"""The broken versions of each guard, as data: a small diff, what it gets wrong, and the check whose boundary it breaks."""

from difflib import get_close_matches
from functools import cache

from relay_lab.app.fixture_file import read_fixture
from relay_lab.app.named_checks import names
from relay_lab.app.patched import Patch, source_of
from relay_lab.contracts.base import Contract
from relay_lab.contracts.errors import BadInput
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
        for mutant in read_fixture(file, _File).mutant
    )


def refuse_unfit(mutant: GuardMutant) -> None:
    """Raises `BadInput` for a mutant that cannot be run: no such module, place or check, or what comes of it is no Python."""
    where = f"fixtures/mutants/{mutant.guard}.toml, {mutant.id}"
    try:
        compile(mutant.applied(source_of(mutant.module)), mutant.module, "exec")
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from error
    except ModuleNotFoundError as error:
        raise BadInput(f"{where}: there is no module {mutant.module!r}.") from error
    except SyntaxError as error:
        raise BadInput(f"{where}: patched, it is no Python ({error.msg}).") from error
    if mutant.expected_check not in names():
        near = ", ".join(get_close_matches(mutant.expected_check, names(), 5, 0.4)) or "none like it"
        raise BadInput(
            f"{where}: there is no check {mutant.expected_check!r}; name a row of the matrix or a guard check"
            f" (near: {near})."
        )
