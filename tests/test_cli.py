"""The command line: what it prints, what bad input gets, and how it ends."""

import io
import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from relay_lab import cli

KEYS = {"issues", "ledger", "replies", "reply", "quote", "operation", "mutations", "trace"}


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    status = cli.status_of(list(arguments))
    out, err = capsys.readouterr()
    return status, out, err


def refused(capsys, *arguments: str) -> str:
    """The one sentence that bad input gets: status 2, nothing on standard output, no traceback."""
    status, out, err = run(capsys, *arguments)
    assert status == 2, err
    assert out == ""
    assert err.startswith("relay-lab: ") and err.count("\n") == 1 and "Traceback" not in err
    return err


def test_the_whole_conversation_ends_scheduled_with_one_mutation(capsys):
    status, out, err = run(capsys, "demo", "--plan", "individual", "--confirm", "--json")
    document = json.loads(out)
    assert (status, err) == (0, "")
    assert set(document) >= KEYS
    assert [issue["state"] for issue in document["issues"]] == [
        "evidence_ready",
        "evidence_ready",
        "scheduled",
    ]
    assert document["mutations"] == 1
    assert document["operation"]["schedule_id"] == "SCH-000001"
    assert document["operation"]["idempotency_key"] == "relay-prod:CUST-1042:renewal-20260911:I3:DG-1042-v1"
    assert document["quote"]["quote_id"] == "DG-1042-v1"
    assert "downgraded" not in document["reply"] and "scheduled" in document["reply"]
    assert [row["seq"] for row in document["trace"]] == list(range(1, len(document["trace"]) + 1))


def test_slots_stand_beside_the_issue_under_their_own_names_with_an_exact_span(capsys):
    text = "I need to downgrade before my renewal on Friday"
    document = json.loads(run(capsys, "demo", "--message", text, "--json")[1])
    issue = document["issues"][0]
    assert issue["type"] == "subscription_change"
    assert (issue["target_plan"], issue["deadline"], issue["needs_clarification"]) == (
        None,
        "before_renewal",
        True,
    )
    span = issue["span"]
    assert text[span["start"] : span["end"]] == span["text"]


def test_the_screen_shows_issues_ledger_quote_trace_and_both_replies(capsys):
    status, out, _ = run(capsys, "demo", "--plan", "individual", "--confirm")
    assert status == 0
    for part in ("Issues", "Ledger", "Quote DG-1042-v1", "Subscription service", "Trace", "SCH-000001"):
        assert part in out
    assert out.count("─ Desk ─") == 3
    assert "{" not in out


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("a" * 20_001, "20,000"),
        ("bell\x07", "control character at position 4"),
        ("over\u202eride", "reorders text at position 4"),
        ("iso\u2066late", "reorders text"),
    ],
    ids=["empty", "blank", "too_long", "control", "override", "isolate"],
)
def test_a_message_that_cannot_be_one_gets_a_sentence(capsys, message, says):
    assert says in refused(capsys, "demo", "--message", message)


def test_joined_emoji_tabs_and_line_ends_are_ordinary_text(capsys):
    status, _, _ = run(capsys, "demo", "--message", "Hi \U0001f469\u200d\U0001f4bb\t\r\nthanks", "--json")
    assert status == 0


def test_bytes_that_are_not_utf8_get_a_sentence_with_the_place(capsys, tmp_path, monkeypatch):
    file = tmp_path / "m.txt"
    file.write_bytes(b"caf\xe9")
    assert "byte 3" in refused(capsys, "demo", "--message-file", str(file))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"caf\xe9")))
    assert "standard input" in refused(capsys, "demo", "-")
    assert "--message" in refused(capsys, "demo", "--message", "caf\udce9")


