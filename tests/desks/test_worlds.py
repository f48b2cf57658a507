"""Generated worlds end as their records say they must, by expectations that share no code with the desk."""

import json

import pytest

from relay_lab import Parts, open_lab
from relay_lab.contracts.record import ProposedReply
from relay_lab.desks.support import closing
from relay_lab.desks.support.reply import Verified, compose
from relay_lab.desks.support.reply.verify import verify
from relay_lab.world.expectations import Expected
from relay_lab.world.generator import generate

WORLDS = 500
BATCH = 50


def knowing(expected: Expected):
    """A proposer that reads the message as it was written to be read: what is tried here is the desk."""

    def propose(request):
        if request.task != "decompose":
            return ""
        issues = [
            {"type": issue.type, "span": {"text": issue.span_text}, **issue.slots}
            for issue in expected.issues
        ]
        return json.dumps({"issues": issues})

    return propose


@pytest.mark.parametrize(
    "first", [0, *(pytest.param(first, marks=pytest.mark.slow) for first in range(BATCH, WORLDS, BATCH))]
)
def test_generated_worlds_end_as_they_expect(first):
    for seed in range(first, first + BATCH):
        made = generate(seed)
        expected, scenario = made.expected, made.scenario
        with open_lab(scenario, parts=Parts(propose=knowing(expected))) as lab:
            run = lab.say(scenario.message)
            views = run.record.issues
            assert tuple(v.state for v in views) == expected.states, seed
            assert tuple(v.outcome for v in views) == tuple(i.outcome for i in expected.issues), seed
            run = (lab.choose(scenario.pick) if scenario.pick else None) or run
            assert tuple(v.state for v in run.record.issues) == expected.picked_states, seed
            if lab.waiting:
                run = lab.confirm()
            assert tuple(v.state for v in run.record.issues) == expected.final_states, seed
            assert (run.mutations, run.tickets) == (expected.mutations, expected.tickets), seed
            _quote_is(run, expected, seed)


def _quote_is(run, expected: Expected, seed: int) -> None:
    if expected.quote is None:
        return
    terms = run.record.quotes[-1].quote.terms
    wanted = expected.quote
    assert (terms.target_plan, terms.price_cents, terms.currency) == (
        wanted.target_plan,
        wanted.price_cents,
        wanted.currency,
    ), seed
    assert terms.effective_at == wanted.effective_at, seed
    assert terms.designated_seat_id == wanted.designated_seat_id, seed
    assert sorted(terms.seats_kept) == sorted(wanted.seats_kept), seed
    assert sorted(terms.seats_ended) == sorted(wanted.seats_ended), seed
    assert sorted(terms.features_lost) == sorted(wanted.features_lost), seed


@pytest.mark.slow
def test_every_composed_reply_of_every_world_is_accepted_by_the_verifier(monkeypatch):
    held = []

    def composing(material):
        sentences = compose(material)
        held.append(verify(ProposedReply(sentences=sentences), material))
        return sentences

    monkeypatch.setattr(closing, "compose", composing)
    for seed in range(150):
        made = generate(seed)
        with open_lab(made.scenario, parts=Parts(propose=knowing(made.expected))) as lab:
            lab.say(made.scenario.message)
            if made.scenario.pick and lab.choose(made.scenario.pick) and lab.waiting:
                lab.say("ok")
                lab.confirm()
        assert all(verdict == Verified() for verdict in held), (seed, held)
    assert len(held) > 200
