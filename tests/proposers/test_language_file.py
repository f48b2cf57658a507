"""The data file of a language: what is written wrong there is refused with its place, and a small one reads already."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from relay_lab.contracts.errors import BadInput
from relay_lab.proposers.rules import proposer
from relay_lab.proposers.rules.language import build, foreign_words, languages
from relay_lab.proposers.rules.language_file import parsed


def french() -> dict[str, Any]:
    """As little as reads three messages."""
    return {
        "words": {
            "charged": "débités, facturés",
            "twice": "deux fois",
            "cannot": "ne peux pas",
            "access_verb": "ouvrir",
            "feature:calendar_view": "calendrier",
            "plan:team": "team",
            "cancel_weak": "résilier",
            "cancel_obj": "abonnement",
        },
        "signals": {
            "duplicate": ["@charged _2 @twice"],
            "hard_block": ["@cannot _2 @access_verb"],
            "cancel_ask": ["@cancel_weak _1 @cancel_obj"],
        },
        "boundaries": [],
        "real_words": "nous avons été je le veuillez notre",
        "own_words": {},
    }


WRONG: list[tuple[Callable[[dict[str, Any]], Any], str]] = [
    (lambda file: file.pop("own_words"), "the key `own_words` is missing; it is an object, which may be empty."),
    (lambda file: file.update(word={}), "there is no key `word`; did you mean words"),
    (lambda file: file.update(boundaries=""), "`boundaries` is not a list."),
    (lambda file: file["signals"].update(duplicat=[]), "there is no signal `duplicat`; did you mean duplicate"),
    (lambda file: file["signals"].update(duplicate="@twice"), "the patterns of `duplicate` are a list of texts."),
    (lambda file: file["signals"].update(duplicate=["@twic"]), "a pattern names @twic, and `words` has no such class."),
    (lambda file: file["words"].update(twice=["x"]), "the words of `twice` are one text, with commas between them."),
    (lambda file: file["words"].update(twice="@doubly"), "`twice` takes in @doubly, and `words` has no such class."),
    (lambda file: file["words"].update({"feature:gant": "x"}), "there is no class with a value `feature:gant`"),
    (lambda file: file["own_words"].update(signoff="x"), "there is no key in `own_words` `signoff`; did you mean sign_off?"),
    (lambda file: file["own_words"].update(headers="de"), "`headers` in `own_words` is not a list."),
    (lambda file: file["own_words"].update(role="(x"), "`role` in `own_words` is no regular expression: missing )"),
]  # fmt: skip


@pytest.mark.parametrize(("spoil", "sentence"), WRONG, ids=[sentence for _, sentence in WRONG])
def test_what_is_written_wrong_is_refused_with_its_place(spoil, sentence) -> None:
    """A name that no rule asks for would never match, and nobody would be told."""
    file = french()
    build("fr", file)
    spoil(file)
    with pytest.raises(BadInput) as refused:
        build("fr", file)
    assert str(refused.value).startswith(f"languages/fr.json: {sentence}")


@pytest.mark.parametrize(
    ("text", "sentence"), [("{,}", "is no JSON: "), ("[]", "is no object; begin it with {")]
)
def test_a_file_that_is_no_object_is_refused(text, sentence) -> None:
    """The sentence names the file."""
    with pytest.raises(BadInput, match=r"languages/fr\.json") as refused:
        parsed("fr", text)
    assert sentence in str(refused.value)


def test_a_small_file_reads_and_states_no_target_without_a_plain_form(monkeypatch) -> None:
    """A target is stated only in a form that `end_plain` or `plan_plain` lists; without them the customer is asked."""
    message = "Veuillez résilier notre abonnement."
    asked = proposer.ProposalRequest(task="decompose", message=message)

    def read(file: dict[str, Any]) -> dict[str, Any]:
        every = (*languages(), build("fr", file))
        monkeypatch.setattr(proposer, "languages", lambda: every)
        [issue] = json.loads(proposer.rules_proposer()(asked))["issues"]
        return issue

    assert foreign_words()
    issue = read(french())
    assert (issue["type"], issue["target_plan"]) == ("subscription_change", None)
    file = french()
    file["signals"]["end_plain"] = ["@cancel_weak _1 @cancel_obj"]
    assert read(file)["target_plan"] == "cancel"
