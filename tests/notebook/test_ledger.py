"""The ledger explorer: what each claim rests on, and why it may be said or not."""

import relay_lab
from relay_lab import Fault, Parts
from relay_lab.contracts.enums import ClaimStatus, Feature, Plan
from relay_lab.notebook import ledger_explorer


def explored(*faults: Fault, message: str | None = None, confirm: bool = False):
    with relay_lab.open_lab(parts=Parts(faults=faults)) as lab:
        run = lab.say(message or lab.scenario.message)
        if confirm:
            lab.choose("individual")
            run = lab.confirm()
        return ledger_explorer(run), run


def chosen(explorer, claim_id: str) -> str:
    explorer.claim.value = claim_id
    return explorer.detail.value


def test_all_claims_are_listed_in_the_order_of_the_ledger():
    explorer, run = explored()
    assert [row.claim_id for row in explorer.rows] == [row.claim_id for row in run.record.ledger.rows]
    assert len(explorer.claim.options) == len(explorer.rows) > 10


def test_a_supported_claim_names_its_records_and_what_they_say():
    explorer, _ = explored()
    detail = chosen(explorer, "I1-C1")
    assert "It follows from INV-202608, TX-901, TX-902" in detail
    assert "amount cents: 4900" in detail and "settlement: settled" in detail
    assert "turn 1: " in detail


def test_the_filters_by_issue_and_by_status_work_together():
    explorer, _ = explored(Fault("get_plan_and_entitlements", "stale", detail="entitlement"))
    explorer.issue.value = "I2"
    assert {row.issue_id for row in explorer.rows} == {"I2"}
    explorer.status.value = "stale"
    assert [row.status for row in explorer.rows] == [ClaimStatus.STALE]
    explorer.issue.value = "I1"
    assert explorer.rows == ()
    assert explorer.claim.disabled and "No claim of this issue has this status" in explorer.detail.value
    explorer.status.value = ""
    assert {row.issue_id for row in explorer.rows} == {"I1"}
    assert not explorer.claim.disabled


def test_the_buttons_go_from_claim_to_claim_and_round_and_do_nothing_where_there_is_none():
    explorer, run = explored()
    explorer.previous.click()
    assert explorer.claim.value == run.record.ledger.rows[-1].claim_id
    explorer.next.click()
    assert explorer.claim.value == "I1-C1" and "settled charges" in explorer.detail.value
    nothing, _ = explored(Fault("get_plan_and_entitlements", "stale", detail="entitlement"))
    nothing.issue.value, nothing.status.value = "I1", "stale"
    nothing.next.click()
    assert nothing.claim.value is None


def test_the_status_filter_counts_and_leaves_out_what_does_not_occur():
    explorer, run = explored()
    assert explorer.status.options == (
        ("all", ""),
        (f"supported ({len(run.record.ledger.rows)})", "supported"),
    )


def test_a_stale_claim_says_of_when_it_is_and_how_long_that_is_good_for():
    explorer, _ = explored(Fault("get_plan_and_entitlements", "stale", detail="entitlement"))
    explorer.status.value = "stale"
    detail = explorer.detail.value
    assert "what was read is of 2026-09-10 08:5" in detail
    assert "ENT-CUST-1042-PM-4 is good for 3600 s" in detail
    assert "qualified, in turn 1" in detail


def test_a_claim_without_a_record_says_why_there_is_none():
    explorer, _ = explored(Fault("get_active_incidents", "fail"))
    explorer.status.value = "unsupported"
    assert explorer.rows
    assert "It rests on no record." in explorer.detail.value
    assert "does not say it" in explorer.detail.value


def test_a_session_without_the_scope_is_told_apart_from_a_missing_record():
    with relay_lab.open_lab() as lab:
        scopes = tuple(scope for scope in lab.session.allowed_scopes if scope != "billing:read")
        session = lab.session.model_copy(update={"allowed_scopes": scopes})
    with relay_lab.open_lab(session=session) as lab:
        explorer = ledger_explorer(lab.say(lab.scenario.message))
    explorer.status.value = "unauthorized"
    assert "this session may not read what the claim would rest on" in explorer.detail.value


def test_records_that_contradict_each_other_are_both_named():
    def with_gantt(records):
        return tuple(
            each.model_copy(
                update={
                    "value": each.value.model_copy(
                        update={
                            "features": {
                                **each.value.features,
                                Plan.TEAM: (Feature.GANTT_CHART, Feature.CALENDAR_VIEW),
                            }
                        }
                    )
                }
            )
            if each.value.kind == "plan_map"
            else each
            for each in records
        )

    explorer, _ = explored(Fault("get_plan_and_entitlements", "replace", detail=with_gantt))
    explorer.status.value = "conflicting"
    assert "contradict each other" in explorer.detail.value
    assert "PLANMAP-PM-4" in explorer.detail.value and "ENT-CUST-1042-PM-4" in explorer.detail.value


def test_claims_about_quote_receipt_and_state_show_the_rows_they_rest_on():
    explorer, _ = explored(confirm=True)
    assert "recorded" not in chosen(explorer, "I3-X1") and "target plan: individual" in chosen(
        explorer, "I3-X1"
    )
    assert "scheduled" in chosen(explorer, "I3-S")
    with relay_lab.open_lab() as lab:
        lab.say(lab.scenario.message)
        waiting = ledger_explorer(lab.choose("individual"))
    assert "price cents: 1900" in chosen(waiting, "I3-Q2")
    assert "policy in force" in chosen(waiting, "I3-Q2")


def test_what_the_customer_wrote_is_shown_as_text():
    explorer, _ = explored(message="I was charged twice <script>alert(1)</script> for my plan")
    html = explorer.detail.value + explorer._repr_mimebundle_()["text/html"]
    assert "<script>" not in html and "&lt;script&gt;" in html


def test_before_the_first_turn_there_is_nothing_to_explore():
    with relay_lab.open_lab() as lab:
        explorer = ledger_explorer(lab.run())
    assert explorer.claim.disabled
    assert "Nothing has been claimed yet" in explorer._repr_mimebundle_()["text/plain"]
    assert "Nothing has been claimed yet" in explorer.detail.value


def test_a_page_without_a_kernel_gets_the_whole_ledger():
    explorer, run = explored()
    made = explorer._repr_mimebundle_()
    for row in run.record.ledger.rows:
        assert f">{row.claim_id}<" in made["text/html"] and row.claim_id in made["text/plain"]
    again = explored()[0]._repr_mimebundle_()
    assert (made["text/html"], made["text/plain"]) == (again["text/html"], again["text/plain"])


def test_every_filter_has_a_label():
    explorer, _ = explored()
    assert [each.description for each in (explorer.issue, explorer.status, explorer.claim)] == [
        "Issue",
        "Status",
        "Claim",
    ]
