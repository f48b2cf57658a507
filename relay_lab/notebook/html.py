"""Text from outside as text, tables that are read aloud well, and the one style sheet of every display here."""

import re
from collections.abc import Iterable, Sequence
from html import escape
from importlib import resources
from typing import Literal

Tone = Literal["good", "wait", "bad", "plain"]
"""What a mark means: settled well, waiting for somebody, stopped or not known, none of these."""


class Html(str):
    """Markup made by this package. Any other text is escaped before it is shown."""

    __slots__ = ()


def visible(text: object) -> str:
    """A free text as a screen may show it: nothing in it that moves the cursor, colours or reorders."""
    # The two joiners are a part of emoji and of some scripts.
    return "".join(mark if mark.isprintable() or mark in "\u200c\u200d\n" else "\u00b7" for mark in str(text))


def html(text: object) -> Html:
    """A cell's worth of markup: what is `Html` already as it is, anything else escaped."""
    return text if isinstance(text, Html) else Html(escape(visible(text)).replace("\n", "<br>"))


def words(code: object) -> str:
    """A code as words."""
    return str(code).replace("_", " ")


def mark(word: object, tone: Tone) -> Html:
    """A word with a coloured edge. The word says it all: colour only helps to find it."""
    return Html(f'<span class="relay-mark relay-{tone}">{html(word)}</span>')


def text(words: object) -> Html:
    """A paragraph."""
    return Html(f"<p>{html(words)}</p>")


def notice(words: object, tone: Tone) -> Html:
    """A sentence that a screen reader speaks when it changes."""
    return Html(f'<p class="relay-notice relay-{tone}" role="status" aria-live="polite">{html(words)}</p>')


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[object]], kind: str = "") -> Html:
    """A table with a caption; the first cell of each row is its heading. An empty `head`: no row of headings."""
    top = "".join(f'<th scope="col">{html(name)}</th>' for name in head)
    top = f"<thead><tr>{top}</tr></thead>" if top else ""
    body = "".join(
        "<tr>"
        + "".join(
            f'<th scope="row">{html(cell)}</th>' if place == 0 else f"<td>{html(cell)}</td>"
            for place, cell in enumerate(row)
        )
        + "</tr>"
        for row in rows
    )
    return Html(
        f'<table class="relay-table {kind}"><caption>{html(caption)}</caption>'
        f"{top}<tbody>{body}</tbody></table>"
    )


def part(*parts: Html) -> Html:
    """Parts below each other, inside a display that has the style sheet already."""
    return Html(f'<div class="relay-lab">{"".join(parts)}</div>')


def page(*parts: Html) -> Html:
    """Parts below each other, with the style sheet."""
    return Html(f'<div class="relay-lab"><style>{style_sheet()}</style>{"".join(parts)}</div>')


def style_sheet() -> Html:
    """The one style sheet: colours of the theme around it, or of the browser where there is none."""
    sheet = resources.files(__package__).joinpath("style.css").read_text("utf-8")
    return Html(re.sub(r"/\*.*?\*/\s*", "", sheet, flags=re.DOTALL))


def plain_table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """The same as text, a line each row."""
    lines = [[visible(cell).replace("\n", " / ") for cell in row] for row in (head, *rows)]
    widths = [max(len(line[place]) for line in lines) for place in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
