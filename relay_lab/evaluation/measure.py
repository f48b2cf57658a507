"""The names of the seven measures of 001's exit check."""

from enum import StrEnum


class Measure(StrEnum):
    """What a workflow is measured by; every check of a step feeds one of them."""

    DECOMPOSITION = "every_issue_with_its_slots"
    EVIDENCE = "every_needed_field_read_or_named_missing"
    CLAIMS = "every_claim_backed"
    SCOPES = "nothing_beyond_the_scopes"
    ONCE = "one_change_however_often_delivered"
    RECEIPT = "nothing_done_before_its_receipt"
    ROWS = "the_rows_end_where_they_should"
