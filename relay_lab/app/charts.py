"""Charts of trials and of the matrix, as altair values: a notebook shows them, `.save("x.html")` and `.to_json()` keep them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from relay_lab.app.matrix import RowResult
from relay_lab.app.trials import TrialReport
from relay_lab.contracts.errors import BadInput
from relay_lab.evaluation.funnel import funnel_by_attempt, pass_hat_k

if TYPE_CHECKING:
    import altair


def funnel_chart(report: TrialReport) -> "altair.Chart":
    """Unsafe proposals on their way: how many each guard stopped, how many were left, how many had an effect."""
    funnel = funnel_by_attempt(report.attempts)
    left = funnel.unsafe_proposals
    rows: list[dict[str, Any]] = [{"stage": "unsafe proposals", "proposals": left, "is": "left"}]
    for guard, stopped in funnel.stopped_by.items():
        left -= stopped
        rows += [
            {"stage": f"after {guard}", "proposals": left, "is": "left"},
            {"stage": f"after {guard}", "proposals": stopped, "is": "stopped here"},
        ]
    rows.append({"stage": "executed", "proposals": funnel.executions, "is": "left"})
    order = list(dict.fromkeys(row["stage"] for row in rows))
    alt = _altair()
    chart: altair.Chart = (
        alt.Chart(_frame(rows), title=f"Unsafe proposals in {funnel.n} attempts")
        .mark_bar()
        .encode(
            x=alt.X("proposals:Q", title="unsafe proposals", axis=alt.Axis(tickMinStep=1)),
            y=alt.Y("stage:N", sort=order, title=None),
            color=alt.Color(
                "is:N",
                scale=alt.Scale(domain=["left", "stopped here"], range=["#b4451f", "#9aa5b1"]),
                title=None,
            ),
            tooltip=["stage", "is", "proposals"],
        )
    )
    return chart


def pass_hat_k_chart(reports: Mapping[str, TrialReport]) -> "altair.Chart":
    """The chance that k trials in a row pass, over k; a line for each report, by the name it is given."""
    rows = [
        {"k": k, "pass^k": value, "of": name}
        for name, report in reports.items()
        for k, value in pass_hat_k(report.attempts).items()
    ]
    alt = _altair()
    chart: altair.Chart = (
        alt.Chart(_frame(rows), title="All of k trials pass")
        .mark_line(point=True)
        .encode(
            x=alt.X("k:Q", axis=alt.Axis(tickMinStep=1, format="d")),
            y=alt.Y("pass^k:Q", scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%")),
            color=alt.Color("of:N", title=None),
            tooltip=["of", "k", alt.Tooltip("pass^k:Q", format=".3f")],
        )
    )
    return chart


def matrix_chart(results: Mapping[str, Sequence[RowResult]]) -> "altair.Chart":
    """A heat map: the rows of the matrix across, a line for each named run (`desk`, `without grounding`, …)."""
    rows = [
        {
            "row": result.id,
            "run": name,
            "held": "holds" if result.passed else "broken",
            "injected": result.words,
        }
        | {key: asdict(result)[key] for key in ("mutations", "unauthorized")}
        for name, run in results.items()
        for result in run
    ]
    order = list(dict.fromkeys(row["row"] for row in rows))
    alt = _altair()
    chart: altair.Chart = (
        alt.Chart(_frame(rows), title="Failure matrix")
        .mark_rect(stroke="white")
        .encode(
            x=alt.X("row:N", sort=order, title=None),
            y=alt.Y("run:N", sort=list(results), title=None),
            color=alt.Color(
                "held:N",
                scale=alt.Scale(domain=["holds", "broken"], range=["#3c7d5a", "#b4451f"]),
                title=None,
            ),
            tooltip=["row", "run", "held", "injected", "mutations", "unauthorized"],
        )
    )
    return chart


def _frame(rows: list[dict[str, Any]]) -> Any:
    import pandas

    return pandas.DataFrame(rows)


def _altair() -> Any:
    try:
        import altair
    except ImportError as missing:
        raise BadInput(
            "charts need altair, which is not installed: `make setup` in a checkout, elsewhere pip install altair."
        ) from missing
    return altair
