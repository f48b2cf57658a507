"""Any bot in the rows: what it is given, what it offers, and what becomes of one that is broken."""

import json
import pickle
import sys
from functools import partial
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from relay_lab import cli
from relay_lab.app.lab import Parts, open_lab
from relay_lab.app.matrix import run_matrix, run_row
from relay_lab.app.matrix_report import junit
from relay_lab.app.matrix_stage import BotStage
from relay_lab.app.raw_company import company_tools
from relay_lab.app.settings import scenario_named
from relay_lab.app.workflow import DeskWorkflow, workflow_named
from relay_lab.contracts.errors import BadInput
from relay_lab.contracts.proposals import ProposalRequest
from relay_lab.contracts.workflow import Click, Turn
from relay_lab.proposers.scripted import Scripted

SCENARIO = scenario_named("relay")
ME = SCENARIO.session.authenticated_customer_id
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda x: st.lists(x) | st.dictionaries(st.text(), x),
)


class Bot:
    """It says nothing of use and does nothing: a test gives one of its parts another shape."""

    def __init__(self, company):
        self.company = company

    def say(self, message):
        return Turn(reply="Thank you.")

    def click(self, click):
        return None

    def states(self):
        return None


def bot(**parts):
    """A factory of bots with some functions replaced."""
    return type("Other", (Bot,), parts)


@pytest.fixture
def stage():
    made = BotStage(SCENARIO, SCENARIO.session, Parts(), Bot)
    yield made
    made.close()


@pytest.mark.parametrize("tool", [tool.name for tool in company_tools()])
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arguments=JSON)
def test_no_call_of_a_bot_raises_whatever_it_passes(stage, tool, arguments):
    """A bad call is an answer with its kind, as it would be over a wire."""
    for passed in (
        arguments,
        {"customer_id": arguments},
        {"idempotency_key": arguments, "packet": arguments},
    ):
        assert stage.raw.call(tool, passed)["kind"] in ("error", "refused", "absent")
    assert (stage.company.mutations(), stage.company.tickets()) == (0, 0)


def test_every_tool_is_described_with_the_arguments_that_it_takes(stage):
    """A model can be told of each one: a name, a sentence and a JSON schema."""
    for tool in stage.raw.tools:
        assert tool.description.endswith(".") and tool.arguments["type"] == "object"
        assert set(tool.arguments["required"]) <= set(tool.arguments["properties"])
    assert stage.raw.call("refund", {"customer_id": ME, "idempotency_key": "K"})["code"] == "unknown_tool"


def test_a_bot_reaches_the_records_of_any_customer_and_the_trace_shows_whose(stage):
    """Nothing stands between a bot and the systems of record, and every call leaves its row."""
    for customer in (ME, "CUST-2077"):
        answer = stage.raw.call("get_plan_and_entitlements", {"customer_id": customer})
        assert answer["kind"] == "success"
    assert [row.customer_id for row in stage.trace()] == [ME, "CUST-2077"]


def test_a_ticket_and_its_receipt_can_be_had_and_found_by_key(stage):
    """hand_off takes the packet beside its key; find_handoff finds what came of it."""
    packet = {"conversation_id": "C-1", "issue_id": "I1", "reason": "asked", "customer_id": ME, "scopes": [],
              "assurance": "recent_mfa", "issues": [], "evidence": [], "completed_calls": [],
              "proposed_action": None, "conflicts": [], "commitments": []}  # fmt: skip
    sent = stage.raw.call("hand_off", {"idempotency_key": "T-1", "packet": packet})
    assert sent["kind"] == "accepted" and stage.company.tickets() == 1
    assert stage.raw.call("find_handoff", {"idempotency_key": "T-1"}) == sent
    assert stage.raw.call("close_schedule", {"idempotency_key": "K-1"})["code"] == "key_closed"


