"""A model behind an endpoint: whatever the endpoint does is an answer or a refusal with a code."""

import socket
from typing import Any

import pytest
from proposers.loopback import breaks_off, completion, drips, hangs, loopback, says

from relay_lab import Parts, open_lab
from relay_lab.contracts.base import canonical_json
from relay_lab.contracts.errors import BadInput, ProposerRefused
from relay_lab.contracts.proposals import ContextBlock, ProposalRequest
from relay_lab.proposers.chat import Budget, Chat, Configuration
from relay_lab.proposers.endpoint import endpoint

KEY = "sk-not-to-be-seen-anywhere"
REQUEST = ProposalRequest(
    task="decompose",
    message="I was charged twice",
    blocks=(ContextBlock(name="open_issues", trusted=True, text="[]"),),
)


def chat(url: str, *, budget: Budget | None = None, timeout_s: float = 20.0, **other: Any) -> Chat:
    settings: dict[str, Any] = {
        "proposer": "openai",
        "model": "m",
        "temperature": 0.2,
        "seed": 7,
        "max_tokens": 50,
        "timeout_s": timeout_s,
        "message_characters": 20_000,
        "constrained": False,
    }
    return Chat(Configuration(**settings | other), url, KEY, budget or Budget(100, 100_000))


def refusal(propose: Chat) -> ProposerRefused:
    with pytest.raises(ProposerRefused) as caught:
        propose(REQUEST)
    propose.close()
    return caught.value


def test_the_answer_is_the_models_text_as_it_came() -> None:
    """What the model says is handed on unread, blanks and all."""
    with loopback(says(completion(' {"issues": []}\n'))) as server:
        propose = chat(server.url)
        assert propose(REQUEST) == ' {"issues": []}\n'
        propose.close()


def test_what_was_pinned_is_what_is_sent() -> None:
    """Model, temperature, seed and token limit go out as the configuration has them; roles stay apart."""
    with loopback(says(completion("{}"))) as server:
        propose = chat(server.url)
        propose(REQUEST)
        propose.close()
    [body] = server.bodies
    assert (body["model"], body["temperature"], body["seed"], body["max_tokens"]) == ("m", 0.2, 7, 50)
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert "charged twice" not in body["messages"][0]["content"]
    assert "response_format" not in body
    assert server.keys == [f"Bearer {KEY}"]


def test_a_server_that_can_is_asked_to_hold_the_model_to_the_shape() -> None:
    """A constrained configuration sends the JSON schema of the task."""
    with loopback(says(completion("{}"))) as server:
        propose = chat(server.url, constrained=True)
        propose(REQUEST)
        propose.close()
    schema = server.bodies[0]["response_format"]["json_schema"]
    assert schema["name"] == "decompose" and "issues" in schema["schema"]["properties"]


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        (says("<html><body>Welcome</body></html>", content_type="text/html"), "not_a_completion"),
        (says('{"choices": [{"message": {"content": "half'), "not_a_completion"),
        (says(""), "not_a_completion"),
        (says("null"), "not_a_completion"),
        (says({"choices": []}), "not_a_completion"),
        (says({"choices": [{"message": {"content": ["not", "text"]}}]}), "not_a_completion"),
        (says({"error": {"message": "no"}}), "not_a_completion"),
        (says(completion(f"Bearer {KEY}")), "not_a_completion"),
        (says(completion("a" * 4_000_000)), "not_a_completion"),
        (breaks_off, "unreachable"),
        (says({"error": {"message": f"slow down, {KEY}"}}, 429), "rate_limited"),
        (says({"error": {"message": f"wrong key {KEY}"}}, 401), "not_allowed"),
        (says({"error": {"message": "no"}}, 403), "not_allowed"),
        (says({"error": {"message": "context too long"}}, 400), "endpoint_refused"),
        (says("<html>nothing here</html>", 404, "text/html"), "endpoint_refused"),
        (says("<html>it broke</html>", 500, "text/html"), "endpoint_failed"),
        (says("", 503), "endpoint_failed"),
        (says(completion('{"issues": [', "length")), "truncated"),
        (says(completion(None, "content_filter")), "content_filter"),
        (says(completion(None, refusal="I will not.")), "model_refused"),
        (says(completion(None, "tool_calls")), "no_text"),
        (says(completion("  \n")), "no_text"),
    ],
)
def test_whatever_the_endpoint_does_is_a_refusal_with_a_code(behaviour: Any, code: str) -> None:
    """No answer of an endpoint is an exception of another kind, and no refusal repeats the key."""
    with loopback(behaviour) as server:
        refused = refusal(chat(server.url))
    assert refused.code == code
    assert KEY not in str(refused) + repr(refused) + refused.detail


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_the_customers_words_are_not_carried_on_to_another_address(status: int) -> None:
    """A redirect is a refusal, and whom it names hears nothing."""
    with loopback(says(completion("{}"))) as elsewhere:

        def redirects(handler: Any, _: Any) -> None:
            handler.send_response(status)
            handler.send_header("Location", f"{elsewhere.url}/chat/completions")
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        with loopback(redirects) as server:
            assert refusal(chat(server.url)).code == "endpoint_refused"
    assert elsewhere.bodies == []


@pytest.mark.parametrize("behaviour", [hangs, drips])
def test_an_endpoint_that_keeps_the_connection_busy_is_given_up_in_time(behaviour: Any) -> None:
    """The time is for the whole answer: neither silence nor a drip of bytes holds a run up."""
    with loopback(behaviour) as server:
        assert refusal(chat(server.url, timeout_s=0.3)).code == "model_timeout"


