"""What a reply owes to each issue: that it is addressed, and what its state must not leave out (001 §6, §7)."""

from dataclasses import dataclass, field

from relay_lab.contracts.change import ChangeTerms
from relay_lab.contracts.enums import IssueState, Outcome
from relay_lab.contracts.record import IssueView
from relay_lab.desks.support.reply.checks.grammar import Reading
from relay_lab.desks.support.reply.checks.instants import Written, same
from relay_lab.desks.support.reply.checks.values import Amount
from relay_lab.desks.support.reply.checks.wordlist import words
from relay_lab.desks.support.reply.ids import printable
from relay_lab.desks.support.reply.material import ReplyMaterial

STATED = words("said denied unable")
ASKS = words("choose know want mean write confirm need")


@dataclass
class Said:
    """What the verified sentences said of one issue."""

    heads: set[tuple[str, str]] = field(default_factory=set)
    values: set[object] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    about: bool = False

    def add(self, reading: Reading, fact: bool) -> None:
        """Count one clause in; `fact` says that its sentence cites more than the state of the issue."""
        self.heads |= {(head.name, head.mood) for head in reading.heads}
        self.values |= {token.value for token in reading.clause.tokens if token.value is not None}
        self.texts |= {token.text for token in reading.clause.tokens}
        self.about |= fact and any(head.mood in STATED for head in reading.heads)


def unaddressed(material: ReplyMaterial, said: dict[str, Said]) -> str | None:
    """The first issue to which the draft does not say what its state requires, or None."""
    for view in material.views:
        if not _done(view, material, said.get(view.issue.id, Said())):
            return view.issue.id
    return None


def _done(view: IssueView, material: ReplyMaterial, said: Said) -> bool:
    heads = said.heads
    match view.state:
        case IssueState.HANDED_OFF:
            ticket = material.ticket(view.issue.id)
            return ("pass", "said") in heads if ticket else _not_passed(heads)
        case IssueState.HANDOFF_PENDING:
            return _not_passed(heads)
        case IssueState.SCHEDULED:
            return ("scheduled", "said") in heads or _took_effect(view, material)
        case IssueState.UNKNOWN:
            return ("recorded", "unsure") in heads
        case IssueState.AWAITING_CONFIRMATION:
            return _quote_shown(view, material, said)
        case IssueState.NEEDS_INPUT:
            if view.outcome is Outcome.ABSTAIN:
                return ("help", "unable") in heads or ("outside", "said") in heads
            return any(name in ASKS for name, _ in heads)
        case IssueState.EVIDENCE_READY:
            return said.about or (view.issue.type == "other" and bool(heads))


def _took_effect(view: IssueView, material: ReplyMaterial) -> bool:
    """Whether the account is on the scheduled plan already: then nothing is ahead that would have to be said."""
    rows = {row.claim.predicate: row.claim.value for row in material.ledger.of(view.issue.id)}
    return rows.get("scheduled_plan") is not None and rows.get("scheduled_plan") == rows.get("current_plan")


def _choice_of_seat(terms: ChangeTerms) -> bool:
    """Whether one seat stays while others end, so that the customer must see which."""
    return bool(terms.seats_ended) and printable(terms.designated_seat_id)


def _not_passed(heads: set[tuple[str, str]]) -> bool:
    return bool({("pass", "denied"), ("pass", "unable")} & heads)


def _quote_shown(view: IssueView, material: ReplyMaterial, said: Said) -> bool:
    """Every consequence of the quote is there: price, time, seats, features, data, refund, expiry, what confirms it."""
    quote = material.quote(view.issue.id)
    if quote is None:
        return said.about
    terms, zone = quote.terms, material.display_zone
    dates = [value for value in said.values if isinstance(value, Written)]
    moods = {"keep": "offered" if terms.data_retained else "denied"}
    return (
        any(isinstance(value, Amount) and value.cents == terms.price_cents for value in said.values)
        and any(same(date, terms.effective_at, zone) for date in dates)
        and any(same(date, quote.expires_at, zone) for date in dates)
        and (quote.quote_id in said.texts or not printable(quote.quote_id))
        and set(terms.features_lost) <= said.values
        and ("keep", moods["keep"]) in said.heads
        and bool({("end", "offered"), ("lose", "denied")} & said.heads)
        and ("stay", "offered") in said.heads
        and (terms.designated_seat_id in said.texts or not _choice_of_seat(terms))
        and {"refund", "confirm"} <= said.texts
    )
