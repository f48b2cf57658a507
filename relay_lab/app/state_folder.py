"""Where the reader's progress is kept, if anywhere."""

import os
from pathlib import Path


def state_folder() -> Path | None:
    """The folder that RELAY_LAB_STATE names, or the usual one of the system; it may not be there yet.

    None where nothing is kept: RELAY_LAB_STATE=off, and wherever pytest runs, whose children inherit its variable.
    """
    named = os.environ.get("RELAY_LAB_STATE", "")
    if named.lower() == "off" or "PYTEST_VERSION" in os.environ:
        return None
    if named:
        return Path(named).expanduser()
    from platformdirs import user_state_path

    return user_state_path("relay-lab", appauthor=False)
