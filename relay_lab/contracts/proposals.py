"""What a proposer is asked, and the words that ground its answer."""

from collections.abc import Callable
from typing import Literal

from relay_lab.contracts.base import Contract

Task = Literal["decompose", "draft_reply", "recommend_case", "decide_order", "act"]


class ContextBlock(Contract):
    """One block of context. An untrusted block is data whatever it says."""

    name: str
    trusted: bool
    text: str


class ProposalRequest(Contract):
    """One question to a proposer. The answer is a string and nothing more."""

    task: Task
    message: str
    blocks: tuple[ContextBlock, ...] = ()


Propose = Callable[[ProposalRequest], str]


class Phrases(Contract):
    """The bounded sets of words that can answer a proposal: a language is a data file with these five lists.

    `approve` and `reject` decide, `ambiguous` is a half yes, `assent` are words that sound like a yes inside of other text,
    `courtesy` may stand beside an answer without changing it.
    """

    approve: tuple[str, ...]
    reject: tuple[str, ...]
    ambiguous: tuple[str, ...]
    assent: tuple[str, ...]
    courtesy: tuple[str, ...]


class Vocabulary(Contract):
    """The words that must stand in the message before a slot may hold a value: slot -> value -> forms.

    A form is one word or several, in lower case. Of a slot that is listed, a text that is not is refused, and another value
    needs no ground; ids and amounts have to stand in the message as they are; any other slot needs no ground.
    """

    forms: dict[str, dict[str, tuple[str, ...]]]
