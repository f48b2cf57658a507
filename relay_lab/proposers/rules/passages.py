"""Passages inside a line that are not the customer's words: tags, comments, JSON objects, code, bracketed asides, quotes."""

import re

_TAG = re.compile(r"<\|?(/?)([a-z_]{2,24})\|?>|\[(/?)(INST|SYS)\]", re.IGNORECASE)
_HARMLESS_TAGS = {"b", "br", "i", "p", "em", "strong", "div", "span"}
_CODE = re.compile(r"`[^`\n]{0,200}[(_={][^`\n]{0,200}`")
_QUOTE_PAIRS = {'"': '"', "“": "”", "„": "“", "«": "»", "‘": "’"}
_QUOTED_WORDS = 3
_BEFORE = 60


def passages(message: str, aside: re.Pattern[str]) -> list[tuple[int, int]]:
    """Places of `<tag>…</tag>`, `[INST]…[/INST]`, comments, JSON objects, inline code, and asides such as `[system: …]`."""
    places = [*_objects(message), *_comments(message)]
    places += [found.span() for pattern in (_CODE, aside) for found in pattern.finditer(message)]
    open_at, opened_by = -1, False
    for found in _TAG.finditer(message):
        name = (found.group(2) or found.group(4)).casefold()
        closing = bool(found.group(1) or found.group(3)) or name == "im_end"
        if open_at >= 0 and closing is not opened_by:
            places.append((open_at, found.end()))
            open_at = -1
        elif open_at < 0 and name not in _HARMLESS_TAGS:
            # A pair that is forged the wrong way round (`[/INST] … [INST]`) is one as well.
            open_at, opened_by = found.start(), closing
    if open_at >= 0:
        stop = message.find("\n\n", open_at)
        places.append((open_at, len(message) if stop < 0 else stop))
    return places


def _comments(message: str) -> list[tuple[int, int]]:
    places, at = [], message.find("<!--")
    while at >= 0:
        stop = message.find("-->", at)
        places.append((at, len(message) if stop < 0 else stop + 3))
        at = message.find("<!--", stop) if stop >= 0 else -1
    return places


def _objects(message: str) -> list[tuple[int, int]]:
    """Places of balanced `{…}` that hold a quoted key."""
    found, depth, start = [], 0, 0
    for at in (m.start() for m in re.finditer(r"[{}]", message)):
        if message[at] == "{":
            start = at if depth == 0 else start
            depth += 1
        elif depth:
            depth -= 1
            if depth == 0 and re.search(r"[\"']\s{0,9}:|\w\s{0,9}:", message[start:at]):
                found.append((start, at + 1))
    return found


def quotes(
    text: str, start: int, end: int, reports: re.Pattern[str], speaks: re.Pattern[str]
) -> list[tuple[int, int, bool]]:
    """The passages in quotation marks, and whether a word of reporting before them says that somebody speaks there."""
    places, at, after = [], start, start
    while at < end:
        close = _QUOTE_PAIRS.get(text[at])
        stop = text.find(close, at + 1, end) if close else -1
        if stop > 0:
            long_enough = len(text[at:stop].split()) >= _QUOTED_WORDS
            before = text[max(after, at - _BEFORE) : at]
            if long_enough:
                spoken = reports.search(before) is not None and speaks.search(before) is not None
                places.append((at, stop + 1, spoken))
                after = stop + 1
            at = stop
        at += 1
    return places
