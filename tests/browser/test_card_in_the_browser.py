"""The confirmation card in a real JupyterLab: what a person clicks, what the kernel knows, what the databases hold."""

from collections.abc import Callable

import pytest
from browser.card_desk import CardDesk
from browser.jupyterlab import Notebook, Server

pytestmark = pytest.mark.slow

LOST = 'relay_lab.Parts(faults=(relay_lab.Fault("schedule_downgrade", "after_commit", at=(1,)),))'
DEARER = "lab.company._db.run(\"UPDATE plan_prices SET price_cents = 2100, version = 'v2' WHERE plan = 'individual'\")"
SCHEDULED_ONCE = "('scheduled', 1)"
STANDS = "(card.offer.stage, lab.company.mutations())"


@pytest.fixture
def desk(server: Server, opened: Callable[[str], Notebook], request: pytest.FixtureRequest) -> CardDesk:
    name = request.node.originalname.removeprefix("test_")
    parts = getattr(request, "param", "None")
    db = CardDesk.put(server, name, parts)
    book = opened(f"{name}.ipynb")
    book.run()
    made = CardDesk(book, db)
    made.says("DG-1042-v1 waits")
    return made


def test_confirm_schedules_the_change_that_was_shown(desk: CardDesk) -> None:
    desk.button("Confirm").click()
    desk.says("receipt is SCH-000001")
    assert desk.book.kernel(STANDS) == SCHEDULED_ONCE
    assert desk.schedules() == [("DG-1042-v1", "individual", "SEAT-1042-1")]
    assert desk.operations() == [("DG-1042-v1", "completed")]
    assert desk.button("Confirm").count() == 0


def test_a_double_click_is_one_click(desk: CardDesk) -> None:
    desk.button("Confirm").dblclick()
    desk.says("receipt is SCH-000001")
    assert desk.book.kernel("lab.turns") == "3"
    assert desk.book.kernel(STANDS) == SCHEDULED_ONCE
    assert desk.operations() == [("DG-1042-v1", "completed")]


def test_reject_withdraws_the_quote_and_schedules_nothing(desk: CardDesk) -> None:
    desk.button("Reject").click()
    desk.says("rejected by the customer")
    assert desk.book.kernel(STANDS) == "('declined', 0)"
    assert desk.proposals() == [("DG-1042-v1", "rejected")]
    assert (desk.schedules(), desk.operations()) == ([], [])


def test_a_quote_expires_by_the_clock_that_the_card_moves(desk: CardDesk) -> None:
    desk.choice("Move the clock by").select_option(label="the rest of the quote's time")
    desk.button("Move").click()
    desk.says("DG-1042-v1 has expired")
    assert desk.button("Confirm").count() == 0
    desk.button("New quote").click()
    desk.says("DG-1042-v2 waits")
    assert desk.button("Confirm").is_disabled()
    assert desk.book.kernel(STANDS) == "('waiting', 0)"
    assert desk.proposals() == [("DG-1042-v1", "superseded"), ("DG-1042-v2", "pending")]
    assert desk.schedules() == []


def test_a_confirmation_after_the_end_of_a_quote_changes_nothing(desk: CardDesk) -> None:
    desk.book.kernel("lab.advance(__import__('datetime').timedelta(minutes=31))")
    desk.button("Confirm").dblclick()
    desk.says("DG-1042-v2 waits")
    assert desk.table("What changed from DG-1042-v1 to DG-1042-v2").count() == 1
    assert desk.book.kernel(STANDS) == "('waiting', 0)"
    assert desk.proposals() == [("DG-1042-v1", "expired"), ("DG-1042-v2", "pending")]
    assert (desk.schedules(), desk.operations()) == ([], [])


