"""Answers that lie, answers that name everything, and no answer at all: none gains a point that it did not earn."""

import pytest

from relay_lab.app.check import check_step
from relay_lab.app.step_mutants.run import references
from relay_lab.contracts.change import Envelope
from relay_lab.contracts.enums import ClaimStatus, IssueState, OperationState, Outcome
from relay_lab.contracts.evidence import Retrieval
from relay_lab.contracts.handoff import HandoffPacket, PacketConflict, PacketIssue
from relay_lab.contracts.ledger import Ledger
from relay_lab.contracts.record import Routing
from relay_lab.evaluation.checks.kinds import Call, Step


class Yes(str):
    """Equal to everything."""

    __slots__ = ()

    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = str.__hash__


class No(str):
    """Equal to nothing."""

    __slots__ = ()

    def __eq__(self, other):
        return False

    def __ne__(self, other):
        return True

    __hash__ = str.__hash__


def lost(step, function):
    """The names of the checks that were not passed."""
    return {check.name for check in check_step(step, function, seeds=()).checks if not check.passed}


def scheduled(_, issues, *__):
    state = IssueState.SCHEDULED
    return tuple(
        Routing(issue_id=issue.id, outcome=Outcome.RESPOND, state=state, reason="x") for issue in issues
    )


@pytest.mark.parametrize(
    ("step", "function", "points"),
    [
        ("hand_off", lambda case, tools: (), 0),
        ("execute", lambda order, tools: (), 0),
        ("build_ledger", lambda *_: Ledger(rows=()), 0),
        ("decompose", lambda *_: {"issues": [], "overreach": []}, 0),
        ("route", lambda *_: (), 0),
        ("route", scheduled, 0),
        ("retrieve", lambda *_: dict.fromkeys(Retrieval.model_fields, ()), 0),
    ],
)
def test_a_step_that_does_nothing_is_not_paid_for_what_it_left_out(step, function, points):
    """Restraint counts where there was something to do, and it was done."""
    assert check_step(step, function, seeds=()).points == points


def sending(change, packet_type=HandoffPacket):
    """The reference of step 8 with another packet."""

    def function(case, tools):
        class Between:
            def hand_off(self, packet):
                return tools.hand_off(packet_type.model_construct(**packet.__dict__ | change(case, packet)))

        return references()[Step.HAND_OFF](case, Between())

    return function


def holding(case, packet, slots):
    first, *rest = packet.issues
    return {"issues": (first.model_copy(update={"slots": first.slots | slots}), *rest)}


class Silent(HandoffPacket):
    """It says of itself that it is empty."""

    def model_dump(self, **_):
        return {}


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda c, p: holding(c, p, {"words": c.issues[0].span.text}), Silent),
        (lambda c, p: holding(c, p, {c.issues[0].span.text: True}), HandoffPacket),
        (lambda c, p: holding(c, p, {"words": c.issues[0].span.text.upper()}), HandoffPacket),
    ],
)
def test_private_text_in_a_packet_is_found_wherever_it_hides(change, kind):
    """Under a type that denies it, as a name instead of a value, in capitals."""
    assert lost("hand_off", sending(change, kind)) == {"carries_no_private_text"}


def test_a_packet_is_judged_as_it_arrived():
    """What its sender makes of it afterwards is nothing that anybody received."""

    def function(case, tools):
        class Between:
            def hand_off(self, packet):
                sent = packet.model_copy(update=holding(case, packet, {"words": case.issues[0].span.text}))
                answer = tools.hand_off(sent)
                sent.__dict__["issues"] = packet.issues
                return answer

        return references()[Step.HAND_OFF](case, Between())

    assert lost("hand_off", function) == {"carries_no_private_text"}


def test_a_packet_that_names_everything_names_too_much():
    """Every claim as a conflict, and issues that there are not."""

    def change(case, packet):
        more = (
            PacketConflict(
                subject=case.issue_id,
                about=row.claim.predicate,
                status="missing",
                code="x",
                evidence_ids=row.evidence_ids,
            )
            for row in case.ledger.rows
        )
        return {
            "conflicts": (*packet.conflicts, *more),
            "issues": (*packet.issues, PacketIssue(id="I9", type="other", slots={})),
        }

    assert lost("hand_off", sending(change)) == {
        "names_every_conflict_and_gap",
        "carries_every_issue_with_its_slots",
    }


def test_an_envelope_of_texts_that_are_equal_to_everything_is_read_as_what_it_says():
    """What arrives is text, and no object that compares itself."""

    class Liar:
        def model_dump(self, **_):
            return {name: Yes("x") for name in Envelope.model_fields}

    assert lost("execute", lambda order, tools: tools.schedule_downgrade(Liar())) == {
        "the_envelope_says_what_was_confirmed",
        "the_key_names_cycle_issue_and_quote",
        "acts_for_the_customer_who_confirmed",
        "carries_the_confirmation_it_was_given",
    }


