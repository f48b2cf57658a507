"""A wish for another plan or an end (scenarios: subscription_change)."""

from collections.abc import Sequence

from relay_lab.proposers.rules.clauses import Clause, Match, Text
from relay_lab.proposers.rules.deadlines import deadline
from relay_lab.proposers.rules.findings import Finding, near, overlap, sentence
from relay_lab.proposers.rules.plain import asks_to_do, plainly_ends
from relay_lab.proposers.rules.plans import targets
from relay_lab.proposers.rules.resolver import END, Ask, settled

_BARE = {"cancel": ("plan_word", "service"), "change": ("plan",)}
"""What `end it` and `change that` have to follow."""
_SIGNALS = {"cancel": "cancel_ask", "change": "change_ask", "think": "change_think"}
_SERVICE = ("cancel_obj", "plan_word", "service", "plan", "end_word", "renewal", "auto_renewal")


def changes(text: Text) -> tuple[list[Finding], dict[int, str]]:
    """At most one finding; and why each other clause that speaks of a change is none."""
    asks: list[Ask] = []
    voided: dict[int, str] = {}
    for clause in text.clauses:
        kind, match = _ask(text, clause) if clause.signals else ("", None)
        if match is None:
            continue
        reason = _void(text, clause, kind, match)
        if reason:
            voided[clause.index] = reason
        else:
            asks.append(Ask(clause, match, kind))
    return ([_finding(text, asks, voided)] if asks else []), voided


def wished(text: Text, clauses: Sequence[Clause], voided: dict[int, str]) -> Finding:
    """The finding where a wish is known to be in these clauses, and none of the language's forms finds it."""
    asks = [_wish(text, clause) for clause in clauses]
    return _finding(
        text, asks, {index: why for index, why in voided.items() if index not in _indexes(clauses)}
    )


def _wish(text: Text, clause: Clause) -> Ask:
    """The clause as a wish: for an end when it asks for one in a listed form, else for a change."""
    end = clause.first("end_plain") if plainly_ends(text, clause) and not targets(text, clause) else None
    return Ask(clause, end, END) if end else Ask(clause, Match("", clause.start, clause.end), "change")


def _indexes(clauses: Sequence[Clause]) -> set[int]:
    return {clause.index for clause in clauses}


def _finding(text: Text, asks: list[Ask], voided: dict[int, str]) -> Finding:
    """The finding that rests on these wishes, with its slots."""
    found = Finding("subscription_change", min(ask.match.start for ask in asks), [], {}, {"plan"})
    for clause, match, _ in asks:
        found.add(clause, match.start, match.end)
    chosen = settled(text, found, asks, voided)
    found.slots["target_plan"] = chosen.value if chosen else None
    if chosen:
        found.add(chosen.clause, chosen.match.start, chosen.match.end)
    found.slots["deadline"] = deadline(text, found, [ask.clause for ask in asks])
    return found


def _ask(text: Text, clause: Clause) -> tuple[str, Match | None]:
    """The strongest wish in the clause (change, cancel or think); one that is denied only when there is no other."""
    denied: tuple[str, Match | None] = ("", None)
    for kind in ("cancel", "change", "think"):
        for match in clause.signals.get(_SIGNALS[kind], ()):
            if _about_plan(text, clause, match):
                if not _denied(text, clause, match):
                    return kind, match
                denied = denied if denied[0] else (kind, match)
    for kind, names in _BARE.items():
        bare = clause.first(f"{kind}_bare")
        if bare is not None and not denied[0] and _spoken_of(text, clause, names):
            return kind, bare
    return denied


def _spoken_of(text: Text, clause: Clause, names: tuple[str, ...]) -> bool:
    """Whether words of these classes stand in the clause or close before: what `end it` and `change that` mean."""
    start = text.clauses[max(0, clause.index - 2)].start
    return any(text.classes(name, start, clause.end) for name in names)


def _denied(text: Text, clause: Clause, match: Match) -> bool:
    """Whether a denial reaches the wish; one across a comma does not (`we do not use it any more, cancel it`)."""
    voids = () if clause.has("not_sure_change") else clause.signals.get("not_change", ())
    return any(
        overlap(match, void)
        and not text.classes("=,", void.start, max(void.start, match.start))
        and not text.classes("=,", match.end, max(void.end, match.end))
        for void in voids
    )


