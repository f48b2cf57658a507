"""Recording: every question once a trial, nothing lost, and a replay that needs no model."""

import json
from pathlib import Path

import pytest
from proposers.loopback import Behaviour, Loopback, completion, loopback, says

from relay_lab.app.proposers import opened
from relay_lab.app.record import record
from relay_lab.app.suites import Trial, chosen_attacks, model_suite
from relay_lab.cli import status_of
from relay_lab.contracts.errors import BadInput
from relay_lab.proposers.recording import Given, line_of, read

ISSUES = json.dumps({"issues": [{"type": "human_request", "span": {"text": "my card was billed two times"}}]})
FEW = ("F1", "F8b", "F13", "N2")


def suite(*ids: str) -> tuple[Trial, ...]:
    return model_suite(lambda name: name in (ids or FEW))


def by_task(server: Loopback) -> list[str]:
    return [
        "decompose" if "list what" in body["messages"][0]["content"] else "draft" for body in server.bodies
    ]


@pytest.fixture
def endpoint(monkeypatch):
    """An endpoint that the environment names; the test says how it behaves."""

    def start(*behaviours: Behaviour):
        context = loopback(*behaviours)
        server = context.__enter__()
        for name, value in (("BASE_URL", server.url), ("API_KEY", "sk-secret-key"), ("MODEL", "m")):
            monkeypatch.setenv(f"OPENAI_{name}", value)
        started.append(context)
        return server

    started: list = []
    yield start
    for context in started:
        context.__exit__(None, None, None)


def test_a_recording_replays_the_same_runs_without_the_model(endpoint, tmp_path: Path) -> None:
    """Every scenario of every trial ends as it did, and the replay has an answer for all that is asked."""
    endpoint(says(completion(ISSUES)), says(completion("", "length")), says(completion(ISSUES)))
    out = tmp_path / "r.jsonl"
    recorded = record("openai", out=out, trials=2, suite=suite())
    assert recorded.trials == 2 and recorded.scenarios == 4 and recorded.recorded == recorded.new > 8
    for trial in range(2):
        with opened(f"replay:{out}", trial) as propose:
            for scenario in suite():
                assert scenario.run(propose).checkpoints


def test_the_same_question_is_asked_once_a_trial(endpoint, tmp_path: Path) -> None:
    """Scenarios share requests; the model is not asked again for one that it has answered in this trial."""
    server = endpoint(says(completion(ISSUES)))
    record("openai", out=tmp_path / "r.jsonl", trials=1, suite=suite("F16", "F17", "F21"))
    assert by_task(server).count("decompose") == 1


def test_a_recording_that_is_whole_asks_nothing_again(endpoint, tmp_path: Path) -> None:
    """The same command once more changes no byte and makes no call."""
    server = endpoint(says(completion(ISSUES)))
    out = tmp_path / "r.jsonl"
    record("openai", out=out, trials=1, suite=suite())
    calls, content = len(server.bodies), out.read_bytes()
    again = record("openai", out=out, trials=1, suite=suite())
    assert (again.new, len(server.bodies), out.read_bytes()) == (0, calls, content)


def test_a_recording_that_broke_off_goes_on_where_it_stopped(endpoint, tmp_path: Path) -> None:
    """What was answered before the endpoint failed, and before a line was torn, is kept; only the rest is asked."""
    out = tmp_path / "r.jsonl"
    server = endpoint(
        says(completion(ISSUES)), says(completion("{}")), says("", 500), says(completion(ISSUES))
    )
    with pytest.raises(BadInput, match=r"endpoint_failed.*run the same command again"):
        record("openai", out=out, trials=1, suite=suite())
    assert len(read(out).answers) == 2 and read(out).trials == 0
    with out.open("a") as file:
        file.write('{"key": "torn')
    first = len(server.bodies)
    recorded = record("openai", out=out, trials=1, suite=suite())
    assert recorded.new == recorded.recorded - 2 == len(server.bodies) - first
    assert read(out).complete and len(read(out).runs) == 2


