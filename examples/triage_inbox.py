"""An inbox as CSV in; the same rows with issues, states and replies as CSV out.

    python examples/triage_inbox.py INBOX.csv OUT.csv [--column message] [--world SEED]

Each row is a conversation of its own on a fresh company, so that no row can cost another one anything: a row that cannot be read
as a message gets a sentence in the column `error`. The inbox's other columns are carried through behind `row`; one that is called
like a column of ours is written as `in_NAME`. Interrupt it at any time; the same command goes on behind the last whole row.
"""

import argparse
import csv
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from rich.console import Console
from rich.progress import track

from relay_lab import BadInput, RelayLabError, open_lab

COLUMNS = ("row", "issues", "states", "reply", "error")
csv.field_size_limit(2**24)


def triaged(message: str, world: str | None) -> dict[str, str]:
    """The outcome of one message: issues and states as JSON, the reply as text, or the sentence why there is none."""
    try:
        message.encode("utf-8")
    except UnicodeEncodeError as error:
        return {
            "error": f"the message holds bytes that are not UTF-8 at position {error.start}; save it as UTF-8."
        }
    try:
        with open_lab(world) as lab:
            run = lab.say(message)
    except BadInput as error:
        return {"error": str(error)}
    issues = (
        [{"id": view.issue.id, "type": view.issue.type} for view in run.record.issues] if run.record else []
    )
    return {"issues": json.dumps(issues), "states": json.dumps(run.states), "reply": run.reply}


@dataclass(frozen=True)
class Inbox:
    """What came in: the messages, and beside each of them the other columns under the names that they get in the result."""

    others: tuple[str, ...]
    messages: tuple[str, ...]
    beside: tuple[dict[str, str], ...]

    @property
    def header(self) -> tuple[str, ...]:
        """The columns of the result."""
        return (COLUMNS[0], *self.others, *COLUMNS[1:])


def inbox(path: Path, column: str) -> Inbox:
    """The rows of a CSV file. Bytes that are not UTF-8 spoil their own row alone. Raises `BadInput`."""
    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            reader = csv.DictReader(file, strict=False)
            named = list(reader.fieldnames or ())
            if column not in named:
                raise BadInput(f"{path} has no column {column!r}; it has {', '.join(named or ['none'])}.")
            # A name that stands twice is carried once, with the last of its values: that is what a DictReader reads.
            kept: dict[str, str] = {}
            for name in named:
                if name != column:
                    kept[name] = _called(_written(name), {*COLUMNS, *kept.values()} - {kept.get(name, "")})
            given = list(reader)
    except OSError as error:
        raise BadInput(f"{path} cannot be read ({error.strerror}); name a CSV file of messages.") from error
    except csv.Error as error:
        raise BadInput(f"{path} cannot be read as CSV: {error}.") from error
    beside = tuple({new: _written(row.get(old) or "") for old, new in kept.items()} for row in given)
    return Inbox(tuple(kept.values()), tuple(row.get(column) or "" for row in given), beside)


def _called(name: str, taken: set[str]) -> str:
    return _called(f"in_{name}", taken) if name in taken else name


def _written(value: str) -> str:
    """The value as UTF-8 holds it: bytes that are no text become the mark for that."""
    return value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def done_before(path: Path, columns: tuple[str, ...]) -> int:
    """How many rows of an earlier run are whole; what an interrupt left of one behind them is cut off.

    A file that this program did not write from this inbox is refused and stays as it is. Raises `BadInput`.
    """
    written = path.read_bytes() if path.exists() else b""
    text = written.decode("utf-8", errors="surrogateescape")
    header = _line(columns)
    if not text.startswith(header):
        if header.startswith(text):  # nothing yet, or not even all of the header
            path.write_bytes(b"")
            return 0
        raise BadInput(f"{path} was not written by this program from this inbox; name another file.")
    end, done = len(header), 0
    for row in rows(text[end:]):
        if next(csv.reader([row]))[0] != str(done + 1):
            raise BadInput(f"{path} was changed by hand behind row {done}; name another file.")
        end, done = end + len(row), done + 1
    with path.open("r+b") as file:
        file.truncate(len(text[:end].encode("utf-8", errors="surrogateescape")))
    return done


def _line(cells: tuple[str, ...]) -> str:
    """One row as `csv.writer` writes it."""
    text = StringIO(newline="")
    csv.writer(text).writerow(cells)
    return text.getvalue()


def rows(text: str) -> Iterator[str]:
    """The whole rows of what `csv.writer` wrote: a line end is a row's end only where no quote is open."""
    row = ""
    for line in re.findall(r".*?\r\n", text, flags=re.DOTALL):
        row += line
        if row.count('"') % 2 == 0:
            yield row
            row = ""


def triage(source: Path, target: Path, column: str, world: str | None) -> Iterator[int]:
    """Write one row behind the other, each whole before the next is begun; yields the number of each."""
    open_lab(world).close()  # a world that is not there is said once, and not in every row
    given = inbox(source, column)
    messages = given.messages
    try:
        done = done_before(target, given.header)
        if done > len(messages):
            raise BadInput(f"{target} has {done} rows and {source} only {len(messages)}; name another file.")
        with target.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, given.header)
            if target.stat().st_size == 0:
                writer.writeheader()
            numbers, bar = range(done + 1, len(messages) + 1), Console(stderr=True)
            for number in track(numbers, "Triage", console=bar, disable=not bar.is_terminal):
                beside = given.beside[number - 1]
                writer.writerow({"row": number} | beside | triaged(messages[number - 1], world))
                file.flush()
                yield number
    except OSError as error:
        raise BadInput(f"{target} cannot be written: {error.strerror}.") from error


def main() -> int:
    """Run it; the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    parser.add_argument("--column", default="message")
    parser.add_argument("--world", default=None)
    given = parser.parse_args()
    try:
        count = sum(1 for _ in triage(given.source, given.target, given.column, given.world))
    except RelayLabError as error:
        sys.stderr.write(f"triage_inbox: {error}\n")
        return 2
    except KeyboardInterrupt:
        sys.stderr.write(
            "triage_inbox: interrupted; run the same command again to go on behind the last whole row.\n"
        )
        return 130
    sys.stderr.write(f"{count} {'row' if count == 1 else 'rows'} written to {given.target}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
