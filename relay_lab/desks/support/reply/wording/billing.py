"""What is said about a charge that was made more than once (001 §5, §6)."""

from relay_lab.contracts.enums import IssueState, Outcome
from relay_lab.contracts.issues import BillingDuplicate
from relay_lab.contracts.ledger import LedgerRow
from relay_lab.contracts.record import Sentence
from relay_lab.desks.support.reply.ids import printable
from relay_lab.desks.support.reply.wording.english import count, listed, money
from relay_lab.desks.support.reply.wording.rows import Known, named, present, say, text, truth, whole

IF_IT_DIFFERS = "If this does not match what you see, I can pass it to the billing team."
NOT_SUBMITTED = "I have not submitted a refund."
TWO_WAYS = (
    "If you would like a refund, you can request it yourself in the verified refund flow of the billing team,"
    " or I can pass this to the billing team for you."
)
TWO_WAYS_ASKED = (
    "You can request the refund yourself in the verified refund flow of the billing team,"
    " or I can pass this to the billing team for you."
)
SHOWN_LINES = 6


def billing(known: Known) -> tuple[Sentence, ...]:
    """The charges, the finding, and what can be done about it; while it is with a specialist, the charges alone."""
    charges = tuple(
        sentence
        for row in known.rows("settled_charges")[:SHOWN_LINES]
        for sentence in present(_charges(known, row), _unsettled(known, row.claim.subject))
    )
    excess = next((row for row in known.rows("excess_captures") if (whole(row) or 0) > 0), None)
    if excess is not None:
        return (*charges, *_finding(known, excess))
    none = next((row for row in known.rows("duplicate_found") if truth(row) is False), None)
    if none is None:
        return charges
    opening = say("I found no duplicate charge in your billing records.", none)
    if known.view.state is not IssueState.EVIDENCE_READY:
        return (opening, *charges)
    return (opening, *charges, say(IF_IT_DIFFERS, known.state or none))


def _charges(known: Known, row: LedgerRow) -> Sentence | None:
    invoice, number = row.claim.subject, whole(row) or 0
    cents, currency, due = (
        known.row(name, invoice) for name in ("charge_cents", "currency", "invoice_due_cents")
    )
    ids = [name for name in row.evidence_ids if name != invoice and printable(name)][:SHOWN_LINES]
    ids = ids if len(ids) == number else []
    opening = named("Invoice", invoice, "Your invoice")
    what = "settled charge" if number == 1 else "settled charges"
    amount = ""
    if whole(cents) is not None and text(currency) is not None and number:
        amount = f" of {money(whole(cents) or 0, text(currency) or '')}" + (" each" if number > 1 else "")
    listing = f": {listed(ids)}" if ids else ""
    if number > 1 and whole(due) is not None and text(currency) is not None:
        once = money(whole(due) or 0, text(currency) or "")
        link = "but" if known.rows("excess_captures") else "and"
        return say(
            f"{opening} was due once, for {once}, {link} it has {count(number)} {what}{amount}{listing}.",
            row, due, cents, currency,
        )  # fmt: skip
    if number == 0:
        return say(f"{opening} has no settled charge.", row)
    return say(f"{opening} has {count(number)} {what}{amount}{listing}.", row, cents, currency)


def _unsettled(known: Known, invoice: str) -> Sentence | None:
    row = known.row("unsettled_charges", invoice)
    number = whole(row) or 0
    if row is None or number == 0:
        return None
    ids = [name for name in row.evidence_ids if name != invoice and printable(name)]
    listing = f": {listed(ids)}" if len(ids) == number else ""
    verb = "charge on this invoice has" if number == 1 else "charges on this invoice have"
    return say(f"{count(number).capitalize()} {verb} not settled{listing}.", row)


def _finding(known: Known, excess: LedgerRow) -> tuple[Sentence, ...]:
    record, number = excess.claim.subject, whole(excess) or 0
    reversed_, refunded = known.row("excess_reversed", record), known.row("excess_refunded", record)
    charge = "excess charge" if number == 1 else "excess charges"
    opening = named("Reconciliation record", record, "The reconciliation record")
    finding = f"{opening} confirms {count(number)} {charge}"
    done = [word for word, row in (("reversed", reversed_), ("refunded", refunded)) if truth(row) is True]
    if done:
        be = "it has been" if number == 1 else "they have been"
        return (say(f"{finding}, and shows that {be} {listed(done)}.", excess, reversed_, refunded),)
    if truth(reversed_) is None or truth(refunded) is None:
        return (say(f"{finding}.", excess),)
    be = "it has not been" if number == 1 else "they have not been"
    told = say(f"{finding}, and shows that {be} reversed or refunded.", excess, reversed_, refunded)
    return (told, *_ways(known, excess))


def _ways(known: Known, excess: LedgerRow) -> tuple[Sentence, ...]:
    eligible = known.row("refund_eligible")
    none_yet = say(NOT_SUBMITTED, known.state or excess)
    if eligible is None:
        return (none_yet,)
    word = "eligible" if truth(eligible) else "not eligible"
    policy = named("refund policy", eligible.claim.subject, "the refund policy")
    these = "this charge is" if whole(excess) == 1 else "these charges are"
    rule = say(f"Under {policy}, {these} {word} for a refund.", eligible)
    if known.view.state is not IssueState.EVIDENCE_READY or not truth(eligible):
        return (rule, none_yet)
    issue = known.view.issue
    if isinstance(issue, BillingDuplicate) and issue.refund_requested is False:
        return (rule, none_yet)
    asked = known.view.outcome is Outcome.VERIFIED_SELF_SERVICE or (
        isinstance(issue, BillingDuplicate) and issue.refund_requested is True
    )
    return (rule, none_yet, say(TWO_WAYS_ASKED if asked else TWO_WAYS, eligible, known.state))
