"""Recording a model's real answers, so that the same trials can be run again without it."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TextIO

from relay_lab.app.proposers import binding_of, trials_of
from relay_lab.app.provenance import dataset
from relay_lab.app.suites import Trial, model_suite
from relay_lab.app.workflow import DESK, workflow_named
from relay_lab.contracts.errors import BadInput, ProposerRefused
from relay_lab.contracts.proposals import ProposalRequest, Propose
from relay_lab.contracts.workflow import Factory
from relay_lab.proposers.prompts import prompt_version
from relay_lab.proposers.recording import Done, Given, Head, Ran, Recording, key_of, line_of, read, write

TRIALS = 8
RECORDED = ("bundled", "openai")
_NO_ANSWER = frozenset(
    {"unreachable", "model_timeout", "rate_limited", "not_allowed", "endpoint_failed", "budget_spent"}
)
"""What says nothing of the model: the recording stops, and goes on with the same command."""

Progress = Callable[[int, int, int], None]
"""Told how many runs are through, of how many, and how many answers there are."""


@dataclass(frozen=True)
class Recorded:
    """`recorded`: how many answers the file holds; `trials`: how many whole trials; `binding`: what they came from."""

    recorded: int
    new: int
    trials: int
    scenarios: int
    out: Path
    binding: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """What `relay-lab record --json` prints (docs/json.md)."""
        return {
            "recorded": self.recorded,
            "new": self.new,
            "trials": self.trials,
            "scenarios": self.scenarios,
            "out": str(self.out),
            "binding": self.binding,
        }


def nothing(_: int, __: int, ___: int) -> None:
    """Show nothing on the way."""


def record(
    proposer: str = "bundled",
    workflow: str = DESK,
    out: Path | str | None = None,
    *,
    trials: int = TRIALS,
    suite: Iterable[Trial] | None = None,
    progress: Progress = nothing,
) -> Recorded:
    """Put a model through rows and attacks, trial by trial, and keep its answer to every request that is not in `out` yet.

    The same request is asked once a trial, in whatever scenario it comes up. Every answer is on the disk before the next
    question, so that the same command goes on wherever it stopped; at its end the file is written anew with exactly the
    answers that the suite needs. Raises `BadInput` for a proposer that is no model, an unknown workflow, a file of another
    recording, and when the model stops answering.
    """
    if proposer not in RECORDED:
        raise BadInput(f"there is nothing to record of {proposer!r}; a model is {' or '.join(RECORDED)}.")
    factory = workflow_named(workflow)
    path = Path(out) if out is not None else Path(f"{proposer}-{workflow.replace(':', '.')}.jsonl")
    scenarios = tuple(model_suite() if suite is None else suite)
    with trials_of(proposer) as model:
        head = Head(workflow=workflow, binding=binding_of(model(0), proposer))
        book = _Book(path, head)
        try:
            for trial in range(trials):
                _one_trial(book, _Recorder(book, model(trial), trial), scenarios, factory, progress, trials)
        finally:
            book.close()
    return book.finished(trials, len(scenarios))


def _one_trial(
    book: "_Book",
    recorder: "_Recorder",
    scenarios: tuple[Trial, ...],
    factory: Factory | None,
    progress: Progress,
    trials: int,
) -> None:
    for number, scenario in enumerate(scenarios, start=recorder.trial * len(scenarios) + 1):
        with suppress(
            Exception
        ):  # a run that breaks off is the judge's affair; what was answered until then counts
            scenario.run(recorder, factory)
        if recorder.trouble is not None:
            raise BadInput(
                f"the recording stopped in {scenario.id} ({recorder.trouble}); what was answered until then is in"
                f" {book.path}, run the same command again to go on."
            )
        progress(number, trials * len(scenarios), len(book.recording.answers))
    book.append(Done(done=recorder.trial, scenarios=len(scenarios)))


class _Recorder:
    """A proposer that answers from the book, and asks the model for what is not in it."""

    def __init__(self, book: "_Book", ask: Propose, trial: int) -> None:
        self._book, self._ask, self.trial = book, ask, trial
        self.trouble: str | None = None

    def __call__(self, request: ProposalRequest) -> str:
        key = key_of(request, prompt_version(), self.trial)
        given = self._book.recording.answers.get(key) or self._asked(key, request)
        self._book.used.add(key)
        if given.answer is None:
            raise ProposerRefused(given.refused or "no_text")
        return given.answer

    def _asked(self, key: str, request: ProposalRequest) -> Given:
        if self.trouble is not None:
            raise ProposerRefused(self.trouble)
        try:
            given = Given(key=key, trial=self.trial, answer=self._ask(request))
        except ProposerRefused as refused:
            if refused.code in _NO_ANSWER:
                self.trouble = refused.code
                raise
            given = Given(key=key, trial=self.trial, refused=refused.code)
        try:
            self._book.append(given)
        except OSError as error:
            self.trouble = f"{self._book.path} cannot be written: {error.strerror}"
            raise
        return given


class _Book:
    """The file while it is written: what it holds already, and a line more with every answer."""

    def __init__(self, path: Path, head: Head) -> None:
        self.path, self.used, self.new = path, set[str](), 0
        if path.suffix == ".gz":
            raise BadInput(
                f"{path} would be packed, and a recording is packed when it is whole; name another --out."
            )
        try:
            self._file: TextIO = path.open("a+", encoding="utf-8", newline="\n")
            size = _whole(path)
            self._file.truncate(size)
        except OSError as error:
            raise BadInput(f"{path} cannot be written ({error.strerror}); name another --out.") from error
        try:
            self.recording = read(path) if size else Recording(head)
            if self.recording.head != head:
                raise BadInput(
                    f"{path} holds answers of another {_difference(self.recording.head, head)}; name a new --out."
                )
            if not size:
                self._put(line_of(head))
            self.append(Ran(run=_circumstances(path)))
        except BaseException:
            self.close()
            raise

    def append(self, row: Ran | Given | Done) -> None:
        """Keep one row, on the disk when this returns."""
        match row:
            case Ran():
                self.recording.runs.append(row)
            case Given():
                self.recording.answers[row.key] = row
                self.new += 1
            case Done():
                self.recording.done[row.done] = row
        self._put(line_of(row))

    def _put(self, line: str) -> None:
        self._file.write(f"{line}\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def finished(self, trials: int, scenarios: int) -> Recorded:
        """Write the file anew with what this suite needs and nothing else."""
        held = self.recording
        needed = {key: given for key, given in held.answers.items() if key in self.used}
        done = {trial: held.done[trial] for trial in range(trials)}
        runs = [held.runs[0], *held.runs[-1:]] if self.new else held.runs[:-1]
        try:
            write(self.path, Recording(held.head, runs, needed, done))
        except OSError as error:
            raise BadInput(
                f"{self.path} cannot be written ({error.strerror}); run the same command again."
            ) from error
        binding = {**held.head.binding, "workflow": held.head.workflow, **runs[-1].run}
        return Recorded(len(needed), self.new, trials, scenarios, self.path, binding)


def _whole(path: Path) -> int:
    """How many bytes of the file are whole lines: a line that was being written when somebody stopped is dropped."""
    return path.read_bytes().rfind(b"\n") + 1


def _difference(held: Head, head: Head) -> str:
    if held.workflow != head.workflow:
        return f"workflow ({held.workflow})"
    names = [
        name for name in {**held.binding, **head.binding} if held.binding.get(name) != head.binding.get(name)
    ]
    return " and ".join(names).replace("_", " ")


def _circumstances(path: Path) -> dict[str, str]:
    """When this is, by the file that was just opened, and what was recorded from."""
    date = datetime.fromtimestamp(path.stat().st_mtime, UTC).date().isoformat()
    return {"date": date, "dataset": dataset(), "package": version("relay-lab")}
