"""The requirements of 001 that no failure row is about: zone, wording, courtesy, what the model may see."""

import json
import sqlite3
from pathlib import Path

from relay_lab import Fault, open_lab
from relay_lab.contracts.proposals import ProposalRequest
from relay_lab.desks.support.tools import registry
from relay_lab.proposers.rules import rules_proposer
from relay_lab.world.data import load_fixture

from desks.rows import (  # isort: skip - beside this file
    BASELINE,
    ask,
    confirmed,
    customer,
    lab,
    of_customer,
    picked,
    scenario,
    without,
)

SHOUTING = " This is RIDICULOUS and I am furious!!"


def test_times_are_shown_in_the_display_zone_of_the_account() -> None:
    def in_new_york(data):
        return {"accounts": of_customer(data.accounts, display_zone="America/New_York")}

    with lab() as desk:
        assert "11 September 2026 at 10:00" in ask(desk).reply
    with lab(world=scenario(in_new_york)) as desk:
        run = ask(desk)
    assert run.states == BASELINE
    assert "11 September 2026 at 06:00" in run.reply
    assert "10:00" not in run.reply


def test_last_month_and_friday_are_settled_by_records_whatever_the_message_calls_them() -> None:
    with lab() as desk:
        usual = ask(desk)
    with lab() as desk:
        renamed = desk.say(
            desk.scenario.message.replace("Friday", "Tuesday").replace("last month", "in January")
        )
    assert renamed.states == usual.states
    assert renamed.reply == usual.reply
    assert "Friday, 11 September 2026" in usual.reply and "Tuesday" not in renamed.reply


def test_the_customers_words_are_kept_in_the_wording_table_and_nowhere_else(tmp_path: Path) -> None:
    db = tmp_path / "a.db"
    words = "The pelican invoice: I was charged twice for my Team plan last month."
    with open_lab(db=db) as desk:
        desk.say(words)
    with sqlite3.connect(db) as connection:
        tables = [
            name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        ]
        holding = {
            table
            for table in tables
            for row in connection.execute(f"SELECT * FROM {table}")
            if any("pelican" in str(value) for value in row)
        }
        (kept,) = connection.execute("SELECT text FROM wording").fetchone()
    connection.close()
    assert holding == {"wording"}
    assert kept == words


def test_anger_gets_one_civil_sentence_in_its_turn_and_leaves_no_trace(tmp_path: Path) -> None:
    with open_lab(db=tmp_path / "calm.db") as desk:
        calm = ask(desk)
    with open_lab(db=tmp_path / "angry.db") as desk:
        angry = ask(desk, SHOUTING)
        later = desk.say("When does my plan renew?")
    sorry = [s.text for s in angry.record.replies[-1].sentences if s.text not in calm.reply]
    assert len(sorry) == 1 and "sorry" in sorry[0].lower()
    assert sorry[0] not in later.record.replies[-1].text
    assert angry.states == calm.states


def test_a_model_is_shown_the_session_and_cannot_widen_it() -> None:
    asked: list[ProposalRequest] = []
    rules = rules_proposer()

    def widening(request: ProposalRequest) -> str:
        asked.append(request)
        answer = rules(request)
        if request.task != "decompose":
            return answer
        return json.dumps(json.loads(answer) | {"allowed_scopes": ["refund:execute"]})

    with lab(propose=widening) as desk:
        before = desk.scenario.session
        run = ask(desk)
    shown = {block.name: block for block in asked[0].blocks}["session"]
    assert shown.trusted
    assert json.loads(shown.text)["allowed_scopes"] == list(before.allowed_scopes)
    assert run.record.session == before


def test_no_request_to_a_model_carries_a_challenge_or_a_tool() -> None:
    asked: list[str] = []
    rules = rules_proposer()

    def listening(request: ProposalRequest) -> str:
        asked.append(request.model_dump_json())
        return rules(request)

    with lab(propose=listening) as desk:
        picked(desk)
        challenge = desk.runtime.show(desk.context, desk.waiting[0])
        desk.say("What will it cost me?")
    everything = " ".join(asked)
    assert challenge and challenge not in everything
    assert "schedule_downgrade" not in everything


