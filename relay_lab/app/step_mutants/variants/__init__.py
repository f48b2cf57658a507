"""Right versions of the steps, each written on its own: no check may fail one of them."""

from relay_lab.app.step_mutants.kinds import Variant
from relay_lab.app.step_mutants.variants import (
    authenticate,
    build_ledger_by_question,
    build_ledger_by_record,
    decompose,
    execute,
    hand_off,
    oracle,
    retrieve,
    route,
)
from relay_lab.evaluation.checks.kinds import Step

VARIANTS = (
    Variant(Step.AUTHENTICATE, authenticate.by_a_table),
    Variant(Step.AUTHENTICATE, authenticate.by_cases),
    Variant(Step.DECOMPOSE, decompose.step_by_step),
    Variant(Step.DECOMPOSE, decompose.by_rules),
    Variant(Step.RETRIEVE, retrieve.call_by_call),
    Variant(Step.RETRIEVE, retrieve.by_tool),
    Variant(Step.BUILD_LEDGER, build_ledger_by_record.by_record),
    Variant(Step.BUILD_LEDGER, build_ledger_by_question.by_question),
    Variant(Step.ROUTE, route.by_a_table),
    Variant(Step.ROUTE, route.one_after_the_other),
    Variant(Step.EXECUTE, execute.field_by_field),
    Variant(Step.EXECUTE, execute.by_a_map),
    Variant(Step.HAND_OFF, hand_off.part_by_part),
    Variant(Step.HAND_OFF, hand_off.by_picking),
    Variant(Step.ORACLE, oracle.question_by_question),
    Variant(Step.ORACLE, oracle.with_finders),
)
"""Every right version, at least two a step."""