def test_what_a_bot_remembers_outlives_a_restart_and_what_it_holds_in_hand_does_not(stage):
    """A restart is a new instance over the same tables, under the session of that moment."""
    stage.raw.memory["said"] = "once"
    first, weaker = stage.workflow, SCENARIO.session.model_copy(update={"allowed_scopes": ()})
    stage.start_anew(weaker)
    assert stage.workflow is not first
    assert stage.raw.memory == {"said": "once"}
    assert stage.raw.session == weaker and stage.trace() == ()
    stage.raw.session.__dict__["authenticated_customer_id"] = "CUST-2077"
    assert stage.session.authenticated_customer_id == ME
    assert stage.raw.now() == SCENARIO.now


def test_the_desk_is_one_workflow_among_others():
    """Say, pick, confirm, reject and transfer reach the desk through the same three functions."""
    with open_lab() as lab:
        desk = DeskWorkflow(lab)
        assert desk.click(Click(do="confirm")) is None and desk.click(Click(do="reject")) is None
        assert desk.say(lab.scenario.message).offer is None
        picked = desk.click(Click(do="pick", value="individual"))
        assert picked.offer == "DG-1042-v1" and desk.states()["I3"] == "awaiting_confirmation"
        assert desk.click(Click(do="reject")).offer is None
        again = desk.click(Click(do="pick", value="individual"))
        assert "scheduled" in desk.click(Click(do="confirm", value=again.offer)).reply
        desk.click(Click(do="transfer", value="I1"))
        assert desk.states() == {"I1": "handed_off", "I2": "evidence_ready", "I3": "scheduled"}
        assert desk.click(Click(do="reconcile")) is None


class Mute(Exception):
    """An exception that cannot be asked what it says."""

    def __str__(self):
        raise RuntimeError


def throws(error):
    def throwing(self, *given):
        raise error

    return throwing


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"say": lambda self, message: "hello"}, "the workflow answered with str, not with a Turn"),
        ({"say": lambda self, message: None}, "the workflow answered with NoneType, not with a Turn"),
        ({"click": lambda self, click: {"reply": "x"}}, "the workflow answered with dict, not with a Turn"),
        (
            {"say": lambda self, message: Turn(reply=3)},
            "1 validation error for Turn reply Input should be",
        ),
        ({"states": lambda self: ["I1"]}, "states() gave list; it gives issue ids with states, or None."),
        ({"say": lambda self, message: 1 / 0}, "ZeroDivisionError in <lambda>: division by zero"),
        ({"say": lambda self, message: sys.exit(3)}, "SystemExit in <lambda>: 3"),
        ({"say": throws(BaseException("out"))}, "BaseException in throwing: out"),
        ({"states": throws(Mute())}, "Mute in throwing: it does not say what was wrong"),
        ({"say": throws(ValueError("\ud800 \x1b[2J"))}, r"ValueError in throwing: \ud800 \x1b[2J"),
        ({"say": lambda self, message: Turn.model_construct(reply=5)}, "1 validation error for Turn reply"),
        ({"say": lambda self, message: Turn.model_construct()}, "AttributeError in"),
        ({"say": lambda self, message: Turn.model_construct(reply="\ud800")}, "UnicodeEncodeError in"),
    ],
)
def test_a_workflow_that_breaks_is_the_failure_of_its_rows_and_the_others_run(parts, said):
    """Nonsense, an exception and an exit are one sentence in the row that met them."""
    results = run_matrix(["F6", "N2"], workflow=bot(**parts))
    assert [result.id for result in results] == ["F6", "N2"]
    assert results[0].failures[0].startswith("the run broke off: ") and said in results[0].failures[0]


def test_states_that_no_screen_can_show_are_spelt_out():
    """Halves of characters and escape sequences in a bot's answers do not stop the report of its rows."""
    _, seen = run_row("F1", workflow=bot(states=lambda self: {"\ud800": "\x1b[2J"}))
    assert seen.checkpoints[-1].states == {r"\ud800": r"\x1b[2J"}