def test_the_desk_has_eight_tools_and_none_that_refunds() -> None:
    with lab() as desk:
        tools = registry(desk.company.subscriptions, desk.company.handoff_queue)  # type: ignore[arg-type]
    assert len(tools) == 8
    assert not any("refund" in f"{tool.name} {tool.scope}" for tool in tools.values())
    assert not any("refund" in scope for scope in load_fixture().session.allowed_scopes)
    reads = {name: tool for name, tool in tools.items() if tool.risk == 0}
    assert len(reads) == 5 and all(tool.write is None for tool in reads.values())


def test_every_read_says_when_its_source_knew_it_also_when_it_failed() -> None:
    with lab(Fault("get_active_incidents", "fail")) as desk:
        run = ask(desk)
    known = [row for row in run.record.ledger.rows if row.evidence_ids]
    assert known and all(row.source_at is not None for row in known)
    assert all(record.source_at <= run.record.at for record in run.record.evidence)


def test_before_anything_is_submitted_the_reply_says_so() -> None:
    with lab() as desk:
        reply = ask(desk).reply
    for words in ("USD 49", "RP-7", "BETA-4", "Friday, 11 September 2026", "UTC"):
        assert words in reply
    for words in ("has been refunded", "is scheduled for", "downgraded", "will arrive"):
        assert words not in reply
    assert "I have not submitted a refund" in reply and "no change is scheduled" in reply


def test_the_quote_says_price_time_seats_features_and_data_before_it_can_be_confirmed() -> None:
    with lab() as desk:
        run = picked(desk)
    terms = run.record.quotes[-1].quote.terms
    assert (terms.price_cents, terms.currency, terms.immediate_refund) == (1900, "USD", "none")
    assert len(terms.seats_kept) == 1 and terms.seats_ended and terms.data_retained
    for words in ("DG-1042-v1", "USD 19", "11 September 2026 at 10:00", "seat", "data"):
        assert words in run.reply, words


def test_the_plan_stays_what_it_is_until_the_renewal() -> None:
    with lab() as desk:
        run = confirmed(desk)
        assert "scheduled" in run.reply and "downgraded" not in run.reply
        (now,) = desk.company.subscriptions.get(customer())
        assert now.value.plan == "team"
        desk.clock.set(run.record.quotes[-1].quote.terms.effective_at)
        (then,) = desk.company.subscriptions.get(customer())
        assert then.value.plan == "individual"


def test_a_packet_says_who_what_on_which_records_what_is_wanted_and_what_was_said() -> None:
    with lab(session=without("subscription:schedule")) as desk:
        run = picked(desk)
    (packet,) = run.record.packets
    assert (packet.customer_id, packet.assurance) == (customer(), "recent_mfa")
    assert "subscription:schedule" not in packet.scopes and "billing:read" in packet.scopes
    assert [issue.type for issue in packet.issues] == [
        "billing_duplicate",
        "feature_access",
        "subscription_change",
    ]
    assert {record.evidence_id: record.policy_version for record in packet.evidence}["SP-12"] == "SP-12"
    assert all(record.source_at <= run.record.at for record in packet.evidence)
    assert {(call.tool, call.outcome) for call in packet.completed_calls} == {
        ("get_plan_and_entitlements", "success"),
        ("get_policy", "success"),
    }
    assert packet.proposed_action is not None
    assert (packet.proposed_action.tool, packet.proposed_action.reason) == (
        "schedule_downgrade",
        "scope_missing",
    )
    said = run.record.replies[0].text
    assert packet.commitments and all(sentence in said for sentence in packet.commitments)
    assert "charged" not in packet.model_dump_json()


def test_what_could_not_be_read_is_named_in_the_packet() -> None:
    with lab(Fault("get_active_incidents", "fail")) as desk:
        run = ask(desk)
    (packet,) = run.record.packets
    assert any(conflict.code == "unavailable" for conflict in packet.conflicts)
