"""Wrong versions of step 5."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

from relay_lab.app.step_mutants.kinds import StepFunction, StepMutant
from relay_lab.contracts.enums import ClaimStatus
from relay_lab.contracts.evidence import Article, Retrieval
from relay_lab.contracts.issues import Issue
from relay_lab.contracts.ledger import Claim, Ledger, LedgerRow
from relay_lab.evaluation.checks.kinds import Step

BuildLedger = Callable[[tuple[Issue, ...], Retrieval, datetime], Ledger]
Rewrite = Callable[[LedgerRow, Retrieval], Iterable[LedgerRow]]


def _rewriting(rewrite: Rewrite) -> Callable[[StepFunction], BuildLedger]:
    """The reference with each of its rows replaced."""

    def make(reference: StepFunction) -> BuildLedger:
        def broken(issues: tuple[Issue, ...], retrieval: Retrieval, now: datetime) -> Ledger:
            right: Ledger = reference(issues, retrieval, now)
            return Ledger(rows=tuple(new for row in right.rows for new in rewrite(row, retrieval)))

        return broken

    return make


def _where(
    holds: Callable[[LedgerRow], bool], change: Callable[[LedgerRow, Retrieval], dict[str, object]]
) -> Callable[[StepFunction], BuildLedger]:
    def rewrite(row: LedgerRow, retrieval: Retrieval) -> Iterator[LedgerRow]:
        yield row.model_copy(update=change(row, retrieval)) if holds(row) else row

    return _rewriting(rewrite)


def _believed(row: LedgerRow, _: Retrieval) -> dict[str, object]:
    return {"status": ClaimStatus.SUPPORTED, "qualifier": None}


def _said(subject: str, predicate: str, value: bool | int) -> dict[str, object]:
    claim = Claim(subject=subject, predicate=predicate, value=value)
    return {"claim": claim, "status": ClaimStatus.SUPPORTED, "qualifier": None}


def silence_means_no_duplicate(reference: StepFunction) -> BuildLedger:
    """Billing did not answer, so there is no duplicate."""
    return _after("transaction_read", "duplicate_found", False)(reference)


def silence_means_no_incident(reference: StepFunction) -> BuildLedger:
    """No report of incidents, so there is none."""
    return _after("incident_report_read", "active_incidents", 0)(reference)


def _after(gap: str, predicate: str, value: bool | int) -> Callable[[StepFunction], BuildLedger]:
    """A claim after each row that says that a record is missing."""

    def rewrite(row: LedgerRow, _: Retrieval) -> Iterator[LedgerRow]:
        yield row
        if row.claim.predicate == gap and not row.evidence_ids:
            made = _said(row.claim.subject, predicate, value)
            yield row.model_copy(update={**made, "claim_id": f"{row.claim_id}x"})

    return _rewriting(rewrite)


def old_is_still_true(reference: StepFunction) -> BuildLedger:
    """A record stays true until somebody changes it."""
    return _where(lambda row: row.status is ClaimStatus.STALE, _believed)(reference)


def one_of_two_records_wins(reference: StepFunction) -> BuildLedger:
    """Of two records one is right."""
    return _where(lambda row: row.status is ClaimStatus.CONFLICTING, _believed)(reference)


def equal_amounts_are_a_duplicate(reference: StepFunction) -> BuildLedger:
    """Two equal charges are a duplicate."""

    def unproven(row: LedgerRow) -> bool:
        return row.claim.predicate == "excess_captures" and row.status is ClaimStatus.UNSUPPORTED

    return _where(unproven, lambda row, _: _said(row.claim.subject, "excess_captures", 1))(reference)


def quotes_an_article(reference: StepFunction) -> BuildLedger:
    """What is published is true of this account."""

    def change(row: LedgerRow, retrieval: Retrieval) -> dict[str, object]:
        prose = [each for each in retrieval.records if isinstance(each.value, Article)]
        times = [each.source_at for each in prose]
        times += [row.source_at] if row.source_at else []
        ids = (*row.evidence_ids, *(each.evidence_id for each in prose))
        return {"evidence_ids": ids, "source_at": min(times, default=None)}

    return _where(lambda row: row.claim.predicate == "refund_eligible", change)(reference)


def leaves_the_feature_to_the_reply(reference: StepFunction) -> BuildLedger:
    """The reply can say what is plain without a row."""

    def rewrite(row: LedgerRow, _: Retrieval) -> list[LedgerRow]:
        plain = row.claim.predicate in ("feature_in_plan", "feature_on_account")
        return [] if plain and row.status is ClaimStatus.SUPPORTED else [row]

    return _rewriting(rewrite)(reference)


def takes_the_newest_source_time(reference: StepFunction) -> BuildLedger:
    """A claim is as new as its newest record."""

    def change(row: LedgerRow, retrieval: Retrieval) -> dict[str, object]:
        times = [each.source_at for each in retrieval.records if each.evidence_id in row.evidence_ids]
        return {"source_at": max(times, default=None)}

    return _where(lambda _: True, change)(reference)


def forgets_the_policy_version(reference: StepFunction) -> BuildLedger:
    """A policy is a policy."""
    return _where(lambda _: True, lambda *_: {"policy_version": None})(reference)


def not_allowed_is_not_found(reference: StepFunction) -> BuildLedger:
    """What may not be read is what was not found."""
    return _where(
        lambda row: row.status is ClaimStatus.UNAUTHORIZED, lambda *_: {"status": ClaimStatus.UNSUPPORTED}
    )(reference)


def gives_no_reason(reference: StepFunction) -> BuildLedger:
    """The status says it all."""
    return _where(lambda _: True, lambda *_: {"qualifier": None})(reference)


def says_nothing_of_what_is_missing(reference: StepFunction) -> BuildLedger:
    """There is no row on a record that is not there."""
    return _rewriting(
        lambda row, _: [] if not row.evidence_ids and row.claim.predicate.endswith("_read") else [row]
    )(reference)


def links_the_first_record_only(reference: StepFunction) -> BuildLedger:
    """One record is evidence enough for a count."""
    return _where(
        lambda row: row.claim.predicate == "settled_charges",
        lambda row, _: {"evidence_ids": row.evidence_ids[:1]},
    )(reference)


def counts_every_charge(reference: StepFunction) -> BuildLedger:
    """Every charge is a charge on this invoice."""

    def change(row: LedgerRow, retrieval: Retrieval) -> dict[str, object]:
        charges = [each for each in retrieval.records if each.value.kind == "transaction"]
        return {"claim": row.claim.model_copy(update={"value": len(charges) + 1})}

    return _where(lambda row: row.claim.predicate == "settled_charges", change)(reference)


def a_report_is_an_all_clear(reference: StepFunction) -> BuildLedger:
    """Who has read the incidents has found none."""
    return _where(
        lambda row: row.claim.predicate == "active_incidents" and row.status is ClaimStatus.SUPPORTED,
        lambda row, _: {"claim": row.claim.model_copy(update={"value": 0})},
    )(reference)


MUTANTS = (
    StepMutant(Step.BUILD_LEDGER, silence_means_no_duplicate, "silence_proves_nothing"),
    StepMutant(Step.BUILD_LEDGER, silence_means_no_incident, "silence_proves_nothing"),
    StepMutant(Step.BUILD_LEDGER, old_is_still_true, "an_old_record_makes_a_stale_row"),
    StepMutant(Step.BUILD_LEDGER, one_of_two_records_wins, "a_contradiction_is_conflicting"),
    StepMutant(Step.BUILD_LEDGER, equal_amounts_are_a_duplicate, "equal_amounts_prove_no_duplicate"),
    StepMutant(Step.BUILD_LEDGER, quotes_an_article, "prose_supports_no_claim"),
    StepMutant(Step.BUILD_LEDGER, leaves_the_feature_to_the_reply, "every_material_claim_has_a_row"),
    StepMutant(
        Step.BUILD_LEDGER, takes_the_newest_source_time, "every_row_says_when_why_and_under_which_policy"
    ),
    StepMutant(
        Step.BUILD_LEDGER, forgets_the_policy_version, "every_row_says_when_why_and_under_which_policy"
    ),
    StepMutant(Step.BUILD_LEDGER, not_allowed_is_not_found, "a_missing_scope_is_unauthorized"),
    StepMutant(
        Step.BUILD_LEDGER,
        gives_no_reason,
        "every_row_says_when_why_and_under_which_policy",
        related=("every_missing_record_has_a_row",),
    ),
    StepMutant(
        Step.BUILD_LEDGER,
        says_nothing_of_what_is_missing,
        "every_missing_record_has_a_row",
        related=("a_missing_scope_is_unauthorized",),
    ),
    StepMutant(Step.BUILD_LEDGER, links_the_first_record_only, "every_row_follows_from_its_evidence"),
    StepMutant(
        Step.BUILD_LEDGER,
        counts_every_charge,
        "every_row_follows_from_its_evidence",
        related=("every_material_claim_has_a_row",),
    ),
    StepMutant(
        Step.BUILD_LEDGER,
        a_report_is_an_all_clear,
        "every_row_follows_from_its_evidence",
        related=("every_material_claim_has_a_row",),
    ),
)
