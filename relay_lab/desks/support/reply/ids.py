"""Which ids and which terms of a record may stand in a sentence as they are."""

import re

LONGEST_NUMBER = 7
"""Figures up to this many characters could be an amount, a day or a count."""

INSTANT = re.compile(r"\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?|\d{1,2}:\d{2}(?::\d{2})?")
TERMS = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ,.%-]{0,78}[A-Za-z0-9%]")
"""One short line of plain characters."""
_TAX = re.compile(r"tax|taxes|vat|gst|hst|pst")
_OF_TAXES = re.compile(
    r"added|all|any|applicable|applies|apply|are|as|at|before|by|country|excl|excluded|excludes|excluding|exempt|for|from|"
    r"goods|in|incl|included|includes|including|inclusive|invoice|is|law|local|no|not|of|on|plus|price|rate|reduced|"
    r"required|sales|service|services|shown|standard|state|the|to|value|where|with|without|zero|\d{1,2}"
)


def printable(identifier: str) -> bool:
    """Whether an id can be told from a word, a number, a time and a mark, so that it may stand in a sentence."""
    if not identifier[-1:].isalnum() or INSTANT.fullmatch(identifier):
        return False
    if identifier.replace(".", "").isdigit() and len(identifier) <= LONGEST_NUMBER:
        return False
    return any(character.isdigit() for character in identifier)


def presentable(terms: str) -> bool:
    """Whether tax terms speak of taxes and of nothing else, so that a customer may be shown them word for word."""
    words = re.findall(r"[a-z]+|\d+", terms.lower())
    if TERMS.fullmatch(terms) is None or not any(_TAX.fullmatch(word) for word in words):
        return False
    return all(_TAX.fullmatch(word) or _OF_TAXES.fullmatch(word) for word in words)
