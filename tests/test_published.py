"""What README.md and docs/ publish: every figure between marks, known to the record, and, computed again, the same."""

import re
from pathlib import Path

import pytest

from relay_lab.app.evidence import Pages
from relay_lab.app.published import sources

pytestmark = pytest.mark.checkout

ROOT = Path(__file__).parents[1]
_MARKED = re.compile(r"<!-- evidence: [a-z0-9._-]+ -->.*?<!-- /evidence -->", re.DOTALL)
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_FIGURE = re.compile(
    r"\b\d[\d.,]*\s?(?:%|×|ms\b)|\b\d+ of \d+\b|\b\d+ (?:rows|attacks|mutants|messages|attempts)\b"
)


def loose(text: str) -> list[str]:
    """Figures of a page that stand between no marks."""
    return _FIGURE.findall(_CODE.sub("", _MARKED.sub("", text)))


@pytest.mark.parametrize("page", ["README.md"])
def test_no_figure_stands_outside_of_marks(page: str) -> None:
    """A percentage, a ratio, a count of what was run: each has a source, or it is not published."""
    assert loose((ROOT / page).read_text("utf-8")) == []


@pytest.mark.parametrize(
    "planted", ["It reads 84 % exactly.", "56 of 56 hold.", "10 × the loop", "All 61 rows."]
)
def test_a_figure_without_marks_is_seen(planted: str) -> None:
    """The canary of the test above."""
    assert loose(f"<!-- evidence: a.b -->3 %<!-- /evidence --> {planted} `5 %`") != []


def test_every_figure_is_in_the_record() -> None:
    """Without computing anything: what the pages say is what was written, from a source that there is."""
    found = Pages(sources()).evidence(False)
    assert len(found.figures) > 10
    assert [(figure.id, figure.detail) for figure in found.stale] == []


@pytest.mark.slow
def test_every_figure_holds() -> None:
    """All of them computed again: a stale one is red here and in `relay-lab evidence --verify`."""
    found = Pages(sources()).evidence(True)
    assert [(figure.id, figure.detail) for figure in found.stale] == []
