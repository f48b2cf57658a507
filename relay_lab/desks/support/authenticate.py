"""Step 1: who this is comes from the session and from nothing else (001 §1)."""

import re

from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.session import Authentication, Session


def authenticate(session: Session, message: str) -> Authentication:
    """Decide what the session may do: none reads nothing, password reads, recent_mfa may also change.

    Account ids in the message are noted as foreign and never used. Anything that looks like the session's own id (the same
    letters, then figures) and is not it counts as one.
    """
    return Authentication(
        customer_id=session.authenticated_customer_id,
        tenant_id=session.tenant_id,
        assurance=session.session_assurance,
        scopes=session.allowed_scopes,
        may_read=session.session_assurance.rank >= Assurance.PASSWORD.rank,
        may_change=session.session_assurance.rank >= Assurance.RECENT_MFA.rank,
        foreign_ids=_foreign_ids(session.authenticated_customer_id or "", message),
    )


def _foreign_ids(own: str, message: str) -> tuple[str, ...]:
    prefix = re.match(r"[A-Za-z]+(?=[-_:]?\d)", own)
    if prefix is None:
        return ()
    looks_like = re.compile(rf"(?<![\w-]){re.escape(prefix[0])}[-_:]?\d[\w-]{{0,40}}", re.IGNORECASE)
    found = {match[0].rstrip("-_") for match in looks_like.finditer(message)}
    return tuple(sorted(other for other in found if other.casefold() != own.casefold()))
