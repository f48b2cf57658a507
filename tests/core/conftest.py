"""A fake desk for every test that asks for one."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from core.desk import Desk


@pytest.fixture
def make_desk() -> Iterator[Callable[..., Desk]]:
    """Makes desks with settings of their own, and closes them."""
    with ExitStack() as stack:
        yield lambda **settings: stack.enter_context(Desk(**settings))


@pytest.fixture
def desk(make_desk: Callable[..., Desk]) -> Desk:
    """A desk with every guard standing."""
    return make_desk()
