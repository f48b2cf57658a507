"""Whether a target is stated plainly: the customer's own request in a form that the language's data lists (001 §2).

The list is of what counts. Whatever is said in any other way may be a wish, but the target it names is not stated.
"""

from relay_lab.proposers.rules.clauses import Clause, Match, Text
from relay_lab.proposers.rules.findings import near, overlap, sentence


def plainly_ends(text: Text, clause: Clause) -> bool:
    """Whether the clause asks for the subscription's end in a listed form, and nothing later takes it back."""
    plain = clause.has("end_plain") and not clause.has("end_unplain")
    if not plain or (clause.asks and not asks_to_do(text, clause)) or _means_another(text, clause):
        return False
    later = text.clauses[clause.index + 1 :]
    return earnest(text, clause) and not any(c.has("end_unplain", "stays") for c in later)


def plainly_picks(text: Text, clause: Clause, plan: Match) -> bool:
    """Whether a listed form of request reaches the plan, or the clause is the plan alone."""
    forms = clause.signals.get("plan_plain", ())
    reached = clause.has("plan_alone") or any(overlap(form, plan) for form in forms)
    return reached and earnest(text, clause)


def asks_to_do(text: Text, clause: Clause) -> bool:
    """Whether a question is one to do it (`could you`), in the words of the clause or of the one it goes on from."""
    before = [c for c in near(text, clause, 1) if c.index < clause.index and c.sentence == clause.sentence]
    return any(c.has("asked") for c in (*before, clause))


def earnest(text: Text, clause: Clause) -> bool:
    """Whether the clause is neither conditional nor a joke, nor told of somebody, nor only weighed."""
    whole = sentence(text, clause)
    unplain = any(c.has("unplain") for c in whole) and not any(c.has("courtesy_if") for c in whole)
    return not (unplain or clause.has("weighed") or told(text, clause))


def told(text: Text, clause: Clause) -> bool:
    """Whether somebody else is said to say this: in the clause, in the one it goes on from, or before a colon."""
    whole = [c for c in sentence(text, clause) if c.index < clause.index]
    before = [c for c in whole if c.opens or c.index == clause.index - 1]
    return any(c.has("told") for c in (*before, clause))


def _means_another(text: Text, clause: Clause) -> bool:
    """Whether a pronoun is all that says what is to end, and the words before it speak of another thing (`cancel it`)."""
    if not clause.has("end_it") or text.classes("cancel_obj", clause.start, clause.end):
        return False
    before = [c for c in near(text, clause, 2) if c.index < clause.index]
    return any(text.classes("cancel_other", c.start, c.end) for c in before)