def test_an_endpoint_that_is_not_there_is_unreachable() -> None:
    """A refused connection is a refusal like any other."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        assert refusal(chat(f"http://127.0.0.1:{taken.getsockname()[1]}/v1")).code == "unreachable"


def test_after_a_refusal_the_next_question_is_asked_as_usual() -> None:
    """One bad answer does not spoil the connection."""
    with loopback(hangs, says(completion("{}"))) as server:
        propose = chat(server.url, timeout_s=2.0)
        with pytest.raises(ProposerRefused):
            propose(REQUEST)
        assert propose(REQUEST) == "{}"
        propose.close()


def test_no_call_is_made_twice() -> None:
    """A retry would be a second try that no count knows of."""
    with loopback(says("", 500)) as server:
        refusal(chat(server.url))
    assert len(server.bodies) == 1


def test_the_calls_of_a_run_are_bounded_however_many_trials_share_them() -> None:
    """The third question of a budget of two is not sent, whoever asks it."""
    budget = Budget(calls=2, tokens=100_000)
    with loopback(says(completion("{}"))) as server:
        first, second = chat(server.url, budget=budget), chat(server.url, budget=budget, seed=8)
        first(REQUEST)
        second(REQUEST)
        assert refusal(first).code == refusal(second).code == "budget_spent"
    assert len(server.bodies) == 2


def test_the_tokens_of_a_run_are_bounded_by_what_the_server_counts_and_by_an_estimate() -> None:
    """What an answer used is booked, and a question that would go over is not sent."""
    budget = Budget(calls=100, tokens=2_000)
    with loopback(says({**completion("{}"), "usage": {"total_tokens": 1_900}})) as server:
        propose = chat(server.url, budget=budget)
        propose(REQUEST)
        assert budget.tokens_used == 1_900
        assert refusal(propose).code == "budget_spent"
    assert len(server.bodies) == 1


@pytest.mark.parametrize("usage", [None, {"total_tokens": 0}, {"prompt_tokens": 3}])
def test_a_server_that_does_not_count_is_counted(usage: Any) -> None:
    """Without a count of its own, four characters are a token."""
    budget = Budget(calls=100, tokens=100_000)
    with loopback(says({**completion("{}"), "usage": usage})) as server:
        propose = chat(server.url, budget=budget)
        propose(REQUEST)
        propose.close()
    assert budget.tokens_used > 300


def test_a_binding_says_what_was_asked_with_and_holds_no_key_and_no_address() -> None:
    """Two configurations that could answer differently have different bindings, and none tells a secret."""
    propose = chat("http://user:password@127.0.0.1:1/v1")
    bound = canonical_json(propose.binding)
    assert KEY not in bound and "password" not in bound and "127.0.0.1" not in bound
    assert {"model", "temperature", "seed", "max_tokens", "prompt_version"} <= set(propose.binding)


def test_a_refusal_stands_in_the_trace_with_its_code_and_the_message_is_kept() -> None:
    """Through a whole lab: the run goes on, asks the customer again, and says what the endpoint did."""
    with loopback(says("<html>", content_type="text/html")) as server:
        propose = chat(server.url)
        with open_lab(parts=Parts(propose=propose)) as lab:
            run = lab.say("I was charged twice")
        propose.close()
    assert run.states == {"I1": "needs_input"}
    assert next(row.outcome for row in run.trace if row.tool == "decompose") == "not_a_completion"


SET = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": KEY, "OPENAI_MODEL": "m"}


@pytest.mark.parametrize("name", list(SET))
@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_setting_that_is_missing_is_named(name: str, value: str | None) -> None:
    """One sentence says which variable to set."""
    environment = {key: text for key, text in SET.items() if key != name}
    if value is not None:
        environment[name] = value
    with pytest.raises(BadInput, match=f"{name} is not set"):
        endpoint(environment)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OPENAI_BASE_URL", "localhost:11434"),
        ("OPENAI_BASE_URL", "http://"),
        ("OPENAI_BASE_URL", "http://[::1"),
        ("OPENAI_BASE_URL", "http://a:99999/v1"),
        ("OPENAI_API_KEY", "sk-ключ"),
        ("OPENAI_API_KEY", "sk-a\nHost: b"),
    ],
)
def test_a_setting_that_cannot_serve_is_named_and_a_key_is_not_repeated(name: str, value: str) -> None:
    """The sentence names the variable; the value of a key is in no sentence."""
    with pytest.raises(BadInput, match=name) as caught:
        endpoint(SET | {name: value})
    assert name != "OPENAI_API_KEY" or value not in str(caught.value)


def test_proposers_that_are_made_one_after_another_share_the_budget_of_the_process() -> None:
    """A run that makes a proposer for every attempt is bounded like one that makes a single one."""
    first, second = endpoint(SET, 0), endpoint(SET, 1)
    assert first.budget is second.budget and first.budget.calls == 2_000
    assert endpoint(SET, 0, Budget(1, 1)).budget is not first.budget


def test_a_trial_asks_with_a_seed_of_its_own() -> None:
    """Trials differ in their seed and in nothing else."""
    first, second = endpoint(SET, 0).binding, endpoint(SET, 1).binding
    assert second == first | {"seed": first["seed"] + 1}
