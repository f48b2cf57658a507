"""What arrived, apart from the objects that it came in: a judge compares text and numbers, and never a stranger's object."""

import json
from copy import deepcopy
from dataclasses import fields
from typing import Any

from pydantic_core import to_jsonable_python

from relay_lab.contracts.handoff import HandoffPacket


def as_it_arrived(name: str, value: object) -> Any:
    """An argument of a call as plain JSON; a packet as the contract that its JSON is.

    Raises `ValueError` or `TypeError` for what no wire would carry: such a call does not arrive.
    """
    text = json.dumps(to_jsonable_python(value), allow_nan=False)
    return HandoffPacket.model_validate_json(text) if name == "packet" else json.loads(text)


class Apart:
    """A dataclass whose values are its own: a step that writes into what it was given alters nothing that it is judged by."""

    def __post_init__(self) -> None:
        for field in fields(self):  # type: ignore[arg-type]  # those who inherit are dataclasses
            object.__setattr__(self, field.name, deepcopy(getattr(self, field.name)))
