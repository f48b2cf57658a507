"""Typed issues as a closed set (001 §2), and what admission makes of a model's proposal of them."""

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from relay_lab.contracts.base import Code, Contract
from relay_lab.contracts.enums import Feature, TargetPlan

IssueId = Annotated[str, Field(pattern=r"^I[1-9][0-9]{0,3}$")]


class Span(Contract):
    """The exact characters of the message an issue rests on: `message[start:end] == text` (code points, end exclusive)."""

    start: int = Field(ge=0)
    end: int = Field(ge=1)
    text: str = Field(min_length=1)


class _Issue(Contract):
    id: IssueId
    span: Span


class BillingDuplicate(_Issue):
    """One thing was charged more than once, reported or suspected.

    `refund_requested`: true when money back is asked for it, false when it is declined, null when nothing is said.
    """

    type: Literal["billing_duplicate"] = "billing_duplicate"
    requested_outcome: Literal["investigate_duplicate"] = "investigate_duplicate"
    refund_requested: bool | None = None


class FeatureAccess(_Issue):
    """The customer cannot see, open or use a feature; null when they do not say which."""

    type: Literal["feature_access"] = "feature_access"
    feature: Feature | None = None


class SubscriptionChange(_Issue):
    """The customer wants another plan, or an end. `needs_clarification` is true exactly when `target_plan` is null."""

    type: Literal["subscription_change"] = "subscription_change"
    target_plan: TargetPlan | None = None
    deadline: Literal["before_renewal"] | None = None
    needs_clarification: bool

    @model_validator(mode="before")
    @classmethod
    def _compute(cls, given: Any) -> Any:
        if isinstance(given, dict) and "needs_clarification" not in given:
            return given | {"needs_clarification": given.get("target_plan") is None}
        return given

    @model_validator(mode="after")
    def _consistent(self) -> "SubscriptionChange":
        if self.needs_clarification != (self.target_plan is None):
            raise ValueError("needs_clarification must be true exactly when target_plan is null")
        return self


class HumanRequest(_Issue):
    """The customer asks for a person."""

    type: Literal["human_request"] = "human_request"


class Other(_Issue):
    """Anything else: clarified, abstained from or handed off, never dropped. Null counts as about the account.

    `refused_proposal` is set by admission alone, when the model's proposal was refused and this issue stands for the
    whole message.
    """

    type: Literal["other"] = "other"
    about_account: bool | None = None
    refused_proposal: bool = False


Issue = Annotated[
    BillingDuplicate | FeatureAccess | SubscriptionChange | HumanRequest | Other, Field(discriminator="type")
]


class ProposedIssues(Contract):
    """A model's reading of a message. Worth nothing until it is admitted.

    A model can read the session and some write it down again; the four session fields take that without effect, so that
    one that differs is recorded as an attempt (001 §1).
    """

    issues: tuple[Issue, ...] = Field(max_length=20)
    authenticated_customer_id: str | None = None
    session_assurance: str | None = None
    tenant_id: str | None = None
    allowed_scopes: tuple[str, ...] | None = None


class AdmittedIssues(Contract):
    """Issues whose every span and slot was found in the message, numbered in order of first mention. Made by admission only.

    `overreach` names the session fields that the model wrote otherwise than they are.
    """

    kind: Literal["admitted"] = "admitted"
    issues: tuple[Issue, ...]
    overreach: tuple[str, ...] = ()


class Rejected(Contract):
    """A proposal that was refused whole: `code` says why, `place` where (a JSON path such as `issues[1].span`)."""

    kind: Literal["rejected"] = "rejected"
    code: Code
    place: str
    guard: Code


Admission = AdmittedIssues | Rejected
