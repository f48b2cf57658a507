"""What the data file of a language may hold: it is held against English, which has every name that the rules ask for."""

import json
import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cache
from importlib import resources
from typing import Any

from relay_lab.contracts.errors import BadInput

_NEEDED = {"words": dict, "signals": dict, "boundaries": list, "real_words": str, "own_words": dict}
_OPTIONAL = {"name": str, "compounds": str, "apostrophes": str, "capital_nouns": bool}
_JSON = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}


def parsed(name: str, text: str) -> dict[str, Any]:
    """The parsed file. Raises `BadInput` for what is no JSON object."""
    try:
        known = json.loads(text)
    except ValueError as error:
        raise BadInput(f"languages/{name}.json is no JSON: {error}.") from error
    if not isinstance(known, dict):
        raise BadInput(f"languages/{name}.json is no object; begin it with {{ and the key `words`.")
    return known


def refuse_unknown(name: str, known: dict[str, Any]) -> None:
    """Raises `BadInput` for a key that is missing or of another kind, and for a name that no rule ever asks for."""
    for check in (_keys, _signals, _words, _own_words):
        for sentence in check(known):
            raise BadInput(f"languages/{name}.json: {sentence}")


def _keys(known: dict[str, Any]) -> Iterator[str]:
    kinds: dict[str, type] = _NEEDED | _OPTIONAL
    for key in known.keys() - kinds.keys():
        yield _unknown("key", key, kinds)
    for key, kind in kinds.items():
        if key not in known and key in _NEEDED:
            yield f"the key `{key}` is missing; it is {_JSON[kind]}, which may be empty."
        elif key in known and not isinstance(known[key], kind):
            yield f"`{key}` is not {_JSON[kind]}."


def _signals(known: dict[str, Any]) -> Iterator[str]:
    there = _english()["signals"]
    for key, rows in known["signals"].items():
        if key not in there:
            yield _unknown("signal", key, there)
        elif not isinstance(rows, list):
            yield f"the patterns of `{key}` are a list of texts."


def _words(known: dict[str, Any]) -> Iterator[str]:
    valued = [key for key in _english()["words"] if ":" in key]
    words = known["words"]
    classes = words.keys() | {key.partition(":")[0] for key in words}
    for key, forms in words.items():
        if ":" in key and key not in valued:
            yield _unknown("class with a value", key, valued)
        if not isinstance(forms, str):
            yield f"the words of `{key}` are one text, with commas between them."
            continue
        for form in map(str.strip, forms.split(",")):
            if form.startswith("@") and form[1:] not in classes:
                yield f"`{key}` takes in {form}, and `words` has no such class."


def _own_words(known: dict[str, Any]) -> Iterator[str]:
    there = _english()["own_words"]
    for key, source in known["own_words"].items():
        if key not in there:
            yield _unknown("key in `own_words`", key, there)
        elif not isinstance(source, type(there[key])):
            yield f"`{key}` in `own_words` is not {_JSON[type(there[key])]}."
        elif isinstance(source, str):
            try:
                re.compile(source)
            except re.error as error:
                yield f"`{key}` in `own_words` is no regular expression: {error}."


def _unknown(what: str, key: str, there: Iterable[str]) -> str:
    near = get_close_matches(key, list(there), 3)
    return f"there is no {what} `{key}`" + (f"; did you mean {' or '.join(near)}?" if near else ".")


@cache
def _english() -> dict[str, Any]:
    file = resources.files("relay_lab.proposers.rules") / "languages" / "en.json"
    found: dict[str, Any] = json.loads(file.read_text("utf-8"))
    return found
