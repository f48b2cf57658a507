"""A proposer that reads a message as it was written to be read: where it proposes, what is tried is everything else."""

import json
from collections.abc import Iterable

from relay_lab.contracts.proposals import ProposalRequest, Propose
from relay_lab.evaluation.measures import WantedIssue


def knowing(wanted: Iterable[WantedIssue]) -> Propose:
    """The proposer that finds these issues in its message, and drafts nothing."""
    issues = [{"type": each.type, "span": {"text": each.words}, **each.slots} for each in wanted]
    answer = json.dumps({"issues": issues})

    def propose(request: ProposalRequest) -> str:
        return answer if request.task == "decompose" else ""

    return propose
