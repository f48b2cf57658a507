"""What a guard check is: a named function that gives, in words, whatever is not as it should be."""

from collections.abc import Callable, Iterator

Check = Callable[[], Iterator[str]]

REGISTERED: dict[str, Check] = {}
"""Every check by its name, `guard.boundary`; its docstring is what holds."""


def check(guard: str) -> Callable[[Check], Check]:
    """Register a check under its guard and its own name."""

    def register(function: Check) -> Check:
        REGISTERED[f"{guard}.{function.__name__}"] = function
        return function

    return register


def differs(what: str, seen: object, wanted: object) -> Iterator[str]:
    """One sentence when something is not as it should be."""
    if seen != wanted:
        yield f"{what} came to {seen!r}, not to {wanted!r}"
