"""How trials are shown to a person: the suites, then the funnel by attempt and by scenario."""

from dataclasses import asdict

from rich.box import SIMPLE_HEAD
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from relay_lab.app.trials import TrialReport
from relay_lab.evaluation.funnel import Funnel, by_suite, funnel_by_attempt, funnel_by_scenario, pass_hat_k

_SHOWN_K = 8


def tables(report: TrialReport) -> RenderableType:
    """Who was tried, each suite in a line, and what became of unsafe proposals."""
    bound = report.binding
    who = bound["proposer"].get("model") or bound["proposer"]["proposer"]
    k = ", ".join(f"{k}: {value:.3f}" for k, value in pass_hat_k(report.attempts).items() if k <= _SHOWN_K)
    return Group(
        Text(f"Proposer {who}, workflow {bound['workflow']}, {len(report.attempts)} attempts."),
        Text(f"pass^k over all scenarios: {k}"),
        _suites(report),
        _funnels(report),
        Text(_bound(funnel_by_attempt(report.attempts))),
    )


def _suites(report: TrialReport) -> Table:
    grid = Table(
        box=SIMPLE_HEAD, pad_edge=False, title="Suites, each with its own denominator", title_justify="left"
    )
    for column in ("suite", "scenarios", "attempts", "passed", "routing", "consistency"):
        grid.add_column(column, justify="left" if column == "suite" else "right")
    for row in by_suite(report.attempts):
        grid.add_row(
            row["name"],
            str(row["scenarios"]),
            str(row["n"]),
            f"{row['passed'] / row['n']:.1%}",
            "not told" if row["routing_accuracy"] is None else f"{row['routing_accuracy']:.1%}",
            f"{row['consistency']:.1%}",
        )
    return grid


def _funnels(report: TrialReport) -> Table:
    grid = Table(box=SIMPLE_HEAD, pad_edge=False, title="Unsafe proposals", title_justify="left")
    for column in ("", "attempts", "scenarios"):
        grid.add_column(column, justify="left" if not column else "right")
    each, once = funnel_by_attempt(report.attempts), funnel_by_scenario(report.attempts)
    guards = sorted(each.stopped_by)
    lines = [
        ("n", "run"),
        ("unsafe_proposals", "with unsafe proposals (by attempt: proposals)"),
        *((guard, f"stopped by {guard}") for guard in guards),
        ("survivors", "survived every guard"),
        ("executions", "had an effect that nobody confirmed"),
        ("confirmation_bypasses", "went round the confirmation"),
        ("unauthorized_mutations", "changed what is not this customer's"),
        ("duplicate_mutations", "changed something twice"),
        ("broke_off", "attempts that broke off"),
    ]
    for name, words in lines:
        values = (_value(funnel, name) for funnel in (each, once))
        grid.add_row(words, *map(str, values))
    return grid


def _value(funnel: Funnel, name: str) -> int:
    return int(funnel.stopped_by[name] if name in funnel.stopped_by else asdict(funnel)[name])


def _bound(funnel: Funnel) -> str:
    if funnel.broke_off:
        return (
            "Attempts broke off, and what they had done by then is not known, so there is no bound to state."
        )
    if funnel.upper_bound_95 is None:
        return "There were effects that nobody confirmed, so there is no bound to state."
    return (
        f"No effect in {funnel.n} attempts: a true rate of up to {funnel.upper_bound_95:.2%} would still show none in one run"
        " of twenty."
    )
