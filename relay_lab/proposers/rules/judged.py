"""What the trained part makes of the rules' findings: which issues there are, and which slots hold (001 §2).

It may add an issue, drop one, or empty a slot. A plan it never makes: one is stated in a listed form, or stands alone in a clause
that it knows for a wish, and it can take either away.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from relay_lab.proposers.rules.alone import standing_alone
from relay_lab.proposers.rules.billing import refund
from relay_lab.proposers.rules.changes import wished
from relay_lab.proposers.rules.classifier import CLAUSE, MESSAGE, Classifier
from relay_lab.proposers.rules.clauses import Clause, Text
from relay_lab.proposers.rules.cues import Cues, Reading, weighed
from relay_lab.proposers.rules.features import mentions
from relay_lab.proposers.rules.findings import Finding
from relay_lab.proposers.rules.tokens import WORD

_LIKELY = 0.35
"""A clause states a type that the message has when it scores so much, or is the likeliest."""
_SURE, _SURE_MESSAGE = 0.75, 0.85
"""So much a clause, and the message, have to score as a wish for a change before a plan in it counts."""

_GIVING_BACK = {"refund", "refund_verb", "back_verb", "reverse"}


class Scores(NamedTuple):
    """The scores of each weighed clause, and of the message."""

    clauses: list[dict[str, float]]
    message: dict[str, float]


def judged(text: Text, read: Reading, trained: Classifier) -> list[Finding]:
    """The findings that stand: those of the rules in a very long message and in a language that was not learned."""
    unseen = any(clause.language.name not in trained.languages for clause in text.clauses)
    if not text.clauses or unseen or len(text.clauses) > len(weighed(text)):
        return read.found
    scores = _scored(text, read, trained)
    if sum(token.kind == WORD for token in text.tokens) < 2:
        # A single word is too little to find an issue in, and enough to see that it is none.
        return [] if scores.message["nothing"] > trained.limits["nothing"] else read.found
    return decided(text, read, scores, trained.limits)


def decided(text: Text, read: Reading, scores: Scores, limits: dict[str, float]) -> list[Finding]:
    """The findings that stand by these scores."""
    return _Judge(text, read, scores, limits).findings()


def _scored(text: Text, read: Reading, trained: Classifier) -> Scores:
    cues = Cues(text, read)
    rows = [trained.clause.scores(cues.of_clause(clause)) for clause in weighed(text)]
    whole = trained.message.scores(cues.of_message(rows))
    return Scores(
        [dict(zip(CLAUSE, row, strict=True)) for row in rows], dict(zip(MESSAGE, whole, strict=True))
    )


def sure(text: Text, column: Sequence[float]) -> list[Clause]:
    """The clauses that surely wish for a change, by their scores for one."""
    return [text.clauses[index] for index, score in enumerate(column) if score >= _SURE]


class _Judge:
    """One message: what the rules found, the scores, and the decisions on them."""

    def __init__(self, text: Text, read: Reading, scores: Scores, limits: dict[str, float]) -> None:
        self._text, self._read, self._scores, self._limits = text, read, scores, limits
        self._taken: set[int] = set()

    def findings(self) -> list[Finding]:
        found = [*self._billing(), *self._change(), *self._person(), *self._features()]
        wanted = sum(self._holds(name) for name in ("other", "other_2", "other_3"))
        if not (found or wanted) and not self._holds("nothing"):
            wanted = 1
        return found + self._others(wanted)

    def _holds(self, name: str) -> bool:
        return self._scores.message[name] > self._limits[name]

    def _of_rules(self, name: str) -> list[Finding]:
        return [finding for finding in self._read.found if finding.type == name]

    def _column(self, name: str) -> list[float]:
        return [row[name] for row in self._scores.clauses]

    def _stating(self, name: str) -> list[Clause]:
        """The clauses that state the type: the likeliest, and every other that is likely; taken from then on."""
        column = self._column(name)
        least = max(min(_LIKELY, max(column)), max(column) / 2)
        chosen = [self._text.clauses[index] for index, score in enumerate(column) if score >= least]
        self._taken.update(clause.index for clause in chosen)
        return chosen

    def _opened(self, name: str, slots: dict[str, Any], clauses: Sequence[Clause]) -> Finding:
        finding = Finding(name, clauses[0].start, [], slots)
        for clause in clauses:
            finding.add(clause, clause.start, clause.end)
        return finding

    def _billing(self) -> list[Finding]:
        if not self._holds("billing_duplicate"):
            return []
        stating, found = self._stating("billing_duplicate"), self._of_rules("billing_duplicate")
        if not found:
            found = [self._opened("billing_duplicate", {"refund_requested": None}, stating[:1])]
            refund(self._text, found[0])
        found[0].slots["refund_requested"] = self._refund(found[0].slots["refund_requested"])
        return found

    def _refund(self, ruled: bool | None) -> bool | None:
        """Whether the money is asked back; without a word of giving back it is not, whatever the scores are."""
        said = any(not _GIVING_BACK.isdisjoint(marks) for marks in self._text.marks)
        if not said:
            return ruled
        if self._holds("refund_declined"):
            return False
        return True if self._holds("refund") and (ruled or "refund_ask" in self._text.said) else None

    def _person(self) -> list[Finding]:
        if not self._holds("human_request"):
            return []
        found = self._of_rules("human_request")
        if not found and any("human_not" in clause.signals for clause in self._text.clauses):
            return []
        stating = self._stating("human_request")
        return found or [self._opened("human_request", {}, stating[:1])]

    def _change(self) -> list[Finding]:
        if not self._holds("subscription_change"):
            return []
        stating, found = self._stating("subscription_change"), self._of_rules("subscription_change")
        ruled, found = bool(found), found or [wished(self._text, stating, self._read.voided)]
        slots = found[0].slots
        # Where the rules know the wish, they have looked for what it states; what they leave open stays open.
        if slots["target_plan"] is None and not ruled:
            named = standing_alone(self._text, sure(self._text, self._column("subscription_change")))
            if named is not None:
                slots["target_plan"] = named.value
                found[0].add(named.clause, named.match.start, named.match.end)
        if not (self._holds("stated") and self._surely_wishes()):
            slots["target_plan"] = None
        if "renewal_said" in self._text.said:
            slots["deadline"] = "before_renewal" if self._holds("before_renewal") else None
        return found

    def _surely_wishes(self) -> bool:
        """Whether the message and one of its clauses surely wish for a change: short of that no plan is stated."""
        return self._scores.message["subscription_change"] >= _SURE_MESSAGE and bool(
            sure(self._text, self._column("subscription_change"))
        )

    def _features(self) -> list[Finding]:
        if not self._holds("feature_access"):
            return []
        found: dict[str | None, Finding] = {}
        ruled = {finding.slots["feature"]: finding for finding in self._of_rules("feature_access")}
        for clause in self._stating("feature_access"):
            named = {mention.feature: mention.at for mention in mentions(self._text, clause)}
            meant = {name: f.at for name, f in ruled.items() if name and clause.index in f.clauses}
            for name, at in (named or meant or {None: clause.start}).items():
                new = Finding("feature_access", at, [(at, at + 1)], {"feature": name}, clauses={clause.index})
                found.setdefault(name, ruled.get(name) or new)
        if len(found) > 1:
            found.pop(None, None)
        return list(found.values())

    def _others(self, wanted: int) -> list[Finding]:
        """So many, at the clauses that are the likeliest beginnings and state nothing else."""
        begins = {
            index: row["begins"]
            for index, row in enumerate(self._scores.clauses)
            if index not in self._taken
            or any(index in finding.clauses for finding in self._of_rules("other"))
        }
        places = sorted(begins, key=lambda index: -begins[index])[:wanted]
        return [self._other(index) for index in sorted(places)]

    def _other(self, index: int) -> Finding:
        outside = self._scores.clauses[index]["outside"] > self._limits["outside"]
        ours = any(f.slots["about_account"] and index in f.clauses for f in self._of_rules("other"))
        about = False if outside else (True if ours else None)
        return self._opened("other", {"about_account": about}, [self._text.clauses[index]])
