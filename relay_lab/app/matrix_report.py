"""How the failure matrix is shown: a table for people, a document for programs, JUnit XML for a CI."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from relay_lab.app.fitted import Fitted, Grid
from relay_lab.app.junit import Case, suite
from relay_lab.app.matrix import RowResult
from relay_lab.app.matrix_rows import about
from relay_lab.app.workflow import DESK, NAIVE
from relay_lab.evaluation.expected import Checkpoint

_USUAL = {"I1": "evidence_ready", "I2": "evidence_ready", "I3": "needs_input"}


STAND_IN = (
    "Its model is a scripted stand-in, not a real one: it does what it is told and says that it is done."
)


def document(
    results: Sequence[RowResult], world: str | None, without: str | None, workflow: str = DESK
) -> dict[str, Any]:
    """What `relay-lab matrix --json` prints (docs/json.md)."""
    return {
        "about": about(),
        "workflow": workflow,
        "world": world or "relay",
        "without": without,
        "passed": all(result.passed for result in results),
        "rows": [result.to_dict() for result in results],
    }


def table(
    results: Sequence[RowResult], world: str | None, without: str | None, workflow: str = DESK
) -> RenderableType:
    """Each row in one line, and below the table what is not as it should be."""
    standing = f", without the guard {without}." if without else ", every guard standing."
    if workflow != DESK:
        standing = f", the workflow {workflow}." + (f" {STAND_IN}" if workflow == NAIVE else "")
    where = f"World {world or 'relay'}{standing}"
    red = [result for result in results if not result.passed]
    lines = [Text(f"{result.id}: {failure}", style="red") for result in red for failure in result.failures]
    return Group(
        Text(about()),
        Text(where),
        Fitted(_grid(results, workflow, True), _grid(results, workflow, False)),
        *lines,
        Text(_held(len(results) - len(red), len(results))),
        *_unseen(results),
    )


def _grid(results: Sequence[RowResult], workflow: str, wide: bool) -> Grid:
    """A row in a line. A narrow one has one column for where the row should end and where it did."""
    ends = ("expected", "observed") if wide else ("ends at",)
    rows = []
    for result in results:
        stop, same_way = result.stopped_by, result.expected == result.observed
        same = stop.expected == stop.observed or workflow != DESK
        guard = stop.observed or ""
        if not same:
            guard = f"{stop.observed or 'nothing'}, not {stop.expected or 'anything'}"
        expected, style = _way(result.expected), "" if same_way else "red"
        if wide:
            way = [Text(expected), Text("the same" if same_way else _seen(result), style=style)]
        else:
            way = [Text(expected if same_way else _instead(result, expected), style=style)]
        stopped = Text(guard, style="" if same else "red")
        rows.append([Text(result.id), Text(result.words), *way, stopped, _verdict(result)])
    return Grid(("row", "injected", *ends, "stopped by", ""), rows)


def _instead(result: RowResult, expected: str) -> str:
    return f"{_seen(result) or 'nowhere'}, not {expected}"


def _held(held: int, of: int) -> str:
    return f"{held} of {of} {'row' if of == 1 else 'rows'} {'holds' if 1 in (held, of) else 'hold'}."


def junit(results: Sequence[RowResult]) -> str:
    """The rows as one test suite."""
    return suite("relay-lab matrix", [_case(result) for result in results], about())


def _case(result: RowResult) -> Case:
    return Case(
        "matrix",
        f"{result.id}: {result.words}",
        failure=None if result.passed else result.failures[0],
        detail="\n".join(result.failures),
        skipped=" · ".join(result.unseen) if result.passed and not result.tried else None,
    )


def _seen(result: RowResult) -> str:
    told = any(point.states for point in result.observed)
    return _way(result.observed) if told or not result.observed else "not told"


def _verdict(result: RowResult) -> Text:
    if not result.passed:
        return Text("✗", style="bold red")
    return Text("✓", style="green") if result.tried else Text("–", style="dim")


def _unseen(results: Sequence[RowResult]) -> list[Text]:
    """What of the rows these runs do not show, each sentence once with the rows that it is about."""
    about_rows: dict[str, list[str]] = {}
    for result in results:
        for sentence in result.unseen:
            about_rows.setdefault(sentence, []).append(result.id)
    return [
        Text(f"Not shown for {'any row' if len(ids) == len(results) else ', '.join(ids)}: {sentence}.")
        for sentence, ids in about_rows.items()
    ]


def _way(points: Sequence[Checkpoint]) -> str:
    ways = [_where(point.states) for point in points]
    return ", then ".join(way for way, before in zip(ways, ["", *ways], strict=False) if way != before)


def _where(states: Mapping[str, str]) -> str:
    """The issues that do not stand where they do when nothing goes wrong."""
    if not _USUAL.keys() <= states.keys():
        return "only " + " ".join(f"{issue_id} {state}" for issue_id, state in states.items())
    unusual = [f"{issue_id} {state}" for issue_id, state in states.items() if _USUAL.get(issue_id) != state]
    return " ".join(unusual) or "baseline"
