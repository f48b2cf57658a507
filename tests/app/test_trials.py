"""Trials: counted under their binding, resumed where they stopped, and never pooled with others."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from relay_lab.app.charts import funnel_chart, matrix_chart, pass_hat_k_chart
from relay_lab.app.matrix import run_matrix
from relay_lab.app.trials import TrialReport, listening, run_trials
from relay_lab.cli import status_of
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.proposals import ProposalRequest
from relay_lab.evaluation.unsafe import Heard


def of(*ids: str) -> Callable[[str], bool]:
    return lambda name: name in ids


def few(proposer: str = "rules", trials: int = 2, *ids: str, **more: Any) -> TrialReport:
    return run_trials(proposer, trials, jobs=1, only=of(*(ids or ("F13", "F21"))), **more)


def test_rules_pass_each_trial_alike() -> None:
    """What cannot vary is consistent, and what holds once holds every time."""
    found = few(trials=3).to_dict()
    assert found["pass_hat_k"] == {"1": 1.0, "2": 1.0, "3": 1.0}
    assert (found["routing_accuracy"], found["consistency"]) == (1.0, 1.0)
    assert [(suite["name"], suite["n"]) for suite in found["suites"]] == [("semantic", 3), ("resilience", 3)]
    assert found["funnel"]["attempts"]["unsafe_proposals"] == 0
    assert found["funnel"]["scenarios"]["upper_bound_95"] == pytest.approx(1 - 0.05**0.5)


def test_what_executes_as_it_comes_is_seen_in_the_funnel() -> None:
    """The canary: an agent without a guard makes effects that nobody confirmed, and no bound is stated beside them."""
    found = few("rules", 1, "F1", "N2", workflow="naive").to_dict()["funnel"]["attempts"]
    assert found["executions"] > 0
    assert found["confirmation_bypasses"] > 0
    assert (found["stopped_by"], found["upper_bound_95"]) == ({}, None)
    assert found["survivors"] == found["unsafe_proposals"] > 0


def test_a_workflow_that_breaks_off_is_counted_as_such(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A bot that raises once it has acted must not look contained."""
    (tmp_path / "raising_bot.py").write_text("def make(company):\n    raise KeyError('gone')\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    found = few("rules", 1, "F13", workflow="raising_bot:make").to_dict()["funnel"]["attempts"]
    assert (found["broke_off"], found["upper_bound_95"]) == (1, None)


def test_a_result_is_bound_to_what_made_it() -> None:
    """Commit, prompt, contract, dataset, workflow, first trial and proposer."""
    bound = few(trials=1).binding
    assert set(bound) == {
        "version",
        "commit",
        "prompt",
        "contract",
        "dataset",
        "workflow",
        "seed",
        "proposer",
    }
    assert bound["proposer"] == {"proposer": "rules"}
    assert len(bound["dataset"]) == 64


class Stops(Exception):
    """The machine goes off."""


def stopping_after(number: int) -> Callable[[int, int], None]:
    def progress(done: int, _: int) -> None:
        if done == number:
            raise Stops

    return progress


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """What was counted is on the disk, and only the rest is run."""
    out = tmp_path / "trials.db"
    with pytest.raises(Stops):
        few(trials=2, out=out, progress=stopping_after(3))
    seen: list[int] = []
    report = few(trials=2, out=out, progress=lambda done, _: seen.append(done))
    assert seen == [3, 4]
    assert report.attempts == few(trials=2).attempts


def test_results_of_different_bindings_are_never_pooled(tmp_path: Path) -> None:
    """Two first trials are two bindings: each report counts its own attempts, and the file holds both."""
    out = tmp_path / "trials.db"
    first = few(trials=1, out=out)
    other = few(trials=1, out=out, seed=7)
    assert len(first.attempts) == len(other.attempts) == 2
    connection = sqlite3.connect(out)
    counts = connection.execute("SELECT binding, count(*) FROM attempt GROUP BY binding").fetchall()
    bindings = [json.loads(text)["seed"] for (text,) in connection.execute("SELECT binding FROM binding")]
    connection.close()
    assert [count for _, count in counts] == [2, 2]
    assert sorted(bindings) == [0, 7]


def test_more_trials_of_the_same_binding_are_added_to_those_that_are_there(tmp_path: Path) -> None:
    """Two more trials cost two more."""
    out = tmp_path / "trials.db"
    few("rules", 1, "F13", out=out)
    seen: list[int] = []
    report = few("rules", 3, "F13", out=out, progress=lambda done, _: seen.append(done))
    assert seen == [1, 2, 3]
    assert [attempt.trial for attempt in report.attempts] == [1, 2, 3]


def test_any_executor_will_do() -> None:
    """A pool of threads, or of machines, takes the place of our own."""
    with ThreadPoolExecutor(2) as pool:
        report = run_trials("rules", 2, only=of("F13"), executor=pool)
    assert report.attempts == few("rules", 2, "F13").attempts


class Leaves(ThreadPoolExecutor):
    """A pool whose process goes away after the first attempt."""

    def map(self, function, *things, **_):
        yield next(super().map(function, *things))
        raise BrokenExecutor


def test_a_process_that_ends_in_the_middle_is_one_sentence_and_what_was_kept_stays(tmp_path: Path) -> None:
    """A workflow may end its process: nothing that was kept before is lost, and the next run goes on from it."""
    out = tmp_path / "trials.db"
    with Leaves(1) as pool, pytest.raises(BadInput, match=r"a process ended .* 1 of 3 attempts were made"):
        few("rules", 3, "F13", out=out, executor=pool)
    seen: list[int] = []
    few("rules", 3, "F13", out=out, progress=lambda done, _: seen.append(done))
    assert seen == [1, 2, 3]


def test_what_a_bot_prints_in_another_process_is_no_part_of_the_document(tmp_path: Path) -> None:
    """Its own words go to standard error."""
    (tmp_path / "loud_bot.py").write_text(
        "from relay_lab.contracts.workflow import Turn\nclass Bot:\n"
        "    def __init__(self, company): print('made')\n    def say(self, message): return Turn(reply='Hello.')\n"
        "    def click(self, click): return None\n    def states(self): return None\n"
    )
    script = (
        "from relay_lab.app.trials import run_trials\n"
        "run_trials('rules', 2, jobs=2, workflow='loud_bot:Bot', only=lambda name: name == 'F21')"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "made" in done.stderr


def plain_text(path: Path) -> None:
    path.write_text("not a database, and long enough to be read as one" * 40, "utf-8")


def a_folder(path: Path) -> None:
    path.mkdir()


def another_version(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript("CREATE TABLE attempt (x); PRAGMA user_version = 9")
    connection.close()


def another_version_and_empty(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 9")
    connection.close()


@pytest.mark.parametrize("spoil", [plain_text, a_folder, another_version, another_version_and_empty])
def test_a_file_that_cannot_hold_results_is_one_sentence(
    tmp_path: Path, spoil: Callable[[Path], None], capsys: pytest.CaptureFixture[str]
) -> None:
    """And exit status 2, before anything is run."""
    spoil(tmp_path / "x.db")
    assert status_of(["trials", "--trials", "1", "--out", str(tmp_path / "x.db")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "x.db" in said


@pytest.mark.parametrize(
    "change",
    [
        "attempt = '{'",
        "attempt = '{}'",
        "attempt = NULL",
        "attempt = json_set(attempt, '$.issues', 'many')",
        "attempt = json_set(attempt, '$.scenario', 'F1')",
    ],
)
def test_an_attempt_that_cannot_be_read_is_never_counted(tmp_path: Path, change: str) -> None:
    """A torn or altered row is one sentence that names it, and nothing is run over it."""
    out = tmp_path / "trials.db"
    few("rules", 1, "F13", out=out)
    connection = sqlite3.connect(out)
    connection.execute(f"UPDATE attempt SET {change}")
    connection.commit()
    connection.close()
    with pytest.raises(BadInput, match="is damaged: trial 1 of F13 cannot be read"):
        few("rules", 1, "F13", out=out)


def test_a_file_that_can_no_longer_be_written_is_one_sentence_and_keeps_what_it_has(tmp_path: Path) -> None:
    """As when the disk is full or somebody holds the file: what was kept counts, and the same command goes on."""
    out = tmp_path / "trials.db"
    few("rules", 1, "F13", out=out)
    connection = sqlite3.connect(out)
    connection.execute(
        "CREATE TRIGGER full BEFORE INSERT ON attempt BEGIN SELECT RAISE(FAIL, 'no room'); END"
    )
    with pytest.raises(BadInput, match=r"no room.; mend that, and run the same command"):
        few("rules", 2, "F13", out=out)
    connection.execute("DROP TRIGGER full")
    connection.close()
    assert [attempt.trial for attempt in few("rules", 2, "F13", out=out).attempts] == [1, 2]


@pytest.mark.parametrize(
    "arguments",
    [
        {"trials": 0},
        {"trials": 1001},
        {"proposer": "oracle"},
        {"workflow": "no_such_module:make"},
        {"workflow": "nonsense"},
    ],
)
def test_what_is_not_there_is_refused(arguments: dict[str, Any]) -> None:
    """Unknown proposers and workflows, and numbers of trials that mean nothing."""
    with pytest.raises(BadInput):
        run_trials(**{"jobs": 1, "trials": 1, **arguments})


def test_a_proposer_that_fails_is_heard_as_having_said_nothing() -> None:
    """What was asked is kept, and the failure goes on to whoever asked."""

    def fails(_: ProposalRequest) -> str:
        raise Stops

    heard: list[Heard] = []
    with pytest.raises(Stops):
        listening(fails, heard)(ProposalRequest(task="decompose", message="hello"))
    assert heard == [Heard("decompose", "hello", None)]


@pytest.fixture(scope="module")
def report() -> Iterator[TrialReport]:
    yield few("rules", 2, "F1", "F13", workflow="naive")


def test_a_frame_has_a_row_for_each_attempt(report: TrialReport) -> None:
    """For whoever counts otherwise."""
    frame = report.to_frame()
    assert list(frame["trial"]) == [1, 2, 1, 2]
    assert frame["executions"].sum() == sum(attempt.executions for attempt in report.attempts)


def test_charts_are_of_the_numbers_in_the_report(report: TrialReport) -> None:
    """The funnel begins with the unsafe proposals, pass^k has a line for each report, and the map a cell for each row."""
    pytest.importorskip("altair", reason="altair is not installed (pip install relay-lab[lab])")
    funnel = funnel_chart(report).to_dict()
    (rows,) = funnel["datasets"].values()
    assert rows[0]["proposals"] == sum(len(attempt.unsafe) for attempt in report.attempts)
    lines = pass_hat_k_chart({"naive": report}).to_dict()["datasets"]
    assert [row["k"] for row in next(iter(lines.values()))] == [1, 2]
    cells = matrix_chart({"desk": run_matrix(["F1", "F2"])}).to_dict()["datasets"]
    assert [row["held"] for row in next(iter(cells.values()))] == ["holds", "holds"]


def test_a_hostile_proposer_begins_elsewhere_in_every_scenario_and_causes_nothing() -> None:
    """Its unsafe proposals are counted with the guard that stopped each, and none has an effect."""
    ids = ("F10", "F12", "F13", "F21", "F22", "F23", "F24", "F25")
    found = few("hostile", 2, *ids).to_dict()["funnel"]["attempts"]
    assert found["unsafe_proposals"] == sum(found["stopped_by"].values()) + found["survivors"] > 0
    assert (found["executions"], found["unauthorized_mutations"]) == (0, 0)
