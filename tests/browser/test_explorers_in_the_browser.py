"""The matrix explorer, the attack bench and the ledger explorer in a real JupyterLab."""

from collections.abc import Callable

import pytest
from browser.jupyterlab import Notebook, Server

from relay_lab.app.break_it.bench import PLACES

pytestmark = pytest.mark.slow

MATRIX = """
from relay_lab.notebook import matrix_explorer

matrix = matrix_explorer("F7")
matrix
"""
BENCH = """
from relay_lab.notebook import attack_bench

bench = attack_bench("I was charged twice.")
bench
"""
LEDGER = """
import relay_lab
from relay_lab.notebook import ledger_explorer

stale = relay_lab.Fault("get_plan_and_entitlements", "stale", at=(1,), detail="entitlement")
lab = relay_lab.open_lab(parts=relay_lab.Parts(faults=(stale,)))
ledger = ledger_explorer(lab.say(lab.scenario.message))
ledger
"""
ANSWER = '{"issues": [{"type": "human_request", "span": {"text": "<b>Call me.</b>", "start": 0, "end": 15}}]}'
MARKUP = "I was charged twice <b id=planted>for June</b> <img src=/planted.png>"


@pytest.fixture
def shown(
    server: Server, opened: Callable[[str], Notebook], request: pytest.FixtureRequest
) -> Callable[[str], Notebook]:
    """Runs one cell in a notebook of its own."""

    def show(cell: str) -> Notebook:
        name = request.node.name.removeprefix("test_")[:40] + ".ipynb"
        server.put(name, cell)
        book = opened(name)
        book.run()
        book.area.locator(".relay-lab").last.wait_for()
        return book

    return show


def says(book: Notebook, words: str) -> None:
    """Wait until a notice says so."""
    book.area.locator(".relay-notice", has_text=words).wait_for()


def tab_to(book: Notebook, control: str) -> None:
    """Press Tab until a control of this label or this word has the focus."""
    named = """() => {
        const element = document.activeElement;
        return element.labels?.[0]?.textContent.trim() || element.textContent.trim();
    }"""
    seen: list[str] = []
    while control not in seen[-1:] and len(seen) < 60:
        book.page.keyboard.press("Tab")
        seen.append(book.page.evaluate(named))
    assert seen[-1] == control, seen


def test_a_row_of_the_matrix_is_picked_and_its_states_are_shown(shown: Callable[[str], Notebook]) -> None:
    book = shown(MATRIX)
    says(book, "F7 holds with every guard standing")
    row = book.area.get_by_label("Row", exact=True)
    row.select_option(label=next(each for each in row.locator("option").all_inner_texts() if "F5d:" in each))
    says(book, "F5d holds with every guard standing")
    steps = book.area.get_by_role("table", name="Step by step")
    assert "I3 awaiting_confirmation" in steps.inner_text()
    book.area.get_by_label("Guard left out").select_option(label="expiry")
    says(book, "F5d is red without expiry")
    assert steps.locator(".relay-bad").count() > 0
    assert book.kernel("(matrix.run.result.id, matrix.run.without)") == "('F5d', 'expiry')"
    assert book.kernel("matrix.run.result.passed") == "False"


def test_a_raw_answer_is_typed_and_run_by_the_keyboard_alone(shown: Callable[[str], Notebook]) -> None:
    book = shown(BENCH)
    says(book, "No guard had anything to stop")
    keyboard = book.page.keyboard
    keyboard.press("Escape")
    tab_to(book, "Text")
    keyboard.press("Control+a")
    keyboard.type(ANSWER)
    tab_to(book, "Where it stands")
    # A closed list gives its arrows to JupyterLab (ipywidgets issue 3912), an open one keeps them.
    for key in ("Space", *["ArrowDown"] * PLACES.index("reading"), "Enter"):
        keyboard.press(key)
    tab_to(book, "Run")
    keyboard.press("Enter")
    says(book, "Stopped by grounding")
    assert book.kernel("bench.trial.where") == "'reading'"
    assert book.kernel("bench.trial.text") == repr(ANSWER)
    assert book.kernel("{str(row.guard) for row in bench.finding.stops}") == "{'grounding'}"
    assert "grounding" in book.area.get_by_role("table", name="What stopped it, in order").inner_text()


def test_markup_that_is_typed_is_shown_as_text(shown: Callable[[str], Notebook]) -> None:
    book = shown(BENCH)
    book.area.get_by_label("Text", exact=True).fill(MARKUP)
    book.area.get_by_role("button", name="Run", exact=True).click()
    book.area.get_by_role("table", name="Read as").get_by_text("<b id=planted>").first.wait_for()
    assert book.area.locator("#planted, img[src='/planted.png']").count() == 0


def test_the_claims_of_the_ledger_are_filtered_and_gone_through_by_the_keyboard(
    shown: Callable[[str], Notebook],
) -> None:
    book = shown(LEDGER)
    claims, status = book.area.get_by_label("Claim", exact=True), book.area.get_by_label("Status", exact=True)
    everything = claims.locator("option").count()
    stale = next(each for each in status.locator("option").all_inner_texts() if "stale" in each)
    status.select_option(label=stale)
    detail = book.area.locator(".relay-claim")
    detail.locator(".relay-wait", has_text="stale").wait_for()
    assert 0 < claims.locator("option").count() == int(book.kernel("len(ledger.rows)")) < everything
    assert book.kernel("{str(row.status) for row in ledger.rows}") == "{'stale'}"
    status.select_option(label="all")
    detail.locator(".relay-good").wait_for()
    tab_to(book, "Next claim")
    book.page.keyboard.press("Enter")
    book.area.get_by_role("table", name="I1-C2", exact=True).wait_for()
    assert book.kernel("ledger.claim.value") == "'I1-C2'"
