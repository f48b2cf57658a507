"""What a process remembers of a conversation is what the kept text says, and no more than a few of them."""

import pytest

from relay_lab import open_lab
from relay_lab.app.lab import Lab
from relay_lab.contracts.record import RunRecord
from relay_lab.desks.support import cases

WORLDS = (None, 3, 7, 11, 19)


class Forgetful(dict[str, cases.Document]):
    """Keeps nothing."""

    def __setitem__(self, text: str, document: cases.Document) -> None:
        """Let it go."""


def talk(lab: Lab) -> list[RunRecord | None]:
    """A conversation of up to three turns, and the record after each."""
    runs = [lab.say(lab.scenario.message), lab.choose("individual"), lab.say("Please pass it to a person.")]
    return [run.record for run in runs if run]


@pytest.mark.parametrize("world", WORLDS)
def test_a_remembered_document_is_the_one_that_its_text_says(world: int | None) -> None:
    with open_lab(world) as lab:
        talk(lab)
    for text, remembered in cases._LATELY.items():
        assert repr(cases.Document.model_validate_json(text)) == repr(remembered)


@pytest.mark.parametrize("world", WORLDS)
def test_a_process_that_remembers_nothing_goes_on_in_the_same_way(
    world: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_lab(world) as lab:
        remembering = talk(lab)
    monkeypatch.setattr(cases, "_LATELY", Forgetful())
    with open_lab(world) as lab:
        assert talk(lab) == remembering


def test_only_the_last_documents_are_remembered() -> None:
    for number in range(3 * cases._REMEMBERED):
        cases.written(cases.Document(display_zone=f"Zone/{number}"))
    zones = [document.display_zone for document in cases._LATELY.values()]
    assert zones == [f"Zone/{number}" for number in range(2 * cases._REMEMBERED, 3 * cases._REMEMBERED)]
