"""How the exit check of a lesson looks: every check with its points, and for a failed one what helps to go on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from relay_lab.app.check import CheckResult
from relay_lab.notebook import html as markup

SHOWN = 300
"""Characters of what was sent and of what came back that the text shows; the markup shows all that the check gives."""


@dataclass(frozen=True)
class Board:
    """One exit check as it came out. Without `checks` nothing was run, and `note` says why."""

    lesson: str
    signature: str = ""
    attempt: int = 0
    checks: tuple[CheckResult, ...] = ()
    misconception: str = ""
    printed: str = ""
    note: str = ""

    @property
    def points(self) -> int:
        """Points earned."""
        return sum(check.points for check in self.checks)

    @property
    def max(self) -> int:
        """Points that can be earned."""
        return sum(check.max for check in self.checks)

    @property
    def passed(self) -> bool:
        """Whether every check was run and passed."""
        return bool(self.checks) and all(check.passed for check in self.checks)

    @property
    def title(self) -> str:
        """The lesson, the function and the points."""
        if not self.checks:
            return f"{self.lesson or 'Exit check'}: nothing was checked"
        return f"{self.lesson}, {self.signature}: {self.points} of {self.max} points"

    @property
    def verdict(self) -> str:
        """What to do now."""
        if not self.checks:
            return ""
        if self.passed:
            return "Every check passed. relay_lab.progress() shows what comes next."
        more = "; the hints say more at the next one" if self.attempt < 3 else ""
        return f"Attempt {self.attempt}{more}."

    def __str__(self) -> str:
        return "\n".join([self.title, *(f"  {markup.visible(line)}" for line in self._lines())])

    __repr__ = __str__

    def _lines(self) -> Iterator[str]:
        for check in self.checks:
            mark = "passed" if check.passed else "failed"
            yield f"{mark}  {check.points}/{check.max}  {_words(check.name)}"
            if not check.passed:
                yield from (f"             {line}" for line in _help(check))
        yield from self._after()

    def _after(self) -> Iterator[str]:
        if self.misconception:
            yield f"You may believe that {still(self.misconception)}."
        if self.printed:
            yield f"Your function printed: {_short(still(self.printed))}"
        yield from (line for line in (self.note, self.verdict) if line)

    def _repr_html_(self) -> str:
        rows = [
            (
                _words(check.name),
                markup.mark("passed" if check.passed else "failed", "good" if check.passed else "bad"),
                f"{check.points} of {check.max}",
                _markup_of_help(check),
            )
            for check in self.checks
        ]
        head = ("check", "result", "points", "what helps")
        top = markup.table(self.title, head, rows) if rows else markup.notice(self.title, "plain")
        return markup.page(top, *(markup.text(line) for line in self._after()))


def _help(check: CheckResult) -> Iterator[str]:
    yield still(_first(check))
    if check.sent:
        yield f"sent:      {_short(still(check.sent))}"
        if check.came_back not in _first(check):
            yield f"came back: {_short(still(check.came_back))}"
    yield f"hint:      {check.hint}"


def _markup_of_help(check: CheckResult) -> markup.Html:
    if check.passed:
        return markup.Html("")
    parts = [markup.text(still(_first(check))), markup.text(f"Hint: {check.hint}")]
    if check.sent:
        shown = (("sent", check.sent), ("came back", check.came_back))
        inner = "".join(
            f"<dt>{name}</dt><dd><code>{markup.html(still(what))}</code></dd>" for name, what in shown
        )
        parts.append(
            markup.Html(
                f"<details><summary>what was sent, what came back</summary><dl>{inner}</dl></details>"
            )
        )
    return markup.Html("".join(parts))


def _first(check: CheckResult) -> str:
    """The first failure and how many more there are; of a hidden world only that it failed there."""
    more = len(check.failures) - 1
    return f"{check.failures[0]}{f' (and {more} more)' if more else ''}"


def _words(name: str) -> str:
    return name.replace("_", " ")


def still(text: str) -> str:
    """The text without what differs from one run to the next: where an object lies in memory."""
    return re.sub(r"\b0x[0-9a-fA-F]{4,}", "0x…", text)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"