def _about_plan(text: Text, clause: Clause, match: Match) -> bool:
    """Whether what looks like a plan in the wish is one; `my team` and `our business` are people and a trade."""
    looks = [Match("plan", i, i + 1) for i in text.classes("plan", match.start, match.end)]
    voids = clause.signals.get("plan_not", [])
    real = [look for look in looks if not any(overlap(look, void) for void in voids)]
    return bool(real) or not looks or bool(text.classes("any_change", match.start, match.end))


def _void(text: Text, clause: Clause, kind: str, match: Match) -> str:
    """Why a wish is none: how-to, hypothetical, threat, done, denied, seats, said by another; empty when it is one."""
    whole = sentence(text, clause)
    plan = bool(targets(text, clause))
    if kind != "think" and clause.has("cancel_not_plan") and not plan:
        return "elsewhere"
    if any(c.has("stays") for c in near(text, clause, 1) if c.index >= clause.index):
        return "stays"
    wishes = clause.signals.get("others_wish", ())
    if _meets(match, wishes) and any(c.has("stays", "not_change") for c in near(text, clause, 2)):
        return "stays"
    if any(c.has("only_asking") for c in near(text, clause, 2) if c.index >= clause.index):
        return "howto"
    if _denied(text, clause, match) or (kind == "cancel" and clause.has("end_unplain")):
        return "denied"
    if kind == "cancel" and clause.asks and not asks_to_do(text, clause):
        return "howto"
    if clause.has("third_party") and clause.has("social_thanks", "praise"):
        return "third_party"
    before = [c for c in whole if c.index < clause.index][-1:]
    if any(c.has("howto") for c in [*before, clause]) and not _asks_politely(clause, "howto"):
        return "howto"
    if kind == "cancel" and clause.has("cancel_thing") and not plan and not _ends_service(text, clause):
        return "elsewhere"
    if clause.has("hypothetical") or any(
        c.has("hypothetical") and not c.has("plan_target") and not clause.has("directive") for c in before
    ):
        return "hypothetical"
    if kind == "think" and any(c.asks and _about_plans(text, c) for c in near(text, clause, 1)):
        return "considers"
    if _threatens(whole, clause, kind, plan):
        return "threat"
    told = (m for m in clause.signals.get("third_party", ()) if overlap(m, match) or not _meets(m, wishes))
    if any(told) or any(c.has("reporting") for c in before):
        return "third_party"
    if clause.has("done") and not clause.has("asked_before", "polite"):
        return "done"
    sized = any(text.classes(name, match.start, match.end) for name in ("cheaper", "something_cheaper"))
    if clause.has("seats") and not (plan or sized) and kind != "cancel":
        return "seats"
    return ""


def _meets(match: Match, others: Sequence[Match]) -> bool:
    return any(overlap(match, other) for other in others)


def _ends_service(text: Text, clause: Clause) -> bool:
    """Whether the end that is asked for can be the subscription's; `cancel my booking` names another thing."""
    return any(text.classes(name, clause.start, clause.end) for name in _SERVICE)


def _about_plans(text: Text, clause: Clause) -> bool:
    """Whether the clause asks what a plan is or costs, so that a thought of changing beside it is only its reason."""
    plans = text.classes("plan", clause.start, clause.end) or text.classes(
        "plan_word", clause.start, clause.end
    )
    return bool(plans) and not clause.has("change_ask", "cancel_ask", "undecided")


def _asks_politely(clause: Clause, against: str) -> bool:
    """A polite request that begins before the how-to words is still a request only when they come much later."""
    ask, other = clause.first("change_ask") or clause.first("cancel_ask"), clause.first(against)
    polite = clause.has("polite", "directive")
    return polite and ask is not None and other is not None and ask.end <= other.start


def _threatens(whole: list[Clause], clause: Clause, kind: str, plan: bool) -> bool:
    if clause.has("either"):
        return False
    if clause.has("threat"):
        return not (plan and clause.has("polite"))
    for other in whole:
        if other.index != clause.index and other.has("threat") and other.index > clause.index:
            return kind == "cancel"
        if other.has("conditional") and not other.has("courtesy_if"):
            announced = clause.has("will") or kind == "cancel"
            if other.index != clause.index and announced and not (plan and clause.has("polite")):
                return True
    return False
