"""Recordings and their replay: an answer is given again for exactly what was asked, and a file that cannot serve is refused."""

import gzip
import json
from pathlib import Path

import pytest

from relay_lab.contracts.errors import BadInput, ProposerRefused
from relay_lab.contracts.proposals import ContextBlock, ProposalRequest
from relay_lab.proposers.prompts import prompt_version
from relay_lab.proposers.recording import Done, Given, Head, Ran, Recording, key_of, line_of, read, write
from relay_lab.proposers.replay import Replay

REQUEST = ProposalRequest(task="decompose", message="hello")
ODD = "caf\u00e9 \U0001f600 \\ \n\r\u2028 \\ud800"
HEAD = Head(workflow="desk", binding={"proposer": "bundled", "model": "m", "seed": 1})


def given(trial: int = 0, request: ProposalRequest = REQUEST, **said: str) -> Given:
    return Given(key=key_of(request, prompt_version(), trial), trial=trial, **said)


def recording(*answers: Given) -> Recording:
    runs = [Ran(run={"date": "2026-09-10", "dataset": "d", "package": "0"})]
    held = {answer.key: answer for answer in answers}
    done = {trial: Done(done=trial, scenarios=3) for trial in range(len({a.trial for a in answers}))}
    return Recording(HEAD, runs, held, done)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "r.jsonl"
    write(path, recording(given(answer='{"issues": []}'), given(1, refused="truncated")))
    return path


def test_what_is_written_is_read_again(file: Path) -> None:
    """Head, runs, answers, refusals and whole trials survive the file, packed or not."""
    held = read(file)
    assert held.head == HEAD and held.complete and held.trials == 2
    packed = file.with_suffix(".jsonl.gz")
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert read(packed) == held


def test_any_text_of_a_model_survives_the_file(tmp_path: Path) -> None:
    """Line ends, escapes and characters of every plane come back as they were."""
    path = tmp_path / "r.jsonl"
    path.write_text(f"{line_of(HEAD)}\n{line_of(given(answer=ODD))}\n", "utf-8")
    assert Replay([read(path)])(REQUEST) == ODD


def test_a_replay_answers_and_refuses_as_the_model_did_trial_by_trial(file: Path) -> None:
    """Trial 0 has its answer, trial 1 its refusal with the same code."""
    held = read(file)
    assert Replay([held])(REQUEST) == '{"issues": []}'
    with pytest.raises(ProposerRefused) as caught:
        Replay([held], 1)(REQUEST)
    assert caught.value.code == "truncated"


@pytest.mark.parametrize(
    "other",
    [
        REQUEST.model_copy(update={"message": "hello "}),
        REQUEST.model_copy(update={"task": "draft_reply"}),
        REQUEST.model_copy(update={"blocks": (ContextBlock(name="note", trusted=False, text=""),)}),
    ],
)
def test_a_question_that_was_never_asked_is_refused_and_says_how_to_record_it(
    file: Path, other: ProposalRequest
) -> None:
    """One character more, another task or another block is another question."""
    replay = Replay([read(file)])
    replay.complain()
    with pytest.raises(ProposerRefused) as caught:
        replay(other)
    assert caught.value.code == "not_recorded"
    with pytest.raises(BadInput, match="relay-lab record --proposer bundled"):
        replay.complain()


def test_other_words_or_another_trial_are_another_question() -> None:
    """The version of the prompt and the number of the trial are in the key."""
    keys = {key_of(REQUEST, prompt, trial) for prompt in ("1-a", "1-b") for trial in range(3)}
    assert len(keys) == 6


def test_of_two_recordings_the_first_that_has_an_answer_counts() -> None:
    """Files are looked through in their order."""
    first, second = recording(given(answer="1")), recording(given(answer="2"), given(1, answer="3"))
    assert [Replay([first, second], trial)(REQUEST) for trial in (0, 1)] == ["1", "3"]


def test_a_replay_is_bound_to_what_was_recorded() -> None:
    """Its binding names the model, the settings, the date and the fixtures of the recording."""
    bound = Replay([recording(given(answer="1"))]).binding
    assert bound["proposer"] == "replay" and bound["model"] == "m"
    assert bound["recordings"][0]["date"] == "2026-09-10" and bound["recordings"][0]["seed"] == 1


def test_a_last_line_without_its_end_is_dropped(file: Path) -> None:
    """What was being written when somebody stopped is not there; what is before it is."""
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    held = read(file)
    assert len(held.answers) == 1 and not held.complete and held.trials == 0


def broken(file: Path, line: int, text: str) -> None:
    lines = file.read_text("utf-8").splitlines()
    lines[line - 1] = text
    file.write_text("\n".join(lines) + "\n", "utf-8")


@pytest.mark.parametrize(
    ("line", "text", "sentence"),
    [
        (
            1,
            '{"recording": 2, "workflow": "desk", "binding": {}}',
            "is a recording of version 2, and this is 1",
        ),
        (1, '{"run": {}}', "its first line does not say so"),
        (3, '{"key": "short", "trial": 0}', "line 3 is no line of a recording"),
        (3, "{half", "line 3 is no JSON"),
        (3, "[]", "line 3 is no line of a recording"),
        (3, line_of(given(answer="another")), "its lines are not those that were recorded"),
        (2, line_of(HEAD), "line 2 begins another recording"),
    ],
)
def test_a_file_that_cannot_serve_is_refused_in_one_sentence(
    file: Path, line: int, text: str, sentence: str
) -> None:
    """Another version, a damaged line, a changed answer: the sentence names the file, what is wrong, and what to do."""
    broken(file, line, text)
    with pytest.raises(BadInput, match=sentence) as caught:
        read(file)
    assert str(file) in str(caught.value) and "relay-lab record" in str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"), [("r.jsonl", b""), ("r.jsonl", b"\xff\xfe\n"), ("r.gz", b"no gzip")]
)
def test_a_file_that_is_no_text_is_refused_in_one_sentence(tmp_path: Path, name: str, content: bytes) -> None:
    """Nothing in it, no UTF-8, no gzip."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(BadInput, match="record"):
        read(path)


def test_a_file_that_is_not_there_is_refused_in_one_sentence(tmp_path: Path) -> None:
    """A missing file and a folder are no recordings."""
    for path in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(BadInput, match="cannot be read as a recording"):
            read(path)


def test_every_line_of_a_file_is_one_json_document(file: Path) -> None:
    """The format is JSON Lines, so that any tool can read it."""
    assert len([json.loads(line) for line in file.read_text("utf-8").splitlines()]) == 7
