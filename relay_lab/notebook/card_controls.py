"""The controls of a confirmation card. They hold no state of their own: each tells the card what was clicked."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from relay_lab.notebook.html import visible
from relay_lab.notebook.offer import Offer
from relay_lab.notebook.widgets import WHOLE_LABEL, button, widget_library

STEPS = (
    ("1 minute", timedelta(minutes=1)),
    ("10 minutes", timedelta(minutes=10)),
    ("30 minutes", timedelta(minutes=30)),
    ("the rest of the quote's time", "expires_at"),
    ("the time to the renewal", "effective_at"),
)


class QuoteButtons:
    """Confirm and Reject of one quote. Another quote gets others: a click that is still under way means the quote it was
    made on. `must_read`: the quote came unasked, so Confirm waits until the customer says to have read it.
    """

    def __init__(
        self, quote_id: str, must_read: bool, pressed: Callable[["QuoteButtons", str], object]
    ) -> None:
        self.quote_id, self.spent = quote_id, False
        self.confirm = button(
            "Confirm", f"Confirm {quote_id} exactly as shown", lambda: pressed(self, "confirm"), "primary"
        )
        self.reject = button(
            "Reject", f"Reject {quote_id}; nothing is changed", lambda: pressed(self, "reject")
        )
        self.read = widget_library().Checkbox(
            value=not must_read, description=f"I have read {quote_id}", indent=False, layout={"width": "auto"}
        )
        self.read.observe(self._ticked, "value")
        self._ticked()
        boxes = [self.read] if must_read else []
        self.row = widget_library().HBox([*boxes, self.confirm, self.reject])

    @property
    def open(self) -> bool:
        """Whether Confirm may be pressed."""
        return not self.spent and bool(self.read.value)

    def spend(self) -> None:
        """Take one click and no other."""
        self.spent = True
        for each in (self.confirm, self.reject, self.read):
            each.disabled = True

    def _ticked(self, _: object = None) -> None:
        self.confirm.disabled = not self.open


class Controls:
    """Everything of a card but its buttons of one quote."""

    def __init__(
        self,
        seat_chosen: Callable[[str], object],
        clock_moved: Callable[[timedelta | str], object],
        look_again: Callable[[], object],
        new_quote: Callable[[], object],
        read_again: Callable[[], object],
    ) -> None:
        w = widget_library()
        self._drawing, self._seat_chosen = False, seat_chosen
        self.head, self.foot = w.HTML(), w.HTML()
        self.seat = w.Dropdown(
            description="Seat that stays",
            style=WHOLE_LABEL,
            layout={"width": "max-content", "max_width": "100%"},
        )
        self.seat.observe(self._seat, "value")
        self.step = w.Dropdown(
            options=STEPS, value=STEPS[1][1], description="Move the clock by", style=WHOLE_LABEL,
            layout={"width": "auto"},
        )  # fmt: skip
        self.move = button("Move", "Move the desk's clock on", lambda: clock_moved(self.step.value))
        self.read = button("Read again", "Show what the store says now", read_again)
        self.look = button("Look again", "Ask the service what became of this change", look_again, "primary")
        self.renew = button(
            "New quote", "Ask for a new quote of the same plan and seat", new_quote, "primary"
        )
        self.acts = w.VBox()
        clock = w.HBox([self.step, self.move, self.read], layout={"flex_flow": "row wrap"})
        self.whole = w.VBox([self.head, self.acts, self.foot, clock])
        self.whole.add_class("relay-controls")

    def draw(self, offer: Offer, buttons: QuoteButtons | None) -> None:
        """Show the controls that an offer of this stage has."""
        acts = {
            "waiting": [self.seat, *([buttons.row] if buttons else [])],
            "expired": [self.renew],
            "unknown": [self.look],
        }.get(offer.stage, [])
        quote = offer.quote
        if offer.stage == "waiting" and quote is not None:
            self._drawing = True
            self.seat.options = [
                (visible(f"{seat.seat_id} ({seat.holder})"), seat.seat_id) for seat in offer.seats
            ] or [(quote.terms.designated_seat_id, quote.terms.designated_seat_id)]
            self.seat.value = quote.terms.designated_seat_id
            self.seat.disabled = not quote.terms.seats_ended
            self._drawing = False
        if tuple(acts) != self.acts.children:
            self.acts.children = acts

    def _seat(self, change: dict[str, Any]) -> None:
        if not self._drawing and change["new"] is not None:
            self._seat_chosen(change["new"])
