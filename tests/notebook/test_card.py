"""The confirmation card: one quote, one click, and afterwards what the records say."""

from datetime import timedelta

import pytest

import relay_lab
from relay_lab import BadInput, Fault, Parts
from relay_lab.contracts.errors import AuditUnavailable
from relay_lab.core.audit import append
from relay_lab.notebook import confirmation_card
from relay_lab.notebook.card import ConfirmationCard
from relay_lab.notebook.offer import changes, offer_of


def waiting(parts: Parts | None = None, db=None) -> tuple[relay_lab.Lab, ConfirmationCard]:
    lab = relay_lab.open_lab(db=db, parts=parts)
    if lab.turns == 0:
        lab.say(lab.scenario.message)
        lab.choose("individual")
    return lab, confirmation_card(lab)


def shown(card: ConfirmationCard) -> str:
    return card._repr_mimebundle_()["text/plain"]


def live(card: ConfirmationCard) -> str:
    return card.controls.head.value + card.controls.foot.value


def words_of(card: ConfirmationCard) -> dict[str, tuple[str, str]]:
    from relay_lab.notebook.card_face import facts

    return {name: (before, after) for name, before, after in facts(card.offer)}


def dearer(lab: relay_lab.Lab) -> None:
    lab.company._db.run("UPDATE plan_prices SET price_cents = 2100 WHERE plan = 'individual'")


def test_a_card_shows_everything_that_the_change_does():
    _, card = waiting()
    assert words_of(card) == {
        "plan": ("Team", "Individual"),
        "price": ("USD 49.00 a month", "USD 19.00 a month (no tax is added)"),
        "seats": (
            "SEAT-1042-1 (Noor Haddad)\nSEAT-1042-2 (Ilse Brandt)\nSEAT-1042-3 (Tomás Vega)",
            "SEAT-1042-1 (Noor Haddad)",
        ),
        "access ends for": ("", "SEAT-1042-2 (Ilse Brandt)\nSEAT-1042-3 (Tomás Vega)"),
        "features lost": ("", "time tracking, guest access"),
        "project data": ("", "kept"),
        "refund now": ("", "none"),
        "quote valid until": ("", "2026-09-10 10:30:00 UTC"),
        "resting on": ("subscription version 17", "policy SP-12"),
    }
    assert "from 2026-09-11 10:00:00 UTC" in shown(card)
    assert "waits for the customer: 30 min left" in shown(card)


def test_before_any_quote_a_card_says_how_one_is_made():
    lab = relay_lab.open_lab()
    card = confirmation_card(lab)
    assert "There is no quote yet" in shown(card)
    assert card.buttons is None
    lab.say(lab.scenario.message)
    lab.choose("individual")
    assert "DG-1042-v1 waits" in shown(card)


def test_confirm_shows_the_receipt_and_what_the_service_says_when_it_is_read_again():
    lab, card = waiting()
    card.buttons.confirm.click()
    assert card.offer.stage == "scheduled"
    assert "receipt is SCH-000001" in shown(card)
    assert "the plan is Team, and Individual is scheduled for 2026-09-11 10:00:00 UTC" in shown(card)
    assert lab.company.mutations() == 1


def test_every_further_click_of_a_double_click_is_none():
    lab, card = waiting()
    pressed = card.buttons
    for _ in range(3):
        pressed.confirm.click()
    pressed.reject.click()
    assert (lab.turns, lab.company.mutations(), card.offer.stage) == (3, 1, "scheduled")


def test_reject_withdraws_the_quote():
    lab, card = waiting()
    card.buttons.reject.click()
    assert "rejected by the customer" in shown(card)
    assert (lab.waiting, lab.company.mutations()) == ((), 0)


def test_another_seat_makes_a_new_quote_before_it_can_be_confirmed():
    lab, card = waiting()
    card.controls.seat.value = "SEAT-1042-3"
    assert card.offer.quote_id == "DG-1042-v2" == lab.waiting[0]
    assert words_of(card)["seats"][1] == "SEAT-1042-3 (Tomás Vega)"
    assert "designated seat id" in live(card)
    card.buttons.confirm.click()
    [operation] = lab.run().record.operations
    assert operation.receipt.echo["designated_seat_id"] == "SEAT-1042-3"


def test_a_click_on_a_quote_that_was_replaced_meanwhile_confirms_nothing():
    lab, card = waiting()
    under_way = card.buttons
    card.controls.seat.value = "SEAT-1042-2"
    turns = lab.turns
    under_way.confirm.click()
    assert "That click was on DG-1042-v1" in live(card)
    assert (lab.turns, lab.company.mutations(), card.offer.quote_id) == (turns, 0, "DG-1042-v2")
    card.buttons.confirm.click()
    assert lab.company.mutations() == 1


