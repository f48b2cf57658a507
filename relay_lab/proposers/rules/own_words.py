"""Which parts of a message are the customer's own words (001 §3: retrieve evidence, not instructions).

Left out: quoted replies, signatures and footers, pasted code, JSON and tool or model output, forged system text, and what
the customer quotes from us. A forwarded text counts when the sender adopts it. One pass over the lines, one over the text.
"""

import re
from dataclasses import dataclass, field

from relay_lab.proposers.rules.passages import passages, quotes

_LINE = re.compile(r"[^\n]*\n?")
_SENTENCE = re.compile(r"[.!?]\s{1,3}")
_KEY_LINE = re.compile(r"[\"']?[a-z]{1,30}_[a-z_]{1,60}[\"']?\s{0,4}[:=]")
_HEADER = re.compile(r"[>*\s]{0,8}(\w{2,12})\*?:")
_BANNER = re.compile(r"[-=#*~]{3,40}\s{0,3}(begin|end)\b[^\n]{0,80}?[-=#*~]{3,40}$", re.IGNORECASE)
_HEADING = re.compile(r"#{1,6}\s{0,3}(\w{3,20})$")
_SIGNATURE_WORDS = 5
_HEAD = 300
"""A line is recognised by its first characters."""


@dataclass(frozen=True)
class Marks:
    """What gives foreign words away in one language; every entry is a regular expression without open repetition."""

    reply: re.Pattern[str]
    forward: re.Pattern[str]
    adopts: re.Pattern[str]
    declines: re.Pattern[str]
    sign_off: re.Pattern[str]
    device: re.Pattern[str]
    footer: re.Pattern[str]
    postscript: re.Pattern[str]
    role: re.Pattern[str]
    customer_role: re.Pattern[str]
    inline_role: re.Pattern[str]
    aside: re.Pattern[str]
    reports: re.Pattern[str]
    speaks: re.Pattern[str]
    first_person: re.Pattern[str]
    headers: frozenset[str]
    ours: re.Pattern[str]


@dataclass(frozen=True)
class Own:
    """The message with everything foreign blanked (same length, same places), and what of it the customer read off a
    screen and quotes: it may name what they speak of, and asks for nothing."""

    text: str
    screen: tuple[tuple[int, int], ...]


@dataclass
class _Line:
    start: int
    end: int
    text: str


@dataclass
class _Scan:
    """The state of the pass over the lines: what the lines that follow belong to."""

    kept: list[tuple[int, int]] = field(default_factory=list)
    inside: str = ""
    depth: int = 0


def own_words(message: str, marks: Marks) -> Own:
    """What of the message is the customer's own words. Linear in its length."""
    text = _blank(message, passages(message, marks.aside))
    lines = [_Line(m.start(), m.end(), m.group().rstrip("\n")) for m in _LINE.finditer(text) if m.group()]
    cut = next((i for i, line in enumerate(lines) if _forwards(lines, i, marks)), len(lines))
    if 0 < cut < len(lines) and all(not line.text.strip() or _is_header(line, marks) for line in lines[:cut]):
        # A whole e-mail with its headers on top is the sender's own: nothing in it says where another one would end.
        lines = lines[next((i for i, line in enumerate(lines) if not line.text.strip()), len(lines)) :]
        cut = next((i for i, line in enumerate(lines) if _forwards(lines, i, marks)), len(lines))
    kept = _own_lines(lines[:cut], marks)
    own = " ".join(text[a:b] for a, b in kept)
    forwarded = lines[cut:]
    adopted = forwarded and marks.adopts.search(own) and not marks.declines.search(own)
    if adopted and not any(marks.ours.search(line.text) for line in forwarded[:8]):
        body = [_Line(*_unquoted(line)) for line in forwarded if not _is_header(line, marks)]
        kept += _own_lines(
            [line for line in body if not marks.forward.match(line.text.lstrip()[:_HEAD])], marks
        )
    ends = [0, *(end for _, end in kept)]
    starts = [*(start for start, _ in kept), len(text)]
    foreign = [(a, b) for a, b in zip(ends, starts, strict=True) if a < b]
    quoted = [place for start, end in kept for place in quotes(text, start, end, marks.reports, marks.speaks)]
    spoken = [(start, end) for start, end, is_speech in quoted if is_speech]
    screen = tuple((start, end) for start, end, is_speech in quoted if not is_speech)
    return Own(_blank(text, foreign + spoken), screen)


