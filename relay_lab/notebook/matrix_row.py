"""One row of the failure matrix as it came out: checkpoints, replies, and the guard that stopped it, against what is expected."""

from collections.abc import Mapping

from relay_lab.app.break_it.row import RowRun
from relay_lab.notebook.html import Html, Tone, mark, notice, plain_table, table, text


def headline(run: RowRun) -> tuple[str, Tone]:
    """What came of it, in a sentence."""
    row, desk = run.result, f"without {run.without}" if run.without else "with every guard standing"
    if row.passed:
        return f"{row.id} holds {desk}.", "good"
    return f"{row.id} is red {desk}: {row.failures[0]}.", "bad"


def row_parts(run: RowRun) -> list[Html]:
    """The row for a page."""
    row = run.result
    tables = [
        text(f"{row.id}: {row.words}."),
        table("The row", ("", "expected", "observed"), _facts(run)),
        table("Step by step", _STEPS, _marked(run)),
    ]
    if run.stops:
        tables.append(table("Stopped", _STOPS, _stops(run)))
    if len(row.failures) > 1:
        failures = ((str(place), each) for place, each in enumerate(row.failures, start=1))
        tables.append(table("What is not as it should be", ("", ""), failures))
    return [
        notice(*headline(run)),
        *tables,
        _replies(run),
    ]


def row_plain(run: RowRun) -> str:
    """The row as text."""
    return "\n".join(
        [headline(run)[0], run.result.words, plain_table(_STEPS, [row[:4] for row in _points(run)])]
    )


_STEPS = ("after", "changes", "expected", "observed")


def _replies(run: RowRun) -> Html:
    """Behind a summary: they are long, and the states say where the row ends."""
    read = table("What the customer reads", ("after", "reply"), run.replies)
    return Html(f"<details><summary>What the customer reads ({len(run.replies)})</summary>{read}</details>")


_STOPS = ("#", "guard", "tool", "code", "place")


def _stops(run: RowRun) -> list[tuple[object, ...]]:
    return [(row.seq, row.guard, row.tool, row.outcome, row.place or "") for row in run.stops]


def _facts(run: RowRun) -> list[tuple[str, object, object]]:
    row = run.result
    stop = row.stopped_by
    expected, observed = stop.expected or "nothing to stop", stop.observed or "nothing"
    same = stop.expected == stop.observed
    nothing = row.unauthorized == 0
    return [
        ("stopped by", expected, observed if same else mark(observed, "bad")),
        ("changes made", "", str(row.mutations)),
        ("tickets opened", "", str(row.tickets)),
        ("without a right to it", "0", "0" if nothing else mark(row.unauthorized, "bad")),
    ]


def _points(run: RowRun) -> list[tuple[str, str, str, str, bool]]:
    """(after, changes, expected, observed, whether it is as it should be), a line for each state of an issue."""
    expected = {point.at: point.states for point in run.result.expected}
    rows = []
    for at, changes, states in run.points:
        wanted = expected.pop(at, None)
        right = wanted is None or dict(wanted) == dict(states)
        rows.append((at, str(changes), "" if wanted is None else _states(wanted), _states(states), right))
    missing = [(at, "", _states(states), "never came to this", False) for at, states in expected.items()]
    return [*rows, *missing]


def _marked(run: RowRun) -> list[tuple[object, ...]]:
    return [(*row[:3], row[3] if row[4] else mark(row[3], "bad")) for row in _points(run)]


def _states(states: Mapping[str, str]) -> str:
    return "\n".join(f"{issue} {state}" for issue, state in states.items()) or "no issue"
