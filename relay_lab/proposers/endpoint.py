"""A model that the environment names: any OpenAI-compatible endpoint."""

from collections.abc import Mapping
from functools import cache
from urllib.parse import urlsplit

from relay_lab.contracts.errors import BadInput
from relay_lab.proposers.chat import Budget, Chat, Configuration

VARIABLES = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "OPENAI_MODEL")
SEED = 20260910


def endpoint(environment: Mapping[str, str], trial: int = 0, budget: Budget | None = None) -> Chat:
    """The proposer that OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL describe; trial `n` asks with another seed.

    Without a budget of its own it shares that of this process: 2,000 calls and 4,000,000 tokens. Raises `BadInput` for a
    variable that is missing or cannot serve; the key is repeated nowhere.
    """
    missing = [name for name in VARIABLES if not environment.get(name, "").strip()]
    if missing:
        raise BadInput(
            f"the proposer openai reads {', '.join(VARIABLES)}, and {', '.join(missing)}"
            f" {'is' if len(missing) == 1 else 'are'} not set; set {'it' if len(missing) == 1 else 'them'}, for a server"
            " without keys to any word."
        )
    base_url, api_key, model = (environment[name].strip() for name in VARIABLES)
    if not _is_address(base_url):
        raise BadInput("OPENAI_BASE_URL is not an address; write it as http://127.0.0.1:11434/v1.")
    if not (api_key.isascii() and api_key.isprintable()):
        raise BadInput("OPENAI_API_KEY holds a character that no key has; set it again.")
    configuration = Configuration(
        proposer="openai",
        model=model,
        temperature=0.2,
        seed=SEED + trial,
        max_tokens=1500,
        timeout_s=60.0,
        message_characters=20_000,
        constrained=False,
    )
    return Chat(configuration, base_url, api_key, budget or _of_this_process())


def usual_budget() -> Budget:
    """What one run may use of a model that may cost money."""
    return Budget(calls=2_000, tokens=4_000_000)


@cache
def _of_this_process() -> Budget:
    """Whoever makes a proposer for every attempt of a run shares one budget all the same."""
    return usual_budget()


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
