"""Which ids and which terms of a record may stand in a sentence as they are."""

import re

LONGEST_NUMBER = 7
"""Figures up to this many characters could be an amount, a day or a count."""

INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?|\d{1,2}:\d{2}(?::\d{2})?")
TERMS = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ,.%-]{0,78}[A-Za-z0-9%]")
"""One short line of plain characters."""


def printable(identifier: str) -> bool:
    """Whether an id can be told from a word, a number, a time and a mark, so that it may stand in a sentence."""
    if not identifier[-1:].isalnum() or INSTANT.fullmatch(identifier):
        return False
    if identifier.replace(".", "").isdigit() and len(identifier) <= LONGEST_NUMBER:
        return False
    return any(character.isdigit() for character in identifier)


def presentable(terms: str) -> bool:
    """Whether tax terms are such that a customer may be shown them word for word."""
    return TERMS.fullmatch(terms) is not None
