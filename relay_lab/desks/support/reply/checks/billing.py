"""Conditions on what is said of charges, their finding and a refund. Nothing here can become true by a draft's say-so."""

from collections.abc import Callable

from relay_lab.contracts.enums import IssueState
from relay_lab.desks.support.reply.checks.scene import Scene


def _returned(scene: Scene) -> bool:
    return scene.in_issue("excess_refunded", True) or scene.in_issue("excess_reversed", True)


def _no_refund(scene: Scene) -> bool:
    """No refund: true of a quote that says so, and of a duplicate that no record shows as returned."""
    if scene.type_is("subscription_change"):
        return scene.ground.value("quote_immediate_refund") == "none" and "immediate" in scene.texts
    return scene.type_is("billing_duplicate") and not _returned(scene)


def _refund_not_sent(scene: Scene) -> bool:
    """We have not asked for a refund: we never can. Of the customer nothing is said, and nothing is advised against."""
    by_us = all(head.subject != "you" for head in scene.reading.heads)
    asked_not_to = bool(scene.texts & {"please", "do"})
    return scene.type_is("billing_duplicate") and _no_refund(scene) and by_us and not asked_not_to


def _refund_not_asked(scene: Scene) -> bool:
    """Nobody has asked for a refund: not of a customer who did."""
    issue = scene.ground.view.issue if scene.ground.view else None
    return _refund_not_sent(scene) and getattr(issue, "refund_requested", None) is not True


def _refund_offer(scene: Scene) -> bool:
    """The customer's own refund flow may be named while the duplicate is verified, eligible and not returned."""
    due = any(r.claim.predicate == "excess_captures" and r.claim.value for r in scene.ground.issue_rows())
    open_ = scene.state is IssueState.EVIDENCE_READY and not _returned(scene)
    return bool(due) and open_ and scene.in_issue("refund_eligible", True)


def _record_speaks(scene: Scene) -> bool:
    return scene.cites("excess_captures", "excess_reversed", "excess_refunded")


def _as_many(scene: Scene) -> bool:
    """Only the excess charges are eligible, not every charge."""
    several = any(
        r.claim.predicate == "excess_captures" and r.claim.value != 1 for r in scene.ground.issue_rows()
    )
    return several or not scene.texts & {"charges", "both", "they"}


BILLING: dict[str, Callable[[Scene], bool]] = {
    "record_speaks": _record_speaks,
    "excess_reversed": lambda s: s.true("excess_reversed"),
    "not_reversed": lambda s: s.false("excess_reversed"),
    "excess_refunded": lambda s: s.true("excess_refunded"),
    "not_refunded": lambda s: s.false("excess_refunded"),
    "refund_eligible": lambda s: s.true("refund_eligible") and not _returned(s) and _as_many(s),
    "refund_ineligible": lambda s: s.false("refund_eligible") and _as_many(s),
    "invoice_due": lambda s: s.reading.past and s.cites("invoice_due_cents"),
    "charges_known": lambda s: s.number("settled_charges") > 0 or s.number("unsettled_charges") > 0,
    "charges_settled": lambda s: "charge" in s.nouns and s.number("settled_charges") > 0,
    "charges_unsettled": lambda s: "charge" in s.nouns and s.number("unsettled_charges") > 0,
    "no_charges": lambda s: s.number("settled_charges") == 0,
    "excess_found": lambda s: s.number("excess_captures") > 0,
    "no_excess": lambda s: s.false("duplicate_found") or s.number("excess_captures") == 0,
    "no_refund": _no_refund,
    "refund_not_sent": _refund_not_sent,
    "refund_not_asked": _refund_not_asked,
    "refund_offer": _refund_offer,
    "refund_flow": lambda s: "flow" in s.nouns and _refund_offer(s),
}
