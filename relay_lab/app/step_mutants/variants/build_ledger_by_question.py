"""Another right version of step 5: the records as plain data, and a list of questions for each type of issue."""

import json
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from relay_lab.contracts.evidence import Retrieval
from relay_lab.contracts.issues import Issue
from relay_lab.contracts.ledger import Ledger

Plain = dict[str, Any]
Answer = Plain
"""subject, predicate, value, evidence_ids, and optionally status and qualifier."""
Question = Callable[[Plain, "Desk"], Iterator[Answer]]

_RANK = {"individual": 0, "team": 1, "business": 2}
_NEEDED = {
    "billing_duplicate": ("transaction", "invoice", "reconciliation", "refund_policy"),
    "feature_access": ("plan_map", "entitlement", "enrolment", "incident_report"),
}


def by_question(issues: tuple[Issue, ...], retrieval: Retrieval, now: datetime) -> Ledger:
    """Every question of every issue, asked of the records; no answer, no row."""
    desk = Desk(json.loads(retrieval.model_dump_json()), now)
    rows: list[Plain] = []
    for issue in issues:
        plain = json.loads(issue.model_dump_json())
        answers = [each for ask in _QUESTIONS.get(issue.type, ()) for each in ask(plain, desk)]
        answers += desk.gaps(issue.id)
        answers += desk.leftovers(_NEEDED.get(issue.type, ()), answers)
        rows += [desk.row(issue.id, n, each) for n, each in enumerate(answers, start=1)]
    return Ledger.model_validate_json(json.dumps({"rows": rows}))


class Desk:
    """The records, by kind."""

    def __init__(self, retrieval: Plain, now: datetime) -> None:
        self.retrieval, self.now = retrieval, now
        self.by_id = {each["evidence_id"]: each for each in retrieval["records"]}

    def of(self, kind: str, **wanted: object) -> list[tuple[str, Plain]]:
        """(id, value) of each record of a kind whose fields are as wanted."""
        return [
            (key, each["value"])
            for key, each in self.by_id.items()
            if each["value"]["kind"] == kind
            and all(each["value"][name] == value for name, value in wanted.items())
        ]

    def past(self, text: str | None) -> bool:
        """Whether an instant lies behind us."""
        return text is not None and datetime.fromisoformat(text) <= self.now

    def stale(self, key: str) -> bool:
        """Whether a record is beyond its bound."""
        age = self.now - datetime.fromisoformat(self.by_id[key]["source_at"])
        return bool(age.total_seconds() > self.by_id[key]["fresh_for_s"])

    def gaps(self, issue_id: str) -> list[Answer]:
        """What could not be read."""
        denied = {"scope_missing": "unauthorized", "assurance_too_low": "unauthorized"}
        return [
            _answer(
                issue_id,
                f"{gap['record']}_read",
                None,
                [],
                denied.get(gap["code"], "unsupported"),
                gap["code"],
            )
            for gap in self.retrieval["missing"]
            if gap["issue_id"] == issue_id
        ]

    def leftovers(self, kinds: tuple[str, ...], answers: list[Answer]) -> list[Answer]:
        """Old records that no answer rests on, and that the issue needs."""
        used = {key for each in answers for key in each["evidence_ids"]}
        return [
            _answer(key, f"{each['value']['kind']}_read", None, [key], "stale", "stale")
            for key, each in self.by_id.items()
            if each["value"]["kind"] in kinds and key not in used and self.stale(key)
        ]

    def row(self, issue_id: str, number: int, answer: Answer) -> Plain:
        """A numbered row, checked for age."""
        keys = answer["evidence_ids"]
        if answer["status"] == "supported" and any(map(self.stale, keys)):
            answer = answer | {"status": "stale", "qualifier": "stale"}
        policies = [key for key in keys if self.by_id[key]["value"]["kind"].endswith("policy")]
        return {
            "claim_id": f"{issue_id}-{number}",
            "issue_id": issue_id,
            "claim": {name: answer[name] for name in ("subject", "predicate", "value")},
            "evidence_ids": keys,
            "source_at": min((self.by_id[key]["source_at"] for key in keys), default=None),
            "policy_version": policies[0] if policies and answer["value"] is not None else None,
            "status": answer["status"],
            "qualifier": answer["qualifier"],
        }


def _answer(
    subject: str,
    predicate: str,
    value: object,
    keys: list[str],
    status: str = "supported",
    why: str | None = None,
) -> Answer:
    return {
        "subject": subject,
        "predicate": predicate,
        "value": value,
        "evidence_ids": keys,
        "status": status,
        "qualifier": why,
    }


