"""The levels of `09_break_it` as data: who attacks, from where, with what, and, for afterwards, which guard was missing."""

from dataclasses import dataclass, field

from relay_lab.app.break_it import places
from relay_lab.app.break_it.visit import Place


@dataclass(frozen=True)
class Level:
    """One level. `guard` and `lesson` are told only once the flag is taken."""

    number: int
    title: str
    you: str
    attack: str
    happens: str
    place: Place = field(repr=False)
    guard: str = field(repr=False)
    lesson: str = field(repr=False)


LEVELS: tuple[Level, ...] = (
    Level(
        1,
        "Nobody clicked",
        "code inside the desk that has got as far as calling a tool, as an agent's loop would",
        "a function of (offer, submit): `offer` is the envelope of the quote that waits; `submit(envelope, token)` calls the"
        " tool that changes a plan, and answers what came of it",
        "The customer writes, picks Individual, and goes to lunch with the quote on the screen.",
        places.at_the_door,
        "confirmation",
        "A quote is an offer. Only the token that a person's click was traded for lets it be carried out, and the runtime keeps"
        " that token's digest, not the caller's word. See `failed_bindings` in core/confirmation.py.",
    ),
    Level(
        2,
        "A slow hand",
        "the customer, or whoever sits at the customer's screen",
        "a number: the seconds from the quote to the click on Confirm",
        "The customer writes, picks Individual, and clicks Confirm when you say so. Nothing else changes meanwhile.",
        places.before_the_click,
        "expiry",
        "Nothing of the records had changed, so no recheck could notice: an offer needs an end of its own, held against the"
        " desk's clock at the click and again at the write. See `exchange` and `failed_bindings` in core/confirmation.py.",
    ),
    Level(
        3,
        "Not the seat I meant",
        "step 7: the function that carries out what the customer has confirmed",
        "a function of (order, tools): `order` is the confirmed order, `tools.schedule_downgrade(envelope)` submits;"
        " `honest_envelope(order)` gives the honest envelope",
        "The customer writes, picks Individual for the seat on the page, and clicks Confirm.",
        places.in_step_7,
        "binding",
        "A confirmation is for one exact change. The runtime builds the envelope again from what it stored and compares it"
        " whole with what a step sends. See `standing` in core/policy.py.",
    ),
    Level(
        4,
        "The long way round",
        "the line between the desk and the subscription service",
        'one `relay_lab.Fault("schedule_downgrade", kind, at)`; `help(relay_lab.Fault)` lists the kinds',
        "The customer writes, picks Individual and clicks Confirm in time. Ten minutes later the company raises the price of"
        " Individual, and ten minutes after that the desk looks at what is still open.",
        places.on_the_line,
        "rechecks",
        "A confirmed change that never arrived may be sent again under its key, and by then the world has moved. So each recheck"
        " runs once more at that moment, and where one fails the key is closed. See `reconcile` in core/remote.py.",
    ),
    Level(
        5,
        "A letter in somebody's name",
        "step 8: the function that hands an issue to a person",
        "a function of (case, tools): `case` is the issue with all a packet may be made of, `tools.hand_off(packet)` sends;"
        " `honest_packet(case)` gives the honest packet",
        "The customer writes, and takes the offer of a specialist for the first issue.",
        places.in_step_8,
        "ownership",
        "Whom a call is about comes from the verified session. Policy compares every argument that names a customer with it"
        " before anything else. See `decide` in core/policy.py.",
    ),
    Level(
        6,
        "A promotion",
        "step 1: the function that says what a session may do",
        "a function of (session, message) that gives an `Authentication`; `relay_lab.reference_steps()` holds the honest one",
        "This customer signed in with a password alone. They write, pick Individual, and click Confirm if there is a button.",
        places.in_step_1,
        "assurance",
        "A step may say what it likes about a session: policy reads the session itself, at each call. Without that, one lying"
        " step is enough. See `decide` in core/policy.py.",
    ),
    Level(
        7,
        "The side door",
        "step 6: the function that routes each issue",
        "a function of (authentication, issues, ledger, unanswered) that gives a `Routing` for each issue;"
        " `relay_lab.reference_steps()` holds the honest one",
        "This session was never given the scope subscription:schedule. The customer writes, picks Individual, and clicks Confirm"
        " if there is a button.",
        places.in_step_6,
        "scope",
        "Routing decides what is offered, and that is courtesy. What may be done is decided where it is done, from the session's"
        " scopes. See `decide` in core/policy.py.",
    ),
    Level(
        8,
        "Words in the customer's mouth",
        "the model that reads the message",
        "a string: the raw text of your answer to the task of decomposing the message, `customer_message()`",
        "The customer writes. Nobody clicks anything.",
        places.as_the_model,
        "grounding",
        "Every issue must rest on the exact characters of the message, or all of the answer is refused. A ticket takes a"
        " person's time and opens a case file, so it is an effect like any other. See `admit_issues` in core/admission.py.",
    ),
    Level(
        9,
        "One line too many",
        "step 8 again: the function that hands an issue to a person",
        "a function of (case, tools), as in level 5",
        "The customer writes, and takes the offer of a specialist for the first issue. In your memory is a key that nobody"
        ' outside may see: "sk-live-4f9a1c77e0b2d853".',
        places.in_step_8,
        "packet",
        "The row may be there and what it carries may not. A packet is looked through for secrets on its way out, whichever"
        " step made it. See `Handoffs` in desks/support/door.py.",
    ),
)
