"""What a result came from: the commit, and the fixtures."""

import subprocess
from pathlib import Path

from relay_lab.contracts.base import digest
from relay_lab.world.data import fixtures_folder

CHECKOUT = Path(__file__).parents[2]
"""The folder that the package lies in: the top of the checkout, where there is one."""


def commit_of(root: Path = CHECKOUT, changed: str = "") -> str:
    """The commit that is checked out there, with the mark `changed` when files differ from it; empty where there is none."""
    if not (root / ".git").exists():
        return ""
    git = [
        "git",
        "describe",
        "--always",
        "--abbrev=40",
        "--exclude=*",
        *([f"--dirty={changed}"] if changed else []),
    ]
    try:
        done = subprocess.run(git, cwd=root, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout.strip()


def dataset() -> str:
    """The hash of everything that decides what is asked: the fixtures but the recordings themselves."""
    folder = fixtures_folder()
    files = (file for file in sorted(folder.rglob("*.json")) if "recordings" not in file.parts)
    return digest(
        "".join(
            f"{file.relative_to(folder).as_posix()}\n{digest(file.read_text('utf-8'))}\n" for file in files
        )
    )
