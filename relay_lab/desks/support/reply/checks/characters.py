"""Which characters a reply may contain: plain English ones, and nothing that hides, marks up or points elsewhere."""

import unicodedata
from string import ascii_letters, digits

from relay_lab.desks.support.reply.material import RefusalCode

PLAIN = frozenset(
    ascii_letters + digits + " .,;:?!'\"()-/_$" + "\u2019\u2018\u201c\u201d\u2013\u2014\u20ac\u00a3\u00a5"
)
"""Letters, figures, plain marks, typographic quotes and dashes, signs of currencies."""

LETTERS = ("L", "M", "N")


def refused_character(text: str) -> RefusalCode | None:
    """Why the text is refused for one of its characters: a letter or figure that is not English, or anything hidden or active."""
    strange = set(text) - PLAIN
    if not strange:
        return None
    if all(unicodedata.category(character).startswith(LETTERS) for character in strange):
        return "not_english"
    return "forbidden_content"
