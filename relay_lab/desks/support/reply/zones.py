"""The display zone."""

import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

NAME = re.compile(r"[A-Z][A-Za-z_-]*(?:/[A-Z][A-Za-z_-]*)+")
"""A zone of a place, such as `Europe/Berlin`. Others are not names that a customer would read."""


def zone_of(name: str) -> ZoneInfo | None:
    """The zone under an IANA name; None for UTC, for a name that is not a place's, and for one unknown to this machine."""
    if not NAME.fullmatch(name):
        return None
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None
