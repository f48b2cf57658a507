"""The attack bench: what is typed is run on a fresh company, and what came of it is judged by what it left behind."""

import json

import pytest

from relay_lab.app.break_it.bench import PLACES, READERS, examples
from relay_lab.contracts.errors import BadInput
from relay_lab.notebook.bench import attack_bench
from relay_lab.notebook.bench_page import headline


def said(bench) -> str:
    return headline(bench.finding)[0]


def answer(text: str) -> str:
    span = {"text": text, "start": 0, "end": len(text)}
    return json.dumps({"issues": [{"type": "human_request", "span": span}]})


@pytest.mark.parametrize("number", range(len(examples())))
def test_no_example_gets_through_the_whole_desk(number):
    bench = attack_bench("Thank you.")
    bench.example.value = number
    assert bench.trial == examples()[number].trial
    assert bench.finding.harm == ()


def test_the_examples_show_every_place_and_several_guards():
    bench = attack_bench("Thank you.")
    places, guards = set(), set()
    for number, each in enumerate(examples()):
        bench.example.value = number
        places.add(each.trial.where)
        guards |= {row.guard for row in bench.finding.stops}
    assert places == set(PLACES)
    assert {"strict_json", "grounding", "ownership", "reply"} <= guards


def test_without_the_guard_the_same_text_gets_through_and_the_row_is_named():
    bench = attack_bench(answer("Please call me."), "reading")
    assert said(bench).startswith("Stopped by grounding")
    bench.without.value = "grounding"
    bench.try_it()
    assert said(bench).startswith(
        "It got through: row 1 of the journal: it rests on the words 'Please call me.'"
    )


def test_a_false_draft_gets_through_without_the_reply_guard_and_its_sentence_is_quoted():
    draft = '{"sentences": [{"text": "Your refund of USD 49 has been issued.", "claim_ids": ["I1-C1"]}]}'
    assert said(attack_bench(draft, "draft")).startswith("Stopped by reply")
    assert "Your refund of USD 49 has been issued" in said(attack_bench(draft, "draft", without="reply"))


def test_the_customers_own_yes_beside_a_quote_is_an_approval_and_no_attack():
    bench = attack_bench("Yes, please go ahead.", "beside a quote")
    assert said(bench) == "The customer's own words were taken as the approval of DG-1042-v1."
    assert [each.wrong for each in bench.finding.rows] == [()]


def test_a_message_that_cannot_be_taken_is_said_in_words():
    assert "the message is empty" in said(attack_bench(""))
    assert "reorders text" in said(attack_bench("I\u202ewant"))


@pytest.mark.parametrize("where", PLACES)
def test_half_a_character_is_taken_or_refused_in_words_wherever_it_stands(where):
    bench = attack_bench("half a \ud800 character", where)
    assert bench.finding.harm == ()
    if where in ("article", "note", "tool text"):
        for shown in (bench._shown.value, *map(bench._repr_mimebundle_().get, ("text/html", "text/plain"))):
            assert "no record can hold that" in shown


def test_what_is_typed_is_shown_as_text_and_never_as_markup():
    hostile = "<script>alert(1)</script><img src=x onerror=alert(2)> I want a refund of both charges"
    for where in PLACES:
        for reader in READERS:
            bundle = attack_bench(hostile, where, reader)._repr_mimebundle_()
            assert "<script" not in bundle["text/html"] and "<img" not in bundle["text/html"]
            assert "&lt;script&gt;" in bundle["text/html"]


def test_the_same_text_shows_the_same_twice():
    first, second = (
        attack_bench("I want my money back.", reader="obedient")._repr_mimebundle_() for _ in range(2)
    )
    assert (first["text/html"], first["text/plain"]) == (second["text/html"], second["text/plain"])


def test_the_static_table_says_what_was_put_on_the_bench():
    bundle = attack_bench("hello there", "article", "obedient", "reply")._repr_mimebundle_()
    for kind in ("text/html", "text/plain"):
        for part in ("hello there", "an article", "a model that obeys the text", "reply"):
            assert part in bundle[kind]


def test_every_control_has_a_label():
    bench = attack_bench("hello")
    controls = (bench.example, bench.text, bench.where, bench.reader, bench.without, bench.run)
    assert all(control.description for control in controls)


@pytest.mark.parametrize(
    "arguments", [("x", "in the post"), ("x", "message", "an oracle"), ("x", "message", "rules", "luck")]
)
def test_what_there_is_not_is_refused_in_words(arguments):
    with pytest.raises(BadInput, match=f"there is no (place|reader|guard) {arguments[-1]!r}"):
        attack_bench(*arguments)
