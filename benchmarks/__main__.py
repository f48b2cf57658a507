"""Run every benchmark, or those that are named, and write docs/benchmarks.md: `make bench`."""

import os
import platform
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from benchmarks import bare, confirming, conversation, growth, importing, matrix, scheduling, turn
from benchmarks.measure import Answer, ms

QUESTIONS: dict[str, Callable[[Path], Answer]] = {
    "turn": turn.answer,
    "scheduling": scheduling.answer,
    "confirming": confirming.answer,
    "conversation": conversation.answer,
    "importing": importing.answer,
    "growth": growth.answer,
    "matrix": matrix.answer,
}
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def machine(commit_s: float) -> str:
    """What it was run on, in one paragraph, without the name of anything."""
    date = os.environ.get("BENCH_DATE", "a day that was not given (`BENCH_DATE`)")
    busy = f"; load average at the start {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return (
        f"Run on {date}: {os.cpu_count()} cores, {platform.system()} on {platform.machine()}, "
        f"{platform.python_implementation()} {platform.python_version()}, SQLite {sqlite3.sqlite_version}{busy}. "
        f"One commit of one row, WAL with `synchronous = FULL`, took {ms(commit_s)} on this disk."
    )


def page(kind_of_machine: str, answers: Iterable[Answer]) -> str:
    """The whole page."""
    parts = [
        "# Benchmarks",
        "Written by `make bench`; what is changed here by hand is lost at the next run. No test asserts a time.",
        "<!-- evidence: benchmarks.page -->",
        kind_of_machine,
        "Every figure is a median over rounds in which the things compared take turns, so that a busy machine strikes all "
        "of them. The ratio is the median of the rounds' own ratios: compare ratios, not milliseconds, and only within "
        "one run. Where two figures do not divide to their ratio, the disk was quick in some rounds and slow in others.",
    ]
    for answer in answers:
        parts += [
            f"## {answer.question}",
            table(answer),
            f"{answer.says}\n\n*It does not say:* {_lower(answer.does_not_say)}",
        ]
    return "\n\n".join([*parts, "<!-- /evidence -->"]) + "\n"


def table(answer: Answer) -> str:
    """The rows of one question as Markdown; the aims have a column where there is one."""
    aims = any(row.aim for row in answer.rows)
    head = ["", "relay_lab", answer.against, "ratio", *(["aim"] if aims else [])]
    lines = [head, ["---", *["---:"] * (len(head) - 1)]]
    lines += [
        [row.what, row.figure, row.against, row.ratio, *([row.aim] if aims else [])] for row in answer.rows
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def main(names: list[str]) -> int:
    """All questions write the page; some of them, named, only show their tables."""
    unknown = set(names) - set(QUESTIONS)
    if unknown:
        sys.stderr.write(f"there is no benchmark {min(unknown)!r}; there are {', '.join(QUESTIONS)}\n")
        return 2
    with tempfile.TemporaryDirectory(prefix="relay-lab-bench-") as name:
        folder = Path(name)
        commits = bare.OneRowCommits(folder / "one-row.db")
        about = machine(commits.time(200) / 200)
        commits.close()
        answers = []
        for question in names or QUESTIONS:
            place = folder / question
            place.mkdir()
            answers.append(QUESTIONS[question](place))
            sys.stdout.write(f"{answers[-1].question}\n{table(answers[-1])}\n\n")
            sys.stdout.flush()
    if not names:
        PAGE.write_text(page(about, answers), encoding="utf-8")
        sys.stdout.write(f"{about}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
