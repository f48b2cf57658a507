"""A model behind any OpenAI-compatible endpoint. Whatever the endpoint does is an answer or a refusal with a code.

budget_spent        the run has used up its calls or its tokens; nothing was sent
unreachable         no connection, or it broke off
model_timeout       no complete answer in time, however lively the connection was
rate_limited        429
not_allowed         401 or 403: the key does not serve
endpoint_refused    any other 4xx: often a message longer than the model can take, or a parameter it does not know; or a 3xx:
                    the customer's words go to the address that was set, and nowhere else
endpoint_failed     5xx
not_a_completion    HTML, half a JSON, no choice, anything that is not of the shape, too much of it, or the key given back
truncated           the answer ran into the token limit
content_filter      the endpoint held the answer back
model_refused       the model said that it will not
no_text             an answer without text
message_too_long    longer than is sent, see prompts.py
"""

import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field, ValidationError

from relay_lab.contracts.base import Contract
from relay_lab.contracts.errors import ProposerRefused
from relay_lab.contracts.proposals import ProposalRequest
from relay_lab.proposers.prompts import answer_schema, messages, prompt_version

if TYPE_CHECKING:
    from openai import OpenAI

_CHARACTERS_A_TOKEN = 4
"""An estimate, for the budget before a call and for a server that does not count."""
_LONGEST_BODY = 4_000_000
"""Bytes of an answer that are read: a server that never stops would fill the memory before its time is over."""
_SHORTEST_KEY = 16
"""Characters of a key that is looked for in answers: a placeholder such as "none" is a word that an answer may hold."""


class Configuration(Contract):
    """All that decides what a model answers, as far as it is ours to decide: it is part of the binding of every result.

    `constrained`: the server is asked to hold the answer to the JSON schema of its task. `message_characters`: the longest
    message that is sent. `software`: versions and hashes of what ran, where that is known. No address and no key is in here.
    """

    proposer: str
    model: str
    temperature: float
    seed: int
    max_tokens: int
    timeout_s: float
    message_characters: int
    constrained: bool
    prompt_version: str = Field(default_factory=prompt_version)
    software: dict[str, str] = Field(default_factory=dict)


@dataclass
class Budget:
    """How many calls and tokens a run may use, and has used; shared by everything that asks during the run.

    Before a call its tokens are estimated, and no call goes out that would go over; afterwards the larger of the estimate and
    what the server counted is booked.
    """

    calls: int
    tokens: int
    calls_used: int = 0
    tokens_used: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def take(self, tokens: int) -> None:
        """Book one call of about so many tokens, or refuse it with `budget_spent`."""
        with self._lock:
            if self.calls_used >= self.calls or self.tokens_used + tokens > self.tokens:
                raise ProposerRefused(
                    "budget_spent", f"{self.calls_used} calls and {self.tokens_used} tokens are used"
                )
            self.calls_used += 1
            self.tokens_used += tokens

    def settle(self, booked: int, used: int) -> None:
        """Book what a call took beyond its estimate, or give back what it did not use."""
        with self._lock:
            self.tokens_used += used - booked


class _Answered(BaseModel):
    content: str | None = None
    refusal: str | None = None


class _Choice(BaseModel):
    message: _Answered
    finish_reason: str | None = None


class _Usage(BaseModel):
    total_tokens: int = Field(default=0, ge=0)


class _Completion(BaseModel):
    choices: list[_Choice] = Field(min_length=1)
    usage: _Usage | None = None


