"""docs/notebooks.md and the first lesson: what they say of the course, held against it."""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest

from relay_lab import notebook
from relay_lab.notebook.standings import LESSONS

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "notebooks.md"

pytestmark = pytest.mark.checkout


def test_the_page_of_the_course_has_each_lesson_with_its_step() -> None:
    rows = r"^\| `(\d\d_\w+)` \| [\d–]+ \| (?:none|`(\w+)`)"
    assert dict(re.findall(rows, PAGE.read_text("utf-8"), re.MULTILINE)) == {
        lesson: step or "" for lesson, step in LESSONS.items()
    }


def test_the_first_lesson_says_that_the_cited_study_is_no_evidence_for_an_agent_alone() -> None:
    first: Any = nbformat.read(ROOT / "notebooks" / "00_start_here.ipynb", as_version=4)
    words = " ".join(" ".join(cell.source for cell in first.cells).split())
    assert "evidence for helping people who decide. It is none for an agent that acts alone." in words


def test_the_page_names_every_display_that_a_notebook_imports_and_no_other() -> None:
    named = re.findall(r"^\| `(\w+)\(", PAGE.read_text("utf-8"), re.MULTILINE)
    assert sorted(named) == sorted(notebook.__all__)
