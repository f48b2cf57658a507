"""Wrong versions of step 2."""

import json
import re
from collections.abc import Callable
from typing import Any

from relay_lab.app.step_mutants.kinds import StepFunction, StepMutant
from relay_lab.contracts.enums import Feature
from relay_lab.contracts.issues import Admission, AdmittedIssues, ProposedIssues, Rejected
from relay_lab.contracts.session import Session
from relay_lab.evaluation.checks.kinds import Step

Decompose = Callable[[str, str, Session], Admission]


def _unless_refused_for(
    *codes: str, instead: Callable[[StepFunction, str, str, Session, Rejected], Admission]
) -> Callable[[StepFunction], Decompose]:
    """The reference, but where it refuses for one of these codes something else is done."""

    def make(reference: StepFunction) -> Decompose:
        def broken(message: str, answer: str, session: Session) -> Admission:
            right: Admission = reference(message, answer, session)
            if isinstance(right, Rejected) and right.code in codes:
                return instead(reference, message, answer, session, right)
            return right

        return broken

    return make


def _as_it_is(_: StepFunction, message: str, answer: str, __: Session, ___: Rejected) -> Admission:
    """What the model wrote, believed: a quote that is not found is put at the start."""
    document = json.loads(answer)
    for number, issue in enumerate(document["issues"], start=1):
        text = issue["span"]["text"]
        start = issue["span"].get("start", max(message.find(text), 0))
        issue |= {"id": f"I{number}", "span": {"start": start, "end": start + len(text), "text": text}}
    return AdmittedIssues(issues=ProposedIssues.model_validate_json(json.dumps(document)).issues)


def leaves_the_bad_issue_out(reference: StepFunction) -> Decompose:
    """Three good issues are better than none."""

    def instead(
        reference: StepFunction, message: str, answer: str, session: Session, why: Rejected
    ) -> Admission:
        found = re.match(r"issues\[(\d+)\]", why.place)
        document = json.loads(answer)
        if found:
            del document["issues"][int(found[1])]
        admission: Admission = reference(message, json.dumps(document), session)
        return admission

    codes = ("span_not_in_message", "span_mismatch", "ungrounded_slot")
    return _unless_refused_for(*codes, instead=instead)(reference)


def trusts_the_quote(reference: StepFunction) -> Decompose:
    """A model quotes what was written."""
    return _unless_refused_for("span_not_in_message", "span_mismatch", instead=_as_it_is)(reference)


def lets_the_model_guess_the_plan(reference: StepFunction) -> Decompose:
    """A likely plan is better than a question."""
    return _unless_refused_for("ungrounded_slot", instead=_as_it_is)(reference)


def takes_both_mentions(reference: StepFunction) -> Decompose:
    """Said twice, asked twice."""
    return _unless_refused_for("duplicate_issue", instead=_as_it_is)(reference)


def mends_what_is_cut_off(reference: StepFunction) -> Decompose:
    """A missing bracket loses nothing."""

    def instead(
        reference: StepFunction, message: str, answer: str, session: Session, _: Rejected
    ) -> Admission:
        admission: Admission = reference(message, answer + "]}", session)
        return admission

    return _unless_refused_for("truncated", instead=instead)(reference)


def _on_another_text(change: Callable[[str], str]) -> Callable[[StepFunction], Decompose]:
    def make(reference: StepFunction) -> Decompose:
        def broken(message: str, answer: str, session: Session) -> Admission:
            admission: Admission = reference(message, change(answer), session)
            return admission

        return broken

    return make


def looks_for_json_in_prose(reference: StepFunction) -> Decompose:
    """A model may talk around its answer."""
    return _on_another_text(lambda answer: answer[answer.find("{") : answer.rfind("}") + 1] or answer)(
        reference
    )


def lets_the_last_key_win(reference: StepFunction) -> Decompose:
    """A JSON reader knows what a duplicate key means."""

    def change(answer: str) -> str:
        try:
            return json.dumps(json.loads(answer))
        except ValueError:
            return answer

    return _on_another_text(change)(reference)