def test_another_seat_makes_a_new_quote_and_that_one_is_confirmed(desk: CardDesk) -> None:
    desk.choice("Seat that stays").select_option(label="SEAT-1042-2 (Ilse Brandt)")
    desk.says("DG-1042-v2 waits")
    assert desk.proposals() == [("DG-1042-v1", "superseded"), ("DG-1042-v2", "pending")]
    assert "Noor Haddad" in desk.table("Quote DG-1042-v2").get_by_role("row").nth(4).inner_text()
    desk.button("Confirm").click()
    desk.says("receipt is SCH-000001")
    assert desk.book.kernel(STANDS) == SCHEDULED_ONCE
    assert desk.schedules() == [("DG-1042-v2", "individual", "SEAT-1042-2")]


def test_a_click_that_was_under_way_while_the_seat_changed_confirms_nothing(desk: CardDesk) -> None:
    confirm, seat = desk.button("Confirm").element_handle(), desk.choice("Seat that stays").element_handle()
    desk.page.evaluate(
        """([confirm, seat]) => {
            seat.selectedIndex = 1;
            seat.dispatchEvent(new Event('change', {bubbles: true}));
            confirm.click();
        }""",
        [confirm, seat],
    )
    desk.says("That click was on DG-1042-v1")
    desk.says("DG-1042-v2 waits")
    assert desk.book.kernel(STANDS) == "('waiting', 0)"
    assert (desk.schedules(), desk.operations()) == ([], [])


def test_a_stale_quote_is_replaced_and_the_new_one_must_be_read_first(desk: CardDesk) -> None:
    desk.book.kernel(DEARER)
    desk.button("Confirm").dblclick()
    desk.says("DG-1042-v2 waits")
    changes = desk.table("What changed from DG-1042-v1 to DG-1042-v2").inner_text()
    assert "19.00" in changes and "21.00" in changes
    assert desk.button("Confirm").is_disabled()
    assert desk.book.kernel(STANDS) == "('waiting', 0)"
    assert desk.schedules() == []
    desk.choice("I have read DG-1042-v2").check()
    desk.button("Confirm").click()
    desk.says("receipt is SCH-000001")
    assert desk.book.kernel(STANDS) == SCHEDULED_ONCE
    assert desk.schedules() == [("DG-1042-v2", "individual", "SEAT-1042-1")]


@pytest.mark.parametrize("desk", [LOST], ids=["lost"], indirect=True)
def test_an_unknown_outcome_says_so_until_the_service_is_asked(desk: CardDesk) -> None:
    desk.button("Confirm").click()
    desk.says("It is not known whether the change was made")
    assert desk.operations() == [("DG-1042-v1", "failed_unknown")]
    assert desk.book.kernel("card.offer.stage") == "'unknown'"
    desk.button("Look again").click()
    desk.says("receipt is SCH-000001")
    assert desk.book.kernel(STANDS) == SCHEDULED_ONCE
    assert desk.operations() == [("DG-1042-v1", "completed")]
    assert len(desk.schedules()) == 1


def test_a_card_in_a_new_kernel_goes_on_where_the_last_one_stopped(desk: CardDesk) -> None:
    desk.book.restart_kernel()
    desk.book.run()
    desk.says("DG-1042-v1 waits")
    desk.button("Confirm").click()
    desk.says("receipt is SCH-000001")
    desk.book.restart_kernel()
    desk.book.run()
    desk.says("receipt is SCH-000001")
    assert desk.book.kernel("(card.offer.stage, lab.turns)") == "('scheduled', 3)"
    assert len(desk.schedules()) == 1


def test_the_keyboard_alone_is_enough(desk: CardDesk) -> None:
    focused = "() => document.activeElement.textContent.trim() || document.activeElement.tagName"
    desk.page.keyboard.press("Escape")
    seen: list[str] = []
    while "Confirm" not in seen[-1:] and len(seen) < 60:
        desk.page.keyboard.press("Tab")
        seen.append(desk.page.evaluate(focused))
    assert seen[-1] == "Confirm", seen
    outline = desk.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    desk.page.keyboard.press("Enter")
    desk.says("receipt is SCH-000001")
    assert desk.book.kernel(STANDS) == SCHEDULED_ONCE
    assert len(desk.schedules()) == 1
