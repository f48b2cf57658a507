"""Which ids may stand in a sentence."""

LONGEST_NUMBER = 7
"""Figures up to this many characters could be an amount, a day or a count."""


def printable(identifier: str) -> bool:
    """Whether an id can be told from a word and from a number, so that it may stand in a sentence."""
    plain_number = identifier.replace(".", "").isdigit() and len(identifier) <= LONGEST_NUMBER
    return any(character.isdigit() for character in identifier) and not plain_number
