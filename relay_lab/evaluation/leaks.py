"""The leak scan: whether a text or a document holds a secret, a model's reasoning, or somebody else's history (001 §8).

It looks at anything: packets as they were queued, rows of tables, traces, logs. It shares no code with the packet guard of
the desk, which is the first line; what that guard lets through, this finds.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from relay_lab.evaluation.encodings import disguises, forms, squeezed
from relay_lab.evaluation.leak_kinds import kind_of_field, kinds_in

_NAME = " (a name)"
_SHORTEST = 8
"""Letters and figures that a secret must have to be looked for inside of words and across blanks."""
_SHORTEST_ANSWER = 24
_WORDS_IN_A_ROW = 5
"""So many words of somebody, one after another, are no accident."""


@dataclass(frozen=True)
class Known:
    """What must not be found, as far as a caller knows it.

    `secrets`: challenges, tokens, session ids · `answers`: whole answers of a model · `ids`: of other conversations and other
    customers · `words`: what was written elsewhere, in another conversation or about another issue.
    """

    secrets: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class Leak:
    """One finding: what kind, where (a path like `packet.commitments[0]`), and its first characters, never the whole."""

    kind: str
    place: str
    begins: str

    def __str__(self) -> str:
        return f"{self.place} holds what looks like a leak: {self.kind}, beginning {self.begins!r}"


def leaks(value: object, known: Known | None = None, place: str = "document") -> tuple[Leak, ...]:
    """Every leak in `value`: a text, or what JSON is made of. A text that is itself JSON is looked into as well."""
    known = known or Known()
    texts = list(_texts(value, place))
    found = [leak for path, text in texts for leak in _in_text(text, path, known)]
    if len(texts) > 1:
        # A secret that was cut into pieces stands in no single field.
        parts = (text for path, text in texts if not path.endswith(_NAME))
        whole = squeezed("".join(parts)).casefold()
        seen = {leak.begins for leak in found}
        found += [
            Leak("known secret in pieces", place, _head(secret))
            for secret in known.secrets
            if _head(secret) not in seen and _inside(secret, whole)
        ]
    found += list(_in_fields(value, place))
    return tuple(dict.fromkeys(found))


def _texts(value: object, place: str) -> Iterator[tuple[str, str]]:
    match value:
        case str():
            inner = _as_json(value)
            if inner is None:
                yield place, value
            else:
                yield from _texts(inner, place)
        case dict():
            for name, part in value.items():
                yield place + _NAME, str(name)
                yield from _texts(part, f"{place}.{name}")
        case list() | tuple():
            for index, part in enumerate(value):
                yield from _texts(part, f"{place}[{index}]")
        case int() | float() if not isinstance(value, bool):
            yield place, str(value)
        case _:
            return


def _as_json(text: str) -> object:
    """What a text is that is itself JSON, or None. Of a name that stands twice both values are kept."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        inner: object = json.loads(text, object_pairs_hook=_all_pairs)
    except (ValueError, RecursionError):
        return None
    return inner


def _all_pairs(pairs: list[tuple[str, object]]) -> object:
    kept = dict(pairs)
    return kept if len(kept) == len(pairs) else [{name: part} for name, part in pairs]


def _in_fields(value: object, place: str) -> Iterator[Leak]:
    """Fields whose very name says that they hold what must not be here."""
    match value:
        case str():
            inner = _as_json(value)
            if inner is not None:
                yield from _in_fields(inner, place)
        case dict():
            if value.keys() == {"issues"} and '"span"' in json.dumps(value, default=str):
                yield Leak("raw answer", place, "issues")
            for name, part in value.items():
                kind = kind_of_field(str(name))
                if kind and part not in (None, "", [], {}, ()) and not isinstance(part, bool):
                    yield Leak(kind, f"{place}.{name}", str(name))
                yield from _in_fields(part, f"{place}.{name}")
        case list() | tuple():
            for index, part in enumerate(value):
                yield from _in_fields(part, f"{place}[{index}]")
        case _:
            return


def _in_text(text: str, place: str, known: Known) -> Iterator[Leak]:
    read = forms(text)
    bare = [squeezed(form) for form in read]
    for form in read:
        for kind, part in kinds_in(form):
            yield Leak(kind, place, _head(part))
    for secret in known.secrets:
        if _hidden(secret, read, bare):
            yield Leak("known secret", place, _head(secret))
    for answer in known.answers:
        if len(squeezed(answer)) >= _SHORTEST_ANSWER and _hidden(answer, read, bare):
            yield Leak("raw answer", place, _head(answer))
    for name in known.ids:
        if any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", form) for form in read):
            yield Leak("somebody else's id", place, name)
    foreign = {run for words in known.words for run in _runs(words)}
    common = {run for form in read for run in _runs(form)} & foreign if foreign else foreign
    for run in sorted(common)[:1]:
        yield Leak("words from elsewhere", place, _head(run))


def _hidden(secret: str, read: tuple[str, ...], bare: list[str]) -> bool:
    """Whether one of the forms of a text holds a secret; a short one only as a word of its own."""
    if len(squeezed(secret)) < _SHORTEST:
        word = re.compile(rf"(?<!\w){re.escape(secret)}(?!\w)")
        return bool(secret) and any(word.search(form) for form in read)
    coded = disguises(secret)
    return any(_inside(secret, text.casefold()) or any(part in text for part in coded) for text in bare)


def _inside(secret: str, folded: str) -> bool:
    """Whether a squeezed and folded text holds the secret, as it is or in hexadecimal."""
    plain = squeezed(secret).casefold()
    coded = secret.encode("utf-8", "surrogatepass").hex()
    return len(plain) >= _SHORTEST and (plain in folded or coded in folded)


def _runs(text: str) -> set[str]:
    words = re.findall(r"\w+", text.casefold())
    return {" ".join(words[n : n + _WORDS_IN_A_ROW]) for n in range(len(words) - _WORDS_IN_A_ROW + 1)}


def _head(text: str) -> str:
    return text[:4] + "…"
