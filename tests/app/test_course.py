"""The course in JupyterLab: which folder it opens, and how its server begins and ends."""

import os
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

from relay_lab import cli
from relay_lab.app import course
from relay_lab.app.course import course_folder, run_course
from relay_lab.contracts.errors import BadInput

FIRST_URL = re.compile(r"http://127\.0\.0\.1:\d+/lab/tree/00_start_here\.ipynb\?token=[0-9a-f]{48}")


def package(tmp_path, monkeypatch, installed):
    """A package at another place, installed with its notebooks or in a checkout beside them."""
    where = tmp_path / "lib" / "relay_lab"
    where.joinpath("app").mkdir(parents=True)
    notebooks = where / "_notebooks" if installed else where.parent / "notebooks"
    notebooks.mkdir()
    for name in ("00_start_here", "01_authentication"):
        notebooks.joinpath(f"{name}.ipynb").write_text(name)
    monkeypatch.setattr(course, "__file__", str(where / "app" / "course.py"))
    return notebooks


def test_a_checkout_opens_its_own_notebooks(tmp_path, monkeypatch):
    notebooks = package(tmp_path, monkeypatch, installed=False)
    assert course_folder(tmp_path) == notebooks
    assert not (tmp_path / course.COPY).exists()


def test_an_installed_package_opens_a_copy_and_never_writes_over_the_reader_s_work(tmp_path, monkeypatch):
    package(tmp_path, monkeypatch, installed=True)
    copy = course_folder(tmp_path)
    assert copy == tmp_path / "relay-lab-course"
    copy.joinpath("00_start_here.ipynb").write_text("mine")
    copy.joinpath("01_authentication.ipynb").unlink()
    course_folder(tmp_path)
    assert copy.joinpath("00_start_here.ipynb").read_text() == "mine"
    assert copy.joinpath("01_authentication.ipynb").read_text() == "01_authentication"


def test_a_folder_that_cannot_be_written_and_a_package_without_notebooks_get_a_sentence(
    tmp_path, monkeypatch
):
    notebooks = package(tmp_path, monkeypatch, installed=True)
    tmp_path.joinpath("relay-lab-course").write_text("a file")
    with pytest.raises(BadInput, match="cannot be copied"):
        course_folder(tmp_path)
    for file in notebooks.iterdir():
        file.unlink()
    notebooks.rmdir()
    with pytest.raises(BadInput, match="missing"):
        course_folder(tmp_path)


def test_without_jupyterlab_the_command_says_which_extra_it_needs(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(course, "find_spec", lambda _: None)
    monkeypatch.setattr(course, "course_folder", lambda _: tmp_path)
    before = {name: signal.getsignal(name) for name in (signal.SIGTERM, signal.SIGHUP)}
    try:
        assert cli.status_of(["lab"]) == 2
    finally:
        for name, handler in before.items():
            signal.signal(name, handler)
    out, err = capsys.readouterr()
    assert out == "" and "extra `lab`" in err and "Traceback" not in err


def test_a_server_that_does_not_start_gets_a_sentence_with_its_last_words(monkeypatch, tmp_path):
    code = "import sys; sys.exit('first line\\nno such setting')"
    monkeypatch.setattr(course, "_command", lambda *_: [sys.executable, "-c", code])
    with pytest.raises(BadInput, match="status 1 before it answered; its last words: no such setting"):
        run_course(tmp_path, print)


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_an_address_that_answers_and_an_interrupt_ends_the_server(stop, tmp_path):
    environment = {**os.environ, "HOME": str(tmp_path), "BROWSER": ""}
    for name in ("CONFIG", "DATA", "RUNTIME"):
        environment[f"JUPYTER_{name}_DIR"] = str(tmp_path / name)
    command = (sys.executable, "-m", "relay_lab.cli", "lab", "--no-browser")
    pipe = subprocess.PIPE
    started = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=pipe, stderr=pipe, text=True)
    with started:
        try:
            address = FIRST_URL.search(started.stdout.readline())[0]
            with urllib.request.urlopen(address, timeout=60) as page:
                assert b"<title>JupyterLab</title>" in page.read()
            root, token = re.match(r"(http://[^/]+)/.*token=(.*)", address).groups()
            with urllib.request.urlopen(f"{root}/lab/api/update?token={token}", timeout=60) as news:
                assert news.read() == b'{"notification": null}'
        finally:
            started.send_signal(stop)
        try:
            _, said = started.communicate(timeout=60)
        finally:
            started.kill()
    assert started.returncode == 130
    assert "interrupted" in said and "Traceback" not in said
    with pytest.raises(OSError):
        urllib.request.urlopen(address, timeout=5)
