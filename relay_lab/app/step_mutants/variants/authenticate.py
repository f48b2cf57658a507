"""Two right versions of step 1, written on their own."""

import re

from relay_lab.contracts.enums import Assurance
from relay_lab.contracts.session import Authentication, Session

_RIGHTS = {
    Assurance.NONE: (False, False),
    Assurance.PASSWORD: (True, False),
    Assurance.RECENT_MFA: (True, True),
}


def by_a_table(session: Session, message: str) -> Authentication:
    """Rights from a table; foreign ids by taking the message apart word by word."""
    may_read, may_change = _RIGHTS[session.session_assurance]
    own = session.authenticated_customer_id or ""
    words = [re.sub(r"^[^\w-]+|[^\w-]+$", "", word) for part in message.split() for word in part.split("=")]
    return Authentication(
        customer_id=session.authenticated_customer_id,
        tenant_id=session.tenant_id,
        assurance=session.session_assurance,
        scopes=session.allowed_scopes,
        may_read=may_read,
        may_change=may_change,
        foreign_ids=tuple(dict.fromkeys(word for word in words if _alike(word, own))),
    )


def _alike(word: str, own: str) -> bool:
    """Built like the own id, letters for letters and figures for figures, and another one."""
    shape = [re.sub(r"[0-9]+", "0", text.casefold()) for text in (word, own)]
    return bool(own) and "0" in shape[1] and shape[0] == shape[1] and word.casefold() != own.casefold()


def by_cases(session: Session, message: str) -> Authentication:
    """Rights by the case of the assurance; foreign ids by a pattern made of the own id."""
    rights = {"may_read": True, "may_change": True}
    if session.session_assurance is Assurance.NONE:
        rights = {"may_read": False, "may_change": False}
    elif session.session_assurance is Assurance.PASSWORD:
        rights["may_change"] = False
    foreign: list[str] = []
    own = session.authenticated_customer_id
    if own is not None:
        pattern = re.sub(r"\\?[0-9]+", r"[0-9]+", re.escape(own))
        foreign = [text for text in re.findall(rf"\b{pattern}\b", message) if text.lower() != own.lower()]
    return Authentication.model_validate_json(
        Authentication(
            customer_id=own,
            tenant_id=session.tenant_id,
            assurance=session.session_assurance,
            scopes=session.allowed_scopes,
            foreign_ids=tuple(sorted(set(foreign))),
            **rights,
        ).model_dump_json()
    )
