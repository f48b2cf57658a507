"""Published figures: each is bound to its sources, and one that does not hold any more is found."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from relay_lab.app.evidence import Evidence, Pages, Source
from relay_lab.contracts.errors import BadInput

PAGE = """# Page

<!-- evidence: rows.held -->?<!-- /evidence --> rows hold.

<!-- evidence: rows.table -->
none yet
<!-- /evidence -->

It took <!-- evidence: clock.time -->12 ms<!-- /evidence -->.
"""


class Bench:
    """A checkout with one page and two sources: rows can be counted again, a time cannot."""

    def __init__(self, root: Path) -> None:
        self.root, self.held, self.table = root, "3 of 3", "| a | b |\n| - | - |\n| 1 | 2 |"
        (root / "docs").mkdir()
        (root / "README.md").write_text(PAGE, "utf-8")
        (root / "rows.json").write_text("[1, 2, 3]", "utf-8")
        (root / "clock.py").write_text("tick", "utf-8")

    @property
    def pages(self) -> Pages:
        count = Source(("rows.json",), "rules", lambda: {"rows.held": self.held, "rows.table": self.table})
        return Pages({"rows": count, "clock": Source(("clock.py",), because="it is a time")}, self.root)

    def verified(self) -> Evidence:
        return self.pages.evidence(True)

    def edit(self, old: str, new: str) -> None:
        page = self.root / "README.md"
        text = page.read_text("utf-8")
        assert old in text
        page.write_text(text.replace(old, new), "utf-8")

    def forge(self, figure: str, **values: str) -> None:
        file = self.root / "docs" / "evidence.json"
        document = json.loads(file.read_text("utf-8"))
        document["figures"][figure] |= values
        file.write_text(json.dumps(document), "utf-8")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    made = Bench(tmp_path)
    made.pages.write()
    return made


def test_what_was_written_stands_in_the_page_and_holds(bench: Bench) -> None:
    """Between the marks stands what was computed, and nothing around them has changed."""
    text = (bench.root / "README.md").read_text("utf-8")
    assert text == PAGE.replace("?", "3 of 3").replace("none yet", bench.table)
    found = bench.verified()
    assert [figure.id for figure in found.figures] == ["rows.held", "rows.table", "clock.time"]
    assert [figure.holds for figure in found.figures] == [True, True, True]
    assert found.stale == ()


def test_a_figure_is_bound_to_its_files_and_its_proposer(bench: Bench) -> None:
    """The hash is of what it rests on, so two runs over the same files have the same binding."""
    first = {figure.id: figure.binding for figure in bench.verified().figures}
    bench.pages.write()
    assert {figure.id: figure.binding for figure in bench.verified().figures} == first
    held = first["rows.held"]
    assert held is not None
    assert (len(held.dataset), held.proposer) == (64, "rules")


CANARIES: dict[str, tuple[Callable[[Bench], object], str]] = {
    "the page is edited by hand": (lambda b: b.edit("3 of 3", "4 of 4"), "rows.held"),
    "a table is edited by hand": (lambda b: b.edit("| 1 | 2 |", "| 1 | 3 |"), "rows.table"),
    "it comes out otherwise by now": (lambda b: setattr(b, "held", "2 of 3"), "rows.held"),
    "the files under a time change": (lambda b: (b.root / "clock.py").write_text("tock"), "clock.time"),
    "the files under a count change": (lambda b: (b.root / "rows.json").write_text("[1]"), "rows.held"),
    "the page drops it": (
        lambda b: b.edit("<!-- evidence: clock.time -->12 ms<!-- /evidence -->", "12 ms"),
        "clock.time",
    ),
    "it is bound to another proposer": (lambda b: b.forge("rows.held", proposer="luck"), "rows.held"),
    "it is bound to other files": (lambda b: b.forge("rows.held", dataset="0" * 64), "rows.held"),
    "page and record say the same wrong thing": (
        lambda b: (b.edit("3 of 3", "4 of 4"), b.forge("rows.held", value="4 of 4")),
        "rows.held",
    ),
    "it moves to a page further down, and changes": (
        lambda b: (
            b.edit("<!-- evidence: rows.held -->3 of 3<!-- /evidence -->", ""),
            (b.root / "docs" / "more").mkdir(),
            (b.root / "docs" / "more" / "page.md").write_text(
                "<!-- evidence: rows.held -->4 of 4<!-- /evidence -->"
            ),
        ),
        "rows.held",
    ),
    "a figure that nothing computed": (
        lambda b: b.edit("# Page", "<!-- evidence: rows.more -->9<!-- /evidence -->"),
        "rows.more",
    ),
    "a figure without a source": (
        lambda b: b.edit("# Page", "<!-- evidence: hope.share -->9<!-- /evidence -->"),
        "hope.share",
    ),
}


@pytest.mark.parametrize("name", CANARIES)
def test_a_figure_that_does_not_hold_is_named(bench: Bench, name: str) -> None:
    """Each way in which a published figure goes stale, planted."""
    plant, figure = CANARIES[name]
    plant(bench)
    names = [stale.id for stale in bench.verified().stale]
    assert figure in names and all(name.split(".")[0] == figure.split(".")[0] for name in names)


def test_without_verifying_nothing_is_computed(bench: Bench) -> None:
    """Listing is cheap, and says of no figure that it holds."""
    bench.held = "2 of 3"
    found = bench.pages.evidence(False)
    assert {figure.holds for figure in found.figures} == {None}


def test_one_source_can_be_written_alone(bench: Bench) -> None:
    """The other figures keep their values and bindings."""
    bench.held = "2 of 3"
    (bench.root / "clock.py").write_text("tock", "utf-8")
    bench.pages.write(["rows"])
    assert [stale.id for stale in bench.verified().stale] == ["clock.time"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("3 of 3<!-- /evidence -->", "4 of 4"),
        ("3 of 3<!-- /evidence -->", "4 of 4<!-- /Evidence -->"),
        ("<!-- evidence: rows.held -->3 of 3", "<!--evidence: rows.held-->4 of 4"),
        ("<!-- evidence: rows.held -->3 of 3", "<!-- evidence: held -->4 of 4"),
        ("3 of 3", "3 of 3<!-- evidence: rows.more -->"),
    ],
)
def test_what_looks_like_a_mark_and_marks_nothing_is_refused(bench: Bench, old: str, new: str) -> None:
    """A figure that only seems to be verified stands nowhere: the page and the line are named."""
    bench.edit(old, new)
    with pytest.raises(BadInput, match=r"README\.md, line [0-9]+: '.*' marks no figure"):
        bench.verified()


def test_a_page_that_cannot_be_read_is_one_sentence(bench: Bench) -> None:
    """Neither other bytes than UTF-8 nor a folder under a page's name."""
    page = bench.root / "docs" / "page.md"
    page.write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match=r"docs/page\.md cannot be read"):
        bench.verified()
    page.unlink()
    page.mkdir()
    with pytest.raises(BadInput, match=r"docs/page\.md cannot be read"):
        bench.verified()


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "[" * 100_000,
        '{"version": 1}',
        '{"version": 1, "figures": {"a.b": 3}}',
        '{"version": 1, "figures": {}, "figures": {}}',
    ],
)
def test_a_record_that_cannot_be_read_is_one_sentence(bench: Bench, text: str) -> None:
    """Half a file or another shape of one is said as such."""
    (bench.root / "docs" / "evidence.json").write_text(text, "utf-8")
    with pytest.raises(BadInput, match="cannot be read"):
        bench.verified()


def test_a_record_of_another_version_is_refused(bench: Bench) -> None:
    """What another release wrote is not guessed at."""
    file = bench.root / "docs" / "evidence.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"version": 9}), "utf-8")
    with pytest.raises(BadInput, match="version 9"):
        bench.verified()


def test_a_figure_that_says_two_things_is_refused(bench: Bench) -> None:
    """The same name with two values can hold nowhere."""
    bench.edit("# Page", "<!-- evidence: rows.held -->5<!-- /evidence -->")
    with pytest.raises(BadInput, match=r"rows\.held"):
        bench.verified()


def test_without_a_checkout_there_is_nothing_to_verify(tmp_path: Path) -> None:
    """An installed package has no pages."""
    with pytest.raises(BadInput, match="checkout"):
        Pages({}, tmp_path)