def test_a_message_comes_from_a_file_or_from_standard_input(capsys, tmp_path, monkeypatch):
    text = "I was charged twice"
    file = tmp_path / "m.txt"
    file.write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    from_file = run(capsys, "demo", "--message-file", str(file), "--json")[1]
    from_stdin = run(capsys, "demo", "-", "--json")[1]
    assert from_file == from_stdin
    assert json.loads(from_file)["issues"][0]["type"] == "billing_duplicate"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--plan", "gold"], "individual, team, business, cancel"),
        (["--world", "mars"], "no world 'mars'"),
        (["--proposer", "oracle"], "no proposer 'oracle'"),
        (["--at", "soon"], "2026-09-10T12:00:00Z"),
        (["--at", "2026-09-11T00:00:00"], "no zone"),
        (["--at", "2020-01-01T00:00:00Z"], "does not go back"),
        (["--conversation", "a b"], "no name of a conversation"),
        (["--message", "a", "--message-file", "b"], "once"),
        (["--message-file", "nowhere.txt"], "cannot be read"),
        (["words"], "--message"),
        (["--nonsense"], "--nonsense"),
        (["--db", "postgresql://localhost/x"], "SQLite"),
        (["--db", ""], "empty"),
    ],
)
def test_bad_arguments_get_one_sentence(capsys, arguments, says):
    assert says in refused(capsys, "demo", *arguments)


def test_an_unknown_seat_gets_a_sentence_that_names_the_seats(capsys):
    status, _, err = run(capsys, "demo", "--plan", "individual", "--seat", "SEAT-9", "--json")
    assert status == 2
    assert "SEAT-1042-1" in err and "Traceback" not in err


def test_what_there_is_nothing_to_pick_or_confirm_for_is_said_and_left_out(capsys):
    """What was said counts and is shown; a click that had nothing to confirm ends in 2."""
    status, out, err = run(capsys, "demo", "--message", "hello", "--plan", "team", "--confirm", "--json")
    assert status == 2
    assert json.loads(out)["issues"] == []
    assert "team was not picked" in err
    assert "nothing was confirmed: nobody has asked for a change of plan." in err
    assert run(capsys, "demo", "--message", "hello", "--plan", "team", "--json")[0] == 0


@pytest.mark.parametrize(
    ("command", "option", "value"),
    [
        ("trials", "--seed", "-1"),
        ("trials", "--jobs", "0"),
        ("attacks", "--jobs", "99"),
        ("trials", "--seed", "x"),
    ],
)
def test_a_number_out_of_range_is_refused_with_the_name_of_its_option(capsys, command, option, value):
    """Whoever gave several numbers learns which one it is about."""
    assert f"Invalid value for '{option}': " in refused(capsys, command, option, value)


def test_a_click_with_nothing_to_confirm_says_why_and_makes_no_second_change(capsys, tmp_path):
    """Before a plan is picked, and once more after the change is scheduled."""
    db = str(tmp_path / "desk.db")
    status, _, err = run(capsys, "demo", "--db", db, "--confirm", "--json")
    assert status == 2 and err.endswith("no plan is picked for I3; give --plan as well.\n")
    assert run(capsys, "demo", "--db", db, "--plan", "individual", "--confirm", "--json")[0] == 0
    status, out, err = run(capsys, "demo", "--db", db, "--confirm", "--json")
    assert status == 2 and err.endswith("nothing was confirmed: I3 is scheduled already.\n")
    assert json.loads(out)["mutations"] == 1


