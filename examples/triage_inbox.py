"""An inbox as CSV in; issues, states and replies as CSV out.

    python examples/triage_inbox.py INBOX.csv OUT.csv [--column message] [--world SEED]

Each row is a conversation of its own on a fresh company, so that no row can cost another one anything: a row that cannot be read
as a message gets a sentence in the column `error`. Interrupt it at any time; the same command goes on behind the last whole row.
"""

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import track

from relay_lab import BadInput, RelayLabError, open_lab

COLUMNS = ("row", "issues", "states", "reply", "error")
csv.field_size_limit(2**24)


def triaged(message: str, world: str | None) -> dict[str, str]:
    """The outcome of one message: issues and states as JSON, the reply as text, or the sentence why there is none."""
    try:
        with open_lab(world) as lab:
            run = lab.say(message)
    except BadInput as error:
        return {"error": str(error)}
    issues = [{"id": view.issue.id, "type": view.issue.type} for view in run.record.issues] if run.record else []
    return {"issues": json.dumps(issues), "states": json.dumps(run.states), "reply": run.reply}


def inbox(path: Path, column: str) -> list[str]:
    """The messages of a CSV file. Bytes that are not UTF-8 spoil their own row alone. Raises `BadInput`."""
    try:
        with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
            reader = csv.DictReader(file, strict=False)
            if column not in (reader.fieldnames or ()):
                raise BadInput(f"{path} has no column {column!r}; it has {', '.join(reader.fieldnames or ['none'])}.")
            return [row.get(column) or "" for row in reader]
    except (OSError, csv.Error) as error:
        raise BadInput(f"{path} cannot be read as CSV: {error}.") from error


def done_before(path: Path) -> int:
    """How many rows of an earlier run are whole; what an interrupt left of one behind them is cut off."""
    if not path.exists():
        return 0
    text = path.read_text(encoding="utf-8")
    whole: list[list[str]] = []
    for row in csv.reader(text.splitlines(keepends=True)):
        if len(row) != len(COLUMNS):
            break
        whole.append(row)
    if not text.endswith("\n"):
        whole = whole[:-1]
    if whole and tuple(whole[0]) != COLUMNS:
        raise BadInput(f"{path} was not written by this program; name another file.")
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(whole)
    return max(len(whole) - 1, 0)


def triage(source: Path, target: Path, column: str, world: str | None) -> Iterator[int]:
    """Write one row behind the other, each whole before the next is begun; yields the number of each."""
    messages = inbox(source, column)
    done = done_before(target)
    with target.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        if target.stat().st_size == 0:
            writer.writeheader()
        bar = Console(stderr=True)
        for number in track(range(done + 1, len(messages) + 1), "Triage", console=bar, disable=not bar.is_terminal):
            writer.writerow({"row": number} | triaged(messages[number - 1], world))
            file.flush()
            yield number


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
        sys.stderr.write("triage_inbox: interrupted; run the same command again to go on behind the last whole row.\n")
        return 130
    sys.stderr.write(f"{count} rows written to {given.target}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