def reading(arguments=lambda given: given, timeout=lambda given: given, times=1):
    """The reference of step 3 whose every read goes out in another way."""

    def function(rights, issues, tools):
        class Between:
            now = tools.now

            def read(self, tool, given, timeout_s):
                for n in range(times):
                    answer = tools.read(
                        tool, arguments({**given, "n": n} if n else given), timeout(timeout_s)
                    )
                return answer

        return references()[Step.RETRIEVE](rights, issues, Between())

    return function


@pytest.mark.parametrize(
    "more", [{"customer_id": No("CUST-2077")}, {"CUST-2077": 1}, {"of": "me, cust-2077"}]
)
def test_another_customer_is_found_in_whatever_way_a_read_names_one(more):
    """As a text that is equal to nothing, as a name, inside of other words."""
    assert "never_reads_another_customer" in lost("retrieve", reading(lambda given: given | more))


@pytest.mark.parametrize("waits", [float("nan"), -9.0, 0.0])
def test_a_wait_that_is_no_time_is_within_no_bound(waits):
    """Not a number, and less than nothing."""
    found = lost("retrieve", reading(timeout=lambda given: waits))
    assert "gives_up_after_two_attempts_and_ten_seconds" in found


def test_a_read_is_the_same_read_whatever_else_it_says():
    """A word that means nothing makes of a third attempt no first one, and of what was denied nothing new."""
    found = lost("retrieve", reading(times=3))
    assert found >= {"gives_up_after_two_attempts_and_ten_seconds", "never_repeats_what_was_denied"}


def test_every_word_of_a_message_as_a_foreign_id_is_too_many():
    """The ids are in it, and so is everything else."""

    def function(session, message):
        right = references()[Step.AUTHENTICATE](session, message)
        own = (session.authenticated_customer_id or "").casefold()
        words = {word.strip(",.;") for word in message.split()} | set(right.foreign_ids)
        return right.model_copy(update={"foreign_ids": tuple(w for w in words if w.casefold() != own)})

    assert lost("authenticate", function) == {"records_foreign_ids_and_not_its_own"}


def test_a_place_that_names_every_issue_names_none():
    """One place, and not all that there could be."""

    def function(*arguments):
        answer = references()[Step.DECOMPOSE](*arguments)
        places = " ".join(f"issues[{n}]" for n in range(9))
        return answer.model_copy(update={"place": places}) if hasattr(answer, "place") else answer

    assert lost("decompose", function) == {"names_the_place_of_the_fault"}


def test_a_ledger_that_calls_every_claim_everything_knows_nothing():
    """Each weakness of each issue for each reason: the right one is among them, and is not earned."""

    def function(issues, retrieval, now):
        right = references()[Step.BUILD_LEDGER](issues, retrieval, now)
        rows = [
            right.rows[0].model_copy(
                update={
                    "claim_id": f"{issue.id}-{status}-{code}".replace("_", "-"),
                    "issue_id": issue.id,
                    "status": status,
                    "qualifier": code,
                    "evidence_ids": (),
                    "policy_version": None,
                }
            )
            for issue in issues
            for status in ClaimStatus
            if status is not ClaimStatus.SUPPORTED
            for code in ("scope_missing", "timeout", "unavailable", "stale")
        ]
        return Ledger(rows=(*right.rows, *rows))

    assert lost("build_ledger", function) >= {
        "every_missing_record_has_a_row",
        "a_missing_scope_is_unauthorized",
        "an_old_record_makes_a_stale_row",
        "equal_amounts_prove_no_duplicate",
    }


def test_a_call_is_taken_down_apart_from_what_it_was_made_of():
    """Nothing that happens to the arguments or to the answer later alters what was taken down."""
    given, answer = {"a": [1], "b": No("x")}, {"kind": "success"}
    call = Call(No("read"), given, answer)
    given["a"].append(2)
    answer["kind"] = "error"
    assert call == Call("read", {"a": [1], "b": "x"}, {"kind": "success"})
    with pytest.raises((TypeError, ValueError)):
        Call("read", {"a": object()}, None)


def test_what_a_step_is_judged_by_stays_when_it_writes_into_what_it_was_given():
    """An answer made into a receipt, and an order of its own, are none that anybody expected."""
    from relay_lab.app.step_cases import cases

    case = next(each for each in cases(Step.EXECUTE, ()) if each.kind == "refused")
    assert case.tools is not None
    said = case.tools().says
    assert said == case.expected.answer and said is not case.expected.answer
    assert said.state is OperationState.REJECTED
    packed = next(iter(cases(Step.HAND_OFF, ())))
    assert packed.arguments[0] == packed.expected.case
    assert packed.arguments[0] is not packed.expected.case
