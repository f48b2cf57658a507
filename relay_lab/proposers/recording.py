"""A recording: a model's answers by what was asked, with all that they came from. One JSON document a line.

    {"recording": 1, "workflow": …, "binding": {…}}     first: the version of this format, and what was asked with
    {"run": {"date": …, "dataset": …, "package": …}}    one for each time that somebody recorded
    {"key": …, "trial": n, "answer": …}                 or "refused": the code that the proposer refused with
    {"done": n, "scenarios": m}                         trial n has been through all m scenarios
    {"complete": n, "answers": m, "sha256": …}          last, when nothing is missing: hash of the lines before it

A line is written whole or not at all: a last line without its end was being written when somebody stopped, and is dropped.
"""

import gzip
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, TypeAdapter, ValidationError

from relay_lab.contracts.base import Code, Contract, digest, fingerprint
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.proposals import ProposalRequest

VERSION = 1


class Head(Contract):
    """What was asked, and of whom. Answers of another head are never put into the same file."""

    recording: Literal[1] = 1
    workflow: str
    binding: dict[str, Any]


class Ran(Contract):
    """When somebody recorded, from which fixtures, with which version of ours."""

    run: dict[str, str]


class Given(Contract):
    """One answer, or the code of a refusal."""

    key: str = Field(pattern=r"^[0-9a-f]{32}$")
    trial: int = Field(ge=0)
    answer: str | None = None
    refused: Code | None = None


class Done(Contract):
    """One trial has been through every scenario."""

    done: int = Field(ge=0)
    scenarios: int = Field(ge=1)


class Complete(Contract):
    """The last line of a recording in which nothing is missing."""

    complete: int
    answers: int
    sha256: str


_LINE: TypeAdapter[Head | Ran | Given | Done | Complete] = TypeAdapter(Head | Ran | Given | Done | Complete)


def key_of(request: ProposalRequest, prompt_version: str, trial: int) -> str:
    """Under what an answer is kept: the whole request, the words that put it, and the trial."""
    asked = {"request": request.model_dump(mode="json"), "prompt": prompt_version, "trial": trial}
    return fingerprint(asked)[:32]


@dataclass
class Recording:
    """What a file holds. `answers` by key, `done` by trial; `complete` says that its last line vouches for all of it."""

    head: Head
    runs: list[Ran] = field(default_factory=list)
    answers: dict[str, Given] = field(default_factory=dict)
    done: dict[int, Done] = field(default_factory=dict)
    complete: bool = False

    @property
    def trials(self) -> int:
        """How many whole trials it holds, counted from trial 0."""
        return next(number for number in range(len(self.done) + 1) if number not in self.done)


def read(path: Path) -> Recording:
    """The recording in a file (`.gz` is unpacked). Raises `BadInput` with one sentence for a file that cannot serve."""
    lines = _lines(path)
    if not lines:
        raise BadInput(f"{path} is empty and no recording; record one with relay-lab record.")
    first = _parsed(path, 1, lines[0])
    if not isinstance(first, Head):
        raise BadInput(f"{path} is no recording: its first line does not say so; {_ANEW}.")
    recording = Recording(first)
    for number, line in enumerate(lines[1:], start=2):
        match _parsed(path, number, line):
            case Ran() as ran:
                recording.runs.append(ran)
            case Given() as given:
                recording.answers[given.key] = given
            case Done() as done:
                recording.done[done.done] = done
            case Complete(sha256=promised):
                if promised != digest("\n".join(lines[: number - 1])):
                    raise BadInput(f"{path} is damaged: its lines are not those that were recorded; {_ANEW}.")
                recording.complete = True
            case Head():
                raise BadInput(f"{path} is damaged: line {number} begins another recording; {_ANEW}.")
    return recording


def write(path: Path, recording: Recording) -> None:
    """Put a whole recording in the place of a file, at once: what was there stays until the new one is on the disk."""
    answers = sorted(recording.answers.values(), key=lambda given: (given.trial, given.key))
    done = [recording.done[trial] for trial in sorted(recording.done)]
    rows: tuple[Contract, ...] = (recording.head, *recording.runs, *answers, *done)
    lines = [line_of(row) for row in rows]
    last = Complete(
        complete=recording.trials, answers=len(recording.answers), sha256=digest("\n".join(lines))
    )
    beside = path.with_name(f"{path.name}.new")
    with beside.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{line}\n" for line in (*lines, line_of(last)))
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def line_of(row: Contract) -> str:
    """One line of the file."""
    return json.dumps(row.model_dump(mode="json", exclude_none=True), ensure_ascii=False)


_ANEW = "record it anew with relay-lab record"


def _lines(path: Path) -> list[str]:
    try:
        content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        *whole, _torn = content.decode("utf-8").split("\n")
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "it is no gzip file"
        raise BadInput(f"{path} cannot be read as a recording ({reason}); {_ANEW}.") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is damaged: byte {error.start} is no UTF-8 text; {_ANEW}.") from error
    return whole


def _parsed(path: Path, number: int, line: str) -> Head | Ran | Given | Done | Complete:
    try:
        document = json.loads(line)
    except ValueError:
        raise BadInput(f"{path} is damaged: line {number} is no JSON; {_ANEW}.") from None
    version = document.get("recording", VERSION) if isinstance(document, Mapping) else VERSION
    if version != VERSION:
        raise BadInput(f"{path} is a recording of version {version}, and this is {VERSION}; {_ANEW}.")
    try:
        return _LINE.validate_json(line)
    except ValidationError:
        raise BadInput(f"{path} is damaged: line {number} is no line of a recording; {_ANEW}.") from None


def together(recordings: Iterable[Recording]) -> dict[str, Given]:
    """The answers of several recordings by key; the first one that has a key counts."""
    answers: dict[str, Given] = {}
    for recording in recordings:
        answers = recording.answers | answers
    return answers
