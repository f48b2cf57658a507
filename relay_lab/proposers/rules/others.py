"""Everything else that is asked or complained of: never dropped (scenarios: other)."""

from relay_lab.proposers.rules.clauses import Clause, Text
from relay_lab.proposers.rules.findings import Finding, sentence
from relay_lab.proposers.rules.unread import SOCIAL, topics_of, unread

_OWN_TOPICS = {"invoice", "charge", "payment_method", "login", "profile", "seats"}
_SOLD = {"feature", "pricing", "plan_question", "app", "integration", "account", "data"}
_COVERED = {
    "billing_duplicate": {"charge", "plan_question"},
    "subscription_change": {"plan_question"},
    "feature_access": {"plan_question", "app", "account", "feature"},
    "human_request": {"account"},
}
_REASONS = {"charge", "pricing", "plan_question", "app", "account"}
"""Topics that, said beside another matter in one sentence, give its reason."""
_ELABORATES = {"charge", "pricing", "app", "hypothetical", "howto"}
"""Topics that `when`, `why` and `how long`, asked right beside another matter, ask about that matter."""
_REPEATED = ("duplicate", "duplicate_weak")
_MONEY = {"charge", "pricing"}
_SEPARATE = {"explained", "hypothetical", "undo"}
_DISTANCE = 3
_FACT = 2
_FACTS = {"profile", "payment_method"}
"""Topics of which a changed fact, told beside another matter, is told to be entered (`also, our address is new`)."""
_HEADING = 3
"""`Invoice address please change`: so short a clause before a bare request names what it is for."""
_OPEN = 6
_MOST = 20


def others(
    text: Text, found: list[Finding], voided: dict[int, str], elsewhere: dict[int, set[str]]
) -> list[Finding]:
    """One finding for each further matter, in order."""
    rest: list[Finding] = []
    taken = {index for finding in found for index in finding.clauses}
    for clause in text.clauses:
        if not (clause.signals or clause.asks or _adds(text, clause)):
            continue
        topics = _matter(
            text,
            clause,
            voided.get(clause.index, ""),
            elsewhere.get(clause.index, set()),
            clause.index in taken,
        )
        topics = _stated_before(text, clause, topics, taken) or topics
        topics = _uncovered(text, clause, topics, found)
        if topics and len(rest) < _MOST:
            _file(text, clause, topics, rest)
    if found or len(rest) > 1:
        rest = [finding for finding in rest if finding.topics != {"injection"}]
    if not rest and not found:
        settled = {i for i, said in elsewhere.items() if any(entry.startswith("works:") for entry in said)}
        settled |= {i for i, reason in voided.items() if reason == "stays"}
        if not text.said.isdisjoint(SOCIAL) and not any(clause.asks for clause in text.clauses):
            settled |= {i for i, reason in voided.items() if reason == "third_party"}
        rest = unread(text, settled)
    return rest


def _matter(text: Text, clause: Clause, reason: str, said: set[str], taken: bool) -> set[str]:
    """The topics of what the clause asks or complains of; empty when it does neither, or a finding rests on it."""
    topics = topics_of(text, clause)
    if text.classes("feature", clause.start, clause.end):
        topics.add("feature")
    if clause.has("injection"):
        return {"injection"}
    if taken:
        return set()
    if reason:
        return _no_wish(clause, reason, topics)
    bugs = {entry for entry in said if not entry.startswith("works:")}
    if said:
        return bugs
    if clause.has(*_REPEATED) and topics and not clause.has("no_duplicate", "resolved"):
        return {"charge", "explained"}
    if clause.has("refund_decline", "resolved", "works", "points_below") and not clause.asks:
        return set()
    asks = clause.asks or clause.has("question", "problem", "directive", "misbehaves")
    tells = _adds(text, clause) and clause.has("own") and not clause.has("just_saying")
    asks = asks or (tells and bool(topics & _FACTS))
    if clause.has("done", "after_cancel") and not (asks or "charge" in topics):
        return set()
    wishes = clause.has("request") and not clause.has("just_saying") and bool(topics - _REASONS)
    asked = clause.asks and clause.has("question")
    if clause.has("praise") and not (asked or clause.has("directive", "problem")):
        return set()
    if clause.has("offtopic") and (asks or wishes) and not topics & _OWN_TOPICS:
        return {"offtopic"}
    return topics - {"offtopic"} if asks or wishes else set()


def _adds(text: Text, clause: Clause) -> bool:
    """Whether the clause is introduced as one thing more."""
    return bool(text.classes("adds", clause.start, clause.start + 1))


def _stated_before(text: Text, clause: Clause, topics: set[str], taken: set[int]) -> set[str]:
    """The topics of the fact just before that this bare request rests on (`we have moved house. Please change that`)."""
    if topics - {"account"} or clause.index in taken or not clause.has("directive"):
        return set()
    for before in reversed(text.clauses[max(0, clause.index - _FACT) : clause.index]):
        if before.index in taken:
            return set()
        facts = topics_of(text, before)
        heads = before.sentence == clause.sentence and before.end - before.start <= _HEADING
        if not heads:
            facts &= _FACTS
        if facts and not before.has("resolved", "works", "praise"):
            return facts
    return set()


