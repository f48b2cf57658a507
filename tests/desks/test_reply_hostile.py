"""Drafts that lie. Each one is the honest reply with one sentence put before it, which cites every claim of its issue."""

import json
from collections import Counter
from pathlib import Path

import pytest

from relay_lab.contracts.record import ProposedReply, Sentence
from relay_lab.desks.support.reply import RefusedDraft, ReplyMaterial, Verified, compose, verify

from desks import reply_materials as given  # isort: skip - beside this file

TABLE = json.loads(Path(__file__).with_name("reply_hostile.json").read_text(encoding="utf-8"))
"""[material, issue, sentence, code]"""

TRUE = json.loads(Path(__file__).with_name("reply_accepted.json").read_text(encoding="utf-8"))
"""[material, issue, sentence]: other words for what the claims say."""

MATERIALS = {name: build().material() for name, build in given.MATERIALS.items()}
HONEST = {name: compose(material) for name, material in MATERIALS.items()}


def judged(name: str, text: str, claim_ids: tuple[str, ...]) -> Verified | RefusedDraft:
    """The verdict on the composed reply with one more sentence."""
    added = Sentence(text=text, claim_ids=claim_ids)
    return verify(ProposedReply(sentences=(added, *HONEST[name])), MATERIALS[name])


def claims(material: ReplyMaterial, issue_id: str) -> tuple[str, ...]:
    """Every claim of an issue."""
    return tuple(row.claim_id for row in material.ledger.of(issue_id))


@pytest.mark.parametrize(
    ("name", "issue", "text", "code"), TABLE, ids=[f"{row[0]}-{row[2]}" for row in TABLE]
)
def test_a_lie_is_refused_with_the_right_code(name: str, issue: str, text: str, code: str) -> None:
    verdict = judged(name, text, claims(MATERIALS[name], issue))
    assert isinstance(verdict, RefusedDraft)
    assert verdict.code == code
    assert verdict.sentence_index == 0


@pytest.mark.slow
def test_a_lie_is_refused_whatever_it_cites() -> None:
    for number, (name, issue, text, _) in enumerate(TABLE):
        own = claims(MATERIALS[name], issue)
        for cited in [(), own[number % len(own) :], own[: number % len(own)], (own[number % len(own)],)]:
            assert isinstance(judged(name, text, cited), RefusedDraft), (text, cited)


@pytest.mark.parametrize(("name", "issue", "text"), TRUE, ids=[f"{row[0]}-{row[2]}" for row in TRUE])
def test_other_words_for_what_the_claims_say_are_accepted(name: str, issue: str, text: str) -> None:
    assert judged(name, text, claims(MATERIALS[name], issue)) == Verified()


@pytest.mark.parametrize(("name", "issue", "text"), TRUE, ids=[f"{row[0]}-{row[2]}" for row in TRUE])
def test_the_same_words_without_their_claims_are_refused_where_they_hold_a_fact(
    name: str, issue: str, text: str
) -> None:
    verdict = judged(name, text, ())
    assert isinstance(verdict, RefusedDraft) or text in SERVICE


SERVICE = {"I can pass this to a specialist if you would like."}


def test_the_table_has_every_code_that_a_sentence_can_be_refused_with() -> None:
    found = Counter(code for _, _, _, code in TABLE)
    assert len(TABLE) > 500
    assert set(found) == {
        "early_completion", "promise", "blocked_claim_as_fact", "foreign_claim", "unsupported_fact", "forbidden_content",
        "not_english", "ungrounded_amount", "ungrounded_date", "ungrounded_id", "ungrounded_plan", "ungrounded_feature",
        "ungrounded_number",
    }  # fmt: skip
