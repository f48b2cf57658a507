"""The exact consequences of a quote, as the customer reviews them before confirming (001 §7)."""

from collections.abc import Callable

from relay_lab.contracts.change import Quote
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import Sentence
from relay_lab.desks.support.reply.ids import presentable, printable
from relay_lab.desks.support.reply.wording.english import count, feature, instant, listed, money, plan
from relay_lab.desks.support.reply.wording.rows import Known, named, present, say

ASKED = "Your message asks a question as well, so I did not take it as your confirmation."
NOT_TAKEN = "I did not take this as a confirmation."
NOT_EXECUTED = "I could not submit your change, and nothing was scheduled."
OTHER_SEAT = "If you want another seat to stay active, please tell me which seat."
SHOWN_SEATS = 8


def quoted(known: Known) -> tuple[Sentence, ...]:
    """Every consequence of the pending quote, and that nothing changes until it is confirmed."""
    quote = known.material.quote(known.issue_id)
    if quote is None:
        return ()
    return (*_opening(known), *_terms(known, quote), *_seats(known, quote), *_closing(known, quote))


def _opening(known: Known) -> tuple[Sentence, ...]:
    notes = known.material.notes
    return present(
        say(ASKED, known.state) if known.material.asked else None,
        say(NOT_TAKEN, known.state)
        if "ambiguous_confirmation" in notes and not known.material.asked
        else None,
        say(NOT_EXECUTED, known.state) if "not_executed" in notes and not known.may_have_changed() else None,
    )


def _terms(known: Known, quote: Quote) -> tuple[Sentence, ...]:
    terms, row = quote.terms, _rows_of(known, quote)
    name = named("Quote", quote.quote_id, "This quote")
    tax = f" ({terms.tax_terms})" if presentable(terms.tax_terms) else ""
    effective = instant(terms.effective_at, known.material.display_zone)
    return (
        say(
            f"{name} is for a change from {plan(terms.current_plan)} to {plan(terms.target_plan)}.",
            row("quote_plan"), known.row("current_plan"),
        ),
        say(
            f"The price would be {money(terms.price_cents, terms.currency)} per month{tax}.",
            row("quote_price_cents"), row("quote_currency"),
        ),
        say(
            f"The change would take effect on {effective}, and until then you stay on {plan(terms.current_plan)}.",
            row("quote_effective_at"), row("quote_plan"), known.row("current_plan"),
        ),
    )  # fmt: skip


def _seats(known: Known, quote: Quote) -> tuple[Sentence, ...]:
    terms, row = quote.terms, _rows_of(known, quote)
    kept = [seat for seat in terms.seats_kept if printable(seat)]
    if len(kept) == len(terms.seats_kept) <= SHOWN_SEATS:
        stays = f"{'Seat' if len(kept) == 1 else 'Seats'} {listed(kept)} would stay active."
    else:
        number = len(terms.seats_kept)
        stays = f"{count(number).capitalize()} {'seat' if number == 1 else 'seats'} would stay active."
    told = say(stays, row("quote_seats_kept"), row("quote_designated_seat"))
    ended = [seat for seat in terms.seats_ended if printable(seat)]
    if not terms.seats_ended:
        return (told, say("No seat would lose access.", row("quote_seats_ended")))
    if len(ended) == len(terms.seats_ended) <= SHOWN_SEATS:
        ends = f"Access would end for {'seat' if len(ended) == 1 else 'seats'} {listed(ended)}."
    else:
        number = len(terms.seats_ended)
        ends = f"Access would end for {count(number)} {'seat' if number == 1 else 'seats'}."
    return (told, say(ends, row("quote_seats_ended")), say(OTHER_SEAT, row("quote_designated_seat")))


def _closing(known: Known, quote: Quote) -> tuple[Sentence, ...]:
    terms, row = quote.terms, _rows_of(known, quote)
    lost = listed([feature(name) for name in terms.features_lost]) or "no feature"
    kept = "would be kept" if terms.data_retained else "would not be kept"
    expires = instant(quote.expires_at, known.material.display_zone)
    return (
        say(f"You would lose {lost}.", row("quote_features_lost")),
        say(f"Your project data {kept}.", row("quote_data_retained")),
        say("There would be no immediate refund.", row("quote_immediate_refund")),
        say(f"This quote is open until {expires}.", row("quote_expires_at")),
        say(
            f"Nothing changes until you confirm {named('quote', quote.quote_id, 'this quote')}.",
            row("quote_plan"),
            known.state,
        ),
    )


def _rows_of(known: Known, quote: Quote) -> Callable[[str], LedgerRow | None]:
    return lambda predicate: known.row(predicate, quote.quote_id)
