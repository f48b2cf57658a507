"""The plan that stands alone: the only one that a clause which asks for something names, and no word of doubt beside it.

The listed forms of a request cannot list every way of asking. What this form needs instead is that nothing else is there: no
second plan, no present plan, no doubt, condition, report, refusal or joke in the sentence. It counts only where the trained
part knows the clause for a wish for a change as well (001 §2).
"""

from collections.abc import Sequence

from relay_lab.proposers.rules.clauses import Clause, Match, Text
from relay_lab.proposers.rules.findings import near, sentence
from relay_lab.proposers.rules.plans import named, role
from relay_lab.proposers.rules.resolver import END, Candidate

_DOUBT = (
    "undecided", "condition", "conditional", "hypothetical", "told", "reporting", "others_wish", "third_party", "weighed",
    "unplain", "end_unplain", "not_change", "not_sure_change", "stays", "howto", "only_asking", "threat", "done", "either",
    "seats", "prospect", "correction", "plan_past", "plan_not", "change_think", "question", "duplicate", "injection",
)  # fmt: skip
_ASKS = (
    "change_ask", "plan_target", "plan_plain", "plan_pick", "plan_sure", "plan_alone", "request", "directive", "polite",
    "cancel_ask", "end_plain", "cancel_bare", "renewal_tie", "asked",
)  # fmt: skip

_REACH = 2
"""Doubt so many clauses away counts too."""


def standing_alone(text: Text, clauses: Sequence[Clause]) -> Candidate | None:
    """The only plan that these clauses name, or the end where they name none."""
    found = [one for clause in clauses for one in _named(text, clause)]
    around = [part for clause in clauses for part in (*sentence(text, clause), *near(text, clause, _REACH))]
    doubted = any(part.has(*_DOUBT) for part in around)
    asked = any(clause.has(*_ASKS) for clause in clauses)
    return found[0] if asked and not doubted and len({one.value for one in found}) == 1 else None


def _named(text: Text, clause: Clause) -> list[Candidate]:
    plans = [Candidate(plan, clause, match) for plan, match in named(text, clause)]
    if plans:
        return [one for one in plans if role(clause, one.match) not in ("current", "past")]
    end: Match | None = clause.first("end_plain") or clause.first("cancel_ask")
    return [Candidate(END, clause, end)] if end else []
