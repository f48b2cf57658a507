"""A data file of `fixtures/`, read into its contract; what is wrong with it is said with the entry that it is about."""

import json
import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from relay_lab.contracts.base import Contract
from relay_lab.contracts.errors import BadInput

_Read = TypeVar("_Read", bound=Contract)


def read_fixture(file: Path, kind: type[_Read]) -> _Read:
    """The contents of a JSON or TOML file. Raises `BadInput` with file, entry and key when they are not of this kind."""
    text = file.read_text("utf-8")
    place = f"fixtures/{file.parent.name}/{file.name}"
    try:
        loaded: Any = tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)
    except ValueError as error:
        raise BadInput(f"{place} cannot be read: {error}.") from error
    try:
        if file.suffix == ".toml":  # it has lists where a contract has tuples
            return kind.model_validate(loaded, strict=False)
        return kind.model_validate_json(text)
    except ValidationError as error:
        raise BadInput(f"{place}{_wrong(loaded, error)}") from error


def _wrong(loaded: Any, error: ValidationError) -> str:
    """The first thing that is wrong: in which entry, at which key, and what pydantic says of it."""
    first = error.errors()[0]
    where, entry = list(first["loc"]), ""
    if len(where) > 1 and isinstance(where[1], int):
        rows = loaded[where[0]]
        named = rows[where[1]].get("id") if isinstance(rows[where[1]], dict) else None
        entry = f", {named or f'entry {where[1] + 1}'}"
        where = where[2:]
    key = ".".join(map(str, where))
    return f"{entry}{f', {key}' if key else ''}: {first['msg'].rstrip('.')}."
