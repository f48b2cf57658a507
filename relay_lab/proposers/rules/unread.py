"""What is left of a message in which nothing was found: somebody's matter, unless it is social throughout (scenarios: other)."""

from relay_lab.proposers.rules.clauses import Clause, Text
from relay_lab.proposers.rules.findings import Finding
from relay_lab.proposers.rules.tokens import WORD

SOCIAL = ("praise", "social_hello", "social_thanks", "social_assent")
_KIND, _SETTLED = ("praise", "social_thanks"), ("resolved", "stays")
_SHORT_WORD = 3


def topics_of(text: Text, clause: Clause) -> set[str]:
    """The topics that the clause names."""
    here = (name for index in range(clause.start, clause.end) for name in text.marks[index])
    return {name.partition(":")[2] for name in here if name.startswith("topic:")}


def unread(text: Text, settled: set[int]) -> list[Finding]:
    """A message of which nothing was understood is still somebody's: unless it is social throughout."""
    silent = text.said.isdisjoint((*SOCIAL, "resolved", "works", "just_saying"))
    serious = [c for c in text.clauses if c.index not in settled and _serious(text, c, silent)]
    if not text.said.isdisjoint((*_KIND, *_SETTLED)):
        open_topics = text.said.isdisjoint(_SETTLED)
        serious = [c for c in serious if _insists(text, c, open_topics)]
    if not serious:
        return []
    foreign = _foreign(text)
    away = not foreign and all(_elsewhere(text, c) for c in serious)
    about = False if away else None
    finding = Finding("other", serious[0].start, [], {"about_account": about}, {"unknown"})
    for clause in text.clauses if foreign else serious:
        finding.add(clause, clause.start, clause.end)
    return [finding]


def _insists(text: Text, clause: Clause, open_topics: bool) -> bool:
    """Whether the clause asks for something in a message that is kind or says that all is settled."""
    if clause.asks or clause.has("question", "problem", "anger"):
        return True
    if clause.has("directive"):
        return not clause.has("resolved")
    named = bool(topics_of(text, clause)) and not clause.has("done", "third_party")
    return open_topics and named


def _serious(text: Text, clause: Clause, silent: bool) -> bool:
    """Whether a clause asks, complains or names a matter, or says anything at all in a message without a courtesy."""
    asks = clause.asks or clause.has("question", "directive")
    if clause.has("resolved", "works", "stays") and not asks:
        return False
    if clause.has("just_saying") and not (clause.asks or clause.has("problem", "anger")):
        return False
    if clause.has("praise") and not clause.has("question", "directive", "problem", "anger", "undecided"):
        return False
    if not asks and clause.has("social_thanks", "praise") and not clause.has("problem", "anger"):
        return False
    if asks or clause.has("request", "problem", "anger"):
        return not _social(text, clause)
    if clause.has(*SOCIAL) and not clause.has("threat"):
        return False
    named = bool(text.classes("feature", clause.start, clause.end))
    return silent or named or bool(topics_of(text, clause)) or _strange(text, clause)


def _elsewhere(text: Text, clause: Clause) -> bool:
    """Whether the clause is about something outside the service: strange words, and none of the trade or of ours."""
    trade = topics_of(text, clause) - {"offtopic"} or (clause.has("own") and not clause.has("offtopic"))
    named = any(text.classes(name, clause.start, clause.end) for name in ("you", "feature", "plan"))
    words = [
        t for t in text.tokens[clause.start : clause.end] if t.kind == WORD and len(t.text) > _SHORT_WORD
    ]
    strange = clause.has("offtopic") or not all(clause.language.lexicon.knows(word) for word in words)
    return strange and not (trade or named)


def _social(text: Text, clause: Clause) -> bool:
    covered: set[int] = set()
    for name in ("social_hello", "social_thanks", "social_assent", "praise"):
        for match in clause.signals.get(name, ()):
            covered.update(range(match.start, match.end))
    for name in ("hello", "thanks", "assent", "praise", "please"):
        for index in text.classes(name, clause.start, clause.end):
            covered.update(range(index, index + max(text.marks[index][name])))
    return len(covered) * 2 >= clause.end - clause.start and not topics_of(text, clause)


def _strange(text: Text, clause: Clause) -> bool:
    words = [t for t in text.tokens[clause.start : clause.end] if t.kind == WORD]
    return bool(words) and clause.language.known(words) * 2 < len(words)


def _foreign(text: Text) -> bool:
    """Whether no language of ours knows half of the words."""
    words = [(clause.language, t) for clause in text.clauses for t in text.tokens[clause.start : clause.end]]
    words = [(language, token) for language, token in words if token.kind == WORD]
    return sum(language.lexicon.knows(token) for language, token in words) * 2 < len(words)
