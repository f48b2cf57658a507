"""What a draft of a reply may not say: every sentence of it is held against the ledger."""

import json
from collections.abc import Callable, Iterator

from relay_lab.app.guard_checks.base import check, differs
from relay_lab.app.lab import Parts, open_lab
from relay_lab.contracts.proposals import ProposalRequest
from relay_lab.contracts.record import Sentence
from relay_lab.proposers.rules import rules_proposer

Draft = list[Sentence]


def refused(change: Callable[[Draft], Draft]) -> str | None:
    """The code with which a draft is refused: the desk's own reply to the fixture's message, changed."""
    with open_lab() as lab:
        run = lab.say(lab.scenario.message)
        own = list(run.record.replies[-1].sentences) if run.record else []
    document = json.dumps({"sentences": [sentence.model_dump(mode="json") for sentence in change(own)]})
    rules = rules_proposer()

    def propose(request: ProposalRequest) -> str:
        return document if request.task == "draft_reply" else rules(request)

    with open_lab(parts=Parts(propose=propose)) as lab:
        record = lab.say(lab.scenario.message).record
    return record.replies[-1].refused_draft if record else None


def adding(text: str, *claim_ids: str) -> Callable[[Draft], Draft]:
    """The draft with one more sentence at its end."""
    return lambda own: [*own, Sentence(text=text, claim_ids=claim_ids)]


def saying(old: str, new: str) -> Callable[[Draft], Draft]:
    """The draft with other words in the place of some."""
    return lambda own: [each.model_copy(update={"text": each.text.replace(old, new)}) for each in own]


@check("reply")
def the_desks_own_words() -> Iterator[str]:
    """A draft that says what the desk itself would say is taken."""
    yield from differs("the desk's own words", refused(lambda own: own), None)


@check("reply")
def the_last_sentence() -> Iterator[str]:
    """A draft is refused for its last sentence as it is for its first."""
    came = refused(adding("Your refund has been issued.", "I1-S"))
    yield from differs("a refund at the end", came, "early_completion")


@check("reply")
def a_sentence_in_the_middle() -> Iterator[str]:
    """A draft is refused for a sentence in its middle."""
    false = Sentence(text="Your refund has been issued.", claim_ids=("I1-S",))
    came = refused(lambda own: [*own[:4], false, *own[4:]])
    yield from differs("a refund in the middle", came, "early_completion")


@check("reply")
def an_issue_left_out() -> Iterator[str]:
    """A draft that says nothing of an issue is refused."""
    came = refused(lambda own: [each for each in own if not each.claim_ids[0].startswith("I2")])
    yield from differs("an issue left out", came, "issue_unaddressed")


@check("reply")
def claims_of_two_issues() -> Iterator[str]:
    """A sentence does not mix the claims of two issues."""
    came = refused(adding("I have not submitted a refund.", "I1-S", "I2-S"))
    yield from differs("two issues in one sentence", came, "foreign_claim")


@check("reply")
def a_claim_that_is_not_there() -> Iterator[str]:
    """A sentence cites claims of the ledger only."""
    came = refused(adding("I have not submitted a refund.", "I1-S", "I1-C99"))
    yield from differs("an unknown claim", came, "unknown_claim")


@check("reply")
def another_amount() -> Iterator[str]:
    """An amount is that of the claims that are cited."""
    yield from differs("another amount", refused(saying("USD 49", "USD 94")), "ungrounded_amount")


@check("reply")
def another_day() -> Iterator[str]:
    """An instant is that of the claims that are cited."""
    came = refused(saying("11 September 2026", "18 September 2026"))
    yield from differs("another day", came, "ungrounded_date")


@check("reply")
def a_promise() -> Iterator[str]:
    """A sentence promises nothing."""
    came = refused(adding("I will submit a refund.", "I1-S"))
    yield from differs("a promise", came, "promise")


@check("reply")
def thanks_with_a_fact_in_it() -> Iterator[str]:
    """A courtesy that states something needs a claim for it."""
    came = refused(adding("Thank you, I have not submitted a refund."))
    yield from differs("refusing a fact in a courtesy", came is not None, True)


@check("reply")
def a_sentence_without_end() -> Iterator[str]:
    """A sentence of more than a thousand characters is refused, however true."""
    came = refused(adding(" ".join(["I have not submitted a refund."] * 40), "I1-S"))
    yield from differs("a very long sentence", came, "forbidden_content")