def test_a_stale_quote_gives_way_to_a_new_one_that_says_what_changed():
    lab, card = waiting()
    dearer(lab)
    card.buttons.confirm.click()
    assert card.offer.quote_id == "DG-1042-v2"
    assert "What changed from DG-1042-v1 to DG-1042-v2" in live(card)
    assert ">19.00<" in live(card) and ">21.00<" in live(card)
    assert lab.company.mutations() == 0


def test_a_quote_that_came_unasked_must_be_read_before_it_is_confirmed():
    lab, card = waiting()
    dearer(lab)
    card.buttons.confirm.click()
    assert card.buttons.confirm.disabled
    card.buttons.confirm.click()
    assert card.offer.stage == "waiting"
    card.buttons.read.value = True
    assert not card.buttons.confirm.disabled
    card.buttons.confirm.click()
    assert (card.offer.stage, lab.company.mutations()) == ("scheduled", 1)


def test_the_clock_of_the_card_is_the_clock_of_the_desk_and_ends_a_quote():
    lab, card = waiting()
    before = lab.clock.now()
    card.controls.move.click()
    assert lab.clock.now() - before == timedelta(minutes=10)
    assert "20 min left" in shown(card)
    card.controls.step.value = "expires_at"
    card.controls.move.click()
    assert (card.offer.stage, card.buttons) == ("expired", None)
    card.controls.renew.click()
    assert (card.offer.stage, card.offer.quote_id, card.buttons.confirm.disabled) == (
        "waiting",
        "DG-1042-v2",
        True,
    )
    assert lab.company.mutations() == 0


def test_the_clock_may_go_on_to_the_renewal_and_the_card_says_what_holds_then():
    lab, card = waiting()
    card.buttons.confirm.click()
    card.controls.step.value = "effective_at"
    card.controls.move.click()
    assert "the plan is Individual now" in shown(card)
    card.controls.move.click()
    assert lab.clock.now() >= card.offer.quote.terms.effective_at


def test_at_the_renewal_a_quote_that_waited_is_void():
    lab, card = waiting()
    lab.advance(timedelta(days=1))
    card.buttons.confirm.click()
    assert card.offer.stage == "void"
    assert "DG-1042-v1 no longer stands" in live(card)
    assert "The desk: " in live(card) and "renew" in live(card)
    assert lab.company.mutations() == 0


def test_an_outcome_that_is_not_known_is_never_called_scheduled():
    lab, card = waiting(Parts(faults=(Fault("schedule_downgrade", "after_commit", at=(1,)),)))
    card.buttons.confirm.click()
    assert card.offer.stage == "unknown"
    assert "It is not known whether the change was made" in shown(card)
    assert "receipt" not in shown(card) and "failed_unknown" in live(card)
    card.controls.look.click()
    assert (card.offer.stage, lab.company.mutations()) == ("scheduled", 1)


def test_an_outcome_that_stays_unknown_goes_to_a_specialist_and_stays_unknown():
    faults = (Fault("schedule_downgrade", "before_arrival"), Fault("find_schedule", "unreachable"))
    _, card = waiting(Parts(faults=faults))
    card.buttons.confirm.click()
    card.controls.look.click()
    assert card.offer.stage == "unknown"
    assert "A specialist has it" in shown(card)


def test_a_service_that_does_not_answer_again_is_not_spoken_for():
    _, card = waiting(Parts(faults=(Fault("get_plan_and_entitlements", "fail", at=(4,)),)))
    card.buttons.confirm.click()
    assert card.offer.subscription is None
    assert "receipt is SCH-000001" in live(card)
    assert "gave no answer when it was read again" in live(card)


def test_a_schedule_that_the_service_no_longer_has_is_not_claimed():
    lab, card = waiting()
    card.buttons.confirm.click()
    lab.company._db.run("UPDATE schedules SET applied_at = '2026-09-10T10:00:01.000000Z'")
    assert "no such change is scheduled any more" in shown(card)


def test_while_the_audit_store_fails_the_quote_waits_on_and_can_be_confirmed_later():
    failing = []

    def store(tx, event):
        if failing and event.stage != "confirmation":
            raise AuditUnavailable("the audit store is away")
        append(tx, event)

    lab, card = waiting(Parts(append=store))
    failing.append("now")
    card.buttons.confirm.click()
    assert (card.offer.stage, lab.company.mutations()) == ("waiting", 0)
    failing.clear()
    card.buttons.confirm.click()
    assert (card.offer.stage, lab.company.mutations()) == ("scheduled", 1)


