"""Progress: what is kept of a reader's attempts, and what becomes of a file that cannot be used."""

import json

import pytest

import relay_lab
from relay_lab.app.state_folder import state_folder
from relay_lab.notebook import standings
from relay_lab.notebook.standings import FILE, LESSONS, Standing, keep, read


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A state folder that is kept, which pytest otherwise forbids."""
    monkeypatch.delenv("PYTEST_VERSION")
    monkeypatch.setenv("RELAY_LAB_STATE", str(tmp_path / "state"))
    monkeypatch.setattr(standings, "_MEMORY", {})
    return tmp_path / "state"


def test_the_best_points_and_every_attempt_are_kept(folder):
    assert [keep("01_authentication", points, 10) for points in (3, 8, 5)] == ["", "", ""]
    assert keep("02_decomposition", 10, 10) == ""
    assert read().lessons == {
        "01_authentication": Standing(attempts=3, best=8, max=10),
        "02_decomposition": Standing(attempts=1, best=10, max=10),
    }
    assert [path.name for path in folder.iterdir()] == [FILE]


def test_nothing_is_kept_where_it_is_off_or_pytest_runs(folder, monkeypatch):
    for name, value in (("RELAY_LAB_STATE", "off"), ("PYTEST_VERSION", "9")):
        monkeypatch.setenv(name, value)
        assert state_folder() is None
        assert keep("01_authentication", 3, 10) == ""
        monkeypatch.setenv("RELAY_LAB_STATE", str(folder))
    assert not folder.exists()
    assert read().lessons["01_authentication"].attempts == 2  # this process remembers


def test_without_a_name_the_folder_is_the_system_s(folder, monkeypatch):
    monkeypatch.setenv("RELAY_LAB_STATE", "")
    assert state_folder().name == "relay-lab"


@pytest.mark.parametrize(
    "broken",
    [
        b"{",
        b"\xff\xfe",
        b"[]",
        b"{}",
        b'{"version": 1}',
        b'{"version": 1, "lessons": {"01_authentication": {"best": -1}}}',
        b'{"version": 1, "lessons": {"01_authentication": {"best": "7"}}}',
        b'{"version": "1", "lessons": {}}',
        b'{"version": true, "lessons": {}}',
        b"[" * 100_000,
        b"",
    ],
)
def test_a_broken_file_costs_one_sentence_and_is_kept_beside_the_new_one(folder, broken):
    folder.mkdir()
    folder.joinpath(FILE).write_bytes(broken)
    assert "cannot be read" in str(relay_lab.progress())
    assert folder.joinpath(FILE).read_bytes() == broken
    said = keep("01_authentication", 3, 10)
    assert said.count(". ") == 0 and "progress.broken-1.json" in said
    assert folder.joinpath("progress.broken-1.json").read_bytes() == broken
    assert keep("01_authentication", 4, 10) == ""
    assert read().lessons == {"01_authentication": Standing(attempts=2, best=4, max=10)}


def test_a_second_broken_file_does_not_replace_the_first(folder):
    folder.mkdir()
    for text in ("one", "two"):
        folder.joinpath(FILE).write_text(text)
        keep("01_authentication", 3, 10)
    kept = [folder.joinpath(f"progress.broken-{number}.json").read_text() for number in (1, 2)]
    assert kept == ["one", "two"]


def test_a_file_of_another_version_is_left_alone_and_said_so(folder):
    folder.mkdir()
    text = json.dumps({"version": 2, "lessons": {"01_authentication": {"stars": 5}}})
    folder.joinpath(FILE).write_text(text)
    assert "another version of relay-lab (2;" in keep("01_authentication", 3, 10)
    assert "another version" in str(relay_lab.progress())
    assert "another version" in relay_lab.progress()._repr_html_()
    assert keep("01_authentication", 2, 10) and read().lessons["01_authentication"].attempts == 2
    assert [path.read_text() for path in folder.iterdir()] == [text]


def test_a_folder_that_cannot_be_written_costs_a_sentence_and_no_exception(folder, monkeypatch):
    folder.write_text("a file where the folder should be")
    assert "could not be kept" in keep("01_authentication", 3, 10)
    assert "could not be kept" in str(relay_lab.exit_check("01_authentication", lambda *_: "no"))
    assert relay_lab.progress().next == "01_authentication"


def test_the_course_at_a_glance_shows_points_and_what_comes_next(folder):
    course = relay_lab.progress()
    assert course.next == "01_authentication"
    assert "0 of 8 lessons done. Next: 01_authentication. New here? Begin with 00_start_here." in str(course)
    keep("01_authentication", 10, 10)
    keep("02_decomposition", 4, 10)
    course = relay_lab.progress()
    assert course.next == "02_decomposition"
    html = course._repr_html_()
    for part in ("10 of 10", "4 of 10", "1 of 8 lessons done."):
        assert part in str(course) and part in html
    assert [lesson for lesson in LESSONS if f'<a href="{lesson}.ipynb">' in html] == list(LESSONS)


def test_when_every_step_is_written_the_last_lesson_remains(folder):
    for lesson, step in LESSONS.items():
        if step:
            keep(lesson, 10, 10)
    assert relay_lab.progress().next == "09_break_it"
    keep("09_break_it", 8, 8)
    assert relay_lab.progress().next is None
    assert "nothing left" in str(relay_lab.progress())


def test_an_attempt_counts_across_kernels_through_the_file(folder):
    boards = [relay_lab.exit_check("01_authentication", lambda *_: "no") for _ in range(2)]
    assert [board.attempt for board in boards] == [1, 2]
    standings._MEMORY.clear()
    assert relay_lab.exit_check("01_authentication", lambda *_: "no").attempt == 3
