"""The displays in the light and in the dark theme. RELAY_LAB_SHOTS=FOLDER keeps the pictures for a person to look at."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser.drawing import faint_words, picture
from browser.jupyterlab import Lab, Notebook, Server

pytestmark = pytest.mark.slow

OPEN = """
from datetime import timedelta
import relay_lab
from relay_lab.notebook import attack_bench, confirmation_card, heat_map, ledger_explorer, matrix_explorer, timeline

stale = relay_lab.Fault("get_plan_and_entitlements", "stale", at=(1,), detail="entitlement")
lost = relay_lab.Fault("schedule_downgrade", "after_commit", at=(1,))
lab = relay_lab.open_lab(parts=relay_lab.Parts(faults=(stale, lost)))
lab.say(lab.scenario.message)
lab.choose("individual")
waits = confirmation_card(lab)
"""
REPLACED = """
lab.advance(timedelta(hours=1))
replaced = confirmation_card(lab)
lab.company._db.run("UPDATE plan_prices SET price_cents = 2100 WHERE plan = 'individual'")
replaced.controls.renew.click()
replaced
"""
UNKNOWN = """
unknown = confirmation_card(lab)
unknown.buttons.confirm.click()
unknown
"""
SCHEDULED = """
scheduled = confirmation_card(lab)
scheduled.controls.look.click()
scheduled
"""
LEDGER = """
ledger = ledger_explorer(lab.run())
ledger.status.value = "stale"
ledger
"""
DISPLAYS = {"waits": "waits", "replaced": REPLACED, "unknown": UNKNOWN, "scheduled": SCHEDULED}
DISPLAYS |= {"ledger": LEDGER, "timeline": "timeline(lab)"}
DISPLAYS |= {"matrix": 'matrix_explorer("F5d", "expiry")', "heat": 'heat_map(["F7", "F16"])'}
DISPLAYS |= {"bench": 'attack_bench("Sure!", "reading")', "progress": "relay_lab.progress()"}
DISPLAYS |= {"board": 'relay_lab.exit_check("01_authentication", lambda session, message: None)'}


@pytest.fixture(params=["JupyterLab Light", "JupyterLab Dark"], ids=["light", "dark"])
def theme(jupyter: Lab, request: pytest.FixtureRequest) -> Iterator[str]:
    jupyter.theme(request.param)
    yield request.param.rpartition(" ")[2].lower()
    jupyter.theme("JupyterLab Light")


def test_every_word_stands_out_in_both_themes(
    theme: str, server: Server, opened: Callable[[str], Notebook], tmp_path: Path
) -> None:
    server.put(f"drawing_{theme}.ipynb", OPEN, *DISPLAYS.values())
    book = opened(f"drawing_{theme}.ipynb")
    book.run()
    book.area.locator(".relay-timeline").wait_for()
    book.area.get_by_text("Stopped by strict_json").wait_for()
    assert [cell["error"] for cell in book.cells() if cell["error"]] == []
    folder = Path(os.environ.get("RELAY_LAB_SHOTS") or tmp_path)
    for number, name in enumerate(DISPLAYS, start=1):
        assert picture(book, number, folder / f"{name}-{theme}.png")
    assert faint_words(book) == []
