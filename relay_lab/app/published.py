"""The sources of every figure that README.md and docs/ publish: how it is computed, and what it rests on."""

import json
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from relay_lab.app.evidence import Source
from relay_lab.app.provenance import CHECKOUT
from relay_lab.contracts.errors import BadInput

WORLD = 5
"""The generated world that stands beside the fixture in the table of the naive agent."""


def sources() -> Mapping[str, Source]:
    """Each source by the first word of its figures' names."""
    rows, messages = "fixtures/matrix/*.json", "benchmarks/messages/*.json"
    return {
        "matrix": Source((rows, "fixtures/relay/*.json"), "rules", _matrix),
        "check": Source((rows, "fixtures/relay/*.json"), "rules", _check),
        "naive": Source(
            (rows, "fixtures/relay/*.json"), "rules; scripted stand-in for the naive agent", _naive
        ),
        "mutants": Source((rows, "fixtures/mutants/**/*.toml"), "rules", _mutants),
        "attacks": Source(("fixtures/attacks/*.json",), "rules; obedient; overreaching", _attacks),
        "trials": Source(
            (rows, "fixtures/attacks/*.json", "fixtures/recordings/*"), "replay of the bundled model", _trials
        ),
        "decomposer": Source((messages,), "rules", _decomposer),
        "benchmarks": Source(
            ("benchmarks/*.py",),
            "rules",
            None,
            "times of one machine, which belong to the programs that took them",
        ),
    }


def _matrix() -> dict[str, str]:
    from relay_lab.app.matrix import run_matrix

    results = run_matrix()
    return {
        "matrix.rows": str(len(results)),
        "matrix.held": str(sum(result.passed for result in results)),
    }


def _check() -> dict[str, str]:
    from relay_lab.app.check import check

    lines = ["| measure | value | target | over |", "|---|---:|---:|---|"]
    lines += [
        f"| {str(each.name).replace('_', ' ')} | {each.value} | {each.target} | {each.detail} |"
        for each in check()
    ]
    return {"check.measures": "\n".join(lines)}


def _naive() -> dict[str, str]:
    from relay_lab.app.matrix import run_matrix
    from relay_lab.app.matrix_compare import naive_table

    def table(world: int | None) -> str:
        return naive_table(run_matrix(world=world), run_matrix(world=world, workflow="naive")).strip()

    return {"naive.fixture": table(None), "naive.generated": table(WORLD)}


def _mutants() -> dict[str, str]:
    from relay_lab.app.mutants import run_mutants

    report = run_mutants()
    lines = ["| guard | attempt | second line | what follows without either |", "|---|---|---|---|"]
    lines += [
        f"| {line.guard} | {line.attempt} | {line.second_line} | {line.effect_without_both} |"
        for line in report.guards
    ]
    return {
        "mutants.count": str(len(report.mutants)),
        "mutants.caught": str(sum(mutant.caught for mutant in report.mutants)),
        "mutants.variants": str(len(report.variants)),
        "mutants.variants-passed": str(sum(variant.passed for variant in report.variants)),
        "mutants.guards": "\n".join(lines),
    }


def _attacks() -> dict[str, str]:
    from relay_lab.app.attacks import run_attacks

    report = run_attacks()
    lines = [
        "| who reads | attacks | contained | real issues answered | at most, at 95 % |",
        "|---|---:|---:|---:|---:|",
    ]
    for kind in report.kinds:
        if kind.kind == "all":
            answered = "not asked" if kind.answered is None else str(kind.answered)
            bound = "–" if kind.upper_bound_95 is None else f"{kind.upper_bound_95:.2%}"
            lines.append(f"| {kind.proposer} | {kind.n} | {kind.contained} | {answered} | {bound} |")
    return {
        "attacks.table": "\n".join(lines),
        "attacks.count": str(len({each.id for each in report.results})),
    }


def _trials() -> dict[str, str]:
    """What the bundled model really answered, in each workflow that it was recorded in."""
    from relay_lab.app.proposers import recorded_trials
    from relay_lab.app.trials import run_trials
    from relay_lab.evaluation.funnel import Funnel, funnel_by_attempt, pass_hat_k, routing_accuracy

    lines = [
        "| workflow | attempts | pass^1 | routing | unsafe proposals | stopped | effects nobody confirmed |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for workflow in ("desk", "naive"):
        recorded = recorded_trials(workflow)
        if not recorded:
            continue
        report = run_trials("replay", recorded, workflow=workflow)
        funnel: Funnel = funnel_by_attempt(report.attempts)
        routing = routing_accuracy(report.attempts)
        lines.append(
            f"| {workflow} | {funnel.n} | {pass_hat_k(report.attempts)[1]:.3f} | "
            f"{'not told' if routing is None else f'{routing:.1%}'} | {funnel.unsafe_proposals} | "
            f"{sum(funnel.stopped_by.values())} | {funnel.executions} |"
        )
    return {"trials.table": "\n".join(lines)}


def _decomposer() -> dict[str, str]:
    """Measured by its own program, which stands beside the package."""
    command = [sys.executable, "-m", "benchmarks.decomposer", "--json"]
    done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BadInput(f"python -m benchmarks.decomposer failed: {done.stderr.strip()[-200:]}")
    halves: dict[str, Any] = {half["half"]: half for half in json.loads(done.stdout)}
    measured = halves["measure"]
    exact = measured["exact"]["all"]["types_and_slots"]
    return {
        "decomposer.read": str(measured["messages"]),
        "decomposer.exact": f"{exact['value']:.0%}".replace("%", " %"),
        "decomposer.invented": str(len(measured["invented_plans"])),
        **{f"decomposer.{name}": half["page"] for name, half in halves.items()},
    }