def test_states_that_are_told_are_held_against_the_row_and_none_is_said_not_to_be_told():
    """A bot that keeps books is judged by them; one that keeps none is not red for it, and the result says so."""
    told = {"I1": "evidence_ready", "I2": "evidence_ready", "I3": "needs_input"}
    [right] = run_matrix(["F21"], workflow=bot(states=lambda self: told))
    [wrong] = run_matrix(["F21"], workflow=bot(states=lambda self: {**told, "I3": "scheduled"}))
    [silent] = run_matrix(["F21"], workflow=Bot)
    assert right.passed and right.observed == right.expected
    assert wrong.failures[0].startswith("at 'said' the issues stood at I1 evidence_ready")
    assert silent.passed and "the workflow does not tell where its issues stand" in silent.unseen
    assert all("where its issues stand" not in sentence for sentence in right.unseen)


def test_tickets_are_counted_where_a_row_ends_with_a_person():
    """A bot that does nothing is safe, and red wherever a specialist or a change was due: safe and useless shows."""
    reds = {result.id: result.failures for result in run_matrix(["F6", "F13", "F22", "N2"], workflow=Bot)}
    assert reds == {
        "F6": ("0 changes were made, not 1", "0 keys were used for the change, not 1"),
        "F13": ("0 tickets were opened, not 1",),
        "F22": ("0 tickets were opened, not 1",),
        "N2": (),
    }


def test_a_row_that_cannot_be_put_to_a_bot_is_neither_held_nor_red_for_it():
    """A bot with a model of its own is not injected, and has no audit store or packet of ours: the result says which."""
    rows = ["F8a", "F9", "F14a", "F15", "F16", "C1a"]
    results = run_matrix(rows, workflow=Bot)
    assert [result.tried for result in results] == [False] * 6
    assert "the model it was given was never asked to decompose or to act" in results[0].unseen
    assert "no audit store stands behind this workflow that could fail" in results[4].unseen
    [asked] = run_matrix(["F14a"], workflow=bot(say=asks("draft_reply")))
    assert asked.tried and asked.called_done == 1


def asks(task):
    """A say that asks the given model one task and sends the answer as it is."""
    return lambda self, message: Turn(reply=self.company.propose(ProposalRequest(task=task, message=message)))


def test_what_a_row_puts_into_the_models_mouth_reaches_a_bot_that_asks_the_model_it_was_given():
    """F8 and F9 reach a bot that asks for a decomposition, F14 one that asks to act, each in the shape of the task."""
    for row_id, text in (("F8a", '{"issues": [{"id"'), ("F9", '"start": ')):
        _, seen = run_row(row_id, workflow=bot(say=asks("decompose")))
        assert text in seen.replies[0][1] and not seen.untried
    _, seen = run_row("F14b", workflow=bot(say=asks("act")))
    assert json.loads(seen.replies[0][1]) == {"reply": "You have been downgraded to Individual."}


