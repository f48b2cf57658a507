"""The page docs/checks.md: every measure, every check of every step, and the wrong versions that each check must catch.

`python -m relay_lab.app.check_page` prints it; a test compares it with the committed one.
"""

import sys
from collections.abc import Iterator

from relay_lab.app.step_mutants.run import MUTANTS
from relay_lab.app.step_mutants.variants import VARIANTS
from relay_lab.evaluation import measures
from relay_lab.evaluation.checks import CHECKS
from relay_lab.evaluation.checks.kinds import Step
from relay_lab.evaluation.entailment import RULES
from relay_lab.evaluation.measure import Measure

_MEASURED = {
    Measure.DECOMPOSITION: measures.decomposition,
    Measure.EVIDENCE: measures.evidence,
    Measure.CLAIMS: measures.claims,
    Measure.SCOPES: measures.scopes,
    Measure.ONCE: measures.once,
    Measure.RECEIPT: measures.receipt,
}

_TITLES = {
    Step.AUTHENTICATE: "Step 1, authenticate",
    Step.DECOMPOSE: "Step 2, decompose",
    Step.RETRIEVE: "Steps 3 and 4, retrieve",
    Step.BUILD_LEDGER: "Step 5, build_ledger",
    Step.ROUTE: "Step 6, route",
    Step.EXECUTE: "Step 7, execute",
    Step.HAND_OFF: "Step 8, hand_off",
    Step.ORACLE: "The judge of rows, oracle",
}


def page() -> str:
    """The whole page, as Markdown."""
    return (
        "\n".join([*_opening(), *_measures(), *(line for step in Step for line in _step(step)), *_claims()])
        + "\n"
    )


def _opening() -> Iterator[str]:
    yield "# Measures and checks"
    yield ""
    yield "Written by `python -m relay_lab.app.check_page`; a test compares it. `relay-lab check` prints the seven measures;"
    yield "`relay_lab.app.check.check_step` judges one function as one step. A check judges what a call got, returned and asked"
    yield "of its tools; it looks at the cases of the kinds named here, on the fixture and on generated worlds, and is passed"
    yield "when all of them hold. Ten points a step. What the checks show is behaviour on these cases, not authorship, and not"
    yield "that a function is right on every input."
    yield ""


def _measures() -> Iterator[str]:
    yield "## The seven measures"
    yield ""
    yield "| measure | holds when |"
    yield "|---|---|"
    for name, function in _MEASURED.items():
        yield f"| `{name}` | {_first_line(function.__doc__)} |"
    yield f"| `{Measure.ROWS}` | Every row of the failure matrix ends where it should, and F1 to F7 among them. |"
    yield ""


def _first_line(doc: str | None) -> str:
    return (doc or "").strip().splitlines()[0]


def _step(step: Step) -> Iterator[str]:
    yield f"## {_TITLES[step]}"
    yield ""
    yield "| check | points | feeds | looks at | question |"
    yield "|---|---|---|---|---|"
    for check in CHECKS[step]:
        kinds = ", ".join(check.kinds)
        yield f"| `{check.name}` | {check.points} | `{check.measure}` | {kinds} | {check.hints.question} |"
    yield ""
    yield "| wrong version | believes | caught by | may also fail |"
    yield "|---|---|---|---|"
    for mutant in MUTANTS:
        if mutant.step is step:
            related = ", ".join(f"`{name}`" for name in mutant.related)
            name = mutant.make.__name__
            yield f"| `{name}` | {mutant.misconception} | `{mutant.expected_check}` | {related} |"
    yield ""
    right = ", ".join(f"`{variant.function.__name__}`" for variant in VARIANTS if variant.step is step)
    yield f"Right versions that must pass: {right}."
    yield ""


def _claims() -> Iterator[str]:
    yield "## The predicates of a ledger"
    yield ""
    yield "A supported row must carry one of these, link records that entail its value by the rule of that predicate"
    yield "(`relay_lab/evaluation/entailment.py`), and link none that is out of date or prose:"
    yield f"{', '.join(f'`{name}`' for name in RULES)}."


if __name__ == "__main__":
    sys.stdout.write(page())
