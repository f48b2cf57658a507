"""Reading a fixture: what it holds, and the sentence for one that is broken."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from relay_lab.contracts.enums import Assurance
from relay_lab.world.data import Scenario, fixtures_folder, load_fixture
from relay_lab.world.errors import FixtureError


@pytest.fixture
def broken(tmp_path: Path) -> Callable[[str, Callable[[Any], Any]], Path]:
    """A copy of the fixture with one file changed; the folder that holds it."""

    def change(file: str, how: Callable[[Any], Any]) -> Path:
        shutil.copytree(fixtures_folder() / "relay", tmp_path / "relay")
        path = tmp_path / "relay" / file
        path.write_text(json.dumps(how(json.loads(path.read_text("utf-8")))), "utf-8")
        return tmp_path

    return change


def test_the_relay_fixture_is_the_conversation_of_the_lab(scenario: Scenario) -> None:
    assert scenario.name == "relay"
    assert scenario.session.session_assurance is Assurance.RECENT_MFA
    assert len(scenario.session.allowed_scopes) == 7
    assert scenario.pick == "individual"
    assert {account.tenant_id for account in scenario.data.accounts} == {"relay-prod", "relay-emea"}


def test_the_message_names_no_target_plan_and_asks_for_no_refund(scenario: Scenario) -> None:
    words = scenario.message.lower()
    assert "last month" in words and "friday" in words and "gantt" in words
    assert not any(word in words for word in ("individual", "business", "refund", "money back"))


def test_the_fixture_gives_away_no_expected_answer() -> None:
    for path in (fixtures_folder() / "relay").glob("*.json"):
        words = path.read_text("utf-8")
        assert not any(
            word in words for word in ("evidence_ready", "handed_off", "needs_input", 'expected"')
        ), path


def test_an_unknown_world_is_said_to_be_unknown() -> None:
    with pytest.raises(FixtureError, match="There is no world named 'atlantis'"):
        load_fixture("atlantis")


def test_a_fixture_without_its_scenario_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(FixtureError, match=r"no scenario\.json"):
        load_fixture("empty", tmp_path)


@pytest.mark.parametrize(
    ("file", "how", "place"),
    [
        ("billing.json", lambda part: part | {"transactions": [{}]}, "billing.json: transactions.0"),
        ("scenario.json", lambda part: part | {"now": "2026-09-10T10:00:00"}, "scenario.json: now"),
        ("scenario.json", lambda part: part | {"answer": "I1"}, "scenario.json: answer"),
        ("catalogue.json", lambda part: {"prices": part["prices"], "plans": []}, "catalogue.json: plans"),
        ("accounts.json", lambda part: part | {"prices": []}, "no fact has two owners"),
        ("articles.json", lambda part: [part], "must hold a JSON object"),
    ],
)  # fmt: skip
def test_a_broken_fixture_names_the_file_and_the_place(
    broken: Callable[[str, Callable[[Any], Any]], Path], file: str, how: Callable[[Any], Any], place: str
) -> None:
    with pytest.raises(FixtureError) as caught:
        load_fixture("relay", broken(file, how))
    assert place in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_fixture_that_is_no_json_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "torn").mkdir()
    (tmp_path / "torn" / "scenario.json").write_text('{"now": ', "utf-8")
    with pytest.raises(FixtureError, match=r"scenario\.json cannot be read as JSON"):
        load_fixture("torn", tmp_path)
