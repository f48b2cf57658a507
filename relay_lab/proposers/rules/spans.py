"""From tokens back to characters: the clauses that state a finding, as an exact slice of the message."""

from typing import Any

from relay_lab.proposers.rules.clauses import Text
from relay_lab.proposers.rules.findings import Finding
from relay_lab.proposers.rules.tokens import COLON, COMMA, ITEM, LINE

_REACH = 2
_EDGES = (COMMA, COLON, LINE, ITEM)


def span(text: Text, finding: Finding, all_findings: list[Finding]) -> dict[str, Any]:
    """`start`, `end` and `text` of the clauses that state the finding, its slots' words included where they stand near."""
    claimed = [place for other in all_findings if other is not finding for place in other.evidence]
    pieces = sorted({_piece(text, start, end, claimed) for start, end in finding.evidence})
    home = _piece(text, *finding.evidence[0], claimed)
    first, last = home
    for start, end in [*reversed([p for p in pieces if p < home]), *[p for p in pieces if p > home]]:
        low, high = min(first, start), max(last, end)
        if _joins(text, low, high, claimed, (first, last), (start, end)):
            first, last = low, high
    while first < last - 1 and (text.tokens[first].kind in _EDGES or "conj" in text.marks[first]):
        first += 1
    while first < last - 1 and (text.tokens[last - 1].kind in _EDGES or _dangling(text, last - 1)):
        last -= 1
    start, end = text.tokens[first].start, text.tokens[last - 1].end
    if end < len(text.message) and text.message[end] in ".!?":
        end += 1
    return {"start": start, "end": end, "text": text.message[start:end]}


def _dangling(text: Text, index: int) -> bool:
    return "conj" in text.marks[index]


def _piece(text: Text, start: int, end: int, claimed: list[tuple[int, int]]) -> tuple[int, int]:
    """The clause around the tokens; only the part between commas when others rest on the same clause."""
    clause = next(c for c in text.clauses if c.start <= start < c.end)
    low, high = clause.start, max(end, clause.end)
    rivals = [place for place in claimed if place[0] < high and place[1] > low]
    if not rivals:
        return low, high
    for index in range(start - 1, low - 1, -1):
        if _parts(text, index) and any(a <= index for a, _ in rivals):
            low = index + 1
            break
    for index in range(end, high):
        if _parts(text, index) and any(b > index for _, b in rivals):
            high = index
            break
    return low, high


def _parts(text: Text, index: int) -> bool:
    return text.tokens[index].kind in _EDGES or "conj" in text.marks[index]


def _joins(
    text: Text,
    low: int,
    high: int,
    claimed: list[tuple[int, int]],
    one: tuple[int, int],
    other: tuple[int, int],
) -> bool:
    """Whether the stretch may be one span: near enough, no other finding in the gap, and all of it the customer's words."""
    gap = (min(one[1], other[1]), max(one[0], other[0]))
    if gap[0] < gap[1] and any(a < gap[1] and b > gap[0] for a, b in claimed):
        return False
    between = [c for c in text.clauses if gap[0] <= c.start and c.end <= gap[1]]
    if len(between) > _REACH:
        return False
    return not any(
        any(letter.isalnum() for letter in text.message[a.end : b.start])
        for a, b in zip(text.tokens[low:high], text.tokens[low + 1 : high], strict=False)
    )
