"""The rows of the failure matrix as data: what is injected, and the script of the conversation; what should come of it apart."""

from functools import cache

from relay_lab.app.matrix_kinds import Injection, Step
from relay_lab.contracts.base import Contract
from relay_lab.contracts.errors import BadInput
from relay_lab.evaluation.expected import RowExpectation
from relay_lab.world.data import fixtures_folder


class Row(Contract):
    """One row: `words` say what is injected. What should come of it is not in here."""

    id: str
    words: str
    inject: tuple[Injection, ...] = ()
    script: tuple[Step, ...]


class _Rows(Contract):
    about: str
    rows: tuple[Row, ...]


class _Expectations(Contract):
    about: str
    rows: tuple[RowExpectation, ...]


@cache
def _rows() -> _Rows:
    return _Rows.model_validate_json(_text("rows.json"))


def about() -> str:
    """What the matrix is, in one sentence that stands first wherever it is shown."""
    return _rows().about


def rows() -> tuple[Row, ...]:
    """Every row of the matrix, in its order."""
    return _rows().rows


@cache
def expectations() -> dict[str, RowExpectation]:
    """What should come of each row, by id."""
    return {row.id: row for row in _Expectations.model_validate_json(_text("expected.json")).rows}


def chosen(only: tuple[str, ...]) -> tuple[Row, ...]:
    """The rows of these ids in the matrix's order, all rows for none. Raises `BadInput` for a row that there is not."""
    known = [row.id for row in rows()]
    for row_id in only:
        if row_id not in known:
            raise BadInput(f"there is no row {row_id!r}; there is {', '.join(known)}.")
    return tuple(row for row in rows() if not only or row.id in only)


def _text(file: str) -> str:
    return (fixtures_folder() / "matrix" / file).read_text("utf-8")