def test_files_that_cannot_serve_get_one_sentence_and_keep_their_content(capsys, tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, " * 100, encoding="utf-8")
    assert "not an SQLite database" in refused(capsys, "demo", "--db", str(text))
    assert text.read_text(encoding="utf-8").startswith("not a database")
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE theirs (a)")
    connection.close()
    before = other.read_bytes()
    assert "another program" in refused(capsys, "demo", "--db", str(other))
    assert other.read_bytes() == before
    assert "folder" in refused(capsys, "demo", "--db", str(tmp_path / "no" / "where.db"))


def test_a_database_of_another_version_is_refused_by_name(capsys, tmp_path):
    db = tmp_path / "a.db"
    run(capsys, "demo", "--db", str(db), "--json")
    with sqlite3.connect(db) as connection:
        connection.execute("UPDATE stamp SET text = 'relay-lab runtime 0'")
    connection.close()
    assert "relay-lab runtime 0" in refused(capsys, "demo", "--db", str(db))


def test_a_database_whose_company_is_gone_or_broken_is_refused(capsys, tmp_path):
    db = tmp_path / "a.db"
    run(capsys, "demo", "--db", str(db), "--json")
    company = Path(f"{db}.world")
    company.unlink()
    assert "missing" in refused(capsys, "demo", "--db", str(db))
    company.write_text("x" * 5000, encoding="utf-8")
    assert "a.db.world" in refused(capsys, "demo", "--db", str(db))


def test_a_database_of_one_world_is_not_opened_as_another(capsys, tmp_path):
    db = str(tmp_path / "a.db")
    run(capsys, "demo", "--db", db, "--world", "7", "--json")
    assert "holds the world 7" in refused(capsys, "demo", "--db", db, "--world", "8")
    assert run(capsys, "demo", "--db", db, "--json")[0] == 0


def test_a_conversation_goes_on_where_it_stood_and_so_does_the_clock(capsys, tmp_path):
    db = str(tmp_path / "a.db")
    run(capsys, "demo", "--db", db, "--json")
    later = "2026-09-10T12:00:00Z"
    picked = json.loads(run(capsys, "demo", "--db", db, "--plan", "individual", "--at", later, "--json")[1])
    assert picked["issues"][2]["state"] == "awaiting_confirmation"
    assert picked["quote"]["expires_at"] >= "2026-09-10T12:30"
    done = json.loads(run(capsys, "demo", "--db", db, "--confirm", "--json")[1])
    assert done["issues"][2]["state"] == "scheduled"
    assert done["at"].startswith("2026-09-10T12:00:00")
    assert [reply["turn"] for reply in done["replies"]] == [1, 2, 3]
    assert done["mutations"] == 1
    other = json.loads(run(capsys, "demo", "--db", db, "--conversation", "C-2", "--json")[1])
    assert [issue["state"] for issue in other["issues"]][2] == "needs_input"


def test_reconcile_has_nothing_to_do_after_a_clean_run_and_refuses_a_database_that_is_not_there(
    capsys, tmp_path
):
    db = str(tmp_path / "a.db")
    run(capsys, "demo", "--db", db, "--plan", "individual", "--confirm", "--json")
    status, out, _ = run(capsys, "reconcile", "--db", db, "--json")
    assert status == 0
    assert json.loads(out) == {"settled": [], "open": []}
    assert "no database" in refused(capsys, "reconcile", "--db", str(tmp_path / "b.db"))
    assert not (tmp_path / "b.db").exists()


def test_a_generated_world_is_the_same_from_the_same_seed(capsys):
    first = run(capsys, "demo", "--world", "11", "--json")[1]
    assert first == run(capsys, "demo", "--world", "11", "--json")[1]
    assert first != run(capsys, "demo", "--world", "12", "--json")[1]


def test_a_bug_ends_in_70_with_its_traceback(capsys, monkeypatch):
    monkeypatch.setattr("relay_lab.app.demo.open_lab", lambda *_, **__: 1 / 0)
    status, _, err = run(capsys, "demo")
    assert status == 70
    assert "ZeroDivisionError" in err


def test_an_interrupt_ends_in_130_and_says_how_to_go_on(capsys, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("relay_lab.app.demo.open_lab", interrupted)
    status, _, err = run(capsys, "demo")
    assert status == 130
    assert "run the same command again" in err


def test_the_installed_command_runs_and_help_names_every_command():
    command = Path(sys.executable).with_name("relay-lab")
    helped = subprocess.run([command, "--help"], capture_output=True, text=True, check=True)
    assert "demo" in helped.stdout and "reconcile" in helped.stdout
    bare = subprocess.run([command], capture_output=True, text=True)
    assert bare.returncode == 2 and "Usage" in bare.stdout + bare.stderr