def _no_wish(clause: Clause, reason: str, topics: set[str]) -> set[str]:
    """The topics of a clause that speaks of a change without wishing for it, for the reason given."""
    match reason:
        case "howto":
            return {"howto", "plan_question", *(topics & _OWN_TOPICS)}
        case "hypothetical":
            return {"hypothetical", *topics}
        case "seats":
            return {"seats"}
        case "stays":
            return set()
        case "elsewhere":
            return {"plan_question", "undo"}
        case _:
            return topics if clause.asks or clause.has("question") else set()


def _uncovered(text: Text, clause: Clause, topics: set[str], found: list[Finding]) -> set[str]:
    """The topics without those that a finding close by is about already."""
    left = set(topics)
    if clause.has("follow_up") and topics <= _ELABORATES and any(f.reaches(clause.index, 2) for f in found):
        return set()
    if _follows_from(text, clause, found) or _explained_by(text, clause, found):
        return set()
    asks = (clause.asks and not clause.has("gives_reason")) or clause.has("question", "directive")
    added = bool(text.classes("adds", clause.start, clause.start + 1))
    for finding in found:
        wish = not clause.has("problem")
        reason = (topics <= _REASONS or (wish and not topics & _OWN_TOPICS)) and not asks
        if reason and _beside(text, clause, finding, added):
            return set()
        if finding.reaches(clause.index, _DISTANCE) and not topics & _SEPARATE:
            left -= _COVERED[finding.type]
            if finding.type == "subscription_change" and ("howto" in topics or not asks):
                left -= {"howto", "pricing", "charge"}
            more = added and clause.has("request")
            if finding.type == "billing_duplicate" and not (more or clause.has("problem")):
                left -= {"invoice", "payment_method", "account"}
    return left if left - {"account"} or not found else set()


def _follows_from(text: Text, clause: Clause, found: list[Finding]) -> bool:
    """Whether the clause says what comes of a matter that stands before it in the sentence, and asks for nothing."""
    if clause.asks or clause.has("directive"):
        return False
    whole = [c for c in sentence(text, clause) if c.index <= clause.index]
    return any(c.has("consequence") for c in whole[-3:]) and any(
        c.index in finding.clauses for c in whole[-4:-1] for finding in found
    )


def _explained_by(text: Text, clause: Clause, found: list[Finding]) -> bool:
    """Whether the next clause gives the reason, and is a matter itself (`she cannot join because guests are locked`)."""
    after = text.clauses[clause.index + 1 : clause.index + 2]
    return any(
        c.sentence == clause.sentence and c.has("gives_reason") and any(c.index in f.clauses for f in found)
        for c in after
    )


def _beside(text: Text, clause: Clause, finding: Finding, added: bool) -> bool:
    """Whether the finding rests on the next clause of the sentence, or on the one before if this is no addition to it."""
    beside = (clause.index + 1,) if added else (clause.index - 1, clause.index + 1)
    return any(i in finding.clauses and text.clauses[i].sentence == clause.sentence for i in beside)


def _file(text: Text, clause: Clause, topics: set[str], rest: list[Finding]) -> None:
    """Add the clause to the finding that it continues, or open another."""
    for finding in reversed(rest[-_OPEN:]):
        if _continues(text, clause, topics, finding):
            finding.add(clause, clause.start, clause.end)
            finding.topics |= topics
            finding.slots["about_account"] = finding.slots["about_account"] or _about(clause, topics)
            return
    about = False if "prospect" in text.said and not topics & _OWN_TOPICS else _about(clause, topics)
    finding = Finding("other", clause.start, [], {"about_account": about}, set(topics))
    finding.add(clause, clause.start, clause.end)
    rest.append(finding)


def _continues(text: Text, clause: Clause, topics: set[str], finding: Finding) -> bool:
    """Whether the clause speaks of the same matter: a topic in common, or the same sentence carried on."""
    if not finding.reaches(clause.index, _DISTANCE) or (topics == {"offtopic"}) != (
        finding.topics == {"offtopic"}
    ):
        return False
    before = text.clauses[max(finding.clauses)]
    carried_on = before.sentence == clause.sentence and not text.classes(
        "adds", clause.start, clause.start + 1
    )
    vague = finding.reaches(clause.index, 1) and (topics <= {"app", "account"} or clause.has("it"))
    kin = bool(topics & _MONEY and finding.topics & _MONEY)
    return bool(finding.topics & topics) or kin or carried_on or vague


def _about(clause: Clause, topics: set[str]) -> bool | None:
    if topics <= {"offtopic", "injection"}:
        return False
    own = clause.has("own")
    if topics & _OWN_TOPICS or any(topic.startswith("misbehaves") for topic in topics):
        return True
    return True if own and topics & _SOLD and not topics & {"howto", "hypothetical"} else None
