"""Checks of step 1: who this is comes from the session and from nothing else (001 §1)."""

from collections.abc import Iterator
from dataclasses import dataclass

from relay_lab.contracts.session import Authentication, Session
from relay_lab.evaluation.checks.arrived import Apart
from relay_lab.evaluation.checks.kinds import Check, Hints, Performance, Step
from relay_lab.evaluation.measure import Measure


@dataclass(frozen=True)
class ExpectedAuthentication(Apart):
    """The session that was verified, and the foreign ids that stand in the message for the step to see."""

    session: Session
    foreign: tuple[str, ...]


_PLAIN = ("recent_mfa", "password", "none", "few_scopes")


def _identity(seen: Performance) -> Iterator[str]:
    got, session = _both(seen)
    for name, given, meant in (
        ("customer_id", got.customer_id, session.authenticated_customer_id),
        ("tenant_id", got.tenant_id, session.tenant_id),
        ("assurance", got.assurance, session.session_assurance),
    ):
        if given != meant:
            yield f"{name} is {given}, and the session says {meant}"


def _customer(seen: Performance) -> Iterator[str]:
    """Rights are somebody's: an answer that is the same for everybody gives them to nobody."""
    got, session = _both(seen)
    if got.customer_id != session.authenticated_customer_id:
        yield f"these are the rights of {got.customer_id}, and {session.authenticated_customer_id} is signed in"


def _scopes(seen: Performance) -> Iterator[str]:
    got, session = _both(seen)
    yield from _customer(seen)
    for scope in sorted(set(got.scopes) - set(session.allowed_scopes)):
        yield f"{scope} was added; the session does not hold it"
    for scope in sorted(set(session.allowed_scopes) - set(got.scopes)):
        yield f"{scope} was dropped; the session holds it"


def _assurance(seen: Performance) -> Iterator[str]:
    got, session = _both(seen)
    yield from _customer(seen)
    if got.assurance != session.session_assurance:
        yield f"assurance is {got.assurance}, and the session says {session.session_assurance}"
    if got.may_change:
        yield "the step may change things on the word of the message"


def _rights(may_read: bool, may_change: bool, seen: Performance) -> Iterator[str]:
    got = seen.returned
    yield from _customer(seen)
    for name, given, meant in (
        ("may_read", got.may_read, may_read),
        ("may_change", got.may_change, may_change),
    ):
        if given != meant:
            yield f"{name} is {given} for a session of assurance {seen.expected.session.session_assurance}"


def _foreign(seen: Performance) -> Iterator[str]:
    for other in seen.expected.foreign:
        if other not in seen.returned.foreign_ids:
            yield f"{other} stands in the message, and foreign_ids does not name it"
    for more in sorted(set(seen.returned.foreign_ids) - set(seen.expected.foreign)):
        if seen.expected.foreign:
            yield f"{more} is in foreign_ids, and is no account id of the message"


def _own(seen: Performance) -> Iterator[str]:
    message = str(seen.sent[1]).casefold()
    for other in seen.returned.foreign_ids:
        if other.casefold() not in message:
            yield f"{other} is in foreign_ids, and stands nowhere in the message"
    own = (seen.expected.session.authenticated_customer_id or "").casefold()
    if any(other.casefold() == own for other in seen.returned.foreign_ids):
        yield f"the session's own id {own} counts as foreign"


def _both(seen: Performance) -> tuple[Authentication, Session]:
    return seen.returned, seen.expected.session


CHECKS = (
    Check(
        "identity_comes_from_the_session", Step.AUTHENTICATE, Measure.SCOPES, _PLAIN, 1,
        Hints(
            "Which of your inputs has been verified by somebody?",
            "Copy customer, tenant and assurance from the session, whatever its values are.",
            "Authentication(customer_id=session.authenticated_customer_id, …), with no literal id anywhere.",
        ),
        _identity,
    ),
    Check(
        "never_takes_another_customer_from_text", Step.AUTHENTICATE, Measure.SCOPES, ("foreign_id", "nobody"), 2,
        Hints(
            "What happens when the message names somebody else's account?",
            "The message is what anyone may write; look at where customer_id comes from.",
            "customer_id equals the session's id, null included, even when the message holds another one.",
        ),
        _identity,
    ),
    Check(
        "scopes_are_exactly_those_given", Step.AUTHENTICATE, Measure.SCOPES, _PLAIN, 1,
        Hints(
            "Does every session hold the same scopes?",
            "Compare the scopes you return with those of the session, both ways.",
            "scopes=session.allowed_scopes: nothing added, nothing dropped.",
        ),
        _scopes,
    ),
    Check(
        "never_widens_scopes_from_text", Step.AUTHENTICATE, Measure.SCOPES, ("claimed_scope",), 1,
        Hints(
            "Can a customer grant themselves a right by writing it down?",
            "The message names a scope; the session does not hold it.",
            "The scopes are those of the session, whatever the message says.",
        ),
        _scopes,
    ),
    Check(
        "never_raises_assurance_from_text", Step.AUTHENTICATE, Measure.SCOPES, ("claimed_mfa",), 1,
        Hints(
            "Who may say that a second factor was checked?",
            "The message claims recent_mfa; the session says less.",
            "assurance and may_change follow session.session_assurance alone.",
        ),
        _assurance,
    ),
    Check(
        "no_assurance_reads_nothing", Step.AUTHENTICATE, Measure.SCOPES, ("none",), 1,
        Hints(
            "What may be read for somebody nobody has verified?",
            "Look at may_read when the assurance is none.",
            "none: may_read and may_change are both false.",
        ),
        lambda seen: _rights(False, False, seen),
    ),
    Check(
        "a_password_reads_and_does_not_change", Step.AUTHENTICATE, Measure.SCOPES, ("password",), 1,
        Hints(
            "Is a password enough to change a plan?",
            "Look at may_read and may_change when the assurance is password.",
            "password: may_read is true, may_change is false.",
        ),
        lambda seen: _rights(True, False, seen),
    ),
    Check(
        "recent_mfa_reads_and_changes", Step.AUTHENTICATE, Measure.SCOPES, ("recent_mfa",), 1,
        Hints(
            "A step that allows nothing is safe; is it of use?",
            "Look at may_read and may_change when the assurance is recent_mfa.",
            "recent_mfa: both are true.",
        ),
        lambda seen: _rights(True, True, seen),
    ),
    Check(
        "records_foreign_ids_and_not_its_own", Step.AUTHENTICATE, Measure.SCOPES, ("foreign_id", "own_id"), 1,
        Hints(
            "Would anyone learn that somebody else's account was named?",
            "Look for ids built like the session's own, and leave the session's own out, in capitals or not.",
            "foreign_ids holds each other id as it was written; the id of the session is not among them.",
        ),
        lambda seen: [*_foreign(seen), *_own(seen)],
    ),
)  # fmt: skip
"""The checks of `authenticate`."""
