"""A notebook with a confirmation card, driven as a person would, and the two databases behind it."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from browser.jupyterlab import Notebook, Server

OPEN = """
import relay_lab
from relay_lab.notebook import confirmation_card

lab = relay_lab.open_lab(db={db!r}, parts={parts})
"""
PICK = """
if lab.turns == 0:
    lab.say(lab.scenario.message)
    lab.choose("individual")
"""
CARD = "card = confirmation_card(lab)\ncard"


class CardDesk:
    """`book` is open and has run; `db` is the runtime's database, with the company's beside it."""

    def __init__(self, book: Notebook, db: Path) -> None:
        self.book, self.page, self._db = book, book.page, db

    @staticmethod
    def put(server: Server, name: str, parts: str = "None") -> Path:
        """Put such a notebook into the server's folder; where its database will be."""
        db = server.root / f"{name}.db"
        server.put(f"{name}.ipynb", OPEN.format(db=str(db), parts=parts), PICK, CARD)
        return db

    def button(self, name: str) -> Any:
        """The button of that name on the card."""
        return self.book.area.get_by_role("button", name=name, exact=True)

    def choice(self, label: str) -> Any:
        """The list of that label."""
        return self.book.area.get_by_label(label)

    def table(self, caption: str) -> Any:
        """The table of that caption."""
        return self.book.area.get_by_role("table", name=caption)

    def says(self, text: str) -> None:
        """Wait until the card says so."""
        self.book.area.locator(".relay-notice", has_text=text).wait_for()

    def schedules(self) -> list[tuple[Any, ...]]:
        """Of the subscription service: the quote, the plan and the seat of each schedule."""
        return self._rows(".world", "SELECT quote_id, target_plan, designated_seat_id FROM schedules")

    def proposals(self) -> list[tuple[Any, ...]]:
        """Of the runtime: each quote and its state."""
        return self._rows("", "SELECT proposal_id, state FROM proposal ORDER BY number")

    def operations(self) -> list[tuple[Any, ...]]:
        """Of the runtime: the quote and the state of each operation."""
        return self._rows("", "SELECT proposal_id, state FROM operation ORDER BY submitted_at")

    def _rows(self, suffix: str, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"file:{self._db}{suffix}?mode=ro", uri=True)) as connection:
            return connection.execute(sql).fetchall()
