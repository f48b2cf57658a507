"""What the verifier asks of a whole draft: claims that exist, every issue addressed, a whole quote, no hidden text."""

import time

import pytest

from relay_lab.contracts.enums import IssueState, Outcome
from relay_lab.contracts.record import ProposedReply, Sentence
from relay_lab.desks.support.reply import RefusedDraft, ReplyMaterial, Verified, compose, verify

from desks import reply_materials as given  # isort: skip - beside this file

SEED = given.seed().material()
QUOTED = given.quoted().material()


def verdict(material: ReplyMaterial, *sentences: Sentence) -> Verified | RefusedDraft:
    return verify(ProposedReply(sentences=sentences), material)


def code(material: ReplyMaterial, *sentences: Sentence) -> str:
    found = verdict(material, *sentences)
    assert isinstance(found, RefusedDraft)
    return found.code


def of_issue(material: ReplyMaterial, sentence: Sentence) -> str | None:
    rows = {row.claim_id: row.issue_id for row in material.ledger.rows}
    return rows[sentence.claim_ids[0]] if sentence.claim_ids else None


@pytest.mark.parametrize(
    "sentences", [(), (Sentence(text=" ", claim_ids=()),), (*compose(SEED), Sentence(text="", claim_ids=()))]
)
def test_a_draft_without_words_is_refused_as_empty(sentences: tuple[Sentence, ...]) -> None:
    assert code(SEED, *sentences) == "empty"


def test_a_claim_that_does_not_exist_supports_nothing() -> None:
    first, *rest = compose(SEED)
    assert code(SEED, Sentence(text=first.text, claim_ids=("C999",)), *rest) == "unknown_claim"


def test_claims_of_two_issues_do_not_support_one_sentence() -> None:
    first, *rest = compose(SEED)
    mixed = Sentence(text=first.text, claim_ids=(*first.claim_ids, "C11"))
    assert code(SEED, mixed, *rest) == "foreign_claim"


@pytest.mark.parametrize("issue", ["I1", "I2", "I3"])
def test_an_issue_that_is_left_out_is_missed(issue: str) -> None:
    kept = [sentence for sentence in compose(SEED) if of_issue(SEED, sentence) != issue]
    found = verdict(SEED, *kept)
    assert found == RefusedDraft(code="issue_unaddressed", sentence_index=None, place=f"issues.{issue}")


def test_a_sentence_that_only_cites_the_state_does_not_address_an_answered_issue() -> None:
    kept = [sentence for sentence in compose(SEED) if of_issue(SEED, sentence) != "I1"]
    state = next(row.claim_id for row in SEED.ledger.of("I1") if row.claim.predicate == "issue_state")
    offer = Sentence(text="I can pass this to the billing team.", claim_ids=(state,))
    assert code(SEED, offer, *kept) == "issue_unaddressed"


QUOTE_PARTS = [
    n
    for n, s in enumerate(compose(QUOTED))
    if not s.text.startswith(("Quote DG", "If you want another seat"))
]


@pytest.mark.parametrize("left_out", QUOTE_PARTS)
def test_a_quote_that_leaves_out_a_consequence_is_not_shown(left_out: int) -> None:
    kept = [sentence for number, sentence in enumerate(compose(QUOTED)) if number != left_out]
    assert code(QUOTED, *kept) == "issue_unaddressed"


def test_a_lost_feature_that_is_not_mentioned_is_missed() -> None:
    shorter = [
        Sentence(
            text=s.text.replace("time tracking and guest access", "time tracking"), claim_ids=s.claim_ids
        )
        for s in compose(QUOTED)
    ]
    assert code(QUOTED, *shorter) == "issue_unaddressed"


def test_a_scheduled_change_must_be_called_scheduled() -> None:
    material = given.scheduled().material()
    assert code(material, compose(material)[1]) == "issue_unaddressed"


def test_a_receipt_in_another_issue_schedules_nothing_here() -> None:
    make = given.Maker()
    given.change(make)
    done = given.scheduled()
    make.operations = [done.operations[0].model_copy(update={"subject_id": "I2"})]
    material = make.material()
    claims = tuple(row.claim_id for row in material.ledger.rows)
    lie = Sentence(text="Your change to Individual is scheduled.", claim_ids=claims)
    assert code(material, *compose(material), lie) == "early_completion"


def test_a_scheduled_state_without_a_receipt_is_not_called_scheduled() -> None:
    make = given.scheduled()
    make.operations.clear()
    material = make.material()
    assert code(material, *compose(material)) == "early_completion"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I have not submitted a refund\u2026", "forbidden_content"),
        ("I have not submitted\u202e a refund.", "forbidden_content"),
        ("I have not submitted\u2066 a refund.", "forbidden_content"),
        ("I have not\u00adsubmitted a refund.", "forbidden_content"),
        ("I have not submitted\u00a0a refund.", "forbidden_content"),
        ("I have not submitted\na refund.", "forbidden_content"),
        ("I have not submitted\ta refund.", "forbidden_content"),
        ("I have not submitted a refund.\x00", "forbidden_content"),
        ("I have not submitted a refund \U0001f600.", "forbidden_content"),
        ("**I have not submitted a refund.**", "forbidden_content"),
        ("[I have not submitted a refund.](x)", "forbidden_content"),
        ("I have not submitted a refund \uff08yet\uff09.", "forbidden_content"),
        ("I have not subm\u0456tted a refund.", "not_english"),
        ("I have not submitted a r\u00e9fund.", "not_english"),
        ("\u042f \u043d\u0435 \u0432\u0435\u0440\u043d\u0443\u043b.", "not_english"),
        ("\u8fd4\u91d1\u3057\u307e\u3057\u305f.", "not_english"),
        ("I have not submitted \u0662 refunds.", "not_english"),
        ("Je n'ai pas demand de remboursement.", "not_english"),
        ("Su plan Team no incluye Gantt.", "not_english"),
        ("Ich habe keine Erstattung beantragt.", "not_english"),
        ("Il tuo piano non include Gantt.", "not_english"),
        ("Obrigado.", "not_english"),
        ("Danke.", "not_english"),
        ("Merci.", "not_english"),
    ],
)
def test_hidden_active_and_foreign_text_is_refused(text: str, expected: str) -> None:
    assert code(SEED, Sentence(text=text, claim_ids=("C9",)), *compose(SEED)) == expected


