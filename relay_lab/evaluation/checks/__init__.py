"""The checks of the steps: what each boundary is called, which measure it feeds, and how a call of a step is judged.

check_step (app) calls the step on a case ──> Performance ──> each Check judges it ──> points, words, hint
"""

from collections.abc import Mapping

from relay_lab.evaluation.checks import (
    authenticate,
    build_ledger,
    decompose,
    execute,
    hand_off,
    oracle,
    retrieve,
    route,
)
from relay_lab.evaluation.checks.kinds import Check, Step

CHECKS: Mapping[Step, tuple[Check, ...]] = {
    Step.AUTHENTICATE: authenticate.CHECKS,
    Step.DECOMPOSE: decompose.CHECKS,
    Step.RETRIEVE: retrieve.CHECKS,
    Step.BUILD_LEDGER: build_ledger.CHECKS,
    Step.ROUTE: route.CHECKS,
    Step.EXECUTE: execute.CHECKS,
    Step.HAND_OFF: hand_off.CHECKS,
    Step.ORACLE: oracle.CHECKS,
}
"""Every check, by step: ten points a step."""
