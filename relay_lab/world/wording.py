"""How generated customers write: phrases for each kind of issue, and the ways of putting several into one message.

A phrase is a clause without its last full stop. `{month}`, `{when}` and the like bring their own leading blank or are empty.
"""

from dataclasses import dataclass

from relay_lab.contracts.enums import Feature
from relay_lab.world.dice import Dice

DUPLICATES = (
    "I was billed twice{month} for the {plan} plan",
    "my bank shows two payments of {amount} to you{month}, and I owe only one",
    "it looks like the same invoice was paid two times{month}",
    "you took the money for our {plan} subscription twice{month}",
    "the {plan} plan was charged to my card two times{month}",
    "I think I have paid one and the same bill twice{month}",
    "there is a second charge for the same invoice{month}",
    "I see a duplicate charge on my statement{month}",
)
REFUND_ASKED = (
    "please refund the extra payment",
    "I want the second payment back",
    "please send the extra money back to my card",
    "I would like a refund for the duplicate",
)
REFUND_DECLINED = (
    "I don't need a refund, I only want to know what happened",
    "I am not asking for a refund, just for an explanation",
    "no refund needed, just tell me why",
)

NO_ACCESS = (
    "I can't open {feature}",
    "{feature} can't be found in my workspace",
    "I no longer have access to {feature}",
    "I can't use {feature} any more",
    "I am unable to get into {feature}",
    "I don't see {feature} anywhere in my account",
)
NO_ACCESS_UNNAMED = (
    "I can't open one of the features I need",
    "I have lost access to a feature that I used every day",
    "there is a feature in the product that I can't get into",
)
FEATURE_WORDS: dict[Feature, tuple[str, ...]] = {
    Feature.GANTT_CHART: ("the Gantt chart", "the new Gantt charts"),
    Feature.CALENDAR_VIEW: ("the calendar view",),
    Feature.TIME_TRACKING: ("time tracking", "the time tracking feature"),
    Feature.AUTOMATIONS: ("automations", "the automations"),
    Feature.GUEST_ACCESS: ("guest access", "the guest access feature"),
    Feature.API_ACCESS: ("API access", "the API access"),
}

SMALLER_PLAN = (
    "I want to move to a cheaper plan{when}",
    "I need to downgrade{when}",
    "please put me on a smaller plan{when}",
    "I would like to change to something less expensive{when}",
)
NAMED_PLAN = (
    "please switch me to the {target} plan{when}",
    "I want to change to the {target} plan{when}",
    "please move my subscription to {target}{when}",
)
HIGHER_PLAN = ("please upgrade me to the {target} plan{when}", "I want to upgrade to {target}{when}")
CANCEL = (
    "I want to cancel my subscription{when}",
    "please cancel my plan{when}",
    "I would like to end my subscription{when}",
)
BEFORE_RENEWAL = (
    " before it renews",
    " before the next renewal",
    " before my next bill",
    " before the current billing period ends",
)
NO_DEADLINE = ("", "", " as soon as possible", " after the renewal")

A_PERSON = (
    "I would like to talk to a real person",
    "please connect me to a human agent",
    "I want to speak with a human",
    "please let a real person look at this",
)
ABOUT_ACCOUNT = (
    "the company name on my invoices is wrong",
    "I need to change the email address of my account",
    "the amount I pay every month is twice what it was in spring",
    "I was charged again after I had cancelled my second workspace",
    "I would like two more seats in my workspace",
    "my VAT number is missing from the receipts",
)
OUTSIDE = (
    "what will the weather be like in Oslo tomorrow?",
    "can you recommend a good restaurant near the central station?",
    "please write me a short poem about autumn",
    "who won the football match yesterday?",
    "how do I repair a dripping tap?",
)

GREETINGS = ("", "", "Hi,", "Hello,", "Good morning,", "Dear support team,", "Hey there!", "Helo,")
CLOSINGS = ("", "", "Thanks!", "Thank you in advance.", "Kind regards", "Best wishes, Robin", "Many thnaks!")


@dataclass(frozen=True)
class Clause:
    """What is written for one issue: its clause, and what follows on it as a sentence of its own (may be empty)."""

    text: str
    follow_up: str = ""


@dataclass(frozen=True)
class Written:
    """A message, and for each clause the exact characters of the message that it became."""

    message: str
    spans: tuple[str, ...]


def compose(dice: Dice, clauses: list[Clause]) -> Written:
    """One message out of the clauses, in their order: as sentences, paragraphs, a list, or one long run-on."""
    questions = any(clause.text.endswith("?") for clause in clauses)
    shapes = [("sentences", 4.0), ("paragraphs", 1.0), ("numbers", 1.0), ("dashes", 0.7)]
    shape = dice.weighted(shapes if questions or len(clauses) == 1 else [*shapes, ("run_on", 2.5)])
    greeting, closing = dice.one_of(GREETINGS), dice.one_of(CLOSINGS)
    if shape == "run_on":
        spans = [_joined(clause) for clause in clauses]
        body = ", ".join(spans[:-1]) + f" and {spans[-1]}."
        if not greeting:
            # The first letter belongs to the first span.
            spans[0] = _capital(spans[0])
            body = _capital(body)
    else:
        spans = [_sentences(clause) for clause in clauses]
        body = _laid_out(shape, spans)
    between = "\n" if shape in {"numbers", "dashes"} else dice.one_of((" ", " ", "\n\n"))
    message = between.join(part for part in (greeting, body, closing) if part)
    return Written(message, tuple(spans))


def _laid_out(shape: str, spans: list[str]) -> str:
    match shape:
        case "paragraphs":
            return "\n\n".join(spans)
        case "numbers":
            return "\n".join(f"{number}. {span}" for number, span in enumerate(spans, start=1))
        case "dashes":
            return "\n".join(f"- {span}" for span in spans)
        case _:
            return " ".join(spans)


def _sentences(clause: Clause) -> str:
    parts = [clause.text, clause.follow_up] if clause.follow_up else [clause.text]
    return " ".join(_capital(part) + ("" if part.endswith("?") else ".") for part in parts)


def _joined(clause: Clause) -> str:
    return f"{clause.text}, {clause.follow_up}" if clause.follow_up else clause.text


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
