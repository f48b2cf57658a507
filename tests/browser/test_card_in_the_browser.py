"""The confirmation card in a real JupyterLab: what a person clicks, what the kernel knows, what the databases hold."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from browser.jupyterlab import Notebook, Server

pytestmark = pytest.mark.slow

OPEN = """
import relay_lab
from relay_lab.notebook import confirmation_card

lab = relay_lab.open_lab(db={db!r})
"""
PICK = 'lab.say(lab.scenario.message); lab.choose("individual");'
CARD = "card = confirmation_card(lab)\ncard"


class Desk:
    """A notebook with a card, and the two databases behind it."""

    def __init__(self, book: Notebook, db: Path) -> None:
        self.book, self.page, self._db = book, book.page, db

    def button(self, name: str) -> Any:
        return self.page.get_by_role("button", name=name, exact=True)

    def says(self, text: str) -> None:
        from playwright.sync_api import expect

        expect(self.page.locator(".relay-notice").last).to_contain_text(text, timeout=15_000)

    def schedules(self) -> list[tuple[Any, ...]]:
        return self._rows(".world", "SELECT quote_id, target_plan, designated_seat_id FROM schedules")

    def proposals(self) -> list[tuple[Any, ...]]:
        return self._rows("", "SELECT proposal_id, state FROM proposal ORDER BY number")

    def operations(self) -> list[tuple[Any, ...]]:
        return self._rows("", "SELECT proposal_id, state FROM operation ORDER BY submitted_at")

    def _rows(self, suffix: str, sql: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(f"file:{self._db}{suffix}?mode=ro", uri=True)) as connection:
            return connection.execute(sql).fetchall()


@pytest.fixture
def desk(server: Server, opened: Callable[..., Notebook], request: pytest.FixtureRequest) -> Desk:
    name = request.node.name.partition("[")[0]
    db = server.root / f"{name}.db"
    server.put(f"{name}.ipynb", OPEN.format(db=str(db)), PICK, CARD)
    book = opened(f"{name}.ipynb")
    book.run()
    made = Desk(book, db)
    made.says("DG-1042-v1 waits")
    return made


def test_confirm_schedules_the_change_that_was_shown(desk: Desk) -> None:
    desk.button("Confirm").click()
    desk.says("receipt is SCH-000001")
    assert desk.book.kernel("(card.offer.stage, lab.company.mutations())") == "('scheduled', 1)"
    assert desk.schedules() == [("DG-1042-v1", "individual", "SEAT-1042-1")]
    assert desk.operations() == [("DG-1042-v1", "completed")]