def _charged(_: Plain, desk: Desk) -> Iterator[Answer]:
    """What was charged on the invoice with most charges, and what billing makes of it."""
    counted = [
        (len(desk.of("transaction", invoice_id=key)), bill["month"], key) for key, bill in desk.of("invoice")
    ]
    if not counted:
        return
    invoice = max(counted)[2]
    bill = dict(desk.of("invoice"))[invoice]
    charges = desk.of("transaction", invoice_id=invoice)
    settled = [(key, each["amount_cents"]) for key, each in charges if each["settlement"] == "settled"]
    keys, amounts = [key for key, _ in settled], [cents for _, cents in settled]
    yield _answer(invoice, "settled_charges", len(keys), [invoice, *keys])
    yield _answer(invoice, "invoice_due_cents", bill["due_cents"], [invoice])
    yield _answer(invoice, "currency", bill["currency"], [invoice])
    if keys and len(set(amounts)) == 1:
        yield _answer(invoice, "charge_cents", amounts[0], keys)
    found = desk.of("reconciliation", invoice_id=invoice)
    for key, finding in found:
        yield _answer(key, "excess_captures", finding["excess_captures"], [key])
        yield _answer(key, "excess_reversed", finding["reversed"], [key])
        yield _answer(key, "excess_refunded", finding["refunded"], [key])
        if not finding["reversed"] and not finding["refunded"]:
            yield from _refundable(desk, min(each["charged_at"] for _, each in charges))
    if not found:
        every = [invoice, *(key for key, _ in charges)]
        if len(amounts) == len(set(amounts)) and sum(amounts) <= bill["due_cents"]:
            yield _answer(invoice, "duplicate_found", False, every)
        else:
            yield _answer(invoice, "excess_captures", None, every, "unsupported", "no_reconciliation")


def _refundable(desk: Desk, first: str) -> Iterator[Answer]:
    for key, policy in desk.of("refund_policy"):
        since = datetime.fromisoformat(policy["effective_at"]) <= datetime.fromisoformat(first)
        yield _answer(key, "refund_eligible", policy["duplicate_capture_eligible"] and since, [key])
    for key, _ in desk.of("no_policy", policy_id="refund"):
        yield _answer(key, "refund_eligible", None, [key], "unsupported", "no_policy")


def _included(issue: Plain, desk: Desk) -> Iterator[Answer]:
    """Whether plan and account have the feature; both records together, when they disagree."""
    feature, plans = issue["feature"], desk.of("subscription")
    maps, given = desk.of("plan_map"), desk.of("entitlement")
    if not (feature and plans and maps and given):
        return
    (own, plan), (listing, plan_map), (key, account) = plans[0], maps[0], given[0]
    listed, held = feature in plan_map["features"][plan["plan"]], feature in account["features"]
    running = any(not desk.past(each["ended_at"]) for _, each in desk.of("enrolment", feature=feature))
    yield _answer(plan["customer_id"], "current_plan", plan["plan"], [own])
    if listed == held or (held and running):
        yield _answer(feature, "feature_in_plan", listed, [own, listing])
        yield _answer(feature, "feature_on_account", held, [key])
    else:
        for predicate, value in (("feature_in_plan", listed), ("feature_on_account", held)):
            yield _answer(feature, predicate, value, [own, listing, key], "conflicting", "conflict")


def _tried(issue: Plain, desk: Desk) -> Iterator[Answer]:
    feature = issue["feature"]
    for key, trial in desk.of("enrolment", feature=feature):
        if desk.past(trial["ended_at"]):
            yield _answer(feature, "prior_access", trial["programme"], [key])
            yield _answer(feature, "prior_access_ended_at", trial["ended_at"], [key])
        else:
            yield _answer(feature, "enrolment_active", True, [key])


def _disturbed(issue: Plain, desk: Desk) -> Iterator[Answer]:
    for key, report in desk.of("incident_report", feature=issue["feature"]):
        yield _answer(issue["feature"], "active_incidents", len(report["active"]), [key])


def _running(_: Plain, desk: Desk) -> Iterator[Answer]:
    for key, own in desk.of("subscription"):
        yield _answer(own["customer_id"], "current_plan", own["plan"], [key])
        yield _answer(own["cycle_id"], "renews_at", own["renews_at"], [key])
        yield _answer(own["customer_id"], "change_scheduled", own["scheduled_plan"] is not None, [key])


def _changeable(issue: Plain, desk: Desk) -> Iterator[Answer]:
    target, plans = issue["target_plan"], desk.of("subscription")
    if target not in _RANK or not plans or target == plans[0][1]["plan"]:
        return
    own, plan = plans[0]
    yield _answer(target, "target_is_lower", _RANK[target] < _RANK[plan["plan"]], [own])
    for key, account in desk.of("account"):
        yield _answer(key, "operation_allowed", "schedule_downgrade" in account["allowed_operations"], [key])
        yield _answer(key, "self_service", account["contract_terms"] == "self_service", [key])
    for key, policy in desk.of("subscription_policy"):
        yield _answer(key, "downgrade_allowed", policy["downgrade_allowed"], [key])


_QUESTIONS: dict[str, tuple[Question, ...]] = {
    "billing_duplicate": (_charged,),
    "feature_access": (_included, _tried, _disturbed),
    "subscription_change": (_running, _changeable),
}