class Chat:
    """A proposer that asks a model over HTTP, one call a request and no retry (a second answer would be another trial)."""

    def __init__(self, configuration: Configuration, base_url: str, api_key: str, budget: Budget) -> None:
        self.configuration, self.budget = configuration, budget
        self._base_url, self._api_key = base_url, api_key
        self._client: OpenAI | None = None

    @property
    def binding(self) -> dict[str, Any]:
        """What a result is bound to."""
        return self.configuration.model_dump(mode="json")

    def __call__(self, request: ProposalRequest) -> str:
        """The model's text. Raises `ProposerRefused` with a code of the list above."""
        chat = [message.model_dump() for message in messages(request, self.configuration.message_characters)]
        asked = sum(len(message["content"]) for message in chat) // _CHARACTERS_A_TOKEN
        booked = asked + self.configuration.max_tokens
        self.budget.take(booked)
        client = self._open()
        body = _within(
            self.configuration.timeout_s, lambda: self._sent(client, request.task, chat), self.close
        )
        if len(self._api_key) >= _SHORTEST_KEY and self._api_key in body:
            raise ProposerRefused("not_a_completion", "it repeats the key")
        completion = _completion(body)
        choice = completion.choices[0]
        text = choice.message.content or ""
        counted = completion.usage.total_tokens if completion.usage else 0
        self.budget.settle(booked, max(counted, asked + len(text) // _CHARACTERS_A_TOKEN))
        return _text(choice, text)

    def close(self) -> None:
        """Close the connection, if there is one."""
        client, self._client = self._client, None
        if client is not None:
            client.close()

    def _open(self) -> "OpenAI":
        from openai import DefaultHttpxClient, OpenAI

        if self._client is None:
            self._client = OpenAI(
                http_client=DefaultHttpxClient(follow_redirects=False),
                base_url=self._base_url,
                api_key=self._api_key,
                timeout=self.configuration.timeout_s,
                max_retries=0,
            )
        return self._client

    def _sent(self, client: "OpenAI", task: str, chat: list[dict[str, Any]]) -> str:
        wanted = self.configuration
        held: dict[str, Any] = {}
        if wanted.constrained:
            schema = {"name": task, "schema": answer_schema(task), "strict": True}
            held = {"response_format": {"type": "json_schema", "json_schema": schema}}
        with client.chat.completions.with_streaming_response.create(
            model=wanted.model,
            messages=chat,  # type: ignore[arg-type]
            temperature=wanted.temperature,
            seed=wanted.seed,
            max_tokens=wanted.max_tokens,
            **held,
        ) as raw:
            body = bytearray()
            for part in raw.iter_bytes():
                body += part
                if len(body) > _LONGEST_BODY:
                    raise ValueError("longer than an answer may be")
        return body.decode("utf-8", "replace")


def _within(timeout_s: float, ask: Callable[[], str], give_up: Callable[[], None]) -> str:
    """The answer, if it is complete in time: the client's own timeout starts anew with every byte that drips in."""
    box: queue.SimpleQueue[str | Exception] = queue.SimpleQueue()

    def run() -> None:
        try:
            box.put(ask())
        except Exception as error:  # noqa: BLE001 - told to the caller, who knows what it means
            box.put(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        answer = box.get(timeout=timeout_s)
    except queue.Empty:
        give_up()
        raise ProposerRefused("model_timeout", f"after {timeout_s} s") from None
    if isinstance(answer, Exception):
        raise _refusal(answer) from None
    return answer


def _refusal(error: Exception) -> ProposerRefused:
    """What the endpoint did, as a code. Its own words are left out: they may repeat the key or the customer's text."""
    import httpx2
    import openai

    match error:
        case openai.APITimeoutError() | httpx2.TimeoutException():
            return ProposerRefused("model_timeout")
        case openai.APIConnectionError() | httpx2.TransportError():
            return ProposerRefused("unreachable")
        case openai.RateLimitError():
            return ProposerRefused("rate_limited")
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return ProposerRefused("not_allowed", f"status {error.status_code}")
        case openai.APIStatusError(status_code=status):
            return ProposerRefused(
                "endpoint_failed" if status >= 500 else "endpoint_refused", f"status {status}"
            )
        case _:
            return ProposerRefused("not_a_completion", type(error).__name__)


def _completion(body: str) -> _Completion:
    try:
        return _Completion.model_validate_json(body)
    except ValidationError:
        raise ProposerRefused("not_a_completion") from None


def _text(choice: _Choice, text: str) -> str:
    if choice.finish_reason in ("length", "content_filter"):
        raise ProposerRefused("truncated" if choice.finish_reason == "length" else "content_filter")
    if choice.message.refusal:
        raise ProposerRefused("model_refused")
    if not text.strip():
        raise ProposerRefused("no_text")
    return text
