"""How the failure matrix is shown: a table for people, a document for programs, JUnit XML for a CI."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

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
    grid = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in ("row", "injected", "expected", "observed", "stopped by", ""):
        grid.add_column(column, no_wrap=column in ("row", ""), overflow="fold")
    for result in results:
        stop = result.stopped_by
        same = stop.expected == stop.observed or workflow != DESK
        guard = (
            stop.observed or ""
            if same
            else f"{stop.observed or 'nothing'}, not {stop.expected or 'anything'}"
        )
        same_way = result.expected == result.observed
        grid.add_row(
            result.id,
            Text(result.words),
            Text(_way(result.expected)),
            Text("the same" if same_way else _seen(result), style="" if same_way else "red"),
            Text(guard, style="" if same else "red"),
            _verdict(result),
        )
    red = [result for result in results if not result.passed]
    lines = [Text(f"{result.id}: {failure}", style="red") for result in red for failure in result.failures]
    return Group(
        Text(about()),
        Text(where),
        grid,
        *lines,
        Text(f"{len(results) - len(red)} of {len(results)} rows hold."),
        *_unseen(results),
    )


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
