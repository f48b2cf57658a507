"""A stranger's bot behind a fence: whatever it does is one sentence, whatever it gives is plain text."""

import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.workflow import Click, Turn, Workflow


class Fenced:
    """A bot whose exceptions and exits are `BadInput`, and whose turns and states were looked at before anybody reads them.

    An interrupt passes: it is the person's who waits.
    """

    def __init__(self, bot: Workflow) -> None:
        self._bot = bot

    def say(self, message: str) -> Turn:
        """See `Workflow`."""
        with _one_sentence():
            return _whole(self._bot.say(message))  # type: ignore[return-value]  # the bench refuses what is no turn

    def click(self, click: Click) -> Turn | None:
        """See `Workflow`."""
        with _one_sentence():
            return _whole(self._bot.click(click))

    def states(self) -> Mapping[str, str] | None:
        """See `Workflow`."""
        with _one_sentence():
            told = self._bot.states()
            if not isinstance(told, Mapping):
                return told
            return {_plain(str(issue)): _plain(str(told[issue])) for issue in told}


def words_of(error: BaseException) -> str:
    """What an exception says, also one that cannot be asked, and fit to be printed."""
    try:
        return _plain(str(error))
    except Exception:  # noqa: BLE001 - the text of a stranger's exception is a stranger's code
        return "it does not say what was wrong"


def _plain(text: str) -> str:
    """Text without halves of characters and without what moves a terminal's cursor."""
    whole = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(sign if sign.isprintable() or sign.isspace() else repr(sign)[1:-1] for sign in whole)


def _whole(turn: Turn | None) -> Turn | None:
    """The turn as a plain one: its fields are of the types that they say, and of no subclass."""
    if not isinstance(turn, Turn):
        return turn
    parts = {name: getattr(turn, name) for name in Turn.model_fields}
    return Turn(**{name: _text(part) if isinstance(part, str) else part for name, part in parts.items()})


def _text(text: str) -> str:
    """A plain string, whatever its class says that it is. Raises `UnicodeEncodeError` for half a character."""
    return str.encode(text).decode()


@contextmanager
def _one_sentence() -> Iterator[None]:
    try:
        yield
    except (KeyboardInterrupt, BadInput):
        raise
    except BaseException as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        raise BadInput(f"{type(error).__name__} in {place.name}: {words_of(error)}") from error
