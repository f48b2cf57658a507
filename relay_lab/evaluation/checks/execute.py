"""Checks of step 7: the confirmed quote is submitted once, under its own key, and only a receipt makes it done (001 §7)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from relay_lab.contracts.change import Envelope
from relay_lab.contracts.enums import OperationState
from relay_lab.contracts.operations import Operation
from relay_lab.evaluation.checks.arrived import Apart
from relay_lab.evaluation.checks.kinds import Check, Hints, Performance, Step
from relay_lab.evaluation.measure import Measure


@dataclass(frozen=True)
class ExpectedExecution(Apart):
    """The one envelope that the confirmation allows; `answer` is what the tool says to it."""

    envelope: Envelope
    answer: Operation | tuple[str, ...]


_KEY, _WHO, _CONSENT = "idempotency_key", ("tenant_id", "runtime_customer_id"), "confirmation_id"


def _fields(seen: Performance, names: tuple[str, ...]) -> Iterator[str]:
    meant = seen.expected.envelope.model_dump(mode="json")
    if not seen.calls:
        yield f"nothing was submitted, so that no {names[0]} was right"
    for call in seen.calls:
        for name in names:
            if call.arguments.get(name) != meant[name]:
                yield f"{name} is {call.arguments.get(name)!r}, not {meant[name]!r}"


def _once(seen: Performance) -> Iterator[str]:
    if len(seen.calls) != 1:
        yield f"{len(seen.calls)} submissions were made, not one"


def _terms(seen: Performance) -> Iterator[str]:
    names = tuple(n for n in Envelope.model_fields if n not in (_KEY, *_WHO, _CONSENT))
    return _fields(seen, names)


def _key(seen: Performance) -> Iterator[str]:
    return _fields(seen, (_KEY,))


def _who(seen: Performance) -> Iterator[str]:
    return _fields(seen, _WHO)


def _consent(seen: Performance) -> Iterator[str]:
    return _fields(seen, (_CONSENT,))


def _not_done(seen: Performance) -> Iterator[str]:
    got = seen.returned
    if not seen.calls:
        yield "nothing was submitted, so that nothing could be unknown"
    if not isinstance(got, Operation):
        yield f"{got!r} came back for an operation whose outcome is not known"
    elif got.state is not OperationState.FAILED_UNKNOWN or got.receipt is not None:
        yield f"the operation is called {got.state}, and its answer was lost"


def _refusal(seen: Performance) -> Iterator[str]:
    got: Any = seen.returned
    state = got.state if isinstance(got, Operation) else None
    if state is OperationState.COMPLETED or (isinstance(got, Operation) and got.receipt is not None):
        yield "the change is called completed, and it was refused"
    elif isinstance(seen.expected.answer, tuple) and got != seen.expected.answer:
        yield f"the failures were {seen.expected.answer}, and {got!r} came back"
    elif isinstance(seen.expected.answer, Operation) and state is not OperationState.REJECTED:
        yield f"the operation was rejected, and {state or got!r} came back"


def _receipt(seen: Performance) -> Iterator[str]:
    got, meant = seen.returned, seen.expected.answer
    receipt = got.receipt if isinstance(got, Operation) else None
    if receipt is None:
        yield "the change was made, and no receipt came back"
    elif receipt != meant.receipt or got.state is not OperationState.COMPLETED:
        yield f"receipt {meant.receipt.receipt_id} was given, and {receipt.receipt_id} ({got.state}) came back"


_DONE, _LOST, _REFUSED = ("plain", "another_seat"), ("lost",), ("refused", "stopped")
_ANY = (*_DONE, *_LOST, *_REFUSED)

CHECKS = (
    Check(
        "submits_the_confirmed_quote_once", Step.EXECUTE, Measure.ONCE, (*_DONE, *_REFUSED), 1,
        Hints(
            "How many changes did the customer confirm?",
            "Count the calls of schedule_downgrade.",
            "Exactly one call, whatever it answers.",
        ),
        _once,
    ),
    Check(
        "never_submits_again_what_is_not_known", Step.EXECUTE, Measure.ONCE, _LOST, 1,
        Hints(
            "The answer was lost: was the change made?",
            "Nobody knows yet; reconciling by the key finds out, and that is not this step's to do.",
            "One call; what is not known is returned as it is.",
        ),
        _once,
    ),
    Check(
        "the_envelope_says_what_was_confirmed", Step.EXECUTE, Measure.ONCE, _ANY, 2,
        Hints(
            "Which change did the customer review?",
            "Every term comes from the quote: plan, seat, time, cycle, version, policy.",
            "Envelope(target_plan=terms.target_plan, designated_seat_id=terms.designated_seat_id, …).",
        ),
        _terms,
    ),
    Check(
        "the_key_names_cycle_issue_and_quote", Step.EXECUTE, Measure.ONCE, _ANY, 1,
        Hints(
            "Would a second delivery of the same quote carry the same key?",
            "No counter, no clock, no word such as Friday in it.",
            "tenant:customer:cycle:issue:quote.",
        ),
        _key,
    ),
    Check(
        "acts_for_the_customer_who_confirmed", Step.EXECUTE, Measure.SCOPES, _ANY, 1,
        Hints(
            "For whom is this order?",
            "Tenant and customer stand in the order.",
            "tenant_id=order.tenant_id, runtime_customer_id=order.customer_id.",
        ),
        _who,
    ),
    Check(
        "carries_the_confirmation_it_was_given", Step.EXECUTE, Measure.SCOPES, _ANY, 1,
        Hints(
            "How does the service know that somebody said yes?",
            "Look at confirmation_id.",
            "confirmation_id=order.confirmation_id, never one that you make.",
        ),
        _consent,
    ),
    Check(
        "unknown_is_not_done", Step.EXECUTE, Measure.RECEIPT, _LOST, 1,
        Hints(
            "May you tell a customer that it is done?",
            "The operation came back in failed_unknown.",
            "Return that operation; no receipt, no completed.",
        ),
        _not_done,
    ),
    Check(
        "a_refusal_stays_a_refusal", Step.EXECUTE, Measure.RECEIPT, _REFUSED, 1,
        Hints(
            "What did the tool answer?",
            "A rejected operation, or the names of the checks that stopped it.",
            "Return what came; nothing was changed.",
        ),
        _refusal,
    ),
    Check(
        "returns_the_receipt_it_was_given", Step.EXECUTE, Measure.RECEIPT, _DONE, 1,
        Hints(
            "What proves that the change exists?",
            "The operation that came back holds the receipt of the system of record.",
            "Return that operation, completed, with its receipt.",
        ),
        _receipt,
    ),
)  # fmt: skip
"""The checks of `execute`."""