@pytest.mark.parametrize("answer", ["no json", "[]", '{"issues": []}', '{"tool": "x", "arguments": 3}'])
@pytest.mark.parametrize("row_id", ["F1", "F9"])
def test_an_answer_that_is_not_what_a_row_alters_stays_as_it_is(row_id, answer):
    """A model that says something else is not broken by the row: what it said is what is heard."""
    _, seen = run_row(row_id, workflow=bot(say=asks("decompose")), propose=partial(Scripted, [answer]))
    assert seen.replies[0][1].strip("{}").startswith(answer.strip("{}").rstrip("]"))


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("luck", "there is no workflow 'luck'; give desk, naive, or module:factory."),
        ("module:", "there is no workflow 'module:'"),
        ("missing_bot:make", "the module 'missing_bot' cannot be imported (ModuleNotFoundError"),
        ("bad_bot:make", "the module 'bad_bot' cannot be imported (ZeroDivisionError: division by zero)"),
        ("gone_bot:make", "the module 'gone_bot' cannot be imported (SystemExit: 4)"),
        ("base_bot:make", "the module 'base_bot' cannot be imported (BaseException: no)"),
        ("good_bot:other", "good_bot has no function 'other'"),
        ("good_bot:number", "good_bot has no function 'number'"),
        ("good_bot:fails", "good_bot:fails made no workflow (ValueError: no)"),
        ("good_bot:empty", "what good_bot:empty made has no function say and no click and no states"),
    ],
)
def test_a_workflow_that_cannot_be_had_is_one_sentence_and_status_2(
    name, sentence, tmp_path, monkeypatch, capfd
):
    """Not found, not importable, not callable, not made: said once, before any row runs."""
    (tmp_path / "bad_bot.py").write_text("1 / 0")
    (tmp_path / "gone_bot.py").write_text("raise SystemExit(4)")
    (tmp_path / "base_bot.py").write_text("raise BaseException('no')")
    (tmp_path / "good_bot.py").write_text(
        "number = 3\ndef empty(company): return object()\ndef fails(company): raise ValueError('no')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert cli.status_of(["matrix", "--only", "F1", "--workflow", name]) == 2
    out, err = capfd.readouterr()
    assert out == "" and sentence in err and err.count("\n") == 1
    sys.modules.pop("good_bot", None)


def test_a_guard_is_the_desks_alone_to_lose():
    """Another bot has no guard of ours that could be removed."""
    with pytest.raises(BadInput, match="the guard 'echo' is the desk's"):
        run_matrix(["F1"], without="echo", workflow="naive")


def test_a_proposer_may_be_named_or_made_and_an_unknown_one_is_refused():
    """The proposer of a row is made anew for each row, by name or by a function without arguments."""
    assert run_row("F21", propose="rules")[0].passed
    lost, seen = run_row("F21", propose=partial(Scripted, ["no json"]))
    assert not lost.passed and lost.stopped_by.observed == "strict_json, reply" and seen.refused > 0
    with pytest.raises(BadInput, match="there is no proposer 'luck'"):
        run_row("F21", propose="luck")


def test_a_run_that_broke_off_has_a_result_and_nothing_observed():
    """The result says why; there is nothing to look at."""
    result, seen = run_row("F6", workflow=bot(say=lambda self, message: 1 / 0))
    assert seen is None and not result.passed


def test_what_a_row_takes_and_gives_can_go_to_another_process():
    """Names, a partial of a function of a module, a result and what was observed can all be pickled."""
    propose = partial(Scripted, ["no json"])
    assert pickle.loads(pickle.dumps(propose)).args == propose.args
    for workflow in ("desk", "naive"):
        assert pickle.loads(pickle.dumps(run_row("F6", workflow=workflow))) == run_row(
            "F6", workflow=workflow
        )


def test_the_desk_by_name_is_the_desk():
    """`desk` stands for what the bench itself builds."""
    assert workflow_named("desk") is None
    assert run_matrix(["F6"], workflow="desk") == run_matrix(["F6"])


def test_the_document_names_the_workflow_and_says_what_it_does_not_show(capsys):
    """The JSON of another workflow has the same keys, and says what is not told."""
    assert cli.status_of(["matrix", "--only", "F1", "--workflow", "naive", "--world", "5", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    [row] = document["rows"]
    assert document["workflow"] == "naive" and row["unauthorized"] == 4 and row["tried"]
    assert row["observed"][0]["states"] == {} and len(row["unseen"]) == 2


def test_the_table_of_another_workflow_says_what_it_could_not_see(capsys):
    """Rows that could not be put to it carry a dash, and below stands why."""
    assert cli.status_of(["matrix", "--only", "F16", "--workflow", "naive", "--world", "5"]) == 1
    out = " ".join(capsys.readouterr().out.split())
    assert "not told" in out and "scripted stand-in, not a real one" in out
    assert "Not shown for any row: no audit store stands behind this workflow" in out


def test_a_row_that_was_not_tried_is_skipped_in_a_junit_report():
    """A CI shows it neither green nor red, and says why."""
    suite = ElementTree.fromstring(junit(run_matrix(["F13", "F16", "F21"], workflow=Bot)))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    [skipped] = suite.iter("skipped")
    assert "no audit store" in skipped.get("message")
