"""The recordings that come with the package: whole, small, of these words, and enough for every run they stand for."""

from pathlib import Path

import pytest

from relay_lab.app.demo import demo
from relay_lab.app.proposers import opened, recorded_trials, recordings
from relay_lab.app.suites import model_suite
from relay_lab.app.workflow import workflow_named
from relay_lab.contracts.errors import BadInput
from relay_lab.proposers.prompts import prompt_version
from relay_lab.proposers.recording import read

FILES = recordings()


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_recording_is_whole_and_says_what_it_came_from(file: Path) -> None:
    """Its last line vouches for it; model, settings, date and fixtures are named; the words are those of this version."""
    held = read(file)
    assert held.complete and held.trials >= 1
    assert held.head.binding["prompt_version"] == prompt_version()
    assert {"model", "temperature", "seed", "software"} <= set(held.head.binding)
    assert {"date", "dataset", "package"} <= set(held.runs[-1].run)


def test_the_desk_is_recorded_and_a_workflow_that_nobody_recorded_has_no_trial() -> None:
    """How many trials there are is asked by workflow."""
    assert recorded_trials("somebody") == 0
    assert recorded_trials("desk") >= 5  # without it every test here would run over nothing
    assert all(recorded_trials(read(file).head.workflow) >= 1 for file in FILES)


def test_the_recordings_are_small() -> None:
    """All of them together take less than three million bytes, and none that is not packed takes more than one."""
    assert sum(file.stat().st_size for file in FILES) < 3_000_000
    assert all(file.stat().st_size < 1_000_000 for file in FILES if file.suffix == ".jsonl")


def test_a_demo_replays_the_model_on_the_worlds_own_message() -> None:
    """What the bundled model once said of it is there without the model."""
    assert demo(proposer="replay", plan="individual", confirm=True).record is not None


@pytest.mark.slow
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_replay_has_an_answer_for_all_that_its_workflow_asks(file: Path) -> None:
    """When desk, records or words change, what they ask changes with them: this is red until that is recorded as well.

    relay-lab record --proposer bundled --workflow WORKFLOW --trials N --out FILE
    """
    held = read(file)
    factory, missing = workflow_named(held.head.workflow), []
    for trial in {0, held.trials - 1}:
        for scenario in model_suite():
            try:
                with opened(f"replay:{file}", trial) as propose:
                    scenario.run(propose, factory)
            except BadInput as error:
                if "not recorded" in str(error):
                    missing.append((trial, scenario.id))
            except Exception:  # noqa: BLE001 - a run that breaks off is the matrix's affair
                continue
    assert not missing, f"record the missing answers of {file.name}: {missing}"
