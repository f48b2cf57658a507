"""The rows of the failure matrix as data: what is injected, and the script of the conversation; what should come of it apart."""

from functools import cache

from relay_lab.app.fixture_file import read_fixture
from relay_lab.app.matrix_kinds import Row
from relay_lab.app.matrix_names import refuse_wrong_names
from relay_lab.contracts.base import Contract
from relay_lab.contracts.errors import BadInput
from relay_lab.evaluation.expected import RowExpectation
from relay_lab.world.data import fixtures_folder


class _Rows(Contract):
    about: str
    rows: tuple[Row, ...]


class _Expectations(Contract):
    about: str
    rows: tuple[RowExpectation, ...]


@cache
def _files() -> tuple[_Rows, _Expectations]:
    folder = fixtures_folder() / "matrix"
    found = read_fixture(folder / "rows.json", _Rows)
    expected = read_fixture(folder / "expected.json", _Expectations)
    refuse_wrong_names(found.rows, expected.rows)
    return found, expected


def about() -> str:
    """What the matrix is, in one sentence that stands first wherever it is shown."""
    return _files()[0].about


def rows() -> tuple[Row, ...]:
    """Every row of the matrix, in its order. Raises `BadInput` for files that do not fit each other or what there is."""
    return _files()[0].rows


def expectations() -> dict[str, RowExpectation]:
    """What should come of each row, by id."""
    return {row.id: row for row in _files()[1].rows}


def chosen(only: tuple[str, ...]) -> tuple[Row, ...]:
    """The rows of these ids in the matrix's order, all rows for none. Raises `BadInput` for a row that there is not."""
    known = [row.id for row in rows()]
    for row_id in only:
        if row_id not in known:
            raise BadInput(f"there is no row {row_id!r}; there is {', '.join(known)}.")
    return tuple(row for row in rows() if not only or row.id in only)