def test_a_card_of_a_new_process_shows_the_quote_that_waits_and_then_its_end(tmp_path):
    first, _ = waiting(db=tmp_path / "a.db")
    first.close()
    second, card = waiting(db=tmp_path / "a.db")
    assert "DG-1042-v1 waits" in shown(card)
    card.buttons.confirm.click()
    second.close()
    third, card = waiting(db=tmp_path / "a.db")
    assert "receipt is SCH-000001" in shown(card)
    assert third.turns == 3
    third.close()


def test_a_card_sees_what_another_process_did(tmp_path):
    lab, card = waiting(db=tmp_path / "a.db")
    other = relay_lab.open_lab(db=tmp_path / "a.db")
    other.confirm()
    other.close()
    card.controls.read.click()
    assert card.offer.stage == "scheduled"
    lab.close()


def test_a_click_that_the_store_cannot_take_is_answered_with_a_sentence(tmp_path, monkeypatch):
    lab, card = waiting()

    def broken(*_):
        raise BadInput("the store is away; try again.")

    monkeypatch.setattr(lab, "confirm_with", broken)
    card.buttons.confirm.click()
    assert "the store is away; try again." in live(card)
    assert card.offer.stage == "waiting"
    monkeypatch.setattr(lab, "look", broken)
    card.controls.read.click()
    assert "What is shown here is from before: the store is away" in live(card)
    assert card.buttons.confirm.disabled


def test_a_card_of_a_closed_lab_takes_no_click_and_says_why():
    lab, card = waiting()
    lab.close()
    card.buttons.confirm.click()
    assert "What is shown here is from before: this lab is closed" in live(card)
    assert card.buttons.confirm.disabled


def test_markup_in_the_name_of_a_holder_is_text(tmp_path):
    lab = relay_lab.open_lab()
    lab.company._db.run(
        "UPDATE seats SET holder = '<img src=x onerror=alert(1)>\u202e' WHERE seat_id = 'SEAT-1042-2'"
    )
    lab.say(lab.scenario.message)
    lab.choose("individual")
    card = confirmation_card(lab)
    for html in (live(card), card._repr_mimebundle_()["text/html"]):
        assert "<img" not in html and "&lt;img src=x onerror=alert(1)&gt;·" in html
    assert ("SEAT-1042-2 (<img src=x onerror=alert(1)>·)", "SEAT-1042-2") in card.controls.seat.options


def test_two_cards_of_the_same_story_hold_the_same_table():
    first, second = (waiting()[1]._repr_mimebundle_() for _ in range(2))
    assert first["text/html"] == second["text/html"]
    assert first["text/plain"] == second["text/plain"]
    assert set(first) == {"text/html", "text/plain", "application/vnd.jupyter.widget-view+json"}


def test_every_control_has_a_name_and_says_what_it_does():
    _, card = waiting()
    controls = card.controls
    for button in (
        controls.move,
        controls.read,
        controls.look,
        controls.renew,
        card.buttons.confirm,
        card.buttons.reject,
    ):
        assert button.description and button.tooltip
    for choice in (controls.seat, controls.step, card.buttons.read):
        assert choice.description


def test_without_the_widget_library_one_sentence_says_what_is_missing(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    with pytest.raises(BadInput, match=r"relay-lab\[lab\]"):
        confirmation_card(relay_lab.open_lab())


@pytest.mark.parametrize("seed", (3, 4, 5, 6, 7, 8, 24))
def test_in_any_world_a_card_says_scheduled_exactly_when_one_change_was_made(seed):
    with relay_lab.open_lab(world=seed) as lab:
        lab.say(lab.scenario.message)
        lab.choose("individual")
        card = confirmation_card(lab)
        if card.buttons is not None:
            card.buttons.confirm.click()
        assert (card.offer.stage == "scheduled") == (lab.company.mutations() == 1)


def test_what_changed_names_no_time_that_is_the_same_to_the_second():
    lab, _ = waiting()
    quote = offer_of(lab).quote
    assert quote is not None
    later = quote.model_copy(update={"expires_at": quote.expires_at + timedelta(milliseconds=300)})
    assert changes(quote, later) == []
    much_later = quote.model_copy(update={"expires_at": quote.expires_at + timedelta(seconds=2)})
    assert [name for name, _, _ in changes(quote, much_later)] == ["valid until"]
