"""The face of a confirmation card: an offer in words and in one table of before and after."""

from collections.abc import Iterable
from datetime import timedelta

from relay_lab.contracts.change import Quote
from relay_lab.notebook.html import Html, Tone, mark, plain_table, table, text, words
from relay_lab.notebook.offer import Offer, changes, instant

HEAD = "Confirmation card"


def headline(offer: Offer) -> tuple[str, Tone]:
    """What became of the quote, in one sentence or two."""
    quote = offer.quote
    if quote is None:
        return (
            "There is no quote yet. Where another plan is asked for, lab.choose('individual') makes one.",
            "plain",
        )
    name = quote.quote_id
    match offer.stage:
        case "waiting":
            left = _lasting(quote.expires_at - offer.now)
            return f"{name} waits for the customer: {left} left. Nothing has been changed.", "wait"
        case "expired":
            return f"{name} has expired. Nothing has been changed; ask for a new quote.", "bad"
        case "scheduled":
            return _scheduled(offer), "good"
        case "unknown":
            return _unknown(offer), "bad"
        case "refused":
            code = offer.operation.error if offer.operation else None
            return f"The service refused {name}: {words(code)}. It has scheduled nothing.", "bad"
        case "declined":
            return f"{name} was rejected by the customer. Nothing has been scheduled.", "plain"
        case _:
            why = f" ({words(offer.reason)})" if offer.reason else ""
            return f"{name} no longer stands{why}. Nothing has been scheduled by it.", "bad"


def _scheduled(offer: Offer) -> str:
    quote, operation, subscription = offer.quote, offer.operation, offer.subscription
    receipt = operation.receipt if operation else None
    if quote is None or receipt is None:
        return "The operation is completed and its receipt is missing: that is a fault of the store."
    said = f"The service's receipt is {receipt.receipt_id}, of {instant(receipt.recorded_at)}."
    if subscription is None:
        return f"{said} It gave no answer when it was read again, so nothing newer is known."
    if subscription.schedule_id == receipt.receipt_id:
        target, due = str(subscription.scheduled_plan), instant(subscription.renews_at)
        return f"{said} Read again: the plan is {_plan(subscription.plan)}, and {_plan(target)} is scheduled for {due}."
    if subscription.plan == quote.terms.target_plan:
        return f"{said} Read again: the plan is {_plan(subscription.plan)} now."
    return f"{said} Read again: the plan is {_plan(subscription.plan)}, and no such change is scheduled any more."


def _unknown(offer: Offer) -> str:
    operation = offer.operation
    why = words(operation.detail or operation.state) if operation else "lost"
    said = f"It is not known whether the change was made ({why})."
    if offer.issue_state == "handed_off":
        return f"{said} A specialist has it; it stays unknown here."
    return f"{said} Look again asks the service by the key of this very change, and sends no other."


def facts(offer: Offer) -> list[tuple[str, str, str]]:
    """Each thing that the change touches: its name, what holds now, what holds from then on."""
    quote = offer.quote
    if quote is None:
        return []
    terms = quote.terms
    names = {seat.seat_id: f"{seat.seat_id} ({seat.holder})" for seat in offer.seats}
    both = (*terms.seats_kept, *terms.seats_ended)
    before = [seat for seat in names if seat in both] + [seat for seat in both if seat not in names]
    now_cents = offer.price_now_cents
    return [
        ("plan", _plan(terms.current_plan), _plan(terms.target_plan)),
        (
            "price",
            "not known" if now_cents is None else f"{terms.currency} {now_cents / 100:.2f} a month",
            f"{terms.currency} {terms.price_cents / 100:.2f} a month ({terms.tax_terms})",
        ),
        (
            "seats",
            _listed(names.get(seat, seat) for seat in before),
            _listed(names.get(seat, seat) for seat in terms.seats_kept),
        ),
        ("access ends for", "", _listed(names.get(seat, seat) for seat in terms.seats_ended) or "nobody"),
        ("features lost", "", ", ".join(map(words, terms.features_lost)) or "none"),
        ("project data", "", "kept" if terms.data_retained else "not kept"),
        ("refund now", "", terms.immediate_refund),
        ("quote valid until", "", instant(quote.expires_at)),
        (
            "resting on",
            f"subscription version {terms.subscription_version}",
            f"policy {terms.policy_version}",
        ),
    ]


def face(offer: Offer, replaced: Quote | None) -> tuple[Html, ...]:
    """The tables of a card."""
    quote = offer.quote
    if quote is None:
        return ()
    head = ("", "now", f"from {instant(quote.terms.effective_at)}")
    parts = [table(f"Quote {quote.quote_id}", head, facts(offer), "relay-quote")]
    if replaced is not None:
        rows = changes(replaced, quote)
        caption = f"What changed from {replaced.quote_id} to {quote.quote_id}"
        parts.insert(0, table(caption, ("", "before", "now"), rows, "relay-changes"))
    if offer.operation is not None:
        parts.append(table("What the runtime knows of the change", (), _operation(offer)))
    return tuple(parts)


def _operation(offer: Offer) -> list[tuple[str, object]]:
    operation = offer.operation
    if operation is None:
        return []
    tone: Tone = "good" if operation.state == "completed" else "bad"
    rows: list[tuple[str, object]] = [("operation", mark(operation.state, tone))]
    rows.append(("idempotency key", operation.idempotency_key))
    if operation.error:
        rows.append(
            ("error", f"{operation.error} ({operation.detail})" if operation.detail else operation.error)
        )
    if operation.recovery_action:
        rows.append(("recovery", operation.recovery_action))
    return rows


def answer(offer: Offer) -> Html:
    """What the desk answered to the last click."""
    return text(f"The desk: {offer.reply}")


def clock_line(offer: Offer) -> Html:
    """What the desk's clock shows."""
    return text(f"The desk's clock: {instant(offer.now)}")


def plain(offer: Offer) -> str:
    """The card as text."""
    lines = [HEAD, headline(offer)[0]]
    if offer.quote is not None:
        head = (offer.quote.quote_id, "now", f"from {instant(offer.quote.terms.effective_at)}")
        lines.append(plain_table(head, facts(offer)))
    return "\n".join(lines)


def _listed(names: Iterable[str]) -> str:
    return "\n".join(names)


def _plan(plan: str) -> str:
    return plan.capitalize()


def _lasting(left: timedelta) -> str:
    minutes, seconds = divmod(int(left.total_seconds()), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [(hours, "h"), (minutes, "min"), (seconds, "s")]
    return " ".join(f"{number} {unit}" for number, unit in parts if number) or "0 s"
