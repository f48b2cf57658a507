"""Which plan a clause names, and whether as the wanted one or as the present one."""

from relay_lab.proposers.rules.clauses import Clause, Match, Text
from relay_lab.proposers.rules.findings import overlap


def named(text: Text, clause: Clause) -> list[tuple[str, Match]]:
    """The plans that the clause names, in order; a team of people and a business of one's own are none."""
    found = []
    for index in range(clause.start, clause.end):
        for name, sizes in text.marks[index].items():
            if name.startswith("plan:"):
                match = Match("plan", index, index + max(sizes))
                if not any(overlap(match, other) for other in clause.signals.get("plan_not", ())):
                    found.append((name.partition(":")[2], match))
    return found


def targets(text: Text, clause: Clause) -> dict[str, Match]:
    """The plans that the clause names as wanted. A plan that is only mentioned is not one of them."""
    wanted: dict[str, Match] = {}
    for plan, match in named(text, clause):
        part = role(clause, match)
        if part == "target":
            wanted.setdefault(plan, match)
    return wanted


def role(clause: Clause, plan: Match) -> str:
    """`target`, `current`, `past` (had, refused or imposed) or nothing.

    What is said with the fewest words between wins, and present plans win a draw.
    """
    if any(overlap(match, plan) for match in clause.signals.get("plan_past", ())):
        return "past"
    if any(match.start < plan.start < match.end <= plan.end for match in clause.signals.get("plan_sure", ())):
        return "target"
    best: list[tuple[int, int, str]] = []
    for order, (signal, role) in enumerate((("plan_current", "current"), ("plan_target", "target"))):
        for match in clause.signals.get(signal, ()):
            if overlap(match, plan):
                best.append((match.end - match.start, order, role))
    return min(best)[2] if best else ""
