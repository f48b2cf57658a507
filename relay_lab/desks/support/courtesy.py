"""One civil sentence in this turn for a customer who is upset. What is read here is not kept anywhere (001 §2)."""

import json
import re
from functools import cache
from importlib.resources import files


def called_for(message: str) -> bool:
    """Whether the message sounds upset: a strong word, several exclamation marks, or mostly capitals."""
    letters = [character for character in message if character.isalpha()]
    shouted = len(letters) >= 20 and sum(character.isupper() for character in letters) > 0.7 * len(letters)
    words = re.findall(r"[\w']+", message.casefold().replace("\u2019", "'").replace("\u0307", ""))
    text = f" {' '.join(words)} "
    return shouted or "!!" in message or any(strong in text for strong in _words())


@cache
def _words() -> tuple[str, ...]:
    text = files("relay_lab.desks.support").joinpath("courtesy.json").read_text(encoding="utf-8")
    return tuple(dict.fromkeys(f" {word} " for words in json.loads(text).values() for word in words))
