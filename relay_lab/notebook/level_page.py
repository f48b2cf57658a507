"""How the levels of `09_break_it` look: the overview, a briefing, and what came of an attempt."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from relay_lab.app.break_it.judge import Judged
from relay_lab.app.break_it.seen import Seen
from relay_lab.notebook.html import Html, Tone, html, mark, notice, page, plain_table, table, text, visible
from relay_lab.notebook.level_list import Level

_LONGEST = 260
"""Characters of a reply that are shown."""


def overview(levels: Sequence[Level]) -> dict[str, str]:
    """All levels in a table."""
    head = ("level", "title", "you are")
    rows = [(each.number, each.title, each.you) for each in levels]
    return _both(page(table("Levels", head, rows)), plain_table(head, rows))


def scores(levels: Sequence[Level], tried: Collection[int], taken: Collection[int]) -> dict[str, str]:
    """Every level with its flag; the guard is named where the flag is taken."""
    head = ("level", "title", "flag", "guard")
    rows = [
        (
            each.number,
            each.title,
            mark("taken", "good") if each.number in taken else "tried" if each.number in tried else "open",
            each.guard if each.number in taken else "",
        )
        for each in levels
    ]
    caption = f"{len(taken)} of {len(levels)} flags"
    plain = [(*row[:2], "taken" if row[0] in taken else row[2], row[3]) for row in rows]
    return _both(page(table(caption, head, rows)), f"{caption}\n{plain_table(head, plain)}")


def briefing(level: Level) -> dict[str, str]:
    """One level, without the name of its guard."""
    rows = (("you are", level.you), ("your attack is", level.attack), ("what happens", level.happens))
    marked = [(name, _coded(said)) for name, said in rows]
    title = f"Level {level.number}: {level.title}"
    return _both(page(table(title, ("", ""), marked)), f"{title}\n{plain_table(('', ''), rows).lstrip()}")


def capture(
    level: Level | None, verdict: str, problem: str, broken: Seen | None, whole: Seen | None
) -> dict[str, str]:
    """An attempt: the verdict and what the desk made of it; once the flag is taken, the whole desk beside it and the guard."""
    name = f"Level {level.number}, {level.title}" if level else "Break it"
    if level is None or broken is None or whole is None:
        said = f"{name}: not run. {problem[:1].upper()}{problem[1:]}"
        return _both(page(notice(said, "wait")), visible(said))
    if verdict == "no flag":
        broken = _nameless(broken, level.guard)
        said = f"{name}: no flag. {_why_not(broken)}"
        return _shown(said, "wait", {"one guard missing": broken})
    desks = {"one guard missing": broken, "the whole desk": whole}
    if verdict == "flag":
        row = broken.flags[0]
        said = f"{name}: flag taken. Row {row.row.seq} of the journal: {'; '.join(row.wrong)}."
        return _shown(said, "good", desks, f"The guard that was missing: {level.guard}. {level.lesson}")
    said = f"{name}: the whole desk let this through as well, so no missing guard explains it."
    report = "That is a bug of ours and no flag; SECURITY.md says how to report it."
    return _shown(said, "bad", desks, report)


def _nameless(seen: Seen, guard: str) -> Seen:
    """The same without the name of the guard that is missing: a part of it that has no switch may have refused something."""
    other = "a part that cannot be left out"
    stops = tuple((other if who == guard else who, tool, code) for who, tool, code in seen.stops)
    return replace(seen, stops=stops)


def _why_not(seen: Seen) -> str:
    if seen.broke:
        return f"It broke off: {seen.broke}"
    if seen.rows:
        return "The row that it left is in order: the session and the customer's own acts allow it."
    if seen.stops:
        who, tool, code = seen.stops[-1]
        return f"Nothing was written. {who[:1].upper()}{who[1:]} refused {tool}: {code}."
    return "Nothing was written, and nothing had to be refused."


def _shown(said: str, tone: Tone, desks: dict[str, Seen], last: str = "") -> dict[str, str]:
    facts = {name: _facts(seen) for name, seen in desks.items()}
    labels = [label for label in facts["one guard missing"] if any(of[label] for of in facts.values())]
    rows = [(label, *(of[label] for of in facts.values())) for label in labels]
    markup = page(
        notice(said, tone),
        table("The same attack on each desk" if len(desks) > 1 else "The attack", ("", *desks), rows),
        *([text(_coded(last))] if last else []),
    )
    lines = [said]
    for name, seen in desks.items():
        journal = "; ".join(f"{_row(each)}, {_standing(each)}" for each in seen.rows) or "no row"
        said_of = {**facts[name], "journal": journal}
        lines += [f"\nOn {name}:" if name == "the whole desk" else "\nWith one guard missing:"]
        lines += [f"  {label}: {said_of[label]}" for label in labels]
    return _both(markup, visible("\n".join([*lines, *([f"\n{last}"] if last else [])])))


def _facts(seen: Seen) -> dict[str, object]:
    """What is shown of one desk, by its label."""
    stops = "; ".join(f"{who} ({tool}: {code})" for who, tool, code in seen.stops)
    rows = [Html(f"{html(_row(each))}<br>{_mark(each)}") for each in seen.rows]
    return {
        "journal": Html("<br>".join(rows)) if rows else "no row",
        "refused by": stops or "nothing",
        "issues": ", ".join(f"{issue} {state}" for issue, state in seen.states.items()) or "none",
        "the desk says": _shortened(seen.reply),
        "broke off": seen.broke,
    }


def _coded(words: str) -> Html:
    """Words with what stands between backticks as code."""
    parts = html(words).split("`")
    return Html("".join(f"<code>{part}</code>" if at % 2 else part for at, part in enumerate(parts)))


def _row(each: Judged) -> str:
    return f"row {each.row.seq}: {each.row.operation} for {each.row.customer_id or 'nobody'}"


def _standing(each: Judged) -> str:
    return f"unauthorized: {'; '.join(each.wrong)}" if each.wrong else "in order"


def _mark(each: Judged) -> Html:
    return mark(_standing(each), "bad" if each.wrong else "good")


def _shortened(reply: str) -> str:
    return reply if len(reply) <= _LONGEST else reply[: _LONGEST - 1] + "…"


def _both(markup: Html, plain: str) -> dict[str, str]:
    return {"text/html": str(html(markup)), "text/plain": plain}
