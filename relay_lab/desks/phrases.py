"""The phrases that approve or reject, from data files: one for each language."""

import json
from functools import cache
from importlib.resources import files

from relay_lab.contracts.proposals import Phrases


@cache
def phrases() -> Phrases:
    """The phrases of every language, together."""
    found: dict[str, tuple[str, ...]] = dict.fromkeys(Phrases.model_fields, ())
    for file in files("relay_lab.desks").joinpath("phrases_data").iterdir():
        for kind, words in json.loads(file.read_text(encoding="utf-8")).items():
            found[kind] += tuple(words)
    return Phrases(**found)
