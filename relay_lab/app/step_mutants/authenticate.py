"""Wrong versions of step 1."""

import re
from collections.abc import Callable

from relay_lab.app.step_mutants.kinds import StepFunction, StepMutant
from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.session import Authentication, Session
from relay_lab.evaluation.checks.kinds import Step

Authenticate = Callable[[Session, str], Authentication]


def _with(
    change: Callable[[Authentication, str], dict[str, object]],
) -> Callable[[StepFunction], Authenticate]:
    """The reference with some fields of its answer overwritten."""

    def make(reference: StepFunction) -> Authenticate:
        def broken(session: Session, message: str) -> Authentication:
            right: Authentication = reference(session, message)
            return right.model_copy(update=change(right, message))

        return broken

    return make


def believes_the_id_in_the_text(reference: StepFunction) -> Authenticate:
    """The customer is whoever the message says."""

    def change(right: Authentication, message: str) -> dict[str, object]:
        named = re.search(r"CUST-\d+", message)
        return {"customer_id": named[0]} if named else {}

    return _with(change)(reference)


def believes_the_scopes_in_the_text(reference: StepFunction) -> Authenticate:
    """A scope that is named is a scope that is held."""
    return _with(
        lambda right, message: {"scopes": (*right.scopes, *re.findall(r"\b[a-z]+:[a-z]+\b", message))}
    )(reference)


def believes_a_claimed_second_factor(reference: StepFunction) -> Authenticate:
    """A customer can say that a second factor was checked."""

    def change(right: Authentication, message: str) -> dict[str, object]:
        claimed = "recent_mfa" in message
        return {"assurance": Assurance.RECENT_MFA, "may_change": True} if claimed else {}

    return _with(change)(reference)


def a_password_may_change(reference: StepFunction) -> Authenticate:
    """Who may read may change."""
    return _with(lambda right, _: {"may_change": right.may_read})(reference)


def anybody_may_read(reference: StepFunction) -> Authenticate:
    """Reading harms nobody."""
    return _with(lambda *_: {"may_read": True})(reference)


def nobody_may_change(reference: StepFunction) -> Authenticate:
    """What refuses everything is safe."""
    return _with(lambda *_: {"may_change": False})(reference)


def forgets_foreign_ids(reference: StepFunction) -> Authenticate:
    """What has no effect need not be recorded."""
    return _with(lambda *_: {"foreign_ids": ()})(reference)


def takes_its_own_id_for_foreign(reference: StepFunction) -> Authenticate:
    """Every id in the text is foreign."""

    def change(right: Authentication, message: str) -> dict[str, object]:
        own = (right.customer_id or "").lower()
        return {"foreign_ids": (*right.foreign_ids, own)} if own and own in message else {}

    return _with(change)(reference)


def knows_one_tenant(reference: StepFunction) -> Authenticate:
    """There is one tenant."""
    return _with(lambda *_: {"tenant_id": "relay-prod"})(reference)


def gives_everybody_every_scope(reference: StepFunction) -> Authenticate:
    """Every session holds the seven scopes."""
    every = (
        "billing:read", "entitlements:read", "incidents:read", "policy:read", "subscription:prepare",
        "subscription:schedule", "support:handoff",
    )  # fmt: skip
    return _with(lambda *_: {"scopes": every})(reference)


MUTANTS = (
    StepMutant(Step.AUTHENTICATE, believes_the_id_in_the_text, "never_takes_another_customer_from_text"),
    StepMutant(Step.AUTHENTICATE, believes_the_scopes_in_the_text, "never_widens_scopes_from_text"),
    StepMutant(Step.AUTHENTICATE, believes_a_claimed_second_factor, "never_raises_assurance_from_text"),
    StepMutant(
        Step.AUTHENTICATE,
        a_password_may_change,
        "a_password_reads_and_does_not_change",
        related=("never_raises_assurance_from_text",),
    ),
    StepMutant(Step.AUTHENTICATE, anybody_may_read, "no_assurance_reads_nothing"),
    StepMutant(Step.AUTHENTICATE, nobody_may_change, "recent_mfa_reads_and_changes"),
    StepMutant(Step.AUTHENTICATE, forgets_foreign_ids, "records_foreign_ids_and_not_its_own"),
    StepMutant(Step.AUTHENTICATE, takes_its_own_id_for_foreign, "records_foreign_ids_and_not_its_own"),
    StepMutant(
        Step.AUTHENTICATE,
        knows_one_tenant,
        "identity_comes_from_the_session",
        related=("never_takes_another_customer_from_text",),
    ),
    StepMutant(
        Step.AUTHENTICATE,
        gives_everybody_every_scope,
        "scopes_are_exactly_those_given",
        related=("never_widens_scopes_from_text",),
    ),
)
