"""One row of the failure matrix as it came out: checkpoints, replies, and the guard that stopped it, against what is expected."""

from collections.abc import Mapping

from relay_lab.app.break_it.row import RowRun
from relay_lab.notebook.html import Html, Tone, html, mark, notice, plain_table, table, text


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
    return "\n".join([headline(run)[0], run.result.words, plain_table(_STEPS, _points(run))])


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
        ("beyond session or confirmation", "0", "0" if nothing else mark(row.unauthorized, "bad")),
    ]


def _points(run: RowRun) -> list[tuple[str, str, str, str]]:
    """(after, changes, expected, observed), a line for each issue; nothing is expected of a step that only leads there."""
    expected = {point.at: point.states for point in run.result.expected}
    rows = []
    for at, changes, states in run.points:
        wanted = expected.pop(at, None)
        rows.append((at, str(changes), "" if wanted is None else _states(wanted), _states(states)))
    return [*rows, *((at, "", _states(states), "never came to this") for at, states in expected.items())]


def _marked(run: RowRun) -> list[tuple[object, ...]]:
    """The same with a mark at each state that is not the expected one."""
    return [(at, changes, wanted, _against(seen, wanted)) for at, changes, wanted, seen in _points(run)]


def _against(seen: str, wanted: str) -> Html:
    right = wanted.split("\n")
    lines = seen.split("\n")
    return Html(
        "<br>".join(html(line) if not wanted or line in right else mark(line, "bad") for line in lines)
    )


def _states(states: Mapping[str, str]) -> str:
    return "\n".join(f"{issue} {state}" for issue, state in states.items()) or "no issue"