def test_an_interrupted_recording_goes_on_where_it_stopped(endpoint, tmp_path: Path) -> None:
    """Ctrl-C loses nothing that was answered."""
    server = endpoint(says(completion(ISSUES)))
    out = tmp_path / "r.jsonl"

    def interrupt(*_: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        record("openai", out=out, trials=1, suite=suite(), progress=interrupt)
    asked = len(server.bodies)
    assert len(read(out).answers) == asked > 0
    assert record("openai", out=out, trials=1, suite=suite()).recorded == len(server.bodies) > asked


def test_a_disk_that_is_full_stops_the_recording(endpoint, monkeypatch, tmp_path: Path) -> None:
    """An answer that cannot be kept is not passed over."""
    endpoint(says(completion(ISSUES)))
    answered = []

    def full(row) -> str:
        if isinstance(row, Given):
            answered.append(row)
            raise OSError(28, "No space left on device")
        return line_of(row)

    monkeypatch.setattr("relay_lab.app.record.line_of", full)
    with pytest.raises(BadInput, match=r"stopped in F1 .*No space left"):
        record("openai", out=tmp_path / "r.jsonl", trials=1, suite=suite())
    assert len(answered) == 1


def test_what_the_suite_does_not_ask_any_more_leaves_the_file(endpoint, tmp_path: Path) -> None:
    """A finished recording holds exactly the answers of its suite."""
    endpoint(says(completion(ISSUES)))
    out = tmp_path / "r.jsonl"
    more = record("openai", out=out, trials=1, suite=suite()).recorded
    assert record("openai", out=out, trials=1, suite=suite("F1")).recorded < more


def test_a_file_of_another_model_is_left_alone(endpoint, monkeypatch, tmp_path: Path) -> None:
    """Answers of two models are never in one file; the sentence says what is another."""
    endpoint(says(completion(ISSUES)))
    out = tmp_path / "r.jsonl"
    record("openai", out=out, trials=1, suite=suite("F1"))
    before = out.read_bytes()
    monkeypatch.setenv("OPENAI_MODEL", "other")
    with pytest.raises(BadInput, match="answers of another model; name a new --out"):
        record("openai", out=out, trials=1, suite=suite("F1"))
    with pytest.raises(BadInput, match="another workflow"):
        record("openai", "naive", out=out, trials=1, suite=suite("F1"))
    assert out.read_bytes() == before


def test_the_naive_agent_is_recorded_like_the_desk(endpoint, tmp_path: Path) -> None:
    """Its own questions, under its own head."""
    server = endpoint(says(completion('{"reply": "Hello."}')))
    out = tmp_path / "r.jsonl"
    recorded = record("openai", "naive", out=out, trials=1, suite=suite("F1"))
    assert recorded.binding["workflow"] == "naive" and recorded.recorded == len(server.bodies) > 0
    assert all("support agent" in body["messages"][0]["content"] for body in server.bodies)


def test_no_key_is_in_a_recording(endpoint, tmp_path: Path) -> None:
    """Neither key nor address is kept."""
    server = endpoint(says(completion(ISSUES)))
    out = tmp_path / "r.jsonl"
    record("openai", out=out, trials=1, suite=suite("F1"))
    assert "sk-secret-key" not in out.read_text("utf-8") and server.url not in out.read_text("utf-8")


@pytest.mark.parametrize("proposer", ["rules", "hostile", "nobody", "replay"])
def test_only_a_model_is_recorded(proposer: str, tmp_path: Path) -> None:
    """Who is no model, or is not there, is named with those who are."""
    with pytest.raises(BadInput, match=f"{proposer}.*bundled or openai"):
        record(proposer, out=tmp_path / "r.jsonl")


def test_a_place_that_cannot_be_written_is_named(endpoint, tmp_path: Path) -> None:
    """A folder is no file, and a packed file cannot be gone on with."""
    endpoint(says(completion(ISSUES)))
    with pytest.raises(BadInput, match="cannot be written"):
        record("openai", out=tmp_path, trials=1, suite=suite("F1"))
    with pytest.raises(BadInput, match="packed"):
        record("openai", out=tmp_path / "r.jsonl.gz", trials=1, suite=suite("F1"))


def test_forty_attacks_are_chosen_from_every_kind_in_turn() -> None:
    """The rule looks at ids and kinds alone: forty, no two the same, no kind with two more than another."""
    attacks = chosen_attacks()
    kinds = [attack.kind for attack in attacks]
    assert len({attack.id for attack in attacks}) == 40
    assert {kinds.count(kind) for kind in set(kinds)} <= {2, 3}


@pytest.mark.slow
def test_the_command_prints_what_it_recorded(endpoint, monkeypatch, tmp_path: Path, capsys) -> None:
    """`--json` is one document on standard output; progress is elsewhere; a second call has nothing new."""
    endpoint(says(completion('{"issues": []}')))
    monkeypatch.chdir(tmp_path)
    command = ["record", "--proposer", "openai", "--trials", "1", "--json"]
    documents = []
    for _ in range(2):
        assert status_of(command) == 0
        documents.append(json.loads(capsys.readouterr().out))
    assert documents[0]["recorded"] == documents[0]["new"] > 40 and documents[1]["new"] == 0
    assert documents[1]["out"] == "openai-desk.jsonl" and documents[1]["binding"]["model"] == "m"


def test_the_command_says_in_one_sentence_what_is_missing(monkeypatch, capsys) -> None:
    """Status 2, one line, no traceback."""
    for name in ("BASE_URL", "API_KEY", "MODEL"):
        monkeypatch.delenv(f"OPENAI_{name}", raising=False)
    assert status_of(["record", "--proposer", "openai"]) == 2
    [sentence] = [line for line in capsys.readouterr().err.splitlines() if line.startswith("relay-lab:")]
    assert "OPENAI_BASE_URL" in sentence
