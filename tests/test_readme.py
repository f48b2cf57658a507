"""What the README says first, and what it must not leave out."""

import re
from pathlib import Path

import pytest

from relay_lab import cli

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def test_it_opens_with_the_two_commands() -> None:
    opening = README.splitlines()[:6]
    assert [line.split("#")[0].strip() for line in opening if line.startswith("make ")] == [
        "make demo",
        "make test",
    ]


@pytest.mark.parametrize(
    "limit",
    [
        "synthetic",
        "legal advice",
        "vendor guidance",
        "consumer protection",
        "legal",
        "privacy",
        "payment",
        "accessibility",
        "records rules",
        "security review",
        "monitoring",
        "reconstruction",
        "not evidence that a model may serve customers alone",
    ],
)
def test_it_says_what_the_project_does_not_claim(limit: str) -> None:
    section = README.split("## What it does not claim")[1].split("\n## ")[0]
    assert limit in section


def test_its_table_names_every_option_of_the_demo_and_no_other(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.status_of(["demo", "--help"]) == 0
    helped = set(re.findall(r"--[a-z][a-z-]*", capsys.readouterr().out)) - {"--help"}
    table = README.split("| option | does |")[1].split("\n\n")[0]
    first_cells = " ".join(line.split("|")[1] for line in table.splitlines() if line.startswith("| `"))
    assert set(re.findall(r"--[a-z][a-z-]*", first_cells)) == helped


def test_every_file_it_links_to_is_there() -> None:
    linked = re.findall(r"\]\(([^)#:]+)\)", README)
    assert linked
    assert [name for name in linked if not (ROOT / name).exists()] == []


def test_every_decision_ends_in_what_would_change_our_mind() -> None:
    records = sorted(ROOT.joinpath("docs", "adr").glob("*.md"))
    assert len(records) >= 6
    for record in records:
        paragraphs = record.read_text("utf-8").strip().split("\n\n")
        assert paragraphs[-1].startswith("**What would change our mind.**"), record.name
        assert len(record.read_text("utf-8").split()) < 500, record.name


def test_the_pinned_requirements_carry_hashes_and_name_no_address() -> None:
    pinned = (ROOT / "requirements.txt").read_text("utf-8")
    packages = re.findall(r"^[a-z0-9][^\s#]*==", pinned, flags=re.MULTILINE)
    assert len(packages) > 100
    assert pinned.count("--hash=sha256:") >= len(packages)
    assert "://" not in pinned
