"""A message, the words that ground a reading of it, and proposals as a model writes them."""

import json
from typing import Any

from core.desk import context

from relay_lab.contracts.issues import Admission
from relay_lab.contracts.proposals import Vocabulary
from relay_lab.core.admission import admit_issues
from relay_lab.core.guards import STANDING

MESSAGE = (
    "Put us on the solo plan before the renewal. I was charged twice, I want a refund! No gantt since Monday."
)
WORDS = Vocabulary(
    forms={
        "target_plan": {"individual": ("solo", "single seat"), "team": ("crew",)},
        "deadline": {"before_renewal": ("renewal",)},
        "feature": {"gantt_chart": ("gantt",)},
        "refund_requested": {"true": ("refund", "money back")},
    }
)


def issue(kind: str, text: str, start: int | None = None, **slots: Any) -> dict[str, Any]:
    """An issue as a model writes it; the span has the offsets of `text` in the message, unless they are given."""
    at = MESSAGE.find(text) if start is None else start
    return {"type": kind, "span": {"text": text, "start": at, "end": at + len(text)}, **slots}


CHANGE = issue(
    "subscription_change", "Put us on the solo plan", target_plan="individual", deadline="before_renewal"
)
CHARGED = issue("billing_duplicate", "I was charged twice, I want a refund", refund_requested=True)
GANTT = issue("feature_access", "No gantt", feature="gantt_chart")


def answer(*issues: Any, **more: Any) -> str:
    return json.dumps({"issues": issues, **more})


def admit(text: str, message: str = MESSAGE) -> Admission:
    return admit_issues(message, text, WORDS, context().session, STANDING)
