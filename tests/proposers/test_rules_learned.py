"""The trained part of the rules proposer: what it may do and never do, and that its weights are of these messages."""

import json
from pathlib import Path

import pytest

from relay_lab.contracts.proposals import ContextBlock, ProposalRequest
from relay_lab.proposers.rules import proposer, rules_proposer
from relay_lab.proposers.rules.classifier import (
    CLAUSE,
    MESSAGE,
    Classifier,
    Weights,
    _weights,
    classifier,
    hashed,
)
from relay_lab.proposers.rules.cues import Cues
from relay_lab.proposers.rules.judged import judged

ROOT = Path(__file__).parents[2]


def ask(message: str, *blocks: ContextBlock) -> list[dict[str, object]]:
    request = ProposalRequest(task="decompose", message=message, blocks=blocks)
    return list(json.loads(rules_proposer()(request))["issues"])


def certain(languages: tuple[str, ...] = ("en",), **scores: int) -> Classifier:
    """A classifier that is sure of these outputs of a message, and of nothing else, whatever the message says."""
    bias = tuple(scores.get(name, -2000) for name in MESSAGE)
    return Classifier(
        Weights(tuple(scores.get(name, 0) for name in CLAUSE), {}),
        Weights(bias, {}),
        dict.fromkeys((*MESSAGE, "outside"), 0.5),
        languages,
    )


def read_by(message: str, trained: Classifier) -> list[tuple[str, dict[str, object]]]:
    text = proposer.text_of(message)
    return [(found.type, found.slots) for found in judged(text, proposer.by_rules(text, set()), trained)]


@pytest.mark.checkout
def test_the_weights_are_of_the_committed_messages() -> None:
    learn = pytest.importorskip("benchmarks.learn", reason="the benchmarks are in a checkout and in no wheel")
    held = json.loads(learn.WEIGHTS.read_text("utf-8"))
    assert held["made_from"] == learn.digest(), "stale: python -m benchmarks.learn"
    assert learn.WEIGHTS.stat().st_size < 300_000


@pytest.mark.checkout
def test_weights_are_unpacked_as_the_training_packed_them() -> None:
    learn = pytest.importorskip("benchmarks.learn", reason="the benchmarks are in a checkout and in no wheel")
    made = Weights((-300, 5), {0: (1, -2), 0xFFFFFF: (-127, 127), 0x010203: (0, 9)})
    assert _weights(json.loads(json.dumps(learn._packed(made)))) == made


@pytest.mark.checkout
def test_no_message_that_is_measured_on_was_learned_from() -> None:
    folder = ROOT / "benchmarks" / "messages"
    rows = {
        name: {
            " ".join(row["message"].casefold().split())
            for row in json.loads((folder / f"{name}.json").read_text("utf-8"))
        }
        for name in ("learn", "holdout", "measure")
    }
    assert not rows["learn"] & (rows["holdout"] | rows["measure"])


def test_cues_of_one_hash_count_once() -> None:
    weights = Weights((0,), {hashed("a"): (64,)})
    assert weights.scores(["a", "a", "unknown"]) == weights.scores(["a"])
    assert weights.scores(["a"])[0] > weights.scores([])[0] == 0.5


def test_a_clause_has_the_words_of_its_neighbours_as_cues_of_their_own() -> None:
    text = proposer.text_of("I was charged twice. Timelines are gone.")
    cues = Cues(text, proposer.by_rules(text, set()))
    first, second = (cues.of_clause(clause) for clause in text.clauses)
    assert {"w:charged", ">w:timelines", "g:<ch"} <= first
    assert {"w:timelines", "<w:charged", "<same:False"} <= second
    assert "<w:timelines" not in first | second and ">w:charged" not in first | second


def test_without_weights_the_rules_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposer, "classifier", lambda: None)
    assert [issue["type"] for issue in ask("I was charged twice for May.")] == ["billing_duplicate"]


def test_it_takes_a_plan_away_that_the_forms_state_and_makes_none() -> None:
    """Not sure of the plan, it leaves it open; sure of a plan that nobody named, it has none."""
    message = "Please downgrade us to Individual."
    assert read_by(message, certain(subscription_change=2000, stated=2000)) == [
        ("subscription_change", {"target_plan": "individual", "deadline": None})
    ]
    assert read_by(message, certain(subscription_change=2000))[0][1]["target_plan"] is None
    unnamed = certain(subscription_change=2000, stated=2000)
    assert read_by("We would like something else.", unnamed)[0][1]["target_plan"] is None


def test_it_adds_an_issue_and_drops_one() -> None:
    assert read_by("I was charged twice for May.", certain(nothing=2000)) == []
    assert [name for name, _ in read_by("The weather is fine.", certain(human_request=2000))] == [
        "human_request"
    ]


def test_a_language_that_it_has_not_seen_is_read_by_the_rules_alone() -> None:
    unseen = certain(languages=("xx",), nothing=2000)
    assert [name for name, _ in read_by("I was charged twice for May.", unseen)] == ["billing_duplicate"]


def test_a_refund_without_a_word_of_it_is_none() -> None:
    slots = read_by("I was charged twice for May.", certain(billing_duplicate=2000, refund=2000))[0][1]
    assert slots == {"refund_requested": None}


def test_what_is_said_to_an_open_question_is_read_by_the_rules_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proposer, "classifier", lambda: certain(nothing=2000))
    rows = [{"id": "I1", "type": "subscription_change", "state": "needs_input", "question": "which_plan"}]
    block = ContextBlock(name="open_issues", trusted=True, text=json.dumps(rows))
    assert ask("Individual", block)[0]["target_plan"] == "individual"
    assert ask("Individual please") == []


def test_the_weights_are_read_once() -> None:
    assert classifier() is classifier()
