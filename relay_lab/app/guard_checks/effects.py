"""What must hold at the moment of an effect, and that there is one for each key: rechecks and receipt."""

from collections.abc import Callable, Iterator

from relay_lab.app.guard_checks.base import check, differs
from relay_lab.app.guard_checks.scene import (
    OTHER,
    SCHEDULE,
    another,
    calls,
    clicked,
    operation,
    prepare,
    proposals,
    quoted,
    submit,
)
from relay_lab.app.lab import Lab, Parts
from relay_lab.contracts.operations import Refused
from relay_lab.desks.support.terms import envelope_of
from relay_lab.world.faults import Fault

LOST = Fault(SCHEDULE, "before_arrival", (1,))
ENTITLEMENTS = "get_plan_and_entitlements"
LATER = tuple(range(3, 12))
"""The attempts after a message and a pick have read their own."""


def _account(**changed: object) -> Callable[[Lab], None]:
    def amend(lab: Lab) -> None:
        row = next(
            each
            for each in lab.scenario.data.accounts
            if each.customer_id == lab.session.authenticated_customer_id
        )
        lab.company.accounts.amend(row.model_copy(update=changed))

    return amend


def touched(lab: Lab) -> None:
    """The subscription moves on to another version, as any change by the company's own people does."""
    lab.company.subscriptions.touch(str(lab.session.authenticated_customer_id))


def _tax(lab: Lab) -> None:
    price = next(row for row in lab.scenario.data.prices if row.plan.value == "individual")
    lab.company.catalogue.publish(price.model_copy(update={"tax_terms": "tax is included"}))


def _policy(lab: Lab) -> None:
    policy = max(lab.scenario.data.subscription_policies, key=lambda row: row.effective_at)
    newer = {"policy_version": f"{policy.policy_version}.1", "effective_at": lab.clock.now()}
    lab.company.policies.publish(policy.model_copy(update=newer))


def _stopped_after(change: Callable[[Lab], None]) -> str:
    with quoted() as lab:
        token = clicked(lab)
        change(lab)
        return submit(lab, token)


@check("rechecks")
def the_contract() -> Iterator[str]:
    """A contract that has been negotiated since the click stops the change."""
    came = _stopped_after(_account(contract_terms="negotiated"))
    yield from differs("a negotiated contract", came, "stopped by rechecks: contract_terms")


@check("rechecks")
def what_the_account_may_do() -> Iterator[str]:
    """An account that has lost the operation since the click stops the change."""
    came = _stopped_after(_account(allowed_operations=()))
    yield from differs("a right withdrawn", came, "stopped by rechecks: operation_allowed")


@check("rechecks")
def the_subscription() -> Iterator[str]:
    """A subscription of another version is named as such."""
    came = _stopped_after(touched)
    yield from differs("another version", came, "stopped by rechecks: subscription_version, terms")


@check("rechecks")
def the_price_whole() -> Iterator[str]:
    """A price of another tax is another price, and is named as such."""
    yield from differs("another tax", _stopped_after(_tax), "stopped by rechecks: price, terms")


@check("rechecks")
def the_policy() -> Iterator[str]:
    """A policy version that came into force since the click is named as such."""
    came = _stopped_after(_policy)
    yield from differs("another policy", came, "stopped by rechecks: policy_version, terms")


@check("rechecks")
def what_cannot_be_read() -> Iterator[str]:
    """Facts that cannot be read stop the change."""
    with quoted(Parts(faults=(Fault(ENTITLEMENTS, "fail", LATER),))) as lab:
        came = submit(lab, clicked(lab))
        yield from differs("no facts", came, "stopped by rechecks: facts_unreadable")


@check("rechecks")
def what_is_stale() -> Iterator[str]:
    """Facts older than their bound are no facts."""
    with quoted(Parts(faults=(Fault(ENTITLEMENTS, "stale", LATER),))) as lab:
        came = submit(lab, clicked(lab))
        yield from differs("stale facts", came, "stopped by rechecks: facts_unreadable")


@check("rechecks")
def before_a_second_delivery() -> Iterator[str]:
    """A delivery that was lost is not made again when the records have changed since."""
    with quoted(Parts(faults=(LOST,))) as lab:
        lab.confirm()
        touched(lab)
        lab.reconcile()
        yield from differs("deliveries", calls(lab), ["no_answer"])
        yield from differs("the operation", operation(lab).error, "subscription_version")


@check("receipt")
def other_arguments_under_one_key() -> Iterator[str]:
    """A key that answered one request does not answer another."""
    with quoted() as lab:
        yield from differs("the first", prepare(lab, "I9", "K")[0], "answered")
        came, _ = prepare(lab, "I8", "K")
        yield from differs("another request", came, "stopped by receipt: key_reused")


@check("receipt")
def the_same_request_again() -> Iterator[str]:
    """The same request under its key gets the first answer, and is told apart from a first one."""
    with quoted() as lab:
        first, again = prepare(lab, "I9", "K"), prepare(lab, "I9", "K")
        yield from differs("again", again, ("replayed", first[1]))
        yield from differs("quotes", len(proposals(lab)), 2)


@check("receipt")
def a_key_for_each_customer() -> Iterator[str]:
    """A key belongs to the customer who used it."""
    with quoted() as lab:
        prepare(lab, "I9", "K")
        came, _ = prepare(lab, "I9", "K", another(lab, authenticated_customer_id=OTHER))
        yield from differs("another customer's use of the key", came, "answered")


@check("receipt")
def answered_from_our_own() -> Iterator[str]:
    """What is settled is answered from our own table, without a question to the other system."""
    with quoted() as lab:
        lab.confirm()
        yield from differs("again", submit(lab, "spent"), "completed")
        yield from differs("deliveries", calls(lab), ["success"])
        yield from differs("look-ups", calls(lab, "find_schedule"), [])


@check("receipt")
def no_answer_is_not_none() -> Iterator[str]:
    """While the other system cannot be asked for a receipt, nothing is delivered again."""
    faults = (Fault(SCHEDULE, "after_commit", (1,)), Fault("find_schedule", "unreachable"))
    with quoted(Parts(faults=faults)) as lab:
        lab.confirm()
        lab.reconcile()
        yield from differs("deliveries", calls(lab), ["no_answer"])
        yield from differs("the operation", operation(lab).state.value, "failed_unknown")


@check("receipt")
def a_late_arrival() -> Iterator[str]:
    """Once an operation was given up, its delivery is refused however late it arrives."""
    with quoted(Parts(faults=(LOST,))) as lab:
        lab.confirm()
        envelope = envelope_of(proposals(lab)[-1])
        lab.clock.advance(1801)
        lab.reconcile()
        late = lab.company.subscriptions.schedule(envelope.idempotency_key, envelope.model_dump(mode="json"))
        yield from differs("the late arrival", late, Refused(code="key_closed"))


@check("receipt")
def no_new_quote_while_unknown() -> Iterator[str]:
    """While the outcome of a change is unknown, no other change of the same issue is prepared."""
    with quoted(Parts(faults=(LOST,))) as lab:
        lab.confirm()
        yield from differs("a new quote", prepare(lab, "I3", "K"), ("answered", {"proposal_id": None}))
