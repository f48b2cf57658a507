"""What a step returned, as a value: read from JSON under its contract, so that no live object is ever compared."""

import json
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError, to_jsonable_python

from relay_lab.contracts.evidence import Retrieval
from relay_lab.contracts.issues import AdmittedIssues, Rejected
from relay_lab.contracts.ledger import Ledger
from relay_lab.contracts.operations import Operation
from relay_lab.contracts.oracle import Verdict
from relay_lab.contracts.record import Routing
from relay_lab.contracts.session import Authentication
from relay_lab.evaluation.checks.kinds import Mishap, Step

_RETURNS: dict[Step, tuple[Any, str]] = {
    Step.AUTHENTICATE: (Authentication, "an Authentication"),
    Step.DECOMPOSE: (AdmittedIssues | Rejected, "AdmittedIssues or Rejected"),
    Step.RETRIEVE: (Retrieval, "a Retrieval"),
    Step.BUILD_LEDGER: (Ledger, "a Ledger"),
    Step.ROUTE: (tuple[Routing, ...], "a tuple of Routing"),
    Step.EXECUTE: (Operation | tuple[str, ...], "an Operation or a tuple of failures"),
    Step.HAND_OFF: (Operation | tuple[str, ...], "an Operation or a tuple of failures"),
    Step.ORACLE: (Verdict, "a Verdict"),
}


@cache
def _adapter(step: Step) -> TypeAdapter[Any]:
    return TypeAdapter(_RETURNS[step][0])


def returned(step: Step, value: object) -> Any:
    """The value that a step's answer stands for, or a mishap when it is none of the step's return type.

    `value` may be the contract type or the plain JSON of one, as it comes from another process.
    """
    if isinstance(value, Mishap):
        return value
    if value is None:
        return Mishap(
            "wrong_type",
            f"nothing came back (None), not {_RETURNS[step][1]}; a way through the function ends without `return`",
        )
    try:
        text = json.dumps(to_jsonable_python(value), allow_nan=False)
        return _adapter(step).validate_json(text)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        at = f" at {place}" if place else ""
        return Mishap(
            "wrong_type",
            f"{type(value).__name__} came back, not {_RETURNS[step][1]}: {first['msg'].lower()}{at}",
        )
    except (PydanticSerializationError, ValueError, TypeError, RecursionError):
        return Mishap("wrong_type", f"{type(value).__name__} came back, not {_RETURNS[step][1]}")
