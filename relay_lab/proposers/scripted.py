"""A proposer that says what it was told to say: for tests, and for the rows of the matrix that need one exact answer."""

from collections.abc import Mapping, Sequence

from relay_lab.contracts.proposals import ProposalRequest


class Scripted:
    """Raw strings in turn, whatever is asked; the last one repeats.

    `answers` is a sequence for every task alike, or a mapping from task to a sequence of its own; a task that the mapping
    leaves out gets "", which is no proposal. The requests are kept in `asked`, so that a test can see what was shown.
    An empty sequence is a ValueError: a script without a line says nothing about what was meant.
    """

    def __init__(self, answers: Sequence[str] | Mapping[str, Sequence[str]]) -> None:
        if isinstance(answers, Mapping):
            self._lines = {str(task): tuple(lines) for task, lines in answers.items()}
        else:
            self._lines = {"": (answers,) if isinstance(answers, str) else tuple(answers)}
        if not all(self._lines.values()):
            raise ValueError("a script needs at least one answer")
        self._given: dict[str, int] = {}
        self.asked: list[ProposalRequest] = []

    def __call__(self, request: ProposalRequest) -> str:
        """The next line of the script for the task of the request."""
        self.asked.append(request)
        task = "" if "" in self._lines else str(request.task)
        lines = self._lines.get(task, ("",))
        given = self._given.get(task, 0)
        self._given[task] = given + 1
        return lines[min(given, len(lines) - 1)]
