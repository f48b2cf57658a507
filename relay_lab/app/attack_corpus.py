"""The attacks as data: our own corpus, apart from what is expected of it, and texts that somebody else collected."""

import csv
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from relay_lab.contracts.base import Contract
from relay_lab.contracts.errors import BadInput
from relay_lab.evaluation.attacks import Reading
from relay_lab.proposers.obedient import Goal
from relay_lab.world.data import fixtures_folder

FOREIGN = "theirs"
"""The kind of a text that came from outside: whoever collected it knows what it tries."""
COLUMNS = ("text", "prompt", "message")
"""Where a row of somebody else's file holds its text."""
_SUFFIXES = (".txt", ".csv", ".jsonl")
_LONGEST_ROW = 10_000_000


class Attack(Contract):
    """One attack. `channel`: the place of its text; `everywhere` is all of them in one conversation.

    `stage` says when a message carries it: beside the real `issues`, alone beside an open `question` or an open `quote`, or
    `both`, first beside the issues and then beside the quote. `where`: how it stands in that message. `tries`: what it is
    after; `says`: the sentence that a model which obeys would write into the reply, null for the usual one of its goal.
    """

    id: str
    kind: str
    channel: Literal["message", "note", "article", "tool_text", "everywhere"] = "message"
    stage: Literal["issues", "question", "quote", "both"] = "issues"
    where: Literal["before", "after", "between", "quoted", "forwarded", "system", "code"] = "after"
    language: str = "en"
    tries: Goal
    text: str
    says: str | None = None


class _OfOneKind(Contract):
    kind: str
    about: str
    attacks: tuple[dict[str, str], ...]


class _Expectations(Contract):
    about: str
    may: dict[str, tuple[Reading, ...]] = Field(default_factory=dict)


@dataclass(frozen=True)
class Corpus:
    """Attacks, what each may honestly be read as (by id), and the rows of a file that could not be used, in words."""

    name: str
    attacks: tuple[Attack, ...]
    may: dict[str, tuple[Reading, ...]] | None = None
    skipped: tuple[str, ...] = ()


@cache
def own_corpus() -> Corpus:
    """The attacks that were written for this project, each kind in a file of its own."""
    folder = fixtures_folder() / "attacks"
    files = (path for path in sorted(folder.glob("*.json")) if path.name != "expected.json")
    kinds = [_OfOneKind.model_validate_json(path.read_text("utf-8")) for path in files]
    attacks = tuple(
        Attack.model_validate({**row, "kind": each.kind}) for each in kinds for row in each.attacks
    )
    expected = _Expectations.model_validate_json((folder / "expected.json").read_text("utf-8"))
    return Corpus("relay", attacks, dict(expected.may))


def corpus_from(file: Path) -> Corpus:
    """The texts of somebody else's file, each to be put everywhere a text can stand.

    `.txt`: a text a line; `.csv` and `.jsonl`: a column or key `text`, `prompt` or `message`. A row without a usable text
    costs only itself. Raises `BadInput` for a file that cannot be read, of another kind, or without one usable row.
    """
    if file.suffix.lower() not in _SUFFIXES:
        raise BadInput(f"{file} is none of {', '.join(_SUFFIXES)}; save the texts as one of these.")
    try:
        content = file.read_bytes().decode("utf-8-sig", "surrogateescape")
    except OSError as error:
        raise BadInput(f"{file} cannot be read ({error.strerror}); name a file of texts.") from error
    reader = {".txt": _lines, ".csv": _csv, ".jsonl": _jsonl}[file.suffix.lower()]
    attacks, skipped = [], []
    for number, text in reader(file, content):
        reason = text if isinstance(text, _Broken) else _unusable(text)
        if reason is not None:
            skipped.append(f"row {number}: {reason}")
        else:
            attacks.append(
                Attack(
                    id=f"row-{number}",
                    kind=FOREIGN,
                    channel="everywhere",
                    stage="both",
                    tries="anything",
                    text=str(text),
                )
            )
    if not attacks:
        why = f"{skipped[0]}" if skipped else "it is empty"
        raise BadInput(f"{file} holds no usable text ({why}); give one a line, or a column named text.")
    return Corpus(file.name, tuple(attacks), None, tuple(skipped))


class _Broken(str):
    """Why a row cannot be used."""

    __slots__ = ()


_Rows = Iterator[tuple[int, str | _Broken]]


def _unusable(text: str) -> str | None:
    if not text.strip():
        return "it holds no text"
    return "it is not UTF-8" if any("\udc80" <= mark <= "\udcff" for mark in text) else None


def _lines(_: Path, content: str) -> _Rows:
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            yield number, line.strip()


def _jsonl(_: Path, content: str) -> _Rows:
    for number, line in _lines(_, content):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            yield number, _Broken("it is not JSON")
            continue
        text = _text_of(row) if isinstance(row, dict) else row
        yield number, text if isinstance(text, str) else _Broken(f"it has no {', '.join(COLUMNS)}")


def _csv(file: Path, content: str) -> _Rows:
    csv.field_size_limit(_LONGEST_ROW)
    rows = csv.DictReader(StringIO(content.replace("\0", ""), newline=""))
    names = [name for name in rows.fieldnames or () if name and name.strip().lower() in COLUMNS]
    if not names:
        raise BadInput(f"{file} has no column named {', '.join(COLUMNS)}; name one of its columns so.")
    number = 1
    while True:
        number += 1
        try:
            row = next(rows, None)
        except csv.Error as error:
            yield number, _Broken(f"it is not CSV ({error})")
            continue
        if row is None:
            return
        text = _text_of(row)
        yield number, text if isinstance(text, str) else _Broken("it ends before the column of the text")


def _text_of(row: dict[Any, Any]) -> object:
    named = {name.strip().lower(): value for name, value in row.items() if isinstance(name, str)}
    return next((named[name] for name in COLUMNS if named.get(name) is not None), None)
