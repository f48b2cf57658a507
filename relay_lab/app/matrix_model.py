"""What a row puts into a model's mouth, and what of a row a bot without a runtime cannot be given."""

import json
from collections.abc import Mapping
from typing import Any

from relay_lab.app import matrix_kinds as kinds
from relay_lab.app.matrix_kinds import Row
from relay_lab.contracts.proposals import ProposalRequest, Propose
from relay_lab.evaluation.rows import filled

ModelInjection = kinds.ModelSays | kinds.ModelAdds | kinds.ModelQuotes


def speaking(injection: ModelInjection, usual: Propose, facts: Mapping[str, str]) -> Propose:
    """The usual model, saying at its task what the row has it say.

    A bot that asks only `act` hears the same in the shape of that task: the draft as its reply, the foreign account as an
    argument of its call. An answer that is not what an injection alters (not JSON, no such issue) stays as it is.
    """

    def propose(request: ProposalRequest) -> str:
        match injection:
            case kinds.ModelSays(task=task, text=text):
                if request.task == "act":
                    return text if task == "decompose" else _as_reply(text)
                return text if request.task == task else usual(request)
            case kinds.ModelAdds(fields=fields):
                named = json.loads(filled(json.dumps(fields), facts))
                return _altered(usual(request), request.task, named)
            case kinds.ModelQuotes():
                answer = usual(request)
                return _quoting(answer, injection) if request.task == "decompose" else answer

    return propose


def asks_noted(propose: Propose, asked: set[str]) -> Propose:
    """The same model, with every task that it is asked kept in `asked`."""

    def noting(request: ProposalRequest) -> str:
        asked.add(request.task)
        return propose(request)

    return noting


def untried(row: Row, asked: frozenset[str]) -> tuple[str, ...]:
    """What of a row could not be put to a bot that stands alone and asked its model for these tasks, a sentence each."""
    said = []
    for injection in row.inject:
        match injection:
            case kinds.AuditFails():
                said.append("no audit store stands behind this workflow that could fail")
            case kinds.PacketCarries():
                said.append("what it writes into a ticket is not ours to alter")
            case kinds.ModelQuotes() if "decompose" not in asked:
                said.append("its model was never asked to decompose, so no span could be made up")
            case kinds.ModelSays(task=task) if not asked & {task, "act"}:
                said.append(f"the model it was given was never asked to {task} or to act")
            case _:
                pass
    if any(isinstance(step, kinds.Forge | kinds.ClickElsewhere) for step in row.script):
        said.append("there is no runtime whose confirmation could be forged")
    return tuple(said)


def _parsed(answer: str) -> dict[str, Any]:
    try:
        document = json.loads(answer)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _as_reply(draft: str) -> str:
    sentences = _parsed(draft).get("sentences", [])
    return json.dumps({"reply": " ".join(sentence["text"] for sentence in sentences)})


def _altered(answer: str, task: str, fields: Mapping[str, Any]) -> str:
    document = _parsed(answer)
    if not document or task not in ("decompose", "act"):
        return answer
    customer = fields.get("authenticated_customer_id")
    if customer and isinstance(document.get("arguments"), dict):
        document["arguments"] = {**document["arguments"], "customer_id": customer}
    return json.dumps({**document, **fields})


def _quoting(answer: str, injection: kinds.ModelQuotes) -> str:
    document = _parsed(answer)
    issues, start, text = document.get("issues"), injection.start, injection.text
    if not isinstance(issues, list) or len(issues) <= injection.issue:
        return answer
    issues[injection.issue]["span"] = {"start": start, "end": start + len(text), "text": text}
    return json.dumps(document)
