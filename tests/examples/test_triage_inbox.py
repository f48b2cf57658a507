"""An inbox in, a triage out: a bad row costs only itself, and whatever stops the program, no row is lost or done twice."""

import csv
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from desks.crashes import EXAMPLES, example

from relay_lab import BadInput

PROGRAM = EXAMPLES / "triage_inbox.py"
TRIAGE = example("triage_inbox")
HEADER = "row,id,issues,states,reply,error\r\n"

# Runs the program, and sends this process a signal when it has read the message of the given row and not yet written it.
INTERRUPTED = """
import os, runpy, sys
import relay_lab
row, number = int(sys.argv.pop(1)), int(sys.argv.pop(1))
say, left = relay_lab.open_lab, [row + 1]  # the first one looks whether there is such a world
def counting(*arguments):
    left[0] -= 1
    if left[0] == 0:
        os.kill(os.getpid(), number)
    return say(*arguments)
relay_lab.open_lab = counting
sys.argv.pop(0)
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, PROGRAM, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


def refused(*arguments: str | Path) -> str:
    """The one sentence of a run that does nothing."""
    done = run(*arguments)
    assert done.returncode == 2, done.stderr
    assert done.stderr.startswith("triage_inbox: ") and done.stderr.count("\n") == 1
    return done.stderr


def inbox(path: Path, messages: list[str], column: str = "message") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["id", column])
        writer.writerows([number, message] for number, message in enumerate(messages, start=1))
    return path


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


MESSAGES = [
    "I was charged twice",
    "Hello,\nI cannot open the gantt chart.\r\n\r\nBest, \"Ada\"",
    "What is the \u2028 weather\x85 like?",
    "I need to downgrade before my renewal on Friday",
    "bell\x07",
    "I would like to talk to a human",
]  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """The inbox above, and what a run that nothing stops makes of it."""
    folder = tmp_path_factory.mktemp("whole")
    source = inbox(folder / "in.csv", MESSAGES)
    done = run(source, folder / "out.csv")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return source, (folder / "out.csv").read_bytes()


def test_each_message_gets_its_issues_states_and_reply(whole, tmp_path):
    out = tmp_path / "out.csv"
    out.write_bytes(whole[1])
    rows = read(out)
    assert [row["row"] for row in rows] == [str(number) for number in range(1, len(MESSAGES) + 1)]
    assert json.loads(rows[0]["issues"]) == [{"id": "I1", "type": "billing_duplicate"}]
    assert json.loads(rows[0]["states"]) == {"I1": "evidence_ready"}
    assert json.loads(rows[1]["issues"])[0]["type"] == "feature_access"
    assert json.loads(rows[3]["states"]) == {"I1": "needs_input"}
    assert json.loads(rows[5]["states"]) == {"I1": "handed_off"}
    assert [bool(row["reply"]) for row in rows] == [row["error"] == "" for row in rows]


def test_a_bad_row_costs_only_itself_and_says_why(tmp_path):
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    bad = [b"", b"   ", b"bell\x07", b"over\xe2\x80\xaeride", b"caf\xe9", b"a" * 20_001, b"nul\x00"]
    lines = [b"1," + message for message in [b"I was charged twice", *bad, b"I was charged twice"]]
    source.write_bytes(b"\xef\xbb\xbfid,message\n" + b"\n".join([*lines, b"only one cell"]) + b"\n")
    done = run(source, out)
    assert done.returncode == 0 and "10 rows" in done.stderr and "Traceback" not in done.stderr
    rows = read(out)
    assert len(rows) == 10
    good = [rows[0], rows[8]]
    assert all(json.loads(row["states"]) == {"I1": "evidence_ready"} and not row["error"] for row in good)
    for row, says in zip(
        [*rows[1:8], rows[9]],
        ("empty", "empty", "control", "reorders", "UTF-8", "20,000", "control", "empty"),
        strict=True,
    ):
        assert says in row["error"] and row["error"].endswith("."), row
        assert (row["issues"], row["states"], row["reply"]) == ("", "", "")


def test_the_other_columns_of_the_inbox_are_carried_through(tmp_path):
    """Whoever joins the result to a ticket needs its number; a name of ours that the inbox has too gets another one."""
    source, out = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(
        b'ticket,error,message,who\r\nT-7,none,hello,"Ada, ""A""\n"\r\nT-8,,bell\x07\r\nT-9,x,hi,caf\xe9,more\r\n'
    )
    assert list(TRIAGE.triage(source, out, "message", None)) == [1, 2, 3]
    rows = read(out)
    assert list(rows[0]) == ["row", "ticket", "in_error", "who", "issues", "states", "reply", "error"]
    assert [(row["ticket"], row["in_error"], row["who"]) for row in rows] == [
        ("T-7", "none", 'Ada, "A"\n'), ("T-8", "", ""), ("T-9", "x", "caf\ufffd"),
    ]  # fmt: skip
    assert [bool(row["error"]) for row in rows] == [False, True, False]
    assert list(TRIAGE.triage(source, out, "message", None)) == []


def test_names_of_columns_never_meet(tmp_path):
    """`in_row` may be taken as well."""
    source = tmp_path / "in.csv"
    source.write_bytes(b"row,in_row,message\r\n1,2,hello\r\n")
    found = TRIAGE.inbox(source, "message")
    assert found.header[:3] == ("row", "in_row", "in_in_row")
    assert found.beside == ({"in_row": "1", "in_in_row": "2"},)


@pytest.mark.slow
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)])
@pytest.mark.parametrize("row", [1, 4])
def test_stopped_in_the_middle_it_goes_on_behind_the_last_whole_row(whole, number, status, row, tmp_path):
    source, end = whole
    out = tmp_path / "out.csv"
    command = [sys.executable, "-c", INTERRUPTED, str(row), str(int(number)), PROGRAM, source, out]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    if number == signal.SIGINT:
        assert "same command" in done.stderr
    assert len(read(out)) == row - 1
    done = run(source, out)
    assert f"{len(MESSAGES) - row + 1} rows" in done.stderr
    assert out.read_bytes() == end
    assert "0 rows" in run(source, out).stderr
    assert out.read_bytes() == end


@pytest.mark.slow
def test_wherever_a_file_was_cut_off_its_whole_rows_stay_and_the_rest_is_done_again(whole, tmp_path):
    _, end = whole
    out = tmp_path / "out.csv"
    ends = [len(HEADER)]
    for row in TRIAGE.rows(end.decode("utf-8").removeprefix(HEADER)):
        ends.append(ends[-1] + len(row.encode("utf-8")))
    assert ends[-1] == len(end)
    assert len(ends) == len(MESSAGES) + 1
    around_each_end = {place + offset for place in ends for offset in range(-60, 30)}
    for cut in sorted(set(range(ends[2])) | {cut for cut in around_each_end if 0 <= cut <= len(end)}):
        out.write_bytes(end[:cut])
        done = TRIAGE.done_before(out, tuple(HEADER.strip().split(",")))
        kept = [place for place in ends if place <= cut]
        assert done == max(len(kept) - 1, 0), cut
        assert out.read_bytes() == end[: kept[-1] if kept else 0], cut


@pytest.mark.slow
def test_a_last_line_that_was_cut_off_is_done_again(whole, tmp_path):
    source, end = whole
    out = tmp_path / "out.csv"
    out.write_bytes(end[:-7])
    assert "1 row " in run(source, out).stderr
    assert out.read_bytes() == end


@pytest.mark.parametrize(
    "foreign",
    [
        b"a,b\r\n1,2\r\n",
        b"notes without an end",
        b"\x00\xff\xfe binary",
        b"row,issues,states,reply\r\n1,,,\r\n",
        b"row,issues,states,reply,error\r\n1,,,,\r\n",
        HEADER.encode() + b"7,[],{},hello,\r\n",
        HEADER.encode() + b"my own words\r\n",
    ],
)
def test_a_file_that_it_did_not_write_is_refused_and_stays_as_it_is(foreign, tmp_path):
    out = tmp_path / "out.csv"
    out.write_bytes(foreign)
    with pytest.raises(BadInput, match="name another file"):
        list(TRIAGE.triage(inbox(tmp_path / "in.csv", ["hello"]), out, "message", None))
    assert out.read_bytes() == foreign


def test_the_result_of_a_longer_inbox_is_refused(whole, tmp_path):
    out = tmp_path / "out.csv"
    out.write_bytes(whole[1])
    with pytest.raises(BadInput, match="6 rows"):
        list(TRIAGE.triage(inbox(tmp_path / "in.csv", ["hello"]), out, "message", None))
    assert out.read_bytes() == whole[1]


def test_its_own_inbox_is_no_place_for_the_result(tmp_path):
    source = inbox(tmp_path / "in.csv", ["hello"])
    before = source.read_bytes()
    with pytest.raises(BadInput, match="name another file"):
        list(TRIAGE.triage(source, source, "message", None))
    assert source.read_bytes() == before


@pytest.mark.slow
def test_what_makes_the_whole_run_impossible_is_one_sentence_and_no_file(tmp_path):
    source, out = inbox(tmp_path / "in.csv", ["hello"], column="text"), tmp_path / "out.csv"
    assert "no column 'message'; it has id, text" in refused(source, out)
    assert "no world 'mars'" in refused(source, out, "--column", "text", "--world", "mars")
    missing = refused(tmp_path / "nowhere.csv", out)
    assert "nowhere.csv cannot be read (No such file or directory); name a CSV file of messages." in missing
    assert not out.exists()
    assert "cannot be written" in refused(source, tmp_path / "no" / "out.csv", "--column", "text")
    assert run(source, out, "--column", "text", "--world", "7").returncode == 0
    assert len(read(out)) == 1


def test_an_empty_inbox_has_no_column(tmp_path):
    source = tmp_path / "in.csv"
    source.write_bytes(b"")
    with pytest.raises(BadInput, match="it has none"):
        TRIAGE.inbox(source, "message")
