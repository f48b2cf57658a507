"""Word lists are written as plain text."""


def words(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


def ranked(text: str, start: int) -> dict[str, int]:
    """The words of a text, numbered from `start`."""
    return {word: number for number, word in enumerate(text.split(), start=start)}


def lines(text: str) -> list[list[str]]:
    """The words of each line that has any."""
    return [line.split() for line in text.split("\n") if line.strip()]
