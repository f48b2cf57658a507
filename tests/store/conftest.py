"""A file in which something has been kept."""

from pathlib import Path

import pytest
from store.files import keep, opened


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file in which something has been kept."""
    path = tmp_path / "kept.db"
    store = opened(path)
    keep(store, "before")
    store.close()
    return path