def test_tax_terms_alone_are_no_sentence() -> None:
    price = tuple(row.claim_id for row in QUOTED.ledger.rows if row.claim.predicate == "quote_price_cents")
    assert (
        code(QUOTED, Sentence(text=" (no tax is added)", claim_ids=price), *compose(QUOTED))
        == "unsupported_fact"
    )


def test_tax_terms_that_are_no_plain_line_are_not_taken_from_the_catalogue() -> None:
    make = given.Maker()
    terms = given.terms(tax="<b>your refund was sent</b>")
    given.change(
        make, state=IssueState.AWAITING_CONFIRMATION, outcome=Outcome.VERIFIED_SELF_SERVICE, quote=terms
    )
    material = make.material()
    claims = tuple(row.claim_id for row in material.ledger.rows)
    lie = Sentence(
        text="The price would be USD 19 per month (<b>your refund was sent</b>).", claim_ids=claims
    )
    assert code(material, lie, *compose(material)) == "forbidden_content"


def test_typographic_quotes_and_dashes_are_english() -> None:
    text = "I haven\u2019t submitted a refund \u2013 I can pass this to the billing team."
    assert verdict(SEED, *compose(SEED), Sentence(text=text, claim_ids=("C9",))) == Verified()


@pytest.mark.parametrize("text", ["Thank you for your message.", "I am sorry about this.", "Hello."])
def test_a_courtesy_needs_no_claim(text: str) -> None:
    assert verdict(SEED, Sentence(text=text, claim_ids=()), *compose(SEED)) == Verified()


def test_the_place_of_a_refusal_holds_no_word_of_the_draft() -> None:
    found = verdict(
        SEED, *compose(SEED), Sentence(text="Your refund pelican has arrived.", claim_ids=("C9",))
    )
    assert isinstance(found, RefusedDraft)
    assert found.place == f"sentences[{len(compose(SEED))}]"


def test_deleting_a_negation_from_an_honest_sentence_makes_a_lie_that_is_refused() -> None:
    for name, build in given.MATERIALS.items():
        material = build().material()
        sentences = compose(material)
        for sentence in (one for one in sentences if not one.text.startswith("If this does not match")):
            for negated, plain in (
                (" not ", " "),
                (" cannot ", " can "),
                (" no ", " a "),
                ("Nothing ", "It "),
            ):
                if negated in f" {sentence.text}":
                    text = f" {sentence.text}".replace(negated, plain, 1).strip()
                    changed = Sentence(text=text, claim_ids=sentence.claim_ids)
                    found = verdict(material, *(changed if s == sentence else s for s in sentences))
                    assert isinstance(found, RefusedDraft), (name, text)


def test_changing_one_figure_of_an_honest_sentence_is_refused() -> None:
    for name, build in given.MATERIALS.items():
        material = build().material()
        sentences = compose(material)
        for sentence in sentences:
            for place, figure in enumerate(sentence.text):
                if figure.isdigit():
                    text = f"{sentence.text[:place]}{(int(figure) + 3) % 10}{sentence.text[place + 1 :]}"
                    found = verdict(material, *sentences, Sentence(text=text, claim_ids=sentence.claim_ids))
                    assert isinstance(found, RefusedDraft), (name, text)


LONG = [
    "I can pass this " + "and this " * 100 + "to the billing team.",
    "I can pass this " + "to read it " * 85 + "to you.",
    "I found " + "USD 49 " * 130 + "again.",
    "I found " + "TX-901 and " * 80 + "TX-902.",
    "I have " + "not " * 230 + "submitted.",
    "It has not been " + "reversed or " * 80 + "refunded.",
    "a" + "." * 900 + "b.",
    "I can pass this " + "on " * 300 + ".",
    "x" * 999,
]


@pytest.mark.parametrize("text", LONG)
def test_a_draft_of_twenty_thousand_characters_is_judged_at_once(text: str) -> None:
    claims = tuple(row.claim_id for row in SEED.ledger.of("I1"))
    sentences = [Sentence(text=text, claim_ids=claims)] * (20_000 // len(text))
    start = time.process_time()
    verdict(SEED, *sentences)
    assert time.process_time() - start < 2


def test_a_draft_that_is_too_long_is_refused() -> None:
    assert (
        code(SEED, *[Sentence(text="I have not submitted a refund.", claim_ids=("C9",))] * 201)
        == "forbidden_content"
    )
    assert code(SEED, Sentence(text="x" * 20_001, claim_ids=())) == "forbidden_content"
