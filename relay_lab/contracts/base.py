"""What every contract shares: strict, frozen, nothing extra; and the few scalar types the vocabulary is made of."""

import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, StringConstraints

Scalar = str | int | bool | None
"""The value of a claim or of one field of a receipt. Instants are ISO 8601 text in UTC, money is cents."""


class Contract(BaseModel):
    """Base of every type that crosses a boundary."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


def _utc(instant: datetime) -> datetime:
    return instant.astimezone(UTC)


Utc = Annotated[AwareDatetime, AfterValidator(_utc)]
"""An aware instant, held in UTC."""

Ident = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,159}$")]
"""An identifier minted by a system of ours: no blank, no control character."""

Code = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,63}$")]
"""A machine-readable reason. Control flow reads codes; prose is made at the edge."""

Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]

Currency = Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")]


def iso(instant: datetime) -> str:
    """An aware instant as ISO 8601 text in UTC with a trailing Z (`2026-09-10T10:00:00Z`)."""
    return instant.astimezone(UTC).isoformat().replace("+00:00", "Z")


def stamp(instant: datetime) -> str:
    """An aware instant as ISO 8601 text of fixed width, so that the order of the texts is the order of the instants."""
    return instant.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def canonical_json(value: Contract | Mapping[str, Any]) -> str:
    """The one text of a value that is hashed or compared: keys sorted, no blanks."""
    plain = value.model_dump(mode="json") if isinstance(value, Contract) else dict(value)
    return _CANONICAL.encode(plain)


def fingerprint(value: Contract | Mapping[str, Any]) -> str:
    """SHA-256 (hex) of the canonical text of `value`."""
    return digest(canonical_json(value))


def digest(text: str) -> str:
    """SHA-256 (hex) of `text` in UTF-8; half a character hashes as itself."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
