"""A target plan is stated only when one candidate is left; in any doubt it is null (001 §2)."""

import json

import pytest

from relay_lab.contracts.proposals import ProposalRequest
from relay_lab.proposers.rules import rules_proposer


def plans(message: str) -> list[str | None]:
    """The target plan of every change that is read from the message."""
    answer = rules_proposer()(ProposalRequest(task="decompose", message=message))
    issues = json.loads(answer)["issues"]
    return [issue["target_plan"] for issue in issues if issue["type"] == "subscription_change"]


@pytest.mark.parametrize(
    ("message", "plan"),
    [
        ("Switch us to Business. Actually no, make that Team.", "team"),
        ("Put me on Team. Sorry, I meant Individual.", "individual"),
        ("We looked at Team and at Individual, but no: cancel everything.", "cancel"),
        ("Stellt uns auf Business um. Nein, doch lieber auf Team.", "team"),
        ("Pásenos a Business. No, perdón, mejor a Team.", "team"),
        ("Bizi Business'a geçirin. Yok hayır, Team olsun.", "team"),
    ],
)
def test_a_plain_correction_takes_away_what_was_said_before_it(message: str, plan: str) -> None:
    """The customer's last word counts when it is marked as a correction and names one plan."""
    assert plans(message) == [plan]


@pytest.mark.parametrize(
    "message",
    [
        "I'd go for Team, my boss prefers Business. We want to change before the renewal.",
        "Meine Frau will Team, ich will Individual. Wir möchten den Tarif wechseln.",
        "Mi socio quiere Team y yo quiero Individual. Queremos cambiar de plan.",
        "Ortağım Team istiyor, ben Individual istiyorum. Planı değiştirmek istiyoruz.",
    ],
)
def test_two_people_who_want_different_plans_have_not_settled_on_one(message: str) -> None:
    """What a partner or a chief wants competes with what the writer wants."""
    assert plans(message) == [None]


@pytest.mark.parametrize(
    "message",
    [
        "My colleague Raj wants Business, I keep telling him no. We're staying on Team.",
        "Mein Chef hätte gern Business, ich nicht, wir bleiben also bei Team.",
        "Ortağım Business istiyor ama ben istemiyorum, Team'de kalıyoruz.",
        "Mein Mann meint, wir sollten kündigen, ich bin dagegen. Wir lassen alles wie es ist.",
    ],
)
def test_another_persons_wish_that_the_writer_declines_is_no_change(message: str) -> None:
    """A plan that somebody else wants and the writer does not is nobody's target."""
    assert set(plans(message)) <= {None}


@pytest.mark.parametrize(
    "message",
    [
        "Move me to Team. Or no, wait. I'll get back to you on that.",
        "Stellt uns auf Team um. Oder nein, wartet, ich melde mich nochmal.",
        "Pásennos a Team. O no, esperen, luego les confirmo.",
        "Bizi Team'e geçirin. Yok, durun, sonra haber vereceğim.",
        "Either cancel it or move us to Individual, I can't decide yet.",
        "Ya iptal ederiz ya Individual'a geçeriz, daha karar vermedik.",
        "Please move us to Team if it's under $30, otherwise leave it.",
        "Maybe Team. Maybe Individual. Change it for us, you pick.",
    ],
)
def test_a_choice_that_is_open_or_hangs_on_a_condition_names_no_plan(message: str) -> None:
    """An end competes like a plan, and a plan under a condition is not chosen."""
    assert plans(message) == [None]


@pytest.mark.parametrize(
    ("message", "plan"),
    [
        ("I don't need the Team plan anymore, Individual is enough.", "individual"),
        ("Cancel Team and put us on Individual.", "individual"),
        ("Please put us on Team, if possible this week.", "team"),
        ("Not Business, Team please, and before the next invoice.", "team"),
    ],
)
def test_a_plan_that_is_left_or_refused_does_not_compete(message: str, plan: str) -> None:
    """The plan that another one replaces, a refused one and a courtesy leave no doubt."""
    assert plans(message) == [plan]


@pytest.mark.parametrize(
    "message",
    [
        "Should you raise prices we will cancel.",
        "Falls ihr die Preise erhöht, kündigen wir.",
        "Si suben los precios, cancelamos.",
        "Fiyatları artırırsanız iptal ederiz.",
        "Cancelled already, just need the confirmation please",
        "Ya cancelé, solo necesito la confirmación",
    ],
)
def test_an_end_that_is_threatened_or_done_is_no_change(message: str) -> None:
    """What somebody would do, and what they did, is no wish."""
    assert plans(message) == []


@pytest.mark.parametrize(
    "message",
    [
        "Where does one cancel a subscription with you? Purely for our handbook, nobody is cancelling.",
        "Wo kündigt man bei euch das Abo? Ich schreibe nur unser Handbuch.",
        "¿Cómo se cancela el plan? Solo por curiosidad.",
        "Plan iptali nasıl oluyor, sadece merak ettim",
    ],
)
def test_who_only_wants_to_know_how_it_is_done_does_not_want_it_done(message: str) -> None:
    """A word of curiosity beside a way to end makes it a question."""
    assert plans(message) == []
