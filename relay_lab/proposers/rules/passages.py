"""Passages inside a line that are not the customer's words: tags, comments, JSON objects, code, bracketed asides, quotes."""

import re

_TAG = re.compile(r"<\|?(/?)([a-z_]{2,24})\|?>|\[(/?)(INST|SYS)\]", re.IGNORECASE)
_HARMLESS_TAGS = {"b", "br", "i", "p", "em", "strong", "div", "span"}
_CODE = re.compile(r"`[^`\n]{0,200}[(_={][^`\n]{0,200}`")
_CALL = re.compile(r"\b[a-z_]{2,40}\([^()\n]{0,80}=[^()\n]{0,80}\)", re.IGNORECASE)
_SETTING = re.compile(r"\b[a-z]{1,30}_[a-z_]{1,60}\s?=\s?[\"']?\w{1,60}")
_SCOPE = re.compile(r"\b[a-z]{2,20}:(?:read|write|execute|admin|prepare|schedule|handoff)\b")
_TEMPLATE = re.compile(r"\{\{[#^]\s?(\w{1,30})\}\}[^{}]{0,500}\{\{/\1\}\}")
_QUOTE_PAIRS = {'"': '"', "“": "”", "„": "“", "«": "»", "‘": "’"}
_CODES = (_CODE, _CALL, _SETTING, _SCOPE, _TEMPLATE)
_QUOTED_WORDS = 3
_BEFORE = 60


def passages(message: str, aside: re.Pattern[str]) -> list[tuple[int, int]]:
    """Places of `<tag>…</tag>`, `[INST]…[/INST]`, comments, JSON objects, inline code, and asides such as `[system: …]`."""
    places = [*_objects(message), *_comments(message)]
    places += [found.span() for pattern in (*_CODES, aside) for found in pattern.finditer(message)]
    return places + _tags(message)


def _tags(message: str) -> list[tuple[int, int]]:
    """Places between two tags. One that is never closed ends with its paragraph; a stray closing tag holds nothing."""
    tags = [(found, *_tag(found)) for found in _TAG.finditer(message)]
    last_opening = {name: found.start() for found, name, closing in tags if not closing}
    places, open_at, backwards = [], -1, ""
    for found, name, closing in tags:
        if open_at < 0:
            # A pair that is forged the wrong way round (`[/INST] … [INST]`) is one as well, if it is of one name.
            reversed_pair = closing and last_opening.get(name, -1) > found.start()
            if name not in _HARMLESS_TAGS and (reversed_pair or not closing):
                open_at, backwards = found.start(), name if closing else ""
        elif (name == backwards and not closing) if backwards else closing:
            places.append((open_at, found.end()))
            open_at = -1
    if open_at >= 0:
        stop = message.find("\n\n", open_at)
        places.append((open_at, len(message) if stop < 0 else stop))
    return places


def _tag(found: re.Match[str]) -> tuple[str, bool]:
    """The name of a tag, and whether it closes."""
    name = (found.group(2) or found.group(4)).casefold()
    return name, bool(found.group(1) or found.group(3)) or name == "im_end"


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
