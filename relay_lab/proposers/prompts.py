"""The words that a model gets: rules, facts and other people's text, each in a place of its own (001 §2; 003).

Rules and trusted blocks go into the system message. Everything else is data: one JSON string on one line, between two lines
that carry a mark made from the request itself. A text cannot hold the hash of a request that it is a part of, and a string
without a line break cannot begin a line, so no text ends its own fence. What a chat template could take for a turn of its own
(`<|im_start|>`, `[INST]`) is written as JSON escapes, which say the same and are read by nobody as a turn.
"""

import json
import re
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from pydantic import Field

from relay_lab.contracts.base import Contract, canonical_json, digest, fingerprint
from relay_lab.contracts.errors import ProposerRefused
from relay_lab.contracts.proposals import ContextBlock, ProposalRequest

# Angle brackets and backticks; a square bracket before a word in capitals; characters that end lines, reorder or hide text.
_CONTROLS = re.compile(
    r"[<>`\x7f-\x9f\u200b\u2028-\u202e\u2060\u2066-\u2069\ufeff\U000e0000-\U000e007f]|\[(?=/?[A-Z_]+\])"
)


class Message(Contract):
    """One message of a chat."""

    role: Literal["system", "user"]
    content: str


class _Budget(Contract):
    characters: int
    keep: Literal["start", "end"]


class _Task(Contract):
    rules: tuple[str, ...]
    examples: tuple[str, ...]
    answer_schema: dict[str, Any] = Field(alias="schema")


class _Prompts(Contract):
    version: str
    message_characters: int
    budgets: dict[str, _Budget]
    data_rule: str
    tasks: dict[str, _Task]


@cache
def _prompts() -> _Prompts:
    text = files("relay_lab.proposers").joinpath("prompts.json").read_text(encoding="utf-8")
    return _Prompts.model_validate_json(text)


@cache
def prompt_version() -> str:
    """The version of the words: a number for people, and the hash of what they are made from and of what becomes of them."""
    prompts, probe = _prompts(), ContextBlock(name="probe", trusted=False, text="<|probe|> [PROBE]" * 200)
    chats = [
        message.content
        for task in ("decompose", "draft_reply", "act")
        for trusted in (True, False)
        for message in messages(
            ProposalRequest(
                task=task, message="probe", blocks=(probe.model_copy(update={"trusted": trusted}),)
            )
        )
    ]
    return f"{prompts.version}-{digest(canonical_json(prompts) + canonical_json({'chats': chats}))[:12]}"


def answer_schema(task: str) -> dict[str, Any]:
    """The JSON schema of an answer to this task, for a server that can hold a model to one."""
    return _task(task).answer_schema


def messages(request: ProposalRequest, message_characters: int | None = None) -> tuple[Message, ...]:
    """The chat that puts one request to a model: a system message of rules, examples and facts, a user message of data.

    Each block has a budget of characters by its name. A block that is longer loses its end (`history`: its beginning), and the
    line above it says how much is shown. The message itself is never cut: one that is longer than `message_characters` (by
    default what admission takes) is refused with `message_too_long`, and a task without a prompt with `unknown_task`.
    """
    limit = _prompts().message_characters if message_characters is None else message_characters
    if len(request.message) > limit:
        raise ProposerRefused(
            "message_too_long", f"{len(request.message)} characters, at most {limit} are sent"
        )
    task = _task(request.task)
    facts = [_fact(block) for block in request.blocks if block.trusted]
    system = "\n".join((*task.rules, _prompts().data_rule, *task.examples, *facts))
    mark = _mark(request)
    data = [_data(block.name, *_cut(block), mark) for block in request.blocks if not block.trusted]
    data.append(_data("message", request.message, "", mark))
    return (Message(role="system", content=system), Message(role="user", content="\n".join(data)))


def _task(name: str) -> _Task:
    task = _prompts().tasks.get(name)
    if task is None:
        raise ProposerRefused("unknown_task", name)
    return task


def _fact(block: ContextBlock) -> str:
    text, cut = _cut(block)
    return f"FACTS {_plain(block.name)}{cut}\n{_neutral(text)}"


def _data(name: str, text: str, cut: str, mark: str) -> str:
    quoted = _neutral(json.dumps(text, ensure_ascii=False))
    return f"DATA {_plain(name)} {mark}{cut}\n{quoted}\nEND {mark}"


def _cut(block: ContextBlock) -> tuple[str, str]:
    """The text of a block as far as its budget goes, and what the line above it says of the rest."""
    budgets = _prompts().budgets
    budget = budgets.get(block.name) or budgets[""]
    whole, most = len(block.text), budget.characters
    if whole <= most:
        return block.text, ""
    part = "first" if budget.keep == "start" else "last"
    kept = block.text[:most] if budget.keep == "start" else block.text[whole - most :]
    return kept, f" (cut: the {part} {most} of {whole} characters)"


def _mark(request: ProposalRequest) -> str:
    """A mark that stands in no text of the request."""
    mark = fingerprint(request)[:16]
    while any(mark in text for text in (request.message, *(block.text for block in request.blocks))):
        mark = digest(mark)[:16]
    return mark


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", name)[:40]


def _neutral(text: str) -> str:
    """The same JSON text, with every character escaped that could be taken for more than a character."""
    return _CONTROLS.sub(_escape, text)


def _escape(found: re.Match[str]) -> str:
    character = found.group()
    return f"\\u{ord(character):04x}" if character.isascii() else json.dumps(character)[1:-1]
