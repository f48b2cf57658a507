"""How far a reader has come in the course: points and attempts of each lesson, kept in the user's state folder.

One file, `progress.json`, in the folder that RELAY_LAB_STATE names, or in the usual one of the system. With
RELAY_LAB_STATE=off, and wherever pytest runs, nothing is read or written and this process remembers for itself.
"""

import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from relay_lab.app.state_folder import state_folder

VERSION = 1
FILE = "progress.json"

LESSONS: dict[str, str | None] = {
    "00_start_here": None,
    "01_authentication": "authenticate",
    "02_decomposition": "decompose",
    "03_retrieval": "retrieve",
    "04_ledger": "build_ledger",
    "05_routing": "route",
    "06_idempotent_execution": "execute",
    "07_handoff": "hand_off",
    "08_failure_matrix": "oracle",
    "09_break_it": None,
}
"""The course in its order: each notebook, and the step that is written in it."""


class Standing(BaseModel):
    """How one lesson stands: checks asked for, the most points earned in one of them, and the points there are."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    attempts: Annotated[int, Field(ge=0)] = 0
    best: Annotated[int, Field(ge=0)] = 0
    max: Annotated[int, Field(ge=0)] = 0

    @property
    def done(self) -> bool:
        """Whether every point was earned at once."""
        return 0 < self.max <= self.best


class _Kept(BaseModel):
    """What the file holds."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")

    version: int
    lessons: dict[str, Standing]


@dataclass(frozen=True)
class Read:
    """What could be read, and the sentence that says why it is not all. `whole`: the file may be written over."""

    lessons: dict[str, Standing]
    whole: bool = True
    note: str = ""


_MEMORY: dict[str, Standing] = {}
"""The standings of this process, where no file is kept."""


def read() -> Read:
    """The standings so far. A file that cannot be used is a sentence, never an exception."""
    folder = state_folder()
    if folder is None:
        return Read(dict(_MEMORY))
    file = folder / FILE
    try:
        text = file.read_text("utf-8")
    except FileNotFoundError:
        return Read({})
    except (OSError, ValueError) as error:
        return _unusable(file, getattr(error, "strerror", None) or "it is not text")
    try:
        document: Any = json.loads(text)
        version = document.get("version") if isinstance(document, dict) else None
        if isinstance(version, int) and version != VERSION:
            return Read(
                dict(_MEMORY),
                whole=False,
                note=f"{file} was written by another version of relay-lab ({version}; this one writes {VERSION}) and is left "
                "alone; until it is moved away, nothing is added to it.",
            )
        return Read(dict(_Kept.model_validate_json(text).lessons))
    except (ValueError, ValidationError, RecursionError):
        return _unusable(file, "it is not what relay-lab writes")


def keep(lesson: str, points: int, of: int) -> str:
    """Add one attempt at a lesson. The sentence a reader should see; empty when all is well."""
    folder, found = state_folder(), read()
    before = found.lessons.get(lesson, Standing())
    after = Standing(attempts=before.attempts + 1, best=max(before.best, points), max=of)
    if folder is None or not found.whole:
        _MEMORY[lesson] = after
        return found.note
    document = _Kept(version=VERSION, lessons={**found.lessons, lesson: after})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        note = _set_aside(folder / FILE) if found.note else ""
        # A reader sees the old file or the new one, never half of it.
        half = folder / f"{FILE}.{os.getpid()}.part"
        half.write_text(document.model_dump_json(indent=2) + "\n", "utf-8")
        half.replace(folder / FILE)
    except OSError as error:
        return f"Your progress could not be kept in {folder} ({error.strerror}); RELAY_LAB_STATE names another folder."
    return note


def _unusable(file: Path, why: str) -> Read:
    return Read({}, note=f"{file} cannot be read: {why}.")


def _set_aside(file: Path) -> str:
    """Move a broken file out of the way under a name that nothing has yet."""
    number = 1
    while (aside := file.with_name(f"{file.stem}.broken-{number}.json")).exists():
        number += 1
    with suppress(FileNotFoundError):  # another kernel has just done the same
        file.rename(aside)
    return f"{file} could not be read; it was kept as {aside.name}, and a new one was begun."
