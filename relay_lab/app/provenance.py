"""What a result came from: the commit, and the fixtures."""

import subprocess
from pathlib import Path

from relay_lab.contracts.base import digest
from relay_lab.world.data import fixtures_folder

CHECKOUT = Path(__file__).parents[2]
"""The folder that the package lies in: the top of the checkout, where there is one."""


def commit_of(root: Path = CHECKOUT, differing: bool = False) -> str:
    """The commit that is checked out there; empty where there is none.

    `differing`: where files that git tracks differ from it, a plus and a hash of the difference follow, so that two states of
    a tree are two commits.
    """
    if not (root / ".git").exists():
        return ""
    commit = _git(root, "rev-parse", "HEAD").strip()
    changed = _git(root, "diff", "HEAD") if differing else ""
    return f"{commit}+{digest(changed)[:12]}" if commit and changed else commit


def _git(root: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False)
    except OSError:
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def dataset() -> str:
    """The hash of everything that decides what is asked: the fixtures but the recordings themselves."""
    folder = fixtures_folder()
    files = (file for file in sorted(folder.rglob("*.json")) if "recordings" not in file.parts)
    return digest(
        "".join(
            f"{file.relative_to(folder).as_posix()}\n{digest(file.read_text('utf-8'))}\n" for file in files
        )
    )