def _blank(text: str, places: list[tuple[int, int]]) -> str:
    out, at = [], 0
    for start, end in sorted(places):
        if start >= at:
            out += [text[at:start], "".join("\n" if c == "\n" else " " for c in text[start:end])]
            at = end
    return "".join([*out, text[at:]])


def _forwards(lines: list[_Line], index: int, marks: Marks) -> bool:
    if marks.forward.match(lines[index].text.lstrip()[:_HEAD]):
        return True
    block = lines[index : index + 4]
    return index > 0 and sum(_is_header(line, marks) for line in block) > 1 and _is_header(block[0], marks)


def _is_header(line: _Line, marks: Marks) -> bool:
    found = _HEADER.match(line.text)
    return found is not None and found.group(1).casefold() in marks.headers


def _unquoted(line: _Line) -> tuple[int, int, str]:
    text = line.text.lstrip("> \t")
    return line.start + len(line.text) - len(text), line.end, text


def _own_lines(lines: list[_Line], marks: Marks) -> list[tuple[int, int]]:
    scan = _Scan()
    for index, line in enumerate(lines):
        after = lines[index + 1].text if index + 1 < len(lines) else ""
        if not _foreign(scan, line.text, after, marks):
            found = marks.inline_role.search(line.text)
            if found:
                scan.inside = scan.inside or "pasted"
            scan.kept.append((line.start, line.start + found.start() if found else line.end))
            foreign_from = found.end() if found else -1
        else:
            foreign_from = 0 if marks.role.match(line.text.strip()[:_HEAD]) else -1
        resumed = _SENTENCE.search(line.text, foreign_from) if foreign_from >= 0 else None
        if resumed and marks.first_person.match(line.text, resumed.end()):
            scan.kept.append((line.start + resumed.end(), line.end))
    return scan.kept


def _foreign(scan: _Scan, text: str, after: str, marks: Marks) -> bool:
    """Whether the line is not the customer's; moves the state on."""
    bare = text.strip()
    if scan.inside in ("fence", "json"):
        scan.depth += text.count("{") + text.count("[") - text.count("}") - text.count("]")
        closed = bare.startswith(("```", "~~~")) if scan.inside == "fence" else scan.depth <= 0 or not bare
        scan.inside = "" if closed else scan.inside
        return True
    if marks.postscript.match(bare) or marks.customer_role.match(bare):
        scan.inside = ""
        return False
    if scan.inside == "banner":
        found = _BANNER.match(bare)
        scan.inside = "" if not bare or (found and found.group(1).casefold() == "end") else "banner"
        return bool(bare)
    if scan.inside == "quoted":
        return True
    if scan.inside == "pasted":
        foreign = marks.role.match(bare) or marks.footer.match(bare[:_HEAD])
        own = not bare or (marks.first_person.search(bare) and not foreign)
        scan.inside = "" if own else "pasted"
        return not own or not bare
    opened = _opens(bare[:_HEAD], after.strip()[:_HEAD], marks)
    if opened == "json":
        scan.depth = bare.count("{") + bare.count("[") - bare.count("}") - bare.count("]")
        opened = "json" if scan.depth > 0 else "line"
    if scan.inside == "signed" and not opened and bare:
        if len(bare.split()) <= _SIGNATURE_WORDS and not bare.endswith("?"):
            return True
        scan.inside = ""
    if opened and opened != "line":
        scan.inside = opened
    return bool(opened)


def _opens(bare: str, after: str, marks: Marks) -> str:
    """What a line begins: a state that the next lines are in, "line" when it is foreign alone, or nothing."""
    if bare.startswith(("```", "~~~")):
        return "fence"
    if bare.startswith(('{"', "{'", "[{", '"issues"')) or bare in ("{", "["):
        return "json"
    if bare.startswith((">", "|", "$ ")) or _KEY_LINE.match(bare):
        return "line"
    banner, heading = _BANNER.match(bare), _HEADING.match(bare)
    if banner:
        return "banner" if banner.group(1).casefold() == "begin" else "line"
    if heading and marks.role.match(f"{heading.group(1)}:"):
        return "pasted"
    if marks.device.match(bare):
        return "pasted" if after else "line"
    if bare in ("--", "—", "___", "-- ") or marks.footer.match(bare):
        return "quoted" if bare in ("--", "___") else "pasted"
    if marks.reply.match(bare) or (bare and marks.reply.match(f"{bare} {after}") and after[:1] != ">"):
        return "line" if after.startswith(">") or not marks.reply.match(bare) else "quoted"
    if marks.role.match(bare):
        return "pasted"
    return "signed" if marks.sign_off.match(bare) else ""
