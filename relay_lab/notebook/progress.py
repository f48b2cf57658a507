"""The course at a glance: its lessons, the points earned in each, and what comes next."""

from dataclasses import dataclass

from relay_lab.notebook import html as markup
from relay_lab.notebook.standings import LESSONS, Standing, read


@dataclass(frozen=True)
class Course:
    """How the whole course stands. `note` says what is wrong with the file it was read from, or is empty."""

    standings: dict[str, Standing]
    note: str = ""

    @property
    def next(self) -> str | None:
        """The first lesson with a step in it that is not done; the last one, which has none, when all are; None after that."""
        for lesson, step in LESSONS.items():
            if step and not self.standings.get(lesson, Standing()).done:
                return lesson
        last = list(LESSONS)[-1]
        return None if self.standings.get(last, Standing()).done else last

    @property
    def sentence(self) -> str:
        """What is done, and what comes next."""
        steps = [lesson for lesson, step in LESSONS.items() if step]
        done = sum(self.standings.get(lesson, Standing()).done for lesson in steps)
        begin = "" if self.standings else " New here? Begin with 00_start_here."
        coming = f"Next: {self.next}." if self.next else "There is nothing left to do."
        return f"{done} of {len(steps)} lessons done. {coming}{begin}"

    def rows(self) -> list[tuple[str, str, str, str]]:
        """Lesson, points, attempts and state, in the order of the course."""
        found = []
        for lesson, step in LESSONS.items():
            standing = self.standings.get(lesson)
            if standing is None:
                kept = ("", "", "to do" if step else "no check")
            else:
                points = f"{standing.best} of {standing.max}"
                kept = (points, str(standing.attempts), "done" if standing.done else "begun")
            found.append((lesson, *kept))
        return found

    def __str__(self) -> str:
        table = markup.plain_table(HEAD, self.rows())
        return "\n".join(part for part in (table, self.sentence, self.note) if part)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        rows = [
            (markup.Html(f'<a href="{lesson}.ipynb">{lesson}</a>'), points, attempts, _marked(state))
            for lesson, points, attempts, state in self.rows()
        ]
        parts = [markup.table("The course", HEAD, rows), markup.text(self.sentence)]
        if self.note:
            parts.append(markup.notice(self.note, "bad"))
        return markup.page(*parts)


HEAD = ("lesson", "best", "attempts", "state")


def progress() -> Course:
    """How far you have come. Never raises: a file that cannot be read is a sentence in the answer."""
    found = read()
    return Course(found.lessons, found.note)


def _marked(state: str) -> markup.Html:
    return markup.mark(state, "good" if state == "done" else "wait" if state == "begun" else "plain")
