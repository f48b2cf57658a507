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


class Vocabulary(Contract):
    """The words that must stand in the message before a slot may hold a value: slot -> value -> forms.

    A form is one word or several, in lower case. A slot or a value that is not listed here needs no ground.
    """

    forms: dict[str, dict[str, tuple[str, ...]]]
