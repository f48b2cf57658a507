"""The example of a model of one's own, against an endpoint on the loopback interface."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
from desks.crashes import EXAMPLES, example
from proposers.loopback import breaks_off, completion, hangs, loopback, says

from relay_lab import Parts, open_lab

PROGRAM = EXAMPLES / "own_model.py"
OWN = example("own_model")
MESSAGE = "I was charged twice."
READ = json.dumps({"issues": [{"type": "billing_duplicate", "span": {"text": "charged twice"}}]})


def said(behaviour: Any, timeout_s: float = 20.0):
    with loopback(behaviour) as server:
        model = OWN.OwnModel(server.url, "none", "m", timeout_s)
        with open_lab(parts=Parts(propose=model)) as lab:
            run = lab.say(MESSAGE)
        model.client.close()
    return run, server


def test_the_example_has_at_most_sixty_lines() -> None:
    """A page of code, to be read in one sitting."""
    assert len(PROGRAM.read_text("utf-8").splitlines()) <= 60


def test_a_model_that_reads_the_message_is_taken_at_its_word() -> None:
    """What the endpoint proposes is admitted, and the desk goes on from there."""
    run, server = said(says(completion(READ)))
    assert run.states == {"I1": "evidence_ready"}
    assert json.loads(server.bodies[0]["messages"][1]["content"]) == MESSAGE


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [
        (says(completion("Sure! " + READ)), "not_json"),
        (
            says(completion('{"issues": [{"type": "human_request", "span": {"text": "a person"}}]}')),
            "span_not_in_message",
        ),
        (says("<html>", content_type="text/html"), "my_model_failed"),
        (says('{"choices": [{'), "my_model_failed"),
        (says({"choices": []}), "my_model_failed"),
        (says({}, 429), "my_model_refused"),
        (says({}, 500), "my_model_refused"),
        (breaks_off, "my_model_failed"),
    ],
)
def test_whatever_the_model_does_the_message_is_kept(behaviour: Any, code: str) -> None:
    """Bad answers and bad endpoints are refusals in the trace; the customer is asked again."""
    run, _ = said(behaviour)
    assert run.states == {"I1": "needs_input"}
    assert code in [row.outcome for row in run.trace]


def test_a_model_that_says_nothing_is_given_up() -> None:
    """An endpoint that hangs costs the time that was set and no more."""
    run, _ = said(hangs, 0.3)
    assert "my_model_failed" in [row.outcome for row in run.trace]


@pytest.mark.slow
def test_as_a_program_it_prints_states_reply_and_decisions_or_how_to_run_it() -> None:
    """With settings one conversation, without them the way to set them."""
    with loopback(says(completion(READ))) as server:
        settings = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none", "OPENAI_MODEL": "m"}
        command = [sys.executable, PROGRAM, MESSAGE]
        ran = subprocess.run(
            command, env={**os.environ, **settings}, capture_output=True, text=True, timeout=120
        )
    assert (ran.returncode, ran.stderr) == (0, "") and "decompose: admitted" in ran.stdout
    bare = {name: value for name, value in os.environ.items() if not name.startswith("OPENAI_")}
    ran = subprocess.run(command, env=bare, capture_output=True, text=True, timeout=120)
    assert ran.returncode != 0 and "OPENAI_BASE_URL" in ran.stderr and "Traceback" not in ran.stderr