def takes_an_unknown_kind_for_other(reference: StepFunction) -> Decompose:
    """What is not known is something else."""
    return _on_another_text(_retyped)(reference)


def _retyped(answer: str) -> str:
    return re.sub(
        r'\{"type": "refund_order", ("span": \{"text": ".*?"\}), .*?\}', r'{"type": "other", \1}', answer
    )


def keeps_the_models_order(reference: StepFunction) -> Decompose:
    """A model lists issues in the order of the message."""

    def broken(message: str, answer: str, session: Session) -> Admission:
        right: Admission = reference(message, answer, session)
        if isinstance(right, Rejected):
            return right
        texts = [issue["span"]["text"] for issue in json.loads(answer)["issues"]]
        ordered = sorted(right.issues, key=lambda issue: texts.index(issue.span.text))
        numbered = (issue.model_copy(update={"id": f"I{n}"}) for n, issue in enumerate(ordered, start=1))
        return right.model_copy(update={"issues": tuple(numbered)})

    return broken


def _with(change: Callable[[Any], dict[str, object]], kind: type) -> Callable[[StepFunction], Decompose]:
    def make(reference: StepFunction) -> Decompose:
        def broken(message: str, answer: str, session: Session) -> Admission:
            right: Admission = reference(message, answer, session)
            return right.model_copy(update=change(right)) if isinstance(right, kind) else right

        return broken

    return make


def ignores_what_the_model_claims(reference: StepFunction) -> Decompose:
    """What is not used need not be recorded."""
    return _with(lambda _: {"overreach": ()}, AdmittedIssues)(reference)


def says_only_that_it_is_wrong(reference: StepFunction) -> Decompose:
    """A refusal needs no place."""
    return _with(lambda _: {"place": "$"}, Rejected)(reference)


def fills_a_slot_with_its_own_guess(reference: StepFunction) -> Decompose:
    """Who reports a duplicate wants the money back."""

    def change(right: AdmittedIssues) -> dict[str, object]:
        issues = (
            issue.model_copy(update={"feature": Feature.GANTT_CHART})
            if issue.type == "feature_access"
            else issue.model_copy(update={"refund_requested": True})
            if issue.type == "billing_duplicate"
            else issue
            for issue in right.issues
        )
        return {"issues": tuple(issues)}

    return _with(change, AdmittedIssues)(reference)


MUTANTS = (
    StepMutant(Step.DECOMPOSE, leaves_the_bad_issue_out, "one_bad_issue_refuses_them_all"),
    StepMutant(
        Step.DECOMPOSE,
        trusts_the_quote,
        "never_admits_a_quote_that_was_not_written",
        related=("one_bad_issue_refuses_them_all",),
    ),
    StepMutant(
        Step.DECOMPOSE,
        lets_the_model_guess_the_plan,
        "never_guesses_a_plan",
        related=("one_bad_issue_refuses_them_all",),
    ),
    StepMutant(Step.DECOMPOSE, takes_both_mentions, "two_mentions_of_one_problem_are_one_issue"),
    StepMutant(Step.DECOMPOSE, mends_what_is_cut_off, "takes_one_json_document_or_nothing"),
    StepMutant(Step.DECOMPOSE, looks_for_json_in_prose, "takes_one_json_document_or_nothing"),
    StepMutant(Step.DECOMPOSE, lets_the_last_key_win, "takes_one_json_document_or_nothing"),
    StepMutant(Step.DECOMPOSE, takes_an_unknown_kind_for_other, "keeps_the_set_of_issues_closed"),
    StepMutant(Step.DECOMPOSE, keeps_the_models_order, "numbers_issues_by_first_mention"),
    StepMutant(Step.DECOMPOSE, ignores_what_the_model_claims, "records_what_the_model_claims_of_the_session"),
    StepMutant(Step.DECOMPOSE, says_only_that_it_is_wrong, "names_the_place_of_the_fault"),
    StepMutant(Step.DECOMPOSE, fills_a_slot_with_its_own_guess, "finds_every_issue_with_its_slots"),
)
