"""The exit check of a lesson: a function of the reader's against the checks of its step, shown as a board."""

import inspect
import io
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from types import FunctionType

from relay_lab.app.check import StepReport, check_step, step_named
from relay_lab.app.step_mutants.diagnosis import misconception
from relay_lab.app.step_mutants.run import references
from relay_lab.notebook.board import Board, still
from relay_lab.notebook.standings import LESSONS, Standing, keep, read

PRINTED = 300
"""Characters shown of what the function printed while it was checked."""


class _Printed(io.TextIOBase):
    """A stream that remembers its beginning: a function that prints without end fills no memory."""

    def __init__(self) -> None:
        self.text = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.text += text[: max(0, PRINTED - len(self.text))]
        return len(text)


def exit_check(lesson: object = None, function: object = None) -> Board:
    """Check a function of yours as the step of one lesson, such as `exit_check("01_authentication", my_function)`.

    The board shows each check with its points, what was sent and what came back, a hint that says more at each attempt, and
    what you may have believed where that can be told. Your best points are kept (`relay_lab.progress()`). Nothing that is
    handed in makes it raise; an interrupt gets through.
    """
    named = _name(lesson)
    if named is None and callable(lesson):
        return Board(
            "", note='The name of the lesson comes first: exit_check("01_authentication", my_function).'
        )
    if named is None:
        steps = ", ".join(name for name, step in LESSONS.items() if step)
        return Board("", note=f"There is no such lesson to check; the lessons are {steps}.")
    if not callable(function):
        return Board(
            named,
            note=f"Hand in the function itself, without calling it: exit_check({named!r}, my_function). "
            f"This was {_article(type(function).__name__)}.",
        )
    try:
        return _board(named, LESSONS[named] or "", function)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - a reader's cell shows a board whatever happens, SystemExit included
        return Board(
            named,
            note=f"The check itself broke off, and no attempt was counted: {_described(error)}. Does your function change "
            "something outside of it? If not, this is a fault of the course.",
        )


def _board(lesson: str, step: str, function: Callable[..., object]) -> Board:
    before = read().lessons.get(lesson, Standing())
    printed = _Printed()
    with redirect_stdout(printed), redirect_stderr(printed):
        report = check_step(step, function, attempt=before.attempts + 1)
    if (end := _the_one_end(report)) is not None:
        # Ten rows would say the same, and hints on steps do not help with a slip of the pen.
        return Board(
            lesson, note=f"Every call ended alike: {end}. No attempt was counted.", printed=printed.text
        )
    believed = None
    if not report.passed:
        with redirect_stdout(_Printed()), redirect_stderr(_Printed()):
            believed = misconception(report.step, function)
    return Board(
        lesson,
        signature=_signature(step),
        attempt=before.attempts + 1,
        checks=report.checks,
        misconception=believed or "",
        printed=printed.text,
        note=_kept(lesson, function, report),
    )


def _the_one_end(report: StepReport) -> str | None:
    """How every call ended, when none gave an answer that could be judged and all the reader may see ended alike."""
    ends = {still(check.came_back) for check in report.checks}
    (end,) = ends if len(ends) == 1 else ("",)
    broken = end.startswith(("the step raised ", "nothing came back (None)"))
    return end if broken and not report.points else None


def _kept(lesson: str, function: Callable[..., object], report: StepReport) -> str:
    """Count the attempt, unless what was handed in is the course's own function."""
    module: object = function.__module__ if type(function) is FunctionType else None
    if type(module) is str and module.startswith("relay_lab."):
        return "This is the course's own function, so it counts for nobody."
    return keep(lesson, report.points, report.max)


def _name(lesson: object) -> str | None:
    """The lesson that is meant. Only a real text is looked at, so that no method of another object runs."""
    if type(lesson) is not str:
        return None
    named = lesson.removesuffix(".ipynb")
    return named if LESSONS.get(named) else None


def _signature(step: str) -> str:
    """How the function is called, without its types."""
    parameters = ", ".join(inspect.signature(references()[step_named(step)]).parameters)
    return f"{step}({parameters})"


def _article(kind: str) -> str:
    return f"{'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def _described(error: BaseException) -> str:
    try:
        said = still(str(error))[:200]
    except BaseException:  # noqa: BLE001 - an exception may raise anything when it is printed
        said = "(no message)"
    return f"{type(error).__name__}: {said}"
