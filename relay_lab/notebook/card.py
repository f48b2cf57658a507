"""The confirmation card: an exact change put before a person, and afterwards what the records say became of it."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from relay_lab.app.lab import Lab
from relay_lab.contracts.change import Quote
from relay_lab.contracts.errors import RelayLabError
from relay_lab.notebook.card_controls import Controls, QuoteButtons
from relay_lab.notebook.card_face import answer, clock_line, face, headline, plain
from relay_lab.notebook.html import Html, notice, page, part
from relay_lab.notebook.offer import offer_of
from relay_lab.notebook.widgets import bundle


def confirmation_card(lab: Lab) -> "ConfirmationCard":
    """A card for the quote that waits in this conversation, or for what became of the last one.

    It reads the store whenever it is shown and after every click, so that one made in a new kernel over the same database
    goes on where the last one stopped. Raises `BadInput` when the widget library is not installed.
    """
    return ConfirmationCard(lab)


class ConfirmationCard:
    """See `confirmation_card`. `offer` is what it shows; `controls` and `buttons` are what can be clicked."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab
        self.controls = Controls(
            seat_chosen=self._choose_seat,
            clock_moved=self._move_clock,
            look_again=lambda: self._act(lab.reconcile),
            new_quote=self._ask_for_a_new_quote,
            read_again=self.refresh,
        )
        self.buttons: QuoteButtons | None = None
        self._challenge = ""
        self._problem, self._acted = "", False
        self._replaced: Quote | None = None
        self.offer = offer_of(lab)
        self._draw()

    def refresh(self) -> None:
        """Show what the store says now."""
        self._act(lambda: None, acted=False)

    def _repr_mimebundle_(self, **_: object) -> dict[str, Any]:
        self.refresh()
        static = page(*self._head(), *self._foot())
        return bundle(self.controls.whole, static, plain(self.offer))

    # -- a click: one call of the lab, then a look into the store -----------------------------------------------------------

    def _press(self, buttons: QuoteButtons, what: str) -> None:
        if buttons.spent or (what == "confirm" and not buttons.open):
            return  # the second click of a double click
        buttons.spend()
        if buttons is not self.buttons:
            self._problem = f"That click was on {buttons.quote_id}, which had been replaced before it arrived; nothing was done."
            self._draw()
            return
        quote_id, challenge = buttons.quote_id, self._challenge
        if what == "confirm":
            self._act(lambda: self.lab.confirm_with(quote_id, challenge), must_read=True)
        else:
            self._act(lambda: self.lab.reject(quote_id), must_read=True)

    def _choose_seat(self, seat: str) -> None:
        quote = self.offer.quote
        if quote is not None and seat != quote.terms.designated_seat_id:
            self._act(lambda: self.lab.choose(quote.terms.target_plan, seat))

    def _ask_for_a_new_quote(self) -> None:
        quote = self.offer.quote
        if quote is not None and self.offer.stage == "expired":
            terms = quote.terms
            self._act(lambda: self.lab.choose(terms.target_plan, terms.designated_seat_id), must_read=True)

    def _move_clock(self, step: timedelta | str) -> None:
        quote, now = self.offer.quote, self.lab.clock.now()
        if isinstance(step, timedelta):
            by = step
        else:
            ends = {"expires_at": quote.expires_at, "effective_at": quote.terms.effective_at} if quote else {}
            by = max(ends.get(step, now) - now, timedelta())
        self._act(lambda: self.lab.advance(by), acted=False)

    def _act(self, act: Callable[[], object], *, acted: bool = True, must_read: bool = False) -> None:
        """Do it, and show what the records say then. A failure is shown as its sentence, and nothing can be clicked on it."""
        before = self.offer
        self._problem, self._acted = "", acted
        try:
            self.lab.look()  # a closed lab takes no click
            act()
        except RelayLabError as error:
            self._problem = str(error)
        try:
            self.offer = offer_of(self.lab)
        except RelayLabError as error:
            self._problem = f"What is shown here is from before: {error}"
            if self.buttons is not None:
                self.buttons.spend()
            self._paint()
            return
        if self.offer.quote_id != before.quote_id:
            self._replaced = before.quote if self.offer.stage in ("waiting", "expired") else None
        elif self.offer.stage != before.stage:
            self._replaced = None
        self._draw(must_read)

    # -- drawing ------------------------------------------------------------------------------------------------------------

    def _draw(self, must_read: bool = False) -> None:
        offer, standing = self.offer, self.buttons
        if offer.stage != "waiting" or offer.quote_id is None:
            self.buttons = None
        elif standing is None or standing.quote_id != offer.quote_id or standing.spent:
            unasked = must_read and self._replaced is not None
            self._challenge = self.lab.challenge(offer.quote_id) or ""
            self.buttons = QuoteButtons(offer.quote_id, unasked, self._press)
        self._paint()

    def _paint(self) -> None:
        self.controls.head.value = page(*self._head())
        self.controls.foot.value = part(*self._foot())
        self.controls.draw(self.offer, self.buttons)

    def _head(self) -> list[Html]:
        parts = [notice(self._problem, "bad")] if self._problem else []
        parts.append(notice(*headline(self.offer)))
        if self._acted and self.offer.reply:
            parts.append(answer(self.offer))
        return [*parts, *face(self.offer, self._replaced)]

    def _foot(self) -> list[Html]:
        return [clock_line(self.offer)]
