"""The doctor: what it finds, what each missing thing costs, and when it fails."""

import json
import shutil
import sys
from importlib import metadata
from pathlib import Path

import pytest

from relay_lab import cli
from relay_lab.app import doctor as module
from relay_lab.app.doctor import can_open_a_browser, doctor
from relay_lab.contracts.errors import BadInput

NAMES = [
    "python",
    "packages",
    "fixtures",
    "recordings",
    "extra lab",
    "bundled model",
    "browser",
    "progress",
    "chromium",
    "playwright",
    "bubblewrap",
    "libseccomp2",
    "user namespaces",
    "PostgreSQL",
]


def found(name):
    return next(finding for finding in doctor().findings if finding.name == name)


def test_everything_is_looked_for_and_has_its_price():
    findings = doctor().findings
    assert [finding.name for finding in findings] == NAMES
    assert all(finding.detail and finding.costs for finding in findings)
    assert [finding.name for finding in findings if finding.required] == ["python", "packages", "fixtures"]


def test_this_machine_has_what_is_required(capsys):
    assert cli.status_of(["doctor"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in NAMES)


def test_the_document_says_the_same(capsys):
    assert cli.status_of(["doctor", "--json"]) == 0
    out, err = capsys.readouterr()
    document = json.loads(out)
    assert err == "" and document["passed"] is True
    assert [check["name"] for check in document["checks"]] == NAMES
    assert list(document["checks"][0]) == ["name", "ok", "required", "detail", "costs"]


@pytest.mark.checkout
def test_its_keys_are_documented():
    text = Path(__file__).parents[2].joinpath("docs", "json.md").read_text("utf-8")
    section = text.split("## `relay-lab doctor --json`")[1].split("\n## ")[0]
    assert [
        key for key in ("passed", "checks", *doctor().to_dict()["checks"][0]) if f"`{key}`" not in section
    ] == []


def test_a_machine_without_what_is_optional_still_passes(monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    monkeypatch.setattr(module, "model_file", lambda: (_ for _ in ()).throw(BadInput("no model here")))
    diagnosis = doctor()
    assert diagnosis.passed
    missing = {finding.name for finding in diagnosis.findings if not finding.ok}
    assert missing >= {"chromium", "bubblewrap", "PostgreSQL", "bundled model"}
    assert found("bundled model").detail == "no model here"


def test_a_missing_required_package_is_red_and_named(monkeypatch, capsys):
    real = metadata.version

    def without_pydantic(name):
        if name == "pydantic":
            raise metadata.PackageNotFoundError(name)
        return real(name)

    monkeypatch.setattr(metadata, "version", without_pydantic)
    assert cli.status_of(["doctor", "--json"]) == 1
    checks = {check["name"]: check for check in json.loads(capsys.readouterr().out)["checks"]}
    assert checks["packages"]["detail"] == "missing: pydantic"
    assert cli.status_of(["doctor"]) == 1


def test_the_packages_of_the_extra_are_told_from_those_that_are_required(monkeypatch):
    lines = ["rich>=15", "jupyterlab<5,>=4.6; extra == 'lab'", 'nothing-of-that-name[x]>=1; extra == "lab"']
    monkeypatch.setattr(metadata, "requires", lambda _: lines)
    assert found("packages").detail == f"rich {metadata.version('rich')}"
    assert found("extra lab").detail == "missing: nothing-of-that-name"


def test_fixtures_that_cannot_be_read_are_red(monkeypatch):
    monkeypatch.setattr(module, "load_fixture", lambda: (_ for _ in ()).throw(BadInput("no world")))
    assert not doctor().passed
    assert found("fixtures").detail == "no world"


def test_a_screen_is_needed_for_a_browser(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not can_open_a_browser()
    monkeypatch.setenv("BROWSER", "firefox")
    assert can_open_a_browser()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert can_open_a_browser()


def test_a_state_folder_is_tried_and_not_made(monkeypatch, tmp_path):
    monkeypatch.delenv("PYTEST_VERSION")
    monkeypatch.setenv("RELAY_LAB_STATE", str(tmp_path / "a" / "b"))
    assert found("progress").ok and list(tmp_path.iterdir()) == []
    tmp_path.joinpath("file").write_text("")
    monkeypatch.setenv("RELAY_LAB_STATE", str(tmp_path / "file" / "b"))
    assert not found("progress").ok
    monkeypatch.setenv("RELAY_LAB_STATE", "off")
    assert "off" in found("progress").detail
