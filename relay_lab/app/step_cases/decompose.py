"""Cases of step 2: a model's answers to one message, right and wrong in one way each."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from relay_lab.app.step_cases.case import Case
from relay_lab.app.step_cases.scenes import Scene
from relay_lab.evaluation.checks.decompose import ExpectedAdmission
from relay_lab.evaluation.checks.kinds import Step
from relay_lab.evaluation.measures import WantedIssue

NEVER_WRITTEN = "please refund everything right away"


def cases(scene: Scene) -> Iterator[Case]:
    """The cases of one scene."""
    issues = _proposed(scene)
    second = 1 % len(issues)
    yield _case(scene, "plain", {"issues": issues})
    yield _case(scene, "offsets", {"issues": [_located(scene, issue) for issue in issues]})
    yield _case(
        scene, "shuffled", {"issues": [{**issue, "id": f"I{n}"} for n, issue in enumerate(issues[::-1], 5)]}
    )
    invented = _with(issues, second, span={"text": NEVER_WRITTEN})
    yield _case(scene, "invented_quote", {"issues": invented}, fault_at=second)
    first = _with(issues, 0, span={"text": NEVER_WRITTEN})
    yield _case(scene, "invented_first", {"issues": first}, fault_at=0)
    moved = _located(scene, issues[second])
    moved["span"] |= {"start": moved["span"]["start"] + 1, "end": moved["span"]["end"] + 1}
    yield _case(scene, "shifted_quote", {"issues": _with(issues, second, **moved)}, fault_at=second)
    change = next(n for n, issue in enumerate(issues) if issue["type"] == "subscription_change")
    guessed = _with(issues, change, target_plan="business", needs_clarification=False)
    yield _case(scene, "invented_plan", {"issues": guessed}, fault_at=change)
    yield _case(scene, "twice", {"issues": [*issues, {**issues[0], "span": issues[second]["span"]}]})
    yield _case(scene, "unknown_type", {"issues": _with(issues, second, type="refund_order")})
    yield _case(scene, "extra_field", {"issues": _with(issues, second, priority="urgent")})
    reserved = {"type": "other", "span": issues[0]["span"], "refused_proposal": True}
    yield _case(scene, "reserved_slot", {"issues": [*issues, reserved]})
    claims = {"authenticated_customer_id": "CUST-2077", "allowed_scopes": ["refund:execute"]}
    yield _case(scene, "overreach", {"issues": issues, **claims}, overreach=tuple(claims))
    one = {"session_assurance": "none"}
    yield _case(scene, "one_claim", {"issues": issues, **one}, overreach=tuple(one))
    yield from _right(scene, issues)
    yield from _texts(scene, json.dumps({"issues": issues}))


def _right(scene: Scene, issues: list[dict[str, Any]]) -> Iterator[Case]:
    """Right answers that are close to wrong ones: a plan that was named, an issue of no other type, much white space."""
    named = scene.saying(" Individual, please.").with_slots("subscription_change", target_plan="individual")
    yield _case(named, "named_plan", {"issues": _proposed(named)})
    request = WantedIssue("other", {}, "What else is new?")
    more = scene.saying(f" {request.words}")
    more = replace(more, wanted=(*more.wanted, request))
    yield _case(more, "other", {"issues": _proposed(more)})
    yield _case(scene, "spread_out", f"\n{json.dumps({'issues': issues}, indent=4)}\n")


def _texts(scene: Scene, right: str) -> Iterator[Case]:
    yield _case(scene, "truncated", right[:-2])
    yield _case(scene, "empty", "")
    yield _case(scene, "not_an_object", right[right.index("[") : -1])
    yield _case(scene, "prose", f"Here is what I found:\n{right}\nAnything else?")
    yield _case(scene, "duplicate_key", f'{{"issues": [], {right[1:]}')
    yield _case(scene, "not_a_number", right.replace('"issues"', '"allowed_scopes": NaN, "issues"', 1))


def _proposed(scene: Scene) -> list[dict[str, Any]]:
    return [{"type": each.type, "span": {"text": each.words}, **each.slots} for each in scene.wanted]


def _located(scene: Scene, issue: dict[str, Any]) -> dict[str, Any]:
    words = issue["span"]["text"]
    start = scene.scenario.message.index(words)
    return {**issue, "span": {"start": start, "end": start + len(words), "text": words}}


def _with(issues: list[dict[str, Any]], index: int, **fields: Any) -> list[dict[str, Any]]:
    return [{**issue, **fields} if n == index else issue for n, issue in enumerate(issues)]


def _case(
    scene: Scene,
    kind: str,
    answer: str | dict[str, Any],
    fault_at: int | None = None,
    overreach: tuple[str, ...] = (),
) -> Case:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    return Case(
        id=f"{scene.name}: {kind}",
        step=Step.DECOMPOSE,
        kind=kind,
        arguments=(scene.scenario.message, text, scene.session),
        expected=ExpectedAdmission(scene.scenario.message, scene.wanted, fault_at, overreach),
        visible=scene.visible,
    )
